"""Drawing tools that cards, felts, chips and hands share: colours, prints, boxes. Start at `prints.py`."""
