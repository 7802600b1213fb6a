"""Training sets on disk: written, labelled, previewed.

Start at `sets.py`. Imports `render`, `scene`, `photos` and `art`.
"""
