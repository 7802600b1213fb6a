"""Accuracy of the networks, measured on pictures they never saw. `models/evaluate.py` is the command."""
