"""The second renderer: scenes in real light, with Blender.

Start at `command.py`. Imports `scene`, `art` and `sets`; Blender is needed only when it runs.
"""
