"""Si Ki Pi: deal, reveal, setting of hands, the House Way, ranking, settlement.

Start at `round.py`.
"""
