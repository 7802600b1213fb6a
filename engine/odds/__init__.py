"""Exact probabilities of the books, counted with the engine's own rules and pay tables."""
