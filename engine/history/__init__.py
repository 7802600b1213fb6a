"""Rounds that are lived again: the record of a round, unknown order of hidden cards, outages, snapshots.

Start at `round_record.py`.
"""
