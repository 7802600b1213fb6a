"""Exact house edges, computed from the engine's own settlement; for docs and tests only.

Start at `figures.py`. Imports the games and their books.
"""
