"""What lies on a table in one picture: sampled, placed, lit, and its exact truth. Start at `scene.py`."""
