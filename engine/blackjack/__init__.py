"""Blackjack by four books: one set of rules, and the few places where the books differ."""
