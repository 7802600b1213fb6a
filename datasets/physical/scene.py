"""A scene as solids and lamps. Plain numpy: nothing here needs Blender."""

from itertools import pairwise
from math import pi

import cv2
import numpy as np

from feltwatch.datasets.art.chips.chips import Pile, chip_set, pile_of
from feltwatch.datasets.lighting import Light
from feltwatch.datasets.physical.blender import Lamp
from feltwatch.datasets.physical.hands import hand_solid
from feltwatch.datasets.physical.mesh import (
    Paint,
    Solid,
    SolidPlace,
    card_sides,
    card_solid,
    chip_solid,
    scaled_about,
)
from feltwatch.datasets.physical.table import furniture_solids, table_solids
from feltwatch.datasets.physical.view import DepthOrder, Slice
from feltwatch.datasets.render.cards import MARGIN, PX_PER_MM, Texture, back_pack, deck_pack
from feltwatch.datasets.render.compose import AIRBORNE_MM, texture_for
from feltwatch.datasets.scene.scene import LaidCard, Scene
from feltwatch.vision.arrays import Floats, Pixels
from feltwatch.vision.geometry.camera import Camera

MIDDLE = np.array([0.0, 430.0, 0.0])  # where the lamps aim
HIGH_MM = 1900.0
SOFT = 0.13  # how wide a lamp is, of its distance, for a millimetre of a shadow's softness
EDGE_COLOUR = (222, 228, 230)
STRIPS = 8  # a card is compared with what lies below it in so many parts
HAND_GAP_MM = 0.5


def solids_of(scene: Scene) -> list[Solid]:
    """Give all that stands in a scene, in the order in which the fast compositor draws it."""
    order = DepthOrder(scene.camera)
    furniture = furniture_solids(scene)
    for solid in furniture:
        order.lay(_whole(scene.camera, solid.points))
    found = [*table_solids(scene, np.random.default_rng(scene.seed)), *furniture]
    found += [_card(scene, card, order) for card in scene.cards if card.z < AIRBORNE_MM]
    found += _chips(scene, order)
    found += [_card(scene, card, order) for card in scene.cards if card.z >= AIRBORNE_MM]
    return [*found, *(_hand(scene, n, order) for n in range(len(scene.hands)))]


def _whole(camera: Camera, points: Floats) -> list[Slice]:
    above = points[points[:, 2] > 0]
    hull = _hull(camera.to_picture(above))
    return [Slice(hull, 0.0, float(above[:, 2].max()))]


def _hull(pixels: Floats) -> Floats:
    return np.asarray(cv2.convexHull(pixels.astype(np.float32)), dtype=np.float64).reshape(-1, 2)


def card_slices(camera: Camera, card: LaidCard) -> list[Slice]:
    """Cut a card across into parts."""
    top, under = card_sides(card)
    pixels = camera.to_picture(top).reshape(-1, 2, 2)
    heights = top[:, 2].reshape(-1, 2), under[:, 2].reshape(-1, 2)
    cuts = np.unique(np.linspace(0, len(pixels) - 1, STRIPS + 1).astype(int))
    found = []
    for first, last in pairwise(cuts):
        part = pixels[first : last + 1]
        outline = np.concatenate([part[:, 0], part[::-1, 1]])
        low, high = float(heights[1][first : last + 1].min()), float(heights[0][first : last + 1].max())
        found.append(Slice(outline, min(low, high), high))
    return found


def _card(scene: Scene, card: LaidCard, order: DepthOrder) -> Solid:
    slices = card_slices(scene.camera, card)
    scale = order.before(slices)
    order.lay(slices, scale)
    fine = scene.camera.scale(card.x, card.y)
    deck, back = deck_pack(card.deck or scene.deck), back_pack(scene.back)
    other = back.texture("back") if card.up else deck.texture(card.face)
    names = f"{card.deck or scene.deck} {card.face}", f"back {scene.back}"
    upper, lower = names if card.up else names[::-1]
    gloss = scene.light.gloss
    paints = (
        _side(upper, texture_for(scene, card), fine, gloss),
        _side(lower, other, fine, gloss),
        Paint("card edge", EDGE_COLOUR, rough=0.9),
    )
    return card_solid(card, paints, scene.camera.eye, scale)


def _side(name: str, texture: Texture, fine: float, gloss: float) -> Paint:
    level, scale = texture.level(fine)
    inner = level[MARGIN:-MARGIN, MARGIN:-MARGIN]
    picture: Pixels = inner[..., :3] + (255 - inner[..., 3:])  # the mesh is cut round; below it the paper goes on
    key = f"{name} {PX_PER_MM * scale:.2f} {gloss:.3f}"
    return Paint(key, picture=picture, rough=0.55 - 0.25 * min(1.0, gloss), shine=0.35, coat=min(1.0, gloss * 1.5))


def _chips(scene: Scene, order: DepthOrder) -> list[Solid]:
    """Give each denomination once, with a place for every chip."""
    chips = chip_set(scene.chips)
    places: dict[int, list[SolidPlace]] = {}
    laid = []
    for stack in scene.stacks:
        pile = pile_of(stack, chips, scene.camera)
        slices = stack_slices(scene.camera, pile)
        scale = order.before(slices)
        laid.append((pile, scale))
        feet = np.column_stack([pile.middles, np.arange(len(pile.middles)) * pile.thick])
        for value, foot, turn in zip(stack.chips, scaled_about(scene.camera.eye, feet, scale), pile.turns, strict=True):
            place = SolidPlace(float(foot[0]), float(foot[1]), float(foot[2]), -float(turn), scale)
            places.setdefault(value, []).append(place)
    for pile, scale in laid:
        rims = scene.camera.to_picture(pile.rims().reshape(-1, 3))
        order.lay([Slice(_hull(rims), 0.0, pile.height)], scale)
    size = chips.radius_mm, chips.thick_mm
    return [
        chip_solid(f"chip {scene.chips} {value}", size, chips.faces[value], where, 0.05)
        for value, where in sorted(places.items())
    ]


def stack_slices(camera: Camera, pile: Pile) -> list[Slice]:
    """Cut a stack into discs, one at its foot and one above every chip."""
    turns = np.linspace(0, 2 * pi, 20, endpoint=False)
    ring = pile.radius * np.column_stack([np.cos(turns), np.sin(turns)])
    found = []
    for level in range(len(pile.middles) + 1):
        z = level * pile.thick
        circle = np.column_stack([pile.middles[min(level, len(pile.middles) - 1)] + ring, np.full(20, z)])
        found.append(Slice(camera.to_picture(circle), z, z))
    return found


def _hand(scene: Scene, number: int, order: DepthOrder) -> Solid:
    camera = scene.camera
    solid, normals = hand_solid(camera, scene.hands[number])
    shown = normals[:, 2] > 0.2
    points = solid.points[shown]
    scale = order.before_points(camera.to_picture(points), points[:, 2], HAND_GAP_MM)
    moved = scaled_about(camera.eye, solid.points, scale)
    return Solid(
        f"{solid.name} {number}",
        moved,
        solid.sides,
        solid.counts,
        solid.uv,
        solid.stuff,
        solid.smooth,
        solid.paints,
        (),
        solid.gains,
    )


def lamps_of(light: Light, seed: int) -> list[Lamp]:
    """Hang the lamp that throws the scene's shadows, and two weaker ones for the light from elsewhere."""
    dice = np.random.default_rng([seed, 3])
    colour = light_colour(light)
    toward = np.array([-light.shadow[0], -light.shadow[1], 1.0])
    at = MIDDLE + toward * HIGH_MM
    away = float(np.linalg.norm(at - MIDDLE))
    facing = HIGH_MM / away
    found = [_lamp(at, max(60.0, SOFT * light.soft * away), colour * light.dark / facing)]
    for _ in range(2):
        turn = float(dice.uniform(0, 2 * pi))
        place = MIDDLE + np.array([1300 * np.cos(turn), 1300 * np.sin(turn), 2100.0])
        found.append(_lamp(place, float(dice.uniform(250, 700)), colour * (1 - light.dark) * 0.28))
    return found


def _lamp(at: Floats, wide: float, light: Floats) -> Lamp:
    red, green, blue = (float(v) for v in light)
    return Lamp((float(at[0]), float(at[1]), float(at[2])), tuple(float(v) for v in MIDDLE), wide, (red, green, blue))  # type: ignore[arg-type]  # three


def light_colour(light: Light) -> Floats:
    """Give the lamps' colour as red, green, blue of linear light, none brighter than the mean of them."""
    return np.array(light.colour[::-1], dtype=np.float64) ** 2.2


def sky_of(light: Light) -> tuple[float, float, float]:
    """Give the light that comes from all round."""
    red, green, blue = light_colour(light) * (1 - light.dark) * 0.5
    return float(red), float(green), float(blue)
