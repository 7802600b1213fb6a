"""The best play of the live book, by the dealer's first card and by each reading of its text."""

from collections.abc import Mapping
from fractions import Fraction

from feltwatch.engine.books import BOOKS
from feltwatch.engine.odds import both, play
from feltwatch.engine.odds.dealer import Chances
from feltwatch.engine.odds.hands import Seat
from feltwatch.engine.odds.play import best
from feltwatch.engine.odds.shoe import FACES, full, plus

BOOK = BOOKS["live-blackjack"]
TEXT = "live-best"
BOTH = "live-best-both-hands"
READINGS: Mapping[str, Mapping[str, str]] = {
    TEXT: {},
    "live-best-surrender-10": {"live_surrender": "not-ace"},
    "live-best-21-pushes": {"bj_beats_21": "false"},
    "live-best-original-bet": {"live_vs_bj": "obo"},
    "live-best-double-split": {"live_das": "true"},
}
KEYS = (*READINGS, BOTH)
Columns = Mapping[str, Mapping[str, Fraction]]  # by the key, by the rank of the dealer's first card


def column(rank: str, keys: tuple[str, ...] = KEYS) -> dict[str, Fraction]:
    """Give what the best play brings against a first card, for one staked."""
    up = next(value for value, face in enumerate(FACES) if face.rank == rank)
    chances = Chances(BOOK, up, plus(full(BOOK.decks), up, -1))
    found = {}
    for key in keys:
        seat = Seat(BOOK.at_table(settings=READINGS.get(key)), chances)
        found[key] = best(seat, both.split if key == BOTH else play.split)
    return found


def returned(columns: Mapping[str, Fraction]) -> Fraction:
    """Give the mean return over the dealer's first card, the stake included."""
    shoe = full(BOOK.decks)
    return 1 + sum(
        (Fraction(copies, sum(shoe)) * columns[face.rank] for face, copies in zip(FACES, shoe, strict=True)),
        Fraction(0),
    )
