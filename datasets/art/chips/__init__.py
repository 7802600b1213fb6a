"""Chips and their faces. Start at `chips.py`."""
