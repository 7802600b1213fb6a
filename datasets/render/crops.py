"""Crops for the reader: one card cut out of a picture and set upright, made without drawing the whole table."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import exp, log
from pathlib import Path

import cv2
import numpy as np

from feltwatch.datasets.art.cards.decks import CARD_PX
from feltwatch.datasets.art.cards.invented import invented
from feltwatch.datasets.art.felts.felt_texture import draw_cloth, to_bytes
from feltwatch.datasets.art.felts.felts import FELTS, felt_style
from feltwatch.datasets.common.cache import read_picture
from feltwatch.datasets.lighting import Sensor
from feltwatch.datasets.render.cardless import cardless
from feltwatch.datasets.render.cards import (
    MARGIN,
    NIGHT,
    NIGHTS,
    ImageRegion,
    Texture,
    back_pack,
    darken,
    deck_pack,
    dyed,
    lay_over,
    texture_of,
    with_portrait,
)
from feltwatch.datasets.scene.light import ONE, add_grain, develop, squeeze
from feltwatch.datasets.scene.scene import BRIDGE, POKER
from feltwatch.datasets.scene.scene_sampler import Dice, art, pick, random_sensor
from feltwatch.datasets.sources.card_codes import COURTS, FACES
from feltwatch.vision.arrays import Floats, Pixels
from feltwatch.vision.geometry.card_plane import indices_shown
from feltwatch.vision.geometry.rectify import rectify

TALL_PX = (30.0, 260.0)  # how tall a card is in the picture that it is cut from
GROUNDS = 8
ELSEWHERE = 0.35  # so many grounds are no cloth
PRESSED = 0.6  # so many pictures come compressed
OFF = (0.004, 0.008, 0.015, 0.03)  # of the card's height: how far corners are off, as the fitter places cards
GROUND_PX = 420
# So many court cards bear another's portrait: portraits differ by maker, an index says what it says. Of those that are
# taught, so many that a portrait alone never makes a face likely enough to be reported.
MIXED, MIXED_TAUGHT = 0.2, 0.5
# So many cards that are taught are printed in an ink of another kind: decks of four colours are few, each with its own.
DYED = 0.2
INVENTED = 0.35  # share of training cards from invented decks, each from another
INKS = {  # blue, green, red, from the darkest to the lightest
    "s": (((0, 0, 0), (70, 60, 60)), ((70, 20, 20), (160, 90, 70))),
    "h": (((10, 0, 130), (90, 70, 240)), ((60, 0, 150), (150, 60, 230))),
    "d": (((90, 30, 0), (240, 160, 90)), ((0, 90, 180), (60, 180, 245)), ((10, 0, 130), (90, 70, 240))),
    "c": (((0, 60, 0), (110, 190, 90)), ((0, 0, 0), (70, 60, 60))),
}
OFTEN_PX = (45.0, 120.0)  # half of those that are taught are as tall as a camera over a table shows them
BESIDE = 0.6  # a card that overlaps a place by less than so much does not lie there
DECK_RUN = 8  # so many crops in a row are of one deck
SKIN = ((140, 180, 225), (105, 150, 205), (80, 115, 170), (55, 80, 125), (40, 55, 90), (60, 60, 60))

VisibleParts = tuple[float, tuple[float, float]]  # how much of a card shows, and of its two indices


@dataclass(frozen=True, slots=True)
class Crop:
    """One card as the reader gets it."""

    image: Pixels  # of feltwatch.vision.geometry.rectify.SIZE, BGR
    picture: Pixels  # that it was cut from
    quad: Floats  # where the detector would have it there
    face: str  # "9h", "back", or "none" where there is no card
    deck: str
    hard: float  # from 0, the easiest, to 1
    tall_px: float  # how tall the card was in the picture
    visible: float
    indices: tuple[float, float]  # how much of each shows, from the quad's first corner on


@dataclass(frozen=True, slots=True)
class Subject:
    """The card to be read, in a small picture round it."""

    quad: Floats
    side: int  # of the picture, which is square
    scale: float  # pixels a millimetre
    size: tuple[float, float]  # millimetres
    tall: float


@dataclass(frozen=True, slots=True)
class CropSetting:
    """A card before a camera, in its light."""

    image: Pixels
    subject: Subject
    sensor: Sensor
    face: str
    deck: str
    visible: float
    indices: tuple[float, float]
    level: float


def crops(split: str, seed: int, decks: Sequence[str] = ()) -> Iterator[Crop]:
    """Give crops without end, of the decks of a split or of those named. The same seed gives the same crops."""
    return (crop for (crop,) in looks(split, seed, 1, decks))


def looks(split: str, seed: int, number: int, decks: Sequence[str] = ()) -> Iterator[tuple[Crop, ...]]:
    """Give cards without end, each as so many looks show it: it lies still; noise, and how it is boxed, differ."""
    dice = np.random.default_rng([seed, 11])
    names = tuple(decks) or art("decks", split)
    backs = art("backs", split)
    others = cardless(split)
    grounds = [_ground(split, others, dice) for _ in range(GROUNDS)]
    while True:
        deck = pick(dice, names)
        night = NIGHT if dice.random() < NIGHTS else ""
        for _ in range(DECK_RUN):
            names_of = (deck + night, pick(dice, backs) + night)
            lying = _lying(dice, deck, names_of, pick(dice, grounds), taught=split == "train")
            yield tuple(_taken(lying, dice) for _ in range(number))


def _ground(split: str, others: Sequence[Path], dice: Dice) -> Pixels:
    """Give a piece of a table's cloth at some scale or, now and then, of any picture that holds no cards."""
    if others and dice.random() < ELSEWHERE:
        picture = read_picture(pick(dice, others))[..., :3]
        side = max(int(min(picture.shape[:2]) * float(dice.uniform(0.3, 1.0))), 1)
        top, left = (int(dice.integers(n - side + 1)) for n in picture.shape[:2])
        part = picture[top : top + side, left : left + side]
        return cv2.resize(part, (GROUND_PX, GROUND_PX), interpolation=cv2.INTER_AREA).astype(np.uint8)
    cloth = felt_style(pick(dice, FELTS[split])).cloth
    return to_bytes(draw_cloth(cloth, (GROUND_PX, GROUND_PX), float(dice.uniform(0.7, 2.2)), dice))


def _lying(dice: Dice, deck: str, names: tuple[str, str], ground: Pixels, *, taught: bool) -> CropSetting:
    """Lay a card of a deck, or a back; what is taught is varied more than what is judged by."""
    kind = dice.random()
    face = "none" if kind < 0.1 else "back" if kind < 0.15 else pick(dice, FACES)
    subject = _subject(dice, taught=taught)
    image = _cut(ground, subject.side, dice)
    visible, indices = 1.0, (0.0, 0.0)
    if face == "none":
        _lay_nothing(image, subject, *names, dice)
    else:
        visible, indices = _lay(image, subject, _hand_of(dice, face, names, taught=taught), dice)
        if face == "back":
            indices = (0.0, 0.0)
    sensor = random_sensor(dice, 1920)
    if subject.tall < 60:  # no real camera shows cards small and out of focus as well
        sensor = replace(sensor, blur_px=min(sensor.blur_px, 0.9))
    elif subject.tall > 100:
        sensor = replace(sensor, blur_px=sensor.blur_px * float(dice.uniform(1, subject.tall / 100)))
    lit, level = _light(image, subject, dice)
    return CropSetting(develop(lit, sensor), subject, sensor, face, deck, visible, indices, level)


def _taken(lying: CropSetting, dice: Dice) -> Crop:
    """Take a picture of a card and cut it out."""
    subject, sensor = lying.subject, lying.sensor
    taken = add_grain(lying.image, sensor.noise, dice)
    if dice.random() < PRESSED:
        taken = squeeze(taken, sensor.jpeg)
    quad, is_turned = _as_fitted(subject, dice)
    indices = lying.indices[::-1] if is_turned else lying.indices
    found = rectify(taken, quad, float(dice.uniform(0.0, 0.06)))
    hard = _hardness(subject, sensor, lying.visible, lying.level)
    return Crop(found, taken, quad, lying.face, lying.deck, hard, subject.tall, lying.visible, indices)


def _subject(dice: Dice, *, taught: bool) -> Subject:
    """Lay a card at any angle, as tall in pixels as cameras show cards, seen a little from the side."""
    size = POKER if dice.random() < 0.6 else BRIDGE
    low, high = OFTEN_PX if taught and dice.random() < 0.5 else TALL_PX
    tall = exp(float(dice.uniform(log(low), log(high))))
    scale = tall / size[1]
    lean = 1 - abs(float(dice.normal(0, 0.16)))
    half = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * np.array(size) * scale / 2
    turn = float(dice.uniform(0, 2 * np.pi))
    spin = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    quad = half @ spin * [1.0, max(lean, 0.55)]
    quad *= 1 + quad[:, 1:] * float(dice.normal(0, 0.0006))  # what is further off is smaller
    side = int(np.abs(quad).max() * 2 + 0.16 * tall) + 4
    middle = side / 2 + dice.uniform(-0.5, 0.5, 2)
    return Subject(quad + middle, side, scale, size, tall)


def _cut(ground: Pixels, side: int, dice: Dice) -> Pixels:
    if side >= GROUND_PX:
        ground = np.tile(ground, (-(-side // GROUND_PX), -(-side // GROUND_PX), 1))
    top, left = (int(dice.integers(n - side + 1)) for n in ground.shape[:2])
    return ground[top : top + side, left : left + side].copy()


@dataclass(frozen=True, slots=True)
class Laid:
    """A card in the picture: its texture, and where it lies against the subject, in card widths and heights."""

    texture: Texture
    across: float = 0.0
    along: float = 0.0
    turn: float = 0.0


def _hand_of(dice: Dice, face: str, names: tuple[str, str], *, taught: bool) -> tuple[list[Laid], Laid, list[Laid]]:
    """Give the cards below the subject, itself, and those that cover it."""
    deck, back = names
    pack = deck_pack(deck)

    def other(across: float, along: float) -> Laid:
        side = back_pack(back).texture("back") if dice.random() < 0.08 else pack.texture(pick(dice, FACES))
        return Laid(side, across, along, float(dice.normal(0, wild)))

    below, above = [], []
    step = float(dice.uniform(0.11, 0.5))
    wild = float(dice.choice([4, 4, 14]))  # of a hand that was laid with care, or not
    if dice.random() < 0.45:
        below.append(other(-step, float(dice.normal(0, 0.06))))
    chance = dice.random()
    if chance < 0.38:  # the next card of the hand, which leaves the index at the left to be seen
        along = float(dice.normal(0.03, 0.02 * wild))
        above.append(other(step, along))
        if dice.random() < 0.4:
            above.append(other(2 * step, 2 * along))
    elif chance < 0.46:  # a card across: a double, or one that was pushed
        above.append(Laid(pack.texture(pick(dice, FACES)), float(dice.normal(0, 0.2)), 0.62, float(dice.normal(90, 9))))
    elif chance < 0.56:  # the next card of a column
        above.append(other(float(dice.normal(0, 0.05)), float(dice.uniform(0.14, 0.6))))
    elif chance < 0.6:  # one that lies anyhow
        across, along, turn = (float(dice.uniform(*ends)) for ends in ((-0.9, 0.9), (-0.9, 0.9), (0, 360)))
        above.append(Laid(pack.texture(pick(dice, FACES)), across, along, turn))
    own = back_pack(back).texture("back") if face == "back" else _own(dice, face, deck, taught=taught)
    return below, Laid(own), above


def _own(dice: Dice, face: str, deck: str, *, taught: bool) -> Texture:
    """Give a face of a deck: now and then of none that is printed, with another's portrait, or in another ink."""
    pack = deck_pack(deck)
    if taught and dice.random() < INVENTED and not deck.endswith(NIGHT):
        own = invented(face, dice)
        if own is not None:
            return texture_of(own)
    if face in COURTS and dice.random() < (MIXED_TAUGHT if taught else MIXED):
        return texture_of(with_portrait(pack.faces[face], pack.faces[pick(dice, COURTS)]))
    if taught and dice.random() < DYED and not deck.endswith(NIGHT):
        return texture_of(dyed(pack.faces[face], _ink(face, dice), court=face in COURTS))
    return pack.texture(face)


def _ink(face: str, dice: Dice) -> tuple[float, float, float]:
    dark, light = pick(dice, INKS[face[1]])
    mixed = np.array(dark) + float(dice.random()) * (np.array(light) - np.array(dark)) + dice.normal(0, 8, 3)
    blue, green, red = np.clip(mixed, 0, 255)
    return float(blue), float(green), float(red)


def _lay(image: Pixels, subject: Subject, hand: tuple[list[Laid], Laid, list[Laid]], dice: Dice) -> VisibleParts:
    """Draw the cards; give how much of the subject, and of its indices, is left to be seen."""
    below, own, above = hand
    dark = float(dice.choice([0.0, dice.uniform(0.15, 0.6), dice.uniform(0.3, 0.6)]))
    soft = max(float(dice.uniform(0.6, 2.6)) * subject.scale, 0.7)
    for laid in (*below, own, *above):
        _lay_one(image, subject, laid, (dark, soft))
    mask = np.zeros(image.shape[:2], np.uint8)
    cv2.fillPoly(mask, [_fixed(subject.quad)], 255, cv2.LINE_8, 4)
    whole = cv2.countNonZero(mask)
    for laid in above:
        cv2.fillPoly(mask, [_fixed(_place(subject, laid))], 0, cv2.LINE_8, 4)
    if dice.random() < 0.05:
        _occlude(image, subject, dice, mask)
    return cv2.countNonZero(mask) / max(whole, 1), indices_shown(mask, 255, subject.quad)


def _lay_nothing(image: Pixels, subject: Subject, deck: str, back: str, dice: Dice) -> None:
    """Draw what a detector may take for a card: a place beside cards or between them, a sheet of paper, a finger."""
    kind = dice.random()
    if kind < 0.7:
        for _ in range(int(dice.integers(1, 5))):
            side = (
                back_pack(back).texture("back") if dice.random() < 0.2 else deck_pack(deck).texture(pick(dice, FACES))
            )
            way, far = float(dice.uniform(0, 2 * np.pi)), float(dice.uniform(0.15, 1.0))
            turn = float(dice.normal(0, 8) if dice.random() < 0.7 else dice.uniform(0, 360))
            laid = Laid(side, far * np.cos(way), far * np.sin(way), turn)
            if not _lies_there(subject, laid):
                _lay_one(image, subject, laid, (0.0, 1.0))
    elif kind < 0.85:
        _lay_paper(image, subject, dice)
    if dice.random() < 0.3:
        _occlude(image, subject, dice)


def _lies_there(subject: Subject, laid: Laid) -> bool:
    place, card = (quad.astype(np.float32) for quad in (subject.quad, _place(subject, laid)))
    shared, _ = cv2.intersectConvexConvex(place, card)
    return shared >= BESIDE * (abs(cv2.contourArea(place)) + abs(cv2.contourArea(card)) - shared)


def _lay_paper(image: Pixels, subject: Subject, dice: Dice) -> None:
    """Draw a sheet of one colour, blank or with lines of writing, where a card could lie."""
    colour = dice.uniform(90, 255) + dice.normal(0, 20, 3)
    quad = subject.quad + dice.normal(0, 0.04 * subject.tall, (4, 2))
    cv2.fillPoly(image, [_fixed(quad)], tuple(float(c) for c in colour), cv2.LINE_AA, 4)
    right, down = quad[1] - quad[0], quad[3] - quad[0]
    if dice.random() < 0.5:
        right, down = down, right
    ink, rows = tuple(float(c) for c in dice.uniform(0, 160, 3)), int(dice.integers(0, 14))
    for row in range(rows):
        start = quad[0] + 0.1 * right + down * (row + 1) / (rows + 1)
        end = start + right * float(dice.uniform(0.1, 0.8))
        cv2.line(image, tuple(start.astype(int)), tuple(end.astype(int)), ink, max(1, round(subject.tall / 60)))


def _fixed(points: Floats) -> np.ndarray[tuple[int, ...], np.dtype[np.int32]]:
    return np.round(points * 16).astype(np.int32)


def _place(subject: Subject, laid: Laid) -> Floats:
    """Give where a card lies, in the plane that the subject's corners span."""
    quad = subject.quad
    right, down = quad[1] - quad[0], quad[3] - quad[0]
    wide, tall = subject.size
    turn = np.deg2rad(laid.turn)
    u, v = np.array([-0.5, 0.5, 0.5, -0.5]) * wide, np.array([-0.5, -0.5, 0.5, 0.5]) * tall
    x = (u * np.cos(turn) - v * np.sin(turn)) / wide + 0.5 + laid.across
    y = (u * np.sin(turn) + v * np.cos(turn)) / tall + 0.5 + laid.along
    bent = quad[2] - quad[1] - down  # what perspective takes from the far side
    return np.asarray(quad[0] + x[:, None] * right + y[:, None] * down + (x * y)[:, None] * bent)


def _lay_one(image: Pixels, subject: Subject, laid: Laid, shadow: tuple[float, float]) -> None:
    there = _place(subject, laid)
    dark, soft = shadow
    patch = ImageRegion.around(there, 2 * soft + 1, image.shape)
    if patch is None:
        return
    local = there - [patch.left, patch.top]
    if dark:
        mask = np.zeros(patch.size[::-1], np.uint8)
        cv2.fillPoly(mask, [_fixed(local)], 255, cv2.LINE_AA, 4)
        wide = 2 * round(1.5 * soft) + 1
        darken(image, patch, cv2.blur(mask, (wide, wide)).astype(np.uint8, copy=False), dark)
    level, scale = laid.texture.level(subject.scale)
    width, height = CARD_PX[0] * scale, CARD_PX[1] * scale
    source = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32) + np.float32(MARGIN - 0.5)
    matrix = cv2.getPerspectiveTransform(source, local.astype(np.float32))
    drawn = cv2.warpPerspective(level, matrix, patch.size, flags=cv2.INTER_LINEAR)
    lay_over(image, patch, drawn.astype(np.uint8, copy=False))


def _occlude(image: Pixels, subject: Subject, dice: Dice, mask: Pixels | None = None) -> None:
    """Put a finger, a sleeve or the edge of a chip over the picture."""
    tall = subject.tall
    start = subject.quad[int(dice.integers(4))] + dice.normal(0, 0.12 * tall, 2)
    end = start + dice.normal(0, tall, 2)
    colour = tuple(float(c) for c in np.array(pick(dice, SKIN)) * dice.uniform(0.75, 1.15))
    wide = max(2, round(float(dice.uniform(0.12, 0.3)) * tall))
    ends = [(int(x), int(y)) for x, y in (start, end)]
    cv2.line(image, ends[0], ends[1], colour, wide, cv2.LINE_AA)
    if mask is not None:
        cv2.line(mask, ends[0], ends[1], 0, wide)


def _light(image: Pixels, subject: Subject, dice: Dice) -> tuple[Pixels, float]:
    """Light the picture unevenly and in a colour; now and then a lamp or a hard shadow falls on it."""
    level = float(np.clip(dice.normal(0.84, 0.2), 0.3, 1.3))
    slope = dice.normal(0, 0.14, 2)
    warm, green = float(dice.normal(-0.02, 0.09)), float(dice.normal(0, 0.025))
    colour = np.array([1 - warm, 1 + green, 1 + warm])
    along = np.linspace(-1, 1, 8)
    coarse = level * (1 + slope[0] * along[None, :] + slope[1] * along[:, None])
    if dice.random() < 0.12:  # the edge of a shadow
        x, y = np.meshgrid(along, along)
        turn = float(dice.uniform(0, 2 * np.pi))
        coarse = np.where(x * np.cos(turn) + y * np.sin(turn) > dice.normal(0, 0.4), coarse, coarse * 0.55)
    gain = np.clip(coarse[..., None] * colour * ONE, 0, 255).astype(np.float32)
    full = cv2.resize(gain, (subject.side, subject.side), interpolation=cv2.INTER_LINEAR).astype(np.uint8)
    lit = cv2.multiply(image, full, scale=1 / ONE)
    if dice.random() < 0.12:
        spot = np.zeros((16, 16), np.float32)
        cv2.circle(spot, (int(dice.integers(16)), int(dice.integers(16))), int(dice.integers(1, 5)), 1.0, -1)
        glare = cv2.GaussianBlur(spot, (0, 0), 2) * float(dice.uniform(40, 200))
        wide = cv2.resize(glare, (subject.side, subject.side), interpolation=cv2.INTER_CUBIC)
        lit = cv2.add(lit, cv2.cvtColor(np.clip(wide, 0, 255).astype(np.uint8), cv2.COLOR_GRAY2BGR))
    return lit.astype(np.uint8, copy=False), level


def _as_fitted(subject: Subject, dice: Dice) -> tuple[Floats, bool]:
    """Give the card as the fitter has it: moved, turned and stretched a little, either end up; and if it is turned."""
    quad, part = subject.quad, float(dice.choice(OFF))
    off = 0.2 + subject.tall * part
    arms = quad - quad.mean(axis=0)
    across, along = (arms[1] + arms[2]) / 2, (arms[2] + arms[3]) / 2
    wider, taller, turned = dice.normal(0, 0.8 * part, 3)
    quad = quad + wider * np.outer([-1, 1, 1, -1], across) + taller * np.outer([-1, -1, 1, 1], along)
    quad = quad + turned * arms[:, ::-1] * [-1, 1]
    quad = quad + dice.normal(0, off, 2) + dice.normal(0, off / 2, (4, 2))
    is_turned = bool(dice.random() < 0.5)
    return (np.roll(quad, 2, axis=0) if is_turned else quad), is_turned


def _hardness(subject: Subject, sensor: Sensor, visible: float, level: float) -> float:
    """Say how hard a crop is to read: small, covered, blurred, dark, noisy."""
    small = min(max((70 - subject.tall) / 40, 0), 1)
    blurred = min(sensor.blur_px / max(subject.tall / 60, 0.5) / 1.6, 1)
    dim = min(max((0.7 - level) / 0.4, 0), 1)
    return min(0.35 * small + 0.3 * (1 - visible) + 0.2 * blurred + 0.1 * dim + 0.05 * min(sensor.noise / 9, 1), 1.0)
