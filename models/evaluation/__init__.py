"""Accuracy of the networks, measured on images they never saw. `models/evaluate.py` is the command.

Start at `tables.py` for rendered tables, at `photographs.py` for real ones; `rounds/` is for whole rounds. Imports
`shipped`, `datasets` and `vision`.
"""
