"""Photographs: of cards to learn from, scans of a customer's own deck and chips, and how real renders look.

Start at `real.py` for photographs of tables, at `scan.py` for a deck of one's own. Imports `art.cards`, `sources` and
`common`.
"""
