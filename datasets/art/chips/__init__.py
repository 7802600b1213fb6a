"""Chips and their faces.

Start at `chips.py`. Imports `drawing`, `common` and `sources`.
"""
