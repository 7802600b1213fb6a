"""The four blackjack books: initial deal, play, dealer, settlement, misdealt cards and remedies.

Start at `round.py`, which calls the rules; `state.py` is what they all read and change. The rules build on each other
in this order: side_bets, additional_bets, remedies, forbidden; followers, settlement; turns; dealer; decisions;
inferred, offers; misplaced_cards; subsequent_deal; moved_cards; initial_deal; drawn_together, early_pickup, chips.
Imports `round`.
"""
