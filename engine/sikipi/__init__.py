"""Si Ki Pi: deal, reveal, setting of hands, the House Way, ranking, settlement.

Start at `round.py`, which calls the rules; `state.py` is what they all read and change. Imports `round`.
"""
