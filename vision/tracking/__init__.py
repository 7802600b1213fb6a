"""Cards and chips that keep their identity while they lie, are covered, turned or pushed.

Start at `card_tracker.py`. Imports `detection`, `motion`, `geometry` and `layout`.
"""
