"""The four blackjack books: initial deal, play, dealer, settlement, misdealt cards and remedies.

Start at `round.py`.
"""
