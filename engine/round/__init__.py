"""What the rounds of every game share: bets, payments, findings, checks, tables watched by a camera alone.

Start at `base.py`, which calls the rules; `state.py` is what they all read and change. Imports `model` and `books`.
"""
