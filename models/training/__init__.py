"""Training and export of the networks; needs the `train` extra.

Start at `train.py`. Imports `evaluation`, `shipped`, `datasets` and `vision`.
"""
