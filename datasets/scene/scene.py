"""A table as it stands at one moment: everything that a picture of it is made of. Frozen; nothing is drawn here."""

from dataclasses import dataclass, field
from math import cos, radians, sin

import numpy as np

from feltwatch.datasets.art.chips.chips import ChipStack
from feltwatch.datasets.art.felts.things import LaidThing
from feltwatch.datasets.art.hands.hands import SceneHand
from feltwatch.datasets.lighting import Light, Sensor
from feltwatch.vision.arrays import Floats
from feltwatch.vision.geometry.camera import Camera
from feltwatch.vision.layout.zones import Layout

POKER = (63.0, 88.0)
BRIDGE = (57.0, 89.0)
THICK = 0.3  # of a card, millimetres


@dataclass(frozen=True, slots=True)
class LaidCard:
    """A card on the felt or in the air: its middle, the way its top points, and how it leans."""

    id: str
    face: str
    up: bool
    x: float
    y: float
    angle: float  # degrees from +x
    z: float = 0.0  # its lower side above the felt
    zone: str | None = None
    bend: float = 0.0  # by how many millimetres its middle line stands above (or, if negative, below) its ends
    lean: float = 0.0  # degrees its top edge is raised about its bottom edge
    size: tuple[float, float] = POKER
    deck: str | None = None  # where it is not of the table's deck: a foreign card
    turned: float = 0.0  # degrees it is turned about its long axis while a hand turns it over

    def points(self, across: Floats, along: Floats) -> Floats:
        """Give the places (N x 3) of points of the card: `across` and `along` run from 0 at its top left to 1."""
        width, height = self.size
        u, v = (across - 0.5) * width, (0.5 - along) * height
        rise = self.bend * (1 - 4 * (along - 0.5) ** 2)
        turn, lean = radians(self.turned), radians(self.lean)
        u, rise = u * cos(turn), rise + u * sin(turn) + abs(sin(turn)) * width / 2
        rise = rise + (v + height / 2) * sin(lean)
        v = (v + height / 2) * cos(lean) - height / 2
        top = radians(self.angle)
        x = self.x + u * sin(top) + v * cos(top)
        y = self.y - u * cos(top) + v * sin(top)
        return np.column_stack([x, y, self.z + THICK + rise])

    @property
    def corners(self) -> Floats:
        """Top left, top right, bottom right, bottom left of the card as it is printed on the side that is up."""
        return self.points(np.array([0.0, 1.0, 1.0, 0.0]), np.array([0.0, 0.0, 1.0, 1.0]))


@dataclass(frozen=True, slots=True)
class Scene:
    """A table at one moment, with the names of the art it is drawn with."""

    camera: Camera
    layout: Layout
    felt: str
    deck: str
    back: str
    chips: str
    cards: tuple[LaidCard, ...] = ()  # in the order they were laid
    stacks: tuple[ChipStack, ...] = ()
    hands: tuple[SceneHand, ...] = ()
    light: Light = field(default_factory=Light)
    sensor: Sensor = field(default_factory=Sensor)
    seed: int = 0
    clutter: bool = False
    things: tuple[LaidThing, ...] = ()
