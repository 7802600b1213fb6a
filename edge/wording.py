"""How cards, places, remedies and times of a video are written for people: in terminal, images and pages."""

from typing import Final

from feltwatch.engine.model.cards import Card
from feltwatch.engine.model.verdicts import Remedy

SUITS: Final = {"s": "♠", "h": "♥", "d": "♦", "c": "♣"}
RANKS: Final = {"T": "10"}


def face(card: Card | None, *, up: bool = True) -> str:
    """Write a card as people read it."""
    if card is None:
        return "▒▒" if not up else "??"
    return RANKS.get(card.rank, card.rank) + SUITS[card.suit]


def place(name: str) -> str:
    """Write a place as people say it.

    >>> place("box3.hand2"), place("dealer.cards")
    ('box 3 hand 2', 'dealer')
    """
    where, _, part = name.partition(".")
    if where.startswith("box"):
        where = f"box {where[3:]}"
    part = part.replace("cards", "").replace("main", "").replace("hand", "hand ").replace("/", " ").strip()
    return f"{where} {part}".strip()


def cure(remedy: Remedy) -> str:
    """Write how an error is put right; a sentence that begins with the outcome stands alone.

    >>> cure(Remedy("discard", "5.10.2", says="Discard the 3 of diamonds.")), cure(Remedy("void", "5.1"))
    ('Remedy (5.10.2): Discard the 3 of diamonds.', 'Remedy (5.1): void.')
    """
    outcome = "" if remedy.says.lower().startswith(remedy.outcome) else f"{remedy.outcome}. "
    text = f"Remedy ({remedy.clause}): {outcome}{remedy.says}".rstrip()
    return text + (f" Players choose: {' or '.join(remedy.options)}." if remedy.options else "")


def clock(t: float) -> str:
    """Write seconds of a video as people do, to the tenth.

    >>> clock(28.96), clock(3725.01)
    ('0:29.0', '1:02:05.0')
    """
    tenths = round(t * 10)
    minutes, rest = divmod(tenths, 600)
    hours, minutes = divmod(minutes, 60)
    start = f"{hours}:{minutes:02d}" if hours else f"{minutes}"
    return f"{start}:{rest // 10:02d}.{rest % 10}"
