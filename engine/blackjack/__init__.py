"""The four blackjack books: initial and subsequent deal, play, settlement, misdealt cards and remedies.

Start at `round.py`, which calls the rules; `state.py` is what they all read and change, `phases.py` what follows what.
The rules are in `deal`, which imports `play`, which imports `money`; all import `state` and `hands`. Imports `round`.
"""
