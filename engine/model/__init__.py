"""The values that everything else is said in: cards, spots, money, shoe, table events, verdicts.

Imports nothing of ours.
"""
