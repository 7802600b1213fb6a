"""Tracks to table events: what is reported, and when it is certain enough.

Start at `card_events.py`. Imports `tracking` and the rooms below it, and the events of `engine.model`.
"""
