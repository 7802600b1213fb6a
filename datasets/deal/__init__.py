"""A dealer who plays rounds: what is dealt, decided, paid and moved, and what the engine owes to say of it."""
