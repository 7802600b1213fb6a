"""The synthetic casino: card art, scenes, pictures and films with their exact truth.

Start at `__main__.py` for the commands, at `scene/scene.py` for what a picture is made of.
"""
