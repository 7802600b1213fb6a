"""Tables for the tests of the physical grade, made of bundled art alone."""

import numpy as np

from feltwatch.datasets.art.chips.chips import ChipStack
from feltwatch.datasets.lighting import Light, Sensor
from feltwatch.datasets.scene.scene import LaidCard, Scene
from feltwatch.vision.geometry.camera import look_at
from feltwatch.vision.layout.zones import load_layout

CAMERA = look_at((960, 540), (100, 250, 2000), (0, 430), 1500)
LENS = look_at((960, 540), (-200, 900, 1500), (30, 430), 1600, (-0.18, 0.02, 0.0006, -0.0008, 0.0), 12.0)
CLEAR = Sensor(blur_px=0.0, noise=0.0, jpeg=0)
FACES = ("Ah", "Kd", "7c", "2s", "Td")


def plain_scene(seed: int, *, lens: bool = True) -> Scene:
    """Lay five cards apart from each other, some bent, and one stack."""
    dice = np.random.default_rng(seed)
    cards = tuple(
        LaidCard(
            f"c{n + 1}",
            face,
            up=True,
            x=-300.0 + 150 * n,
            y=420 + float(dice.uniform(-90, 90)),
            angle=float(dice.uniform(0, 360)),
            bend=float(dice.uniform(-0.5, 0.5)),
        )
        for n, face in enumerate(FACES)
    )
    stacks = (ChipStack(None, 0.0, 650.0, (5, 25, 25), seed),)
    light = Light(vignette=0.0, shadow=(0.05, 0.02), gloss=0.0)
    layout = load_layout("blackjack-7")
    names = ("house-green", "house", "house-red", "chips-house")
    return Scene(LENS if lens else CAMERA, layout, *names, cards, stacks, (), light, CLEAR, seed)
