"""The fast compositor: a scene in, a picture and its exact truth out."""

from dataclasses import dataclass

import cv2
import numpy as np

from feltwatch.datasets.art.chips.chips import chip_set, draw_stack, shadow_hull
from feltwatch.datasets.art.felts.clutter import draw_clutter
from feltwatch.datasets.art.felts.felts import Felt, felt_for
from feltwatch.datasets.art.felts.furniture import draw_furniture
from feltwatch.datasets.art.felts.things import draw_thing
from feltwatch.datasets.art.hands.hands import draw_hand, draw_hand_shadow, sprite
from feltwatch.datasets.render.cards import Texture, back_pack, deck_pack, draw_card, draw_shadow
from feltwatch.datasets.scene.light import expose, shade_of
from feltwatch.datasets.scene.scene import LaidCard, Scene
from feltwatch.datasets.truth import CardTruth, StackTruth, ThingTruth, Truth
from feltwatch.vision.arrays import Floats, Ints16, Pixels, Quad, Uints16
from feltwatch.vision.geometry.camera import Camera
from feltwatch.vision.geometry.card_plane import INDEX_SPOTS

GRID = 8  # the felt is looked up exactly at every eighth pixel, and between them by interpolation
AIRBORNE_MM = 8.0  # a card higher than this is drawn over the stacks
INDEX_MM = 10.5  # how high a standard index is
HAND_ID = 255  # of a hand in the owner map


@dataclass(frozen=True)
class Rendered:
    """A picture, what is true of it, and which pixels are hands (255) or not (0)."""

    image: Pixels
    truth: Truth
    hands: Pixels


@dataclass
class TableCanvas:
    """A table being drawn: the picture so far, and for each pixel the number of the thing that is seen there."""

    image: Pixels
    owner: Pixels


@dataclass(frozen=True)
class DrawnThings:
    """What drawing a scene has shown: the stacks, and the outlines of the things that are neither card nor chip."""

    stacks: list[StackTruth]
    outlines: list[Floats]


def render(scene: Scene) -> Rendered:
    """Draw a scene and photograph it."""
    dice = np.random.default_rng(scene.seed)
    canvas = bare_table(scene, dice)
    drawn = draw_things(canvas, scene)
    shade = shade_of(scene.light, scene.camera.width, scene.camera.height)
    image = expose(canvas.image, shade, scene.sensor, dice)
    return Rendered(image, truth_of_scene(scene, canvas.owner, drawn), hands_mask(canvas.owner))


def bare_table(scene: Scene, dice: np.random.Generator) -> TableCanvas:
    """Draw the table without cards, bets and hands."""
    image = felt_picture(scene.camera, felt_for(scene.layout, scene.felt))
    draw_furniture(image, scene.camera, scene.layout, scene.felt)
    if scene.clutter:
        draw_clutter(image, scene.camera, dice)
    return TableCanvas(image, np.zeros(image.shape[:2], np.uint8))


def _lookup(camera: Camera, felt: Felt) -> tuple[Ints16, Uints16]:
    """Give for each pixel where in the felt's texture it looks."""
    columns, rows = -(-camera.width // GRID) + 2, -(-camera.height // GRID) + 2
    x, y = np.meshgrid((np.arange(columns) - 0.5) * GRID - 0.5, (np.arange(rows) - 0.5) * GRID - 0.5)
    points = felt.to_texture(camera.to_felt(np.column_stack([x.ravel(), y.ravel()])))
    coarse = np.clip(points, -1e4, 1e4).reshape(rows, columns, 2).astype(np.float32)
    fine = cv2.resize(coarse, (columns * GRID, rows * GRID), interpolation=cv2.INTER_LINEAR)
    fine = fine[GRID : GRID + camera.height, GRID : GRID + camera.width]
    found = cv2.convertMaps(np.ascontiguousarray(fine[..., 0]), np.ascontiguousarray(fine[..., 1]), cv2.CV_16SC2)
    return found[0].astype(np.int16, copy=False), found[1].astype(np.uint16, copy=False)


def felt_picture(camera: Camera, felt: Felt) -> Pixels:
    """See a felt through a camera."""
    places, parts = _lookup(camera, felt)
    seen = cv2.remap(felt.image, places, parts, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return seen.astype(np.uint8, copy=False)


def draw_things(canvas: TableCanvas, scene: Scene) -> DrawnThings:
    """Draw cards, stacks, other things and hands in the order in which they cover each other."""
    for number, card in enumerate(scene.cards, 1):
        if card.z < AIRBORNE_MM:
            draw_one_card(canvas, scene, card, number)
    eye = scene.camera.eye
    order = sorted(
        range(len(scene.stacks)),
        key=lambda n: -((scene.stacks[n].x - eye[0]) ** 2 + (scene.stacks[n].y - eye[1]) ** 2),
    )
    chips = chip_set(scene.chips)
    found: dict[int, StackTruth] = {}
    for n in order:
        draw_shadow(canvas.image, scene.camera, shadow_hull(scene.stacks[n], chips, scene.light.shadow), scene.light)
        found[n] = draw_stack(canvas.image, scene.camera, scene.stacks[n], chips, scene.light.shadow)
        _own(canvas.owner, np.array(found[n].hull), len(scene.cards) + n + 1)
    stacks = [found[n] for n in range(len(scene.stacks))]
    outlines = [draw_thing(canvas.image, scene.camera, thing) for thing in scene.things]
    for number, outline in enumerate(outlines, len(scene.cards) + len(stacks) + 1):
        _own(canvas.owner, outline, number)
    for number, card in enumerate(scene.cards, 1):
        if card.z >= AIRBORNE_MM:
            draw_one_card(canvas, scene, card, number)
    for hand in scene.hands:
        seen = sprite(hand.sprite)
        draw_hand_shadow(canvas.image, scene.camera, hand, seen, scene.light)
        draw_hand(canvas.image, canvas.owner, scene.camera, hand, seen)
    return DrawnThings(stacks, outlines)


def draw_one_card(canvas: TableCanvas, scene: Scene, card: LaidCard, number: int) -> None:
    corners = card.corners
    draw_shadow(canvas.image, scene.camera, corners, scene.light)
    draw_card(canvas.image, scene.camera, card, texture_for(scene, card), scene.light)
    _own(canvas.owner, scene.camera.to_picture(corners), number)


def texture_for(scene: Scene, card: LaidCard) -> Texture:
    """Give the side of a card that is up; the face of a foreign card is of its own deck."""
    if card.up:
        return deck_pack(card.deck or scene.deck).texture(card.face)
    return back_pack(scene.back).texture("back")


def _own(owner: Pixels, outline: Floats, number: int) -> None:
    points = np.round(np.clip(outline, -1e4, 1e4) * 16).astype(np.int32)
    cv2.fillPoly(owner, [points], number, cv2.LINE_8, 4)


def hands_mask(owner: Pixels) -> Pixels:
    return cv2.inRange(owner, (HAND_ID,), (HAND_ID,)).astype(np.uint8, copy=False)


def truth_of_scene(scene: Scene, owner: Pixels, drawn: DrawnThings) -> Truth:
    """Say what is true of a drawn scene."""
    counts = cv2.calcHist([owner], [0], None, [256], [0, 256]).ravel()
    cards = tuple(_card_truth(scene, card, n, owner, int(counts[n])) for n, card in enumerate(scene.cards, 1))
    seen = []
    for n, stack in enumerate(drawn.stacks, len(cards) + 1):
        shown = _share(int(counts[n]), np.array(stack.hull))
        seen.append(
            StackTruth(
                stack.spot,
                stack.center,
                stack.base,
                stack.radius,
                stack.height_mm,
                stack.chips,
                stack.hull,
                shown,
            )
        )
    things = []
    for n, (thing, outline) in enumerate(zip(scene.things, drawn.outlines, strict=True), len(cards) + len(seen) + 1):
        hull = tuple((float(x), float(y)) for x, y in outline)
        things.append(ThingTruth(thing.id, thing.kind, hull, _share(int(counts[n]), outline)))
    return Truth(scene.camera.width, scene.camera.height, cards, tuple(seen), _outlines(owner), tuple(things))


def _share(pixels: int, outline: Floats) -> float:
    area = abs(float(cv2.contourArea(outline.astype(np.float32))))
    return min(pixels / area, 1.0) if area > 0 else 0.0


def _outlines(owner: Pixels) -> tuple[tuple[tuple[float, float], ...], ...]:
    found, _ = cv2.findContours(hands_mask(owner), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    slim = [cv2.approxPolyDP(one, 1.0, closed=True).reshape(-1, 2) for one in found]
    return tuple(tuple((float(x), float(y)) for x, y in one) for one in slim if len(one) > 2)


def _card_truth(scene: Scene, card: LaidCard, number: int, owner: Pixels, pixels: int) -> CardTruth:
    quad = scene.camera.to_picture(card.corners)
    corners: Quad = tuple((float(x), float(y)) for x, y in quad)  # type: ignore[assignment]  # four of them
    tall = float(np.linalg.norm(quad[[3, 2]] - quad[[0, 1]], axis=1).mean())
    return CardTruth(
        card.id,
        corners,
        card.face,
        card.up,
        _share(pixels, quad),
        card.zone,
        _index_shown(scene.camera, card, number, owner) if card.up else 0.0,
        tall * INDEX_MM / card.size[1] if card.up else 0.0,
    )


def _index_shown(camera: Camera, card: LaidCard, number: int, owner: Pixels) -> float:
    """Give how much of the better of the two corner indices the picture shows."""
    best = 0.0
    for spots in (INDEX_SPOTS, 1 - INDEX_SPOTS):
        pixels = np.round(camera.to_picture(card.points(spots[:, 0], spots[:, 1]))).astype(int)
        inside = (pixels >= 0).all(axis=1) & (pixels < [owner.shape[1], owner.shape[0]]).all(axis=1)
        seen = owner[pixels[inside, 1], pixels[inside, 0]] == number
        best = max(best, float(seen.sum()) / len(spots))
    return best
