"""The live service: supervises tables, recovers state from the journal, reports health and metrics.

Start at `run.py`, then `supervisor.py` and `session.py`. Imports `pipeline` and the rooms below it, never `report` or
`replay`.
"""
