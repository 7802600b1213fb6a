"""Decks of cards: drawn by us, fetched, or invented.

Start at `decks.py`. Imports `common` and `sources`.
"""
