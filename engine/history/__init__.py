"""Rounds that are judged again: the record of a round, cards dealt behind a hand, outages.

Start at `round_record.py`. Imports `model` and `round`; `table.py` builds on it.
"""
