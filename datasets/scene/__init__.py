"""What lies on a table in one image: sampled, placed, lit, and its exact truth.

Start at `scene.py`. Imports `art`, `common` and `sources`.
"""
