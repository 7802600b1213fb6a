"""The second renderer: scenes in real light, with Blender. Start at `command.py`."""
