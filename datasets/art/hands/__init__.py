"""Hands and arms over the table.

Start at `hands.py`. Imports `drawing` and `common`.
"""
