"""Training sets on disk: written, labelled, previewed. Start at `sets.py`."""
