"""The live service: supervises tables, recovers state from the journal, reports health and metrics.

Start at `run.py`, then `supervisor.py` and `session.py`.
"""
