"""Table events in, verdicts out: the five approved books. Pure: standard library only, no clock, no files.

Start at `table.py`: `Table.apply(event)`. `model/` holds the values, `books/` the rules as data, `round/`
what every game shares, `blackjack/` and `sikipi/` one game each, `history/` what allows a round to be replayed.
"""
