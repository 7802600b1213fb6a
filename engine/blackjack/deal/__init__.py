"""Each card as it falls, is moved or is taken up: is it due there, and how is it put right if not.

Start at `initial_deal.py` and `subsequent_deal.py`; `remedies.py` says how each book puts an error right. Imports
`play` and `money`.
"""
