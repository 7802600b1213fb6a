"""A round as a film script: table events with their times, what moves where, and the verdicts that are owed."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from feltwatch.engine.model.cards import Card

DEALER = "dealer"  # whose hand moves a thing; else "box3", the Player of that box

CHIPS = (1, 5, 25, 100, 500, 1000, 5000)
THINGS = ("phone", "glass", "club-card", "lighter", "paper")


@dataclass(frozen=True, slots=True)
class Nudge:
    """A push that belongs to no act of the game: so many millimetres and degrees, about the middle of a card."""

    x_mm: float
    y_mm: float
    deg: float
    about: str


@dataclass(frozen=True, slots=True)
class CarriedCard:
    """A card is carried, slid or turned: it sets off at `start` and rests at `end`, the time of its table event."""

    start: float
    end: float
    card: str  # its id
    face: Card  # what is printed on it, whether or not it shows
    up: bool  # at rest, does the face show
    zone: str  # where it rests: box3.cards, box3.hand2, dealer.cards, discard, outside …
    place: int = 0  # which card of that zone it is, counted from 0 in the order they were laid
    crosswise: bool = False
    how: str = "deal"  # deal, turn, slide, lift, tuck, collect, drop, found, nudge, spread
    by: str = DEALER
    lifted: bool = False  # a corner is bent up towards its Player, who looks
    foreign: bool = False  # of another set of cards, and looks it
    parted: bool = False  # of the first hand of a box that lies aside, too, since its pair was split
    nudge: "Nudge | None" = None


@dataclass(frozen=True, slots=True)
class ChipMove:
    """The chips of a spot change: `stacks` is what lies there from `end` on, each stack from the felt up."""

    start: float
    end: float
    spot: str
    stacks: tuple[tuple[int, ...], ...]
    how: str = "place"  # place, cut, pay, take
    by: str = DEALER


@dataclass(frozen=True, slots=True)
class Gesture:
    """A hand comes over a place and goes again; nothing is moved."""

    start: float
    end: float
    over: str  # zone or spot
    by: str


@dataclass(frozen=True, slots=True)
class ThingMove:
    """A thing that is neither card nor chip is put on the table, or taken away."""

    start: float
    end: float
    thing: str
    kind: str
    there: bool
    by: str


HandMove = CarriedCard | ChipMove | Gesture | ThingMove


@dataclass(frozen=True, slots=True)
class Owed:
    """What the engine must say, worked out by the dealer and not by the engine."""

    alerts: tuple[str, ...] = ()  # codes that must stand when the round is over, in the order they fall due
    settlements: Mapping[tuple[int, int, str], tuple[str, Decimal]] = field(default_factory=dict)  # -> result, net
    result: str = "completed"  # or void, unresolved


@dataclass(frozen=True, slots=True)
class DealtRound:
    """One round of one table, whole."""

    book: str
    seed: int
    boxes: int  # boxes the table has
    decks: int
    minimum: Decimal
    maximum: Decimal
    settings: Mapping[str, str]  # switches of the book, as `--set` takes them
    events: tuple[Mapping[str, object], ...]  # as docs/events.md has them, in order of time
    moves: tuple[HandMove, ...]  # in order of start
    owed: Owed
    ends: float
    error: str | None = None  # the code that was committed on request
    rounds: int = 1  # how many its events hold: what is owed is of the last, those before it were clean
