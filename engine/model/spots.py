"""Places on the felt: zones hold cards, spots hold chips."""

import re
from dataclasses import dataclass
from functools import lru_cache

MAX_BOXES = 9
MAX_HANDS = 4


class PlaceTextError(ValueError):
    """The text names no zone or spot."""


@dataclass(frozen=True, slots=True)
class Zone:
    """A place for cards. `box` 0 is the dealer; a place that belongs to no hand has `box` None."""

    text: str
    box: int | None
    part: str  # cards, low, high - or shoe, discard, float, outside
    hand: int = 1


def _zones() -> dict[str, Zone]:
    found = {name: Zone(name, None, name) for name in ("shoe", "discard", "float", "outside")}
    for part in ("cards", "low", "high"):
        found[f"dealer.{part}"] = Zone(f"dealer.{part}", 0, part)
    for box in range(1, MAX_BOXES + 1):
        for part in ("cards", "low", "high"):
            found[f"box{box}.{part}"] = Zone(f"box{box}.{part}", box, part)
        for hand in range(2, MAX_HANDS + 1):
            found[f"box{box}.hand{hand}"] = Zone(f"box{box}.hand{hand}", box, "cards", hand)
    return found


ZONES = _zones()
OUTSIDE = ZONES["outside"]
SHOE = ZONES["shoe"]
DISCARD = ZONES["discard"]


def hand_zone(box: int, hand: int = 1) -> Zone:
    """Give the zone in which the cards of a hand lie; box 0 is the dealer."""
    if box == 0:
        return ZONES["dealer.cards"]
    return ZONES[f"box{box}.cards" if hand == 1 else f"box{box}.hand{hand}"]


def parse_zone(text: object, hand: object = None) -> Zone:
    """Read a zone; `hand` is the event's own word on which split hand is meant.

    >>> parse_zone("box3.cards", 2).text
    'box3.hand2'
    """
    if text is None:
        return OUTSIDE
    zone = ZONES.get(text) if isinstance(text, str) else None
    if zone is None:
        raise PlaceTextError(
            f"unknown zone {text!r}: expected box1.cards … box{MAX_BOXES}.cards, boxN.hand2 … hand4, boxN.low, "
            "boxN.high, dealer.cards, dealer.low, dealer.high, shoe, discard, float or outside"
        )
    if hand is not None and zone.box and zone.part == "cards" and hand != zone.hand:
        if not isinstance(hand, int) or isinstance(hand, bool) or not 1 <= hand <= MAX_HANDS:
            raise PlaceTextError(f"expected hand 1 to {MAX_HANDS}, found {hand!r}")
        if zone.hand == 1:
            return hand_zone(zone.box, hand)
    return zone


BETS = ("main", "pair", "under13", "over13", "rws-pairs", "boom-busted", "insurance", "bonus", "dealer-bonus")


@dataclass(frozen=True, slots=True)
class Spot:
    """A place for chips: which box, which bet, whose it is ("" is the Seated Player)."""

    text: str
    box: int
    kind: str  # one of BETS
    who: str = ""  # "", standing1 …, behind1 …
    hand: int = 0  # 0: the box as a whole; 2 to 4: the second stack of a split that lies apart

    @property
    def bet(self) -> str:
        return self.text.partition(".")[2]


_SPOT = re.compile(rf"box([1-{MAX_BOXES}])\.([a-z0-9-]+?)(?:/((?:standing|behind)[1-9][0-9]?))?")
_BEHIND = re.compile(r"behind[1-9][0-9]?")
_HAND = re.compile(rf"hand([2-{MAX_HANDS}])")


@lru_cache(maxsize=4096)
def parse_spot(text: str) -> Spot:
    """Read a spot.

    >>> parse_spot("box3.main/standing1").who, parse_spot("box3.behind2").who, parse_spot("box3.hand2").hand
    ('standing1', 'behind2', 2)
    """
    match = _SPOT.fullmatch(text)
    if match is not None:
        box, kind, who = int(match[1]), match[2], match[3] or ""
        if kind in BETS:
            return Spot(text, box, kind, who)
        if _BEHIND.fullmatch(kind) and not who:
            return Spot(text, box, "main", kind)
        apart = _HAND.fullmatch(kind)
        if apart is not None:
            return Spot(text, box, "main", who, int(apart[1]))
    raise PlaceTextError(
        f"unknown spot {text!r}: expected such as box3.main, box3.main/standing1, box3.behind1 or box3.pair"
    )
