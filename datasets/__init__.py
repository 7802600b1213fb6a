"""The synthetic casino: card art, scenes, images and videos with their exact truth.

Start at `__main__.py` for the commands, at `scene/scene.py` for what an image is made of. Imports the values and books
of `engine` and the geometry and layouts of `vision`, never `edge`.
"""
