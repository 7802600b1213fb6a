"""What lies on the table as one scene, and the stories that explain each change of it.

Start at `scene_tracker.py`. Imports `tracking`, `detection`, `motion`, `geometry` and `layout`.
"""
