"""Cards as the fast compositor draws them: textures in several sizes, and one card warped into a picture."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

import cv2
import numpy as np

from feltwatch.datasets.art.cards.decks import CARD_PX, load_back, load_deck
from feltwatch.datasets.lighting import Light
from feltwatch.datasets.scene.scene import LaidCard
from feltwatch.vision.arrays import Floats, Mask, Pixels
from feltwatch.vision.geometry.camera import Camera

PX_PER_MM = 4.0
CORNER_MM = 3.3
MARGIN = 2  # clear pixels round a texture, so that its edge fades over one pixel
LEVELS = 4
NIGHT = "@night"
PORTRAIT = ((0.17, 0.1), (0.83, 0.9))  # of a court card: where its picture is
PIP = (0.4, 0.3)  # of a card's sides, from two of its corners: index and pip lie within
NIGHTS = 0.04  # of the decks that are shown
BENT = 0.15  # a card that bends less is drawn flat


@dataclass(frozen=True, slots=True)
class Texture:
    """One side of a card: BGRA with clear rounded corners, colours already weighed with the fourth channel.

    Each level has half the size of the one before.
    """

    levels: tuple[Pixels, ...]

    def level(self, px_per_mm: float) -> tuple[Pixels, float]:
        """Give the smallest level not coarser than the picture, and its scale against the largest."""
        n = 0
        while n + 1 < len(self.levels) and PX_PER_MM / 2 ** (n + 1) >= px_per_mm * 0.95:
            n += 1
        return self.levels[n], 0.5**n


@lru_cache(maxsize=LEVELS)
def _corners(level: int) -> Pixels:
    """Give the mask of a card with its corners cut round, its clear margin included."""
    width, height = CARD_PX
    fine, radius = 4, round(CORNER_MM * PX_PER_MM * 4)
    mask = np.zeros((height * fine, width * fine), np.uint8)
    inner = [(radius, 0, width * fine - radius, height * fine), (0, radius, width * fine, height * fine - radius)]
    for left, top, right, bottom in inner:
        mask[top:bottom, left:right] = 255
    for x in (radius, width * fine - radius - 1):
        for y in (radius, height * fine - radius - 1):
            cv2.circle(mask, (x, y), radius, 255, -1)
    small = cv2.resize(mask, (width >> level, height >> level), interpolation=cv2.INTER_AREA)
    return cv2.copyMakeBorder(small, MARGIN, MARGIN, MARGIN, MARGIN, cv2.BORDER_CONSTANT).astype(np.uint8, copy=False)


def texture_of(face: Pixels) -> Texture:
    """Make a texture of one side of a card of CARD_PX."""
    levels = []
    colour = face
    for n in range(LEVELS):
        if n:
            size = (CARD_PX[0] >> n, CARD_PX[1] >> n)
            colour = cv2.resize(colour, size, interpolation=cv2.INTER_AREA).astype(np.uint8, copy=False)
        padded = cv2.copyMakeBorder(colour, MARGIN, MARGIN, MARGIN, MARGIN, cv2.BORDER_REPLICATE)
        mask = _corners(n)
        weighed = cv2.multiply(padded, cv2.merge([mask, mask, mask]), scale=1 / 255)
        level = np.dstack([weighed, mask]).astype(np.uint8, copy=False)
        level.flags.writeable = False
        levels.append(level)
    return Texture(tuple(levels))


@dataclass(frozen=True)
class Pack:
    """The textures of one deck or back, made when they are first asked for."""

    faces: Mapping[str, Pixels]
    made: dict[str, Texture] = field(default_factory=dict)

    def texture(self, face: str) -> Texture:
        if face not in self.made:
            self.made[face] = texture_of(self.faces[face])
        return self.made[face]


@lru_cache(maxsize=128)
def deck_pack(name: str) -> Pack:
    """Give a deck by its name; with NIGHT after it, the same on black paper."""
    faces = load_deck(name.removesuffix(NIGHT)).faces
    return Pack({face: inverted(image) for face, image in faces.items()} if name.endswith(NIGHT) else faces)


def inverted(image: Pixels) -> Pixels:
    """Make what is light dark and what is dark light; red becomes gold."""
    hue, light, full = cv2.split(cv2.cvtColor(image, cv2.COLOR_BGR2HLS))
    warm = np.where((hue < 12) | (hue > 168), 16, hue).astype(np.uint8)
    return cv2.cvtColor(cv2.merge([warm, cv2.bitwise_not(light), full]), cv2.COLOR_HLS2BGR).astype(np.uint8, copy=False)


def with_portrait(face: Pixels, other: Pixels) -> Pixels:
    """Give a court card with the portrait of another: indices, and the pips at the portrait's corners, stay its own."""
    return np.where(_portrait(face), other, face).astype(np.uint8, copy=False)


def dyed(face: Pixels, ink: tuple[float, float, float], *, court: bool) -> Pixels:
    """Give a card printed in another ink (blue first); the portrait of a court card stays as it is."""
    paper = np.median(face[4:-4, 4:-4].reshape(-1, 3), axis=0)
    least = face.min(axis=2, keepdims=True).astype(np.float32)
    full = max(float(paper.min()) - float(np.percentile(least, 1)), 1.0)
    dark = np.clip((float(paper.min()) - least) / full, 0, 1)
    new = paper + dark * (np.array(ink) - paper)
    kept = _portrait(face) if court else np.zeros((*face.shape[:2], 1), bool)
    return np.where(kept, face, np.clip(new, 0, 255).round()).astype(np.uint8)


def _portrait(face: Pixels) -> Mask:
    """Give the part of a court card that its portrait fills."""
    height, width = face.shape[:2]
    mask = np.zeros((height, width, 1), bool)
    (left, top), (right, low) = ((round(x * width), round(y * height)) for x, y in PORTRAIT)
    mask[top:low, left:right] = True
    across, along = round(PIP[0] * width), round(PIP[1] * height)
    mask[:along, :across] = mask[height - along :, width - across :] = False
    return mask


@lru_cache(maxsize=256)
def back_pack(name: str) -> Pack:
    """Give a back by its name, or that of a black deck."""
    image = load_back(name.removesuffix(NIGHT))
    return Pack({"back": inverted(image) if name.endswith(NIGHT) else image})


@dataclass(frozen=True, slots=True)
class ImageRegion:
    """The part of a picture in which something is drawn."""

    left: int
    top: int
    right: int
    bottom: int

    @staticmethod
    def around(points: Floats, margin: float, shape: tuple[int, ...]) -> "ImageRegion | None":
        """Give the pixels round some points that lie in a picture of that shape, or nothing."""
        low, high = np.floor(points.min(axis=0) - margin), np.ceil(points.max(axis=0) + margin)
        found = ImageRegion(
            max(int(low[0]), 0),
            max(int(low[1]), 0),
            min(int(high[0]) + 1, shape[1]),
            min(int(high[1]) + 1, shape[0]),
        )
        return found if found.right > found.left and found.bottom > found.top else None

    @property
    def size(self) -> tuple[int, int]:
        return self.right - self.left, self.bottom - self.top

    def of(self, image: Pixels) -> Pixels:
        return image[self.top : self.bottom, self.left : self.right]

    def joined(self, other: "ImageRegion | None") -> "ImageRegion":
        if other is None:
            return self
        return ImageRegion(
            min(self.left, other.left),
            min(self.top, other.top),
            max(self.right, other.right),
            max(self.bottom, other.bottom),
        )


def lay_over(image: Pixels, patch: ImageRegion, drawn: Pixels) -> None:
    """Lay a drawn BGRA patch, its colours weighed, over the picture."""
    under = patch.of(image)
    blue, green, red, alpha = cv2.split(drawn)
    kept = cv2.bitwise_not(alpha)
    rest = cv2.multiply(under, cv2.merge([kept, kept, kept]), scale=1 / 255)
    cv2.add(cv2.merge([blue, green, red]), rest, dst=under)


def darken(image: Pixels, patch: ImageRegion, mask: Pixels, dark: float) -> None:
    """Darken the picture where the mask is set: wholly black at `dark` 1."""
    under = patch.of(image)
    kept = cv2.cvtColor(cv2.convertScaleAbs(mask, alpha=-dark, beta=255), cv2.COLOR_GRAY2BGR)
    cv2.multiply(under, kept, dst=under, scale=1 / 255)


def draw_shadow(image: Pixels, camera: Camera, corners: Floats, light: Light) -> None:
    """Darken the felt, and what lies on it, under the outline `corners` (N x 3, millimetres)."""
    heights = corners[:, 2:]
    shift = np.array([light.shadow]) * np.maximum(heights, 0.4)
    fallen = camera.to_picture(corners[:, :2] + shift)
    scale = camera.scale(float(corners[0, 0]), float(corners[0, 1]))
    soft = max(light.soft * scale * (1 + 0.06 * float(heights.mean())), 0.7)
    patch = ImageRegion.around(fallen, 3 * soft, image.shape)
    if patch is None:
        return
    mask = np.zeros(patch.size[::-1], np.uint8)
    points = np.round((fallen - [patch.left, patch.top]) * 16).astype(np.int32)
    cv2.fillPoly(mask, [points], 255, cv2.LINE_AA, 4)
    wide = 2 * round(2 * soft) + 1
    darken(image, patch, cv2.stackBlur(mask, (wide, wide)).astype(np.uint8, copy=False), light.dark)


def draw_card(image: Pixels, camera: Camera, card: LaidCard, texture: Texture, light: Light) -> ImageRegion | None:
    """Draw one card into the picture; give the patch it lies in."""
    quad = camera.to_picture(card.corners)
    side = np.linalg.norm(quad[[1, 2]] - quad[[0, 3]], axis=1).mean()
    rise = np.linalg.norm(quad[[3, 2]] - quad[[0, 1]], axis=1).mean()
    level, scale = texture.level(float(max(side / card.size[0], rise / card.size[1])))
    patch = ImageRegion.around(quad, 2 + 3 * abs(card.bend), image.shape)
    if patch is None:
        return None
    lit = _lit(level, card, light)
    width, height = CARD_PX[0] * scale, CARD_PX[1] * scale
    edge = MARGIN - 0.5
    source = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32) + np.float32(edge)
    target = (quad - [patch.left, patch.top]).astype(np.float32)
    matrix = cv2.getPerspectiveTransform(source, target)
    if abs(card.bend) < BENT:
        drawn = cv2.warpPerspective(lit, matrix, patch.size, flags=cv2.INTER_LINEAR)
    else:
        drawn = _bent(lit, np.asarray(np.linalg.inv(matrix), np.float64), card, patch, _rise(camera, card))
    lay_over(image, patch, drawn.astype(np.uint8, copy=False))
    return patch


def _rise(camera: Camera, card: LaidCard) -> Floats:
    """Give how far a point of the card moves in the picture for a millimetre that it is raised."""
    low, high = camera.to_picture([[card.x, card.y, card.z], [card.x, card.y, card.z + 1]])
    return np.asarray(high - low)


def _bent(lit: Pixels, back: Floats, card: LaidCard, patch: ImageRegion, rise: Floats) -> Pixels:
    """Warp a card that bends: look each pixel up where it would lie if the card were flat."""
    width, height = patch.size
    x, y = np.meshgrid(np.arange(width, dtype=np.float32), np.arange(height, dtype=np.float32))
    seen_x, seen_y = x, y
    for _ in range(2):
        bottom = back[2, 0] * seen_x + back[2, 1] * seen_y + back[2, 2]
        v = (back[1, 0] * seen_x + back[1, 1] * seen_y + back[1, 2]) / bottom
        along = (v - MARGIN) / (lit.shape[0] - 2 * MARGIN)
        lifted = card.bend * np.clip(1 - 4 * (along - 0.5) ** 2, 0, 1)
        seen_x, seen_y = x - rise[0] * lifted, y - rise[1] * lifted
    bottom = back[2, 0] * seen_x + back[2, 1] * seen_y + back[2, 2]
    u = (back[0, 0] * seen_x + back[0, 1] * seen_y + back[0, 2]) / bottom
    v = (back[1, 0] * seen_x + back[1, 1] * seen_y + back[1, 2]) / bottom
    return cv2.remap(lit, u.astype(np.float32), v.astype(np.float32), cv2.INTER_LINEAR).astype(np.uint8, copy=False)


def _lit(level: Pixels, card: LaidCard, light: Light) -> Pixels:
    """Shade a card by how it bends and lies to the lamps, and let its gloss mirror one of them along it."""
    height, width = level.shape[:2]
    along = np.linspace(-1, 1, height, dtype=np.float32)[:, None]
    across = np.linspace(-1, 1, width, dtype=np.float32)[None, :]
    top = np.deg2rad(card.angle)
    toward = light.shadow[0] * np.cos(top) + light.shadow[1] * np.sin(top)
    aside = float(np.sin(card.x * 0.017 - card.y * 0.011 + card.angle * 0.3))  # no two cards lie alike
    gain = 1 + (0.12 * card.bend * toward + light.slope * aside) * along + light.slope * (1 - abs(aside)) * across
    centre = float(np.sin(card.x * 0.013 + card.y * 0.007 + card.angle))  # where on the card a lamp is mirrored
    sheen = 255 * light.gloss * 0.35 * np.exp(-((along - centre) ** 2) * 3)
    lit = cv2.multiply(level[..., :3], cv2.merge([np.clip(gain * 128, 0, 255).astype(np.uint8)] * 3), scale=1 / 128)
    if light.gloss:
        lit = cv2.add(lit, cv2.merge([np.broadcast_to(sheen, (height, width)).astype(np.uint8)] * 3))
    mask = level[..., 3]
    return np.dstack([cv2.min(lit, cv2.merge([mask, mask, mask])), mask]).astype(np.uint8, copy=False)
