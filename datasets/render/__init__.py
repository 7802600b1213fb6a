"""The fast renderer: scenes and crops composed from art.

Start at `compose.py`. Imports `scene` and `art`.
"""
