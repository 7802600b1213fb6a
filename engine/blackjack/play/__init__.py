"""Play: whose turn it is, decisions that are reported, inferred, offered or forbidden, the dealer, chips that move.

Start at `decisions.py`; `chips.py` says what chips mean while a round is played. Imports `money`.
"""
