"""What happens to a camera: frames lost, light dimmed, hands over the zones, shaking; each as a function of a seed."""

import hashlib
from collections.abc import Callable, Iterator
from functools import partial
from math import atan2, cos, degrees, pi, radians, sin
from types import MappingProxyType

import cv2
import numpy as np

from feltwatch.datasets.art.hands.hands import SPRITES, SceneHand, draw_hand, draw_hand_shadow, sprite
from feltwatch.datasets.lighting import Light
from feltwatch.vision.arrays import Pixels
from feltwatch.vision.geometry.camera import Camera
from feltwatch.vision.layout.zones import Area, Layout

Disturb = Callable[[int, float, Pixels], Pixels | None]  # number, seconds, picture; None: the frame is lost

LAW = 2  # counts up when the same seed does something else
LOST = 0.1  # of the frames
DIM = 0.8  # of the light is left
DIMMED = 0.2  # of the frames, where single ones are dimmed
STRETCH_S = (1.0, 5.0)  # where stretches are: so long, and as long in full light
SHAKE_PX = 3.0  # at most, in each direction
JITTER_PX = 0.3
SWAYS = 5
SWAY_HZ = (0.2, 4.0)
DUTY = 0.3  # of the time a hand is over a zone
VISIT_S = (0.4, 1.6)
REACH_S = 0.25  # a hand takes so long to come, and to go
REACH_MM = 420.0  # from so far
DRIFT_MM = 25.0  # it moves so far while it is there
OVER_MM = 18.0  # the height of its fingers
PALM_MM = 60.0  # they reach so far beyond what the palm covers
VISITS = 4000  # to each zone: enough for hours


class Conditions:
    """One film's: all that happens to it depends on its name."""

    def __init__(self, film: str, split: str, camera: Camera, layout: Layout) -> None:
        self.film, self.split, self.camera, self.layout = film, split, camera, layout

    def named(self, name: str) -> Disturb:
        """Give one of NAMES."""
        return partial(_in_turn, [self._one(part) for part in PARTS[name]])

    def _one(self, name: str) -> Disturb:
        seed = int.from_bytes(hashlib.blake2b(f"{self.film} {name}".encode(), digest_size=6).digest(), "little")
        if name == "hands":
            return _hands(seed, self.split, self.camera, self.layout)
        return SIMPLE[name](seed)


def _in_turn(parts: list[Disturb], number: int, t: float, picture: Pixels) -> Pixels | None:
    found: Pixels | None = picture
    for part in parts:
        if found is None:
            return None
        found = part(number, t, found)
    return found


def _lost(seed: int) -> Disturb:
    def disturb(number: int, t: float, picture: Pixels) -> Pixels | None:
        del t
        return None if number and np.random.default_rng([seed, number]).random() < LOST else picture

    return disturb


def _flicker(seed: int) -> Disturb:
    def disturb(number: int, t: float, picture: Pixels) -> Pixels:
        del t
        return _dimmed(picture) if np.random.default_rng([seed, number]).random() < DIMMED else picture

    return disturb


def _dim(seed: int) -> Disturb:
    times = np.cumsum(np.random.default_rng(seed).uniform(*STRETCH_S, 4000))

    def disturb(number: int, t: float, picture: Pixels) -> Pixels:
        del number
        return _dimmed(picture) if np.searchsorted(times, t) % 2 else picture

    return disturb


def _dimmed(picture: Pixels) -> Pixels:
    return cv2.convertScaleAbs(picture, alpha=DIM).astype(np.uint8, copy=False)


def _shake(seed: int) -> Disturb:
    """Sway as a camera on a long arm, and tremble; never further than given."""
    dice = np.random.default_rng(seed)
    rates, phases = np.geomspace(*SWAY_HZ, SWAYS), dice.uniform(0, 2 * pi, (2, SWAYS))
    strong = dice.uniform(0.5, 1, (2, SWAYS)) / np.sqrt(rates)
    strong *= (SHAKE_PX - JITTER_PX) / strong.sum(axis=1, keepdims=True)

    def disturb(number: int, t: float, picture: Pixels) -> Pixels:
        tremble = np.random.default_rng([seed, number]).uniform(-JITTER_PX, JITTER_PX, 2)
        x, y = (strong * np.sin(2 * pi * rates * t + phases)).sum(axis=1) + tremble
        way = np.array([[1, 0, x], [0, 1, y]], np.float64)
        size = (picture.shape[1], picture.shape[0])
        return cv2.warpAffine(picture, way, size, borderMode=cv2.BORDER_REPLICATE).astype(np.uint8, copy=False)

    return disturb


SIMPLE = MappingProxyType({"lost": _lost, "flicker": _flicker, "dim": _dim, "shake": _shake})
PARTS = MappingProxyType(
    {
        "plain": (),
        "lost": ("lost",),
        "dim": ("dim",),
        "flicker": ("flicker",),
        "hands": ("hands",),
        "shake": ("shake",),
        "all": ("hands", "shake", "flicker", "lost"),
        "everywhere": (),
    }
)
NAMES = tuple(PARTS)


# ---- hands ----------------------------------------------------------------------------------------------------------


def _hands(seed: int, split: str, camera: Camera, layout: Layout) -> Disturb:
    """Let a hand come to each zone of cards again and again, each from its own side of the table."""
    zones = [area for area in layout.areas if area.name.endswith(".cards")]
    visits = [[*_visits(seed + n, area, SPRITES[split])] for n, area in enumerate(zones)]
    light = Light()

    def disturb(number: int, t: float, picture: Pixels) -> Pixels:
        del number
        found = [hand for mine in visits if (hand := _at(mine, t))]
        if not found:
            return picture
        picture = picture.copy()
        for hand in found:
            seen = sprite(hand.sprite)
            draw_hand_shadow(picture, camera, hand, seen, light)
            draw_hand(picture, None, camera, hand, seen)
        return picture

    return disturb


HandVisit = tuple[
    float, float, SceneHand, tuple[float, float]
]  # from, until, the hand where it comes to, how far it drifts


def _visits(seed: int, area: Area, sprites: tuple[str, ...]) -> Iterator[HandVisit]:
    """Plan when a hand is over a zone: DUTY of the time, in visits of many lengths."""
    dice = np.random.default_rng(seed)
    low, high = np.min(area.polygon, axis=0), np.max(area.polygon, axis=0)
    middle = (low + high) / 2
    out = -90.0 if area.name.startswith("dealer") else degrees(atan2(middle[1], middle[0]))
    tip = middle - PALM_MM * np.array([cos(radians(out)), sin(radians(out))])
    t = 0.0
    for length in dice.uniform(*VISIT_S, VISITS):
        t += float(dice.exponential(float(np.mean(VISIT_S)) * (1 - DUTY) / DUTY))
        x, y = tip + dice.normal(0, 0.12, 2) * (high - low)
        name = sprites[int(dice.integers(len(sprites)))]
        drift = dice.normal(0, DRIFT_MM / 2, 2)
        hand = SceneHand(name, float(x), float(y), OVER_MM, out + float(dice.normal(0, 12)))
        yield t, t + float(length), hand, (float(drift[0]), float(drift[1]))
        t += float(length)


def _at(visits: list[HandVisit], t: float) -> SceneHand | None:
    """Give the hand as it is: coming, resting and drifting, or going."""
    for start, end, hand, drift in visits:
        if t < start - REACH_S:
            return None
        if t > end + REACH_S:
            continue
        away = max(start - t, t - end, 0.0) / REACH_S * REACH_MM
        p = min(max((t - start) / (end - start), 0.0), 1.0)
        turn = radians(hand.angle)
        x = hand.x + drift[0] * p + away * cos(turn)
        y = hand.y + drift[1] * p + away * sin(turn)
        return SceneHand(hand.sprite, x, y, hand.z, hand.angle)
    return None
