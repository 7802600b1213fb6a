"""The values that everything else uses: cards, spots, money, shoe, table events, verdicts.

Imports nothing of ours.
"""
