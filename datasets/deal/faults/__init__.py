"""The errors that the dealer can commit, each in one function. Start at `registry.py`."""
