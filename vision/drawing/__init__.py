"""Frames drawn on for people: nothing is decided from it.

Start at `view.py`. Imports `detection` for what is drawn.
"""
