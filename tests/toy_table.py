"""A table of flat colours, and eyes that know what lies on it: what they see is drawn, what they say is looked up.

So a test places cards, stacks and hands and decides what the networks make of them; nothing else decides the reports.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from feltwatch.datasets.sets.sets import READS
from feltwatch.vision.arrays import Floats, Pixels
from feltwatch.vision.detection.detector import CARDS, Detection
from feltwatch.vision.detection.reader import FaceReading
from feltwatch.vision.detection.still_reader import StillReader
from feltwatch.vision.geometry.camera import look_at
from feltwatch.vision.layout.zones import load_layout
from feltwatch.vision.table_watcher import TableWatcher
from tests.json_events import Event, as_json
from tests.vision.exact_fitter import SURE, ExactFitter

SIZE = (1280, 720)
STEP_S = 0.04
CARD_MM = (63.0, 88.0)
CHIP_MM = 19.75
SHOWS = 0.1  # of a thing must show to be found
LAYOUT = load_layout("blackjack-7")
CAMERA = look_at(SIZE, (0.0, 440.0, 2000.0), (0.0, 440.0), 2150.0)

FILLS_PX = 5.0  # the corners of a quad may be off by so much, and it is read


@dataclass(frozen=True)
class Laid:
    """A card: where its middle lies, the way of its long side, and what the reader makes of it."""

    face: str
    x: float
    y: float
    angle: float = 90.0
    up: bool = True
    likely: float = 0.999  # that it is read so
    mistaken: str | None = None  # for what it is taken else
    clear: bool = False  # both its indices show
    visible: float = 0.0  # how much of it is seen to show

    @property
    def corners(self) -> Floats:
        return rectangle(self.x, self.y, CARD_MM, self.angle)

    @property
    def colour(self) -> tuple[int, int, int]:
        n = READS.index(self.face)
        return (235, 240 - n, 180 + n) if self.up else (150, 40, 30)


@dataclass(frozen=True)
class Chips:
    x: float
    y: float
    colour: tuple[int, int, int] = (40, 40, 200)


@dataclass(frozen=True)
class Arm:
    """A hand that reaches from an edge of the felt to a point: y below 0 is the dealer's edge."""

    x: float
    y: float
    dealers: bool = True

    @property
    def corners(self) -> Floats:
        end = -150.0 if self.dealers else 1100.0
        return rectangle(self.x, (self.y + end) / 2, (90.0, abs(end - self.y)), 90.0)


Thing = Laid | Chips | Arm


def rectangle(x: float, y: float, size: tuple[float, float], angle: float) -> Floats:
    """Give corners in millimetres, from the top left clockwise as the thing is looked at."""
    turn = np.deg2rad(angle)
    along, across = np.array([np.cos(turn), np.sin(turn)]), np.array([np.sin(turn), -np.cos(turn)])
    signs = ((-1, 1), (1, 1), (1, -1), (-1, -1))
    return np.array([[x, y] + across * a * size[0] / 2 + along * b * size[1] / 2 for a, b in signs])


def felt() -> Pixels:
    """Give a felt with a weave and a print, so that a shaking camera can be detected."""
    dice = np.random.default_rng(5)
    weave = dice.normal(0, 2.5, (SIZE[1], SIZE[0], 1))
    picture = np.clip(np.array([70.0, 105.0, 40.0]) + weave, 0, 255).astype(np.uint8)
    for area in LAYOUT.areas:
        outline = np.round(CAMERA.to_picture(area.polygon)).astype(np.int32)
        cv2.polylines(picture, [outline], isClosed=True, color=(150, 170, 150), thickness=2)
    return picture


@dataclass
class Toy:
    """A table, watched."""

    things: list[Thing] = field(default_factory=list)
    watcher: TableWatcher = field(init=False)
    t: float = 0.0
    events: list[Event] = field(default_factory=list)
    disturb: Callable[[float, Pixels], Pixels] = lambda _, picture: picture
    seen: Pixels = field(init=False)  # what the eyes are shown
    owner: NDArray[np.int32] = field(init=False)  # the number of the thing at each pixel

    def __post_init__(self) -> None:
        self.felt = felt()
        eyes = StillReader(ToyDetector(self), ExactFitter(), ToyReader(self), SURE)  # type: ignore[arg-type]  # alike
        self.watcher = TableWatcher(CAMERA, LAYOUT, eyes)

    def wait(self, seconds: float) -> list[Event]:
        """Let time pass; give what is reported meanwhile."""
        found: list[Event] = []
        for _ in range(round(seconds / STEP_S)):
            picture = self.drawn()
            self.seen = self.disturb(self.t, picture)
            found += as_json(self.watcher.step(round(self.t, 3), self.seen))
            self.t += STEP_S
        self.events += found
        return found

    def put(self, *things: Thing, under: Arm | None = None) -> list[Event]:
        """Lay things down with a hand, which then goes; give what is reported until the table has settled."""
        arm = under or Arm(things[0].x, things[0].y)
        self.things.append(arm)
        found = self.wait(0.2)
        self.things[-1:] = [*things, arm]
        found += self.wait(0.12)
        self.things.remove(arm)
        return found + self.wait(0.8)

    def take(self, *things: Thing, under: Arm | None = None) -> list[Event]:
        """Take things away with a hand."""
        arm = under or Arm(things[0].x, things[0].y)
        self.things.append(arm)
        found = self.wait(0.2)
        for thing in things:
            self.things.remove(thing)
        found += self.wait(0.12)
        self.things.remove(arm)
        return found + self.wait(2.5)

    def change(self, old: Laid, new: Laid) -> list[Event]:
        """Let a hand turn a card or push it elsewhere."""
        arm = Arm(new.x, new.y)
        self.things.append(arm)
        found = self.wait(0.2)
        self.things.remove(old)
        self.things.insert(-1, new)
        found += self.wait(0.12)
        self.things.remove(arm)
        return found + self.wait(2.5)

    def drawn(self) -> Pixels:
        picture = self.felt.copy()
        self.owner = np.full(picture.shape[:2], -1, np.int32)
        for number, thing in enumerate(self.things):
            for canvas, colour in ((picture, _colour(thing)), (self.owner, number)):
                cv2.fillConvexPoly(canvas, np.round(outline(thing)).astype(np.int32), colour)
        return picture

    def shows(self, number: int) -> float:
        """Give how much of a thing is seen."""
        whole = np.zeros(self.owner.shape, np.uint8)
        cv2.fillConvexPoly(whole, np.round(outline(self.things[number])).astype(np.int32), 1)
        return float((self.owner == number).sum()) / max(int(whole.sum()), 1)


def outline(thing: Thing) -> Floats:
    """Give where a thing is in the picture."""
    if isinstance(thing, Chips):
        turns = np.linspace(0, 2 * np.pi, 32, endpoint=False)
        return CAMERA.to_picture(
            np.column_stack([thing.x + CHIP_MM * np.cos(turns), thing.y + CHIP_MM * np.sin(turns)])
        )
    return CAMERA.to_picture(thing.corners)


def _colour(thing: Thing) -> tuple[int, int, int]:
    return (130, 150, 200) if isinstance(thing, Arm) else thing.colour


@dataclass
class ToyDetector:
    toy: Toy

    def survey(self, part: Pixels, scale: float | None = None) -> tuple[list[Detection], list[Detection]]:
        """Give the cards that are partly visible within a part of the picture, and the other things."""
        del scale
        offset = part.ctypes.data - self.toy.seen.ctypes.data
        corner = np.array([offset % self.toy.seen.strides[0] // 3, offset // self.toy.seen.strides[0]])
        high = corner + np.array(part.shape[1::-1])
        found = []
        for number, thing in enumerate(self.toy.things):
            quad = box(outline(thing))
            middle = quad.mean(axis=0)
            reached = (quad.max(axis=0) > corner).all() and (quad.min(axis=0) < high).all()
            inside = (middle > corner).all() and (middle < high).all()
            if (inside or (reached and isinstance(thing, Arm))) and self.toy.shows(number) >= SHOWS:
                found.append(Detection(_kind(thing), quad - corner, 0.9, float(isinstance(thing, Laid) and thing.up)))
        return [one for one in found if one.kind in CARDS], [one for one in found if one.kind not in CARDS]


def _kind(thing: Thing) -> str:
    if isinstance(thing, Laid):
        return "card_up" if thing.up else "card_down"
    return "chip_stack" if isinstance(thing, Chips) else "hand"


def box(points: Floats) -> Floats:
    """Give the rectangle of a thing: of a disc that around it."""
    if len(points) == 4:
        return points
    low, high = points.min(axis=0), points.max(axis=0)
    return np.array([low, [high[0], low[1]], high, [low[0], high[1]]])


@dataclass
class ToyReader:
    toy: Toy
    classes: tuple[str, ...] = READS

    def read(self, picture: Pixels, quads: Floats) -> list[FaceReading]:
        """Say what the card that fills each quad is taken for."""
        del picture
        cards = [thing for thing in self.toy.things if isinstance(thing, Laid)]
        return [self._reading(next((card for card in reversed(cards) if _fills(card, quad)), None)) for quad in quads]

    def _reading(self, card: Laid | None) -> FaceReading:
        likely = np.full(len(READS), 1e-6)
        if card is None:
            likely[READS.index("none")] = 0.999
        elif card.up:
            likely[READS.index(card.mistaken or "none")] = 1 - card.likely
            likely[READS.index(card.face)] = card.likely
        else:
            likely[READS.index("back")] = 0.999
        likely /= likely.sum()
        best = int(likely.argmax())
        return FaceReading(READS[best], float(likely[best]), likely)


def _fills(card: Laid, quad: Floats) -> bool:
    """Tell whether a card lies just within a quad, either way round."""
    own = outline(card)
    return any(np.hypot(*(np.roll(own, turn, axis=0) - quad).T).max() <= FILLS_PX for turn in range(4))


def laid(face: str, zone: str, number: int = 0, **more: object) -> Laid:
    """Give a card as a dealer lays it into a zone: the first, or a later one."""
    area = LAYOUT.by_name[zone]
    x, y = (a + number * b for a, b in zip(area.first, area.step, strict=True))
    return replace(Laid(face, x, y, area.turn), **more)  # type: ignore[arg-type]  # its own members


def plain(events: list[Event]) -> list[tuple[object, ...]]:
    """Give what events say, without when."""
    names = ("event", "zone", "card", "face", "spot")
    return [tuple(event[name] for name in names if name in event) for event in events]
