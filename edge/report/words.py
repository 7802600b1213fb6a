"""How the report writes places, times, amounts of money and severities."""

from collections.abc import Sequence

from feltwatch.edge.wording import clock
from feltwatch.engine.model.verdicts import SEVERITIES

MINUS = "\N{MINUS SIGN}"
MARKS = {"void": "void", "stop": "stop", "correct": "correct", "advise": "note"}
ENDS = {"completed": "completed", "void": "void", "unresolved": "unresolved", "open": "still open"}
RANK = {severity: place for place, severity in enumerate(SEVERITIES.values())}


def moment(t: float) -> str:
    """Write a time to the second, for where tenths are noise.

    >>> moment(28.96), moment(3725.01)
    ('0:28', '1:02:05')
    """
    return clock(int(t)).partition(".")[0]


def place(zone: str) -> str:
    """Write a place of cards or chips.

    >>> place("box3.hand2"), place("dealer.cards"), place("box3.low"), place("outside"), place("box3.main/standing1")
    ('Box 3, hand 2', 'Dealer', 'Box 3, low', 'Outside the boxes', 'Box 3, main, standing 1')
    """
    if zone in ("outside", "None"):
        return "Outside the boxes"
    where, _, part = zone.partition(".")
    if where.startswith("box"):
        where = f"box {where[3:]}"
    parts = [where, *(_spaced(one) for one in part.split("/") if one not in ("cards", ""))]
    return ", ".join(parts).capitalize()


def _spaced(word: str) -> str:
    """Set a space before the number of hand2 or standing1; under13 is the name of a bet."""
    letters = word.rstrip("0123456789")
    return f"{letters} {word[len(letters) :]}" if letters in ("hand", "standing", "behind") else word


def money(value: object, *, signed: bool = False) -> str:
    """Write an amount as the verdicts hold it.

    >>> money(1250), money(62.5, signed=True), money(0, signed=True), money("1000.5")
    ('1,250', '+62.5', '0', '1000.5')
    """
    if not isinstance(value, int | float):
        return str(value)
    text = f"{abs(value):,}"
    if value < 0:
        return f"{MINUS}{text}"
    return f"+{text}" if signed and value else text


def count(number: int, one: str, many: str = "") -> str:
    """Write a number with its noun.

    >>> count(1, "alert"), count(0, "alert"), count(2, "box", "boxes")
    ('1 alert', 'no alerts', '2 boxes')
    """
    return f"{number or 'no'} {one if number == 1 else many or one + 's'}"


def joined(words: Sequence[str]) -> str:
    """Join words with commas and an "and".

    >>> joined(["a"]), joined(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return " and ".join([*([", ".join(words[:-1])] if words[1:] else []), *words[-1:]])
