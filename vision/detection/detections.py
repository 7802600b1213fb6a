"""What a look at one picture gives: cards, stacks of chips and hands, in pixels of that picture."""

from dataclasses import dataclass

from feltwatch.vision.arrays import Point, Quad

SMALL_PX = 60.0  # a card that is less tall is hard to read


@dataclass(frozen=True, slots=True)
class DetectedCard:
    """One card: the whole of it, also where another covers it."""

    quad: Quad
    up: bool
    face: str | None  # "9h"; None: face down, or unread
    confidence: float  # that the face is right; where there is none, that this is a card lying so
    unread: str | None = None  # why the face of a card that lies face up is not known: "small", "covered", "uncertain"


@dataclass(frozen=True, slots=True)
class DetectedStack:
    """One stack of chips: its top disc."""

    center: Point
    radius: float
    confidence: float


@dataclass(frozen=True, slots=True)
class DetectedHand:
    quad: Quad
    confidence: float


@dataclass(frozen=True, slots=True)
class Detections:
    cards: tuple[DetectedCard, ...] = ()
    stacks: tuple[DetectedStack, ...] = ()
    hands: tuple[DetectedHand, ...] = ()
