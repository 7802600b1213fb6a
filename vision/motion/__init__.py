"""What changed, what has come to rest, and whose hand moved it.

Start at `change_detector.py`. Imports `geometry` and `layout`.
"""
