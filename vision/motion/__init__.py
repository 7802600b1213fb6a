"""What changed, what has come to rest, whose hand moved it, what a camera covers, and whether it was moved.

Start at `change_detector.py`. Imports `geometry` and `layout`.
"""
