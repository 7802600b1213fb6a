"""Table events in, verdicts out: the five approved books. Pure: standard library only, no clock, no files.

Start at `table.py`: `Table.apply(event)`. Imports lead one way: `model` (the values) and `transcript` (rounds as
text), `books` (the rules as data), `round` (what every game shares), `blackjack` and `sikipi` (one game each),
`history` (judging a round again), `table.py`; `odds` computes house edges from the games.
`tests/test_architecture.py` holds these layers.
"""
