"""The physical renderer and `python -m feltwatch.datasets physical`: a scene in real light, with exact truth."""

import sys
from pathlib import Path

import numpy as np

from feltwatch.datasets.common.cache import write_picture
from feltwatch.datasets.common.errors import Arguments, DataError
from feltwatch.datasets.physical.blender import RenderSetup, blender, photograph
from feltwatch.datasets.physical.scene import lamps_of, sky_of, solids_of
from feltwatch.datasets.physical.view import view_of
from feltwatch.datasets.render.compose import HAND_ID, Rendered, TableCanvas, draw_things, truth_of_scene
from feltwatch.datasets.scene.light import add_grain, develop, squeeze
from feltwatch.datasets.scene.scene import Scene
from feltwatch.datasets.scene.scene_sampler import cast
from feltwatch.datasets.sets.sets import SPLITS
from feltwatch.datasets.truth import write_truth
from feltwatch.vision.arrays import Floats32, Pixels

PAPER = 0.9  # the grey level of white paper in the light of level 1, before the sensor, as linear light
SHOULDER = 0.75  # from here a sensor holds light back, so that lamps mirrored in a card do not cut off
QUALITY = 92


def render(scene: Scene, samples: int = 8) -> Rendered:
    """Photograph a scene. The truth is that of the fast compositor."""
    shape = (scene.camera.height, scene.camera.width)
    canvas = TableCanvas(np.zeros((*shape, 3), np.uint8), np.zeros(shape, np.uint8))
    things = draw_things(canvas, scene)
    image = photographed(scene, samples)
    hands = np.where(canvas.owner == HAND_ID, 255, 0).astype(np.uint8)
    return Rendered(image, truth_of_scene(scene, canvas.owner, things), hands)


def photographed(scene: Scene, samples: int) -> Pixels:
    """Give the picture alone."""
    view = view_of(scene.camera)
    lamps = lamps_of(scene.light, scene.seed)
    setup = RenderSetup(solids_of(scene), lamps, sky_of(scene.light), scene.camera, view, samples, scene.seed)
    seen = exposed(view.through_lens(photograph(setup)), scene)
    dice = np.random.default_rng(scene.seed)
    return squeeze(add_grain(develop(seen, scene.sensor), scene.sensor.noise, dice), scene.sensor.jpeg)


def exposed(light: Floats32, scene: Scene) -> Pixels:
    """Turn light into grey levels, as bright as the scene says, darker toward the corners of the lens."""
    height, width = light.shape[:2]
    x, y = np.meshgrid((np.arange(width) + 0.5) / width, (np.arange(height) + 0.5) / width)
    far = (x - 0.5) ** 2 + (y - height / width / 2) ** 2
    fade = scene.light.level * (1 - scene.light.vignette * far / (0.25 + (height / width / 2) ** 2))
    found = light * (np.maximum(fade, 0) ** 2.2).astype(np.float32)[..., None] * np.float32(PAPER)
    over = np.maximum(found - SHOULDER, 0) / (1 - SHOULDER)
    found = np.minimum(found, SHOULDER) + (1 - SHOULDER) * (1 - np.exp(-over))
    level = np.where(found <= 0.0031308, found * 12.92, 1.055 * np.maximum(found, 1e-6) ** (1 / 2.4) - 0.055)
    return np.asarray(np.clip(np.rint(level * 255), 0, 255), dtype=np.uint8)


def main(arguments: list[str]) -> int:
    """Write pictures and their truths; what is there already stays."""
    options = _parser().parse_args(arguments)
    if options.count < 1 or options.samples < 1 or options.seed < 0:
        raise DataError("expected a count and samples of one or more, and a seed of zero or more")
    size = _size(options.size)
    blender()
    written = 0
    for seed in range(options.seed, options.seed + options.count):
        stem = options.o / f"{options.split}-{seed:06d}"
        if stem.with_suffix(".jpg").is_file() and stem.with_suffix(".json").is_file():
            continue
        made = render(cast(options.split, seed, size), options.samples)
        write_picture(stem.with_suffix(".jpg"), made.image, QUALITY)
        write_truth(stem.with_suffix(".json"), made.truth)
        written += 1
    sys.stdout.write(f"{options.o}: {written} of {options.count} rendered, the rest was there\n")
    return 0


def _size(text: str) -> tuple[int, int]:
    width, _, height = text.partition("x")
    if not (width.isdecimal() and height.isdecimal() and int(width) > 63 and int(height) > 63):
        raise DataError(f"expected a size like 1920x1080, found {text!r}")
    return int(width), int(height)


def _parser() -> Arguments:
    parser = Arguments(
        prog="python -m feltwatch.datasets physical", description="Write pictures in real light, or go on with them."
    )
    parser.add_argument("-o", type=Path, required=True, metavar="DIR")
    parser.add_argument("--count", type=int, required=True)
    parser.add_argument("--seed", type=int, default=1, help="of the first; the next ones follow")
    parser.add_argument("--split", choices=SPLITS, default="train")
    parser.add_argument("--size", default="1920x1080", metavar="WxH")
    parser.add_argument("--samples", type=int, default=8, help="rays for each pixel")
    return parser
