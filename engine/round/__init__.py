"""What every game's round shares: bets, payments, findings, checks.

Start at `base.py`. Imports `model` and `books`.
"""
