"""What blackjack bets come to: hands and side bets settled; chips for doubles, splits, and of those who follow.

Start at `settlement.py`, which decides the hands by the clauses of the book. Imports `state` and `hands`.
"""
