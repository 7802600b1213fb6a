"""The errors that can be committed, book by book: those a camera sees, and those that rest on reported gestures.

Left out, since nothing on the table shows them: what only an account, a request or a granted squeeze makes an error
(one-seat-per-player, behind-by-seated-player, additional-hand-examined, squeeze-card-exposed, house-way-late,
absent-player-overdrawn); what a supervisor or a count tells (card-shortage, shoe-exhausted, technical-interruption);
what one Player shows another (card-shown-to-other); a read in doubt
(misread-suspect), which is the camera's own; a card dropped in Si Ki Pi, where Players take cards up themselves.
"""

from collections.abc import Mapping

from feltwatch.datasets.deal.faults import (
    betting,
    bj_paying,
    cards,
    drawing,
    fourcards,
    order,
    paying,
    splitting,
    telling,
)
from feltwatch.datasets.deal.faults.registry import BLACKJACK, SIKIPI, Needs
from feltwatch.engine.books.error_catalogue import FAULTS

STALE = "stale-card"  # of the round before: a matter of two rounds
SKP = "si-ki-pi-v3"
NEVER = {  # a clause it has, yet there is no way to commit it
    ("live-blackjack", "even-money-too-late"),  # there is no even money, late or not: it is even-money-not-allowed
}
ENTERED = (
    betting,
    bj_paying,
    cards,
    drawing,
    fourcards,
    order,
    paying,
    splitting,
    telling,
)  # to import them enters them


def needs(book: str, error: str | None) -> Needs:
    """Give what a table must have for an error."""
    if error in (None, STALE):
        return Needs(1, plain=False)
    return (SIKIPI if book == SKP else BLACKJACK)[error or ""][1]


def _codes(*, told: bool) -> Mapping[str, tuple[str, ...]]:
    found = {}
    for book, faults in FAULTS.items():
        entered = SIKIPI if book == SKP else BLACKJACK
        own = [code for code in faults if (book, code) not in NEVER]
        found[book] = tuple(
            code for code in own if (code == STALE and not told) or (code in entered and entered[code][1].told == told)
        )
    return found


VISIBLE = _codes(told=False)
TOLD = _codes(told=True)
