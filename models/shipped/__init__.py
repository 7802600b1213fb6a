"""The shipped networks with their manifest; start at `registry.py`."""
