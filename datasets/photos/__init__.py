"""Photographs: of cards to learn from, scans of a customer's own deck and chips, and how real renders look."""
