"""The values that everything else uses: cards, spots, money, shoe, table events, verdicts.

Start at `events.py` and `verdicts.py`. Imports nothing of ours.
"""
