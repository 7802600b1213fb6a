"""Footage: a reel drawn frame by frame and encoded as H.264, with its truth on the time line.

Only what moves is drawn in every frame; the resting table is drawn once each time that it changes.
"""

import json
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

import av
import cv2
import numpy as np

from feltwatch.datasets.art.chips.chips import chip_set, shadow_hull
from feltwatch.datasets.art.drawing.prints import regular
from feltwatch.datasets.art.hands.hands import corners_of, sprite
from feltwatch.datasets.film.timeline import Act, Reel, TimelineMoment
from feltwatch.datasets.render.cards import ImageRegion
from feltwatch.datasets.render.compose import TableCanvas, bare_table, draw_things, truth_of_scene
from feltwatch.datasets.scene.light import Shade, add_grain, apply_shade, change_light, develop, shade_of
from feltwatch.datasets.scene.scene import Scene
from feltwatch.datasets.truth import Truth
from feltwatch.vision.arrays import Floats, Pixels

CRF = 26
PRESET = "superfast"
THING_MM, TALLEST_MM = 135.0, 130.0  # no thing is wider or higher
EDGE_PX = 12  # blur and sharpening reach so far beyond what moved


@dataclass(frozen=True)
class FilmFrame:
    """One picture of the footage, before the sensor's noise and the codec."""

    number: int
    t: float
    image: Pixels
    truth: Truth | None  # of the resting table, where that is not as it was in the frame before
    moment: TimelineMoment
    acts: tuple[Act, ...] = ()  # that were done since the frame before


class Shoot:
    """Draws a reel's frames in order."""

    def __init__(self, reel: Reel, fps: float) -> None:
        self.reel = reel
        self.fps = fps
        bare = reel.bare
        self.shade = shade_of(bare.light, bare.camera.width, bare.camera.height)
        self.table = bare_table(bare, np.random.default_rng(bare.seed))
        self.acts = deque(reel.acts())
        self.rest = -1
        self.drawn = self.table.image
        self.developed = self.table.image

    def frames(self) -> Iterator[FilmFrame]:
        for number in range(int(self.reel.ends * self.fps) + 1):
            yield self._frame(number, number / self.fps)

    def _frame(self, number: int, t: float) -> FilmFrame:
        now = self.reel.moment(t)
        truth = None
        if now.rest != self.rest:
            truth = self._redraw(now)
        image = self.developed if now.still else self._over(now)
        done = []
        while self.acts and self.acts[0].t <= t:
            done.append(self.acts.popleft())
        seen = change_light(image, self.reel.bare.light.change, t)
        return FilmFrame(number, t, seen, truth, now, tuple(done))

    def _redraw(self, now: TimelineMoment) -> Truth:
        scene = replace(self.reel.bare, cards=now.cards, stacks=now.stacks, things=now.things)
        canvas = TableCanvas(self.table.image.copy(), np.zeros_like(self.table.owner))
        things = draw_things(canvas, scene)
        self.rest, self.drawn = now.rest, canvas.image
        self.developed = develop(apply_shade(canvas.image, self.shade), scene.sensor)
        return truth_of_scene(scene, canvas.owner, things)

    def _over(self, now: TimelineMoment) -> Pixels:
        """Draw what moves over the resting table, and develop only the part that it touches."""
        scene = replace(self.reel.bare, cards=now.moving_cards, stacks=now.moving_stacks, hands=now.hands)
        scene = replace(scene, things=now.moving_things)
        patch = touched(scene)
        if patch is None:
            return self.developed
        canvas = TableCanvas(self.drawn.copy(), np.zeros_like(self.table.owner))
        draw_things(canvas, scene)
        wide = ImageRegion(
            max(patch.left - EDGE_PX, 0),
            max(patch.top - EDGE_PX, 0),
            min(patch.right + EDGE_PX, canvas.image.shape[1]),
            min(patch.bottom + EDGE_PX, canvas.image.shape[0]),
        )
        glare = None if self.shade.glare is None else wide.of(self.shade.glare)
        part = develop(apply_shade(wide.of(canvas.image), Shade(wide.of(self.shade.gain), glare)), scene.sensor)
        inner = ImageRegion(
            patch.left - wide.left, patch.top - wide.top, patch.right - wide.left, patch.bottom - wide.top
        )
        found = self.developed.copy()
        patch.of(found)[...] = inner.of(part)
        return found


def touched(scene: Scene) -> ImageRegion | None:
    """Give the part of the picture that the things of a scene and their shadows can touch."""
    camera, light = scene.camera, scene.light
    shape = (camera.height, camera.width)
    found: ImageRegion | None = None
    for points, soft in _reaches(scene):
        fallen = np.column_stack([points[:, :2] + np.array([light.shadow]) * points[:, 2:], np.zeros(len(points))])
        margin = 4 + (3 * light.soft + 8) * camera.scale(*points[0, :2]) * soft
        seen = ImageRegion.around(camera.to_picture(np.vstack([points, fallen])), margin, shape)
        found = seen.joined(found) if seen is not None else found
    return found


def _reaches(scene: Scene) -> Iterator[tuple[Floats, float]]:
    """Give the corners in space of each thing, and how soft its shadow is."""
    for card in scene.cards:
        corners = card.corners
        yield corners, 1 + 0.06 * float(corners[:, 2].mean())
    chips = chip_set(scene.chips)
    for stack in scene.stacks:
        yield shadow_hull(stack, chips, scene.light.shadow), 2.0
    for thing in scene.things:
        round_it = np.array(regular((thing.x, thing.y), THING_MM, 12))
        yield np.vstack([np.column_stack([round_it, np.full(12, high)]) for high in (0.0, TALLEST_MM)]), 2.0
    for hand in scene.hands:
        flat = corners_of(hand, sprite(hand.sprite))
        tall = max(hand.z, 4.0) + 12
        yield np.column_stack([flat, np.full(len(flat), tall)]), 1 + 0.05 * tall


def film(reel: Reel, path: Path, fps: float = 25.0, crf: int = CRF) -> int:
    """Write a reel as `path` (MP4) and its truth beside it (`.truth.jsonl`); give the number of frames."""
    shoot = Shoot(reel, fps)
    dice = np.random.default_rng([reel.bare.seed, 3])
    count = 0
    truth_path = path.with_suffix(".truth.jsonl")
    with av.open(str(path), "w", format="mp4") as container, truth_path.open("w", encoding="utf-8") as truths:
        stream = container.add_stream("libx264", rate=Fraction(fps).limit_denominator(1001))
        stream.width, stream.height, stream.pix_fmt = reel.bare.camera.width, reel.bare.camera.height, "yuv420p"
        stream.thread_count = 1  # the same bytes on any machine, and the other cores are for other films
        stream.options = {"preset": PRESET, "crf": str(crf), "x264-params": "keyint=100"}
        for frame in shoot.frames():
            noisy = add_grain(frame.image, reel.bare.sensor.noise, dice)
            planes = cv2.cvtColor(noisy, cv2.COLOR_BGR2YUV_I420)
            picture = av.VideoFrame.from_ndarray(planes.astype(np.uint8, copy=False), format="yuv420p")
            picture.pts = frame.number
            container.mux(stream.encode(picture))
            truths.writelines(f"{line}\n" for line in truth_lines(frame, reel))
            count += 1
        container.mux(stream.encode())
    return count


def truth_lines(frame: FilmFrame, reel: Reel) -> Iterator[str]:
    """Give a line for each change of the resting table, and for each frame in which something moves."""
    at: dict[str, object] = {"frame": frame.number, "t": round(frame.t, 4)}
    for act in frame.acts:
        yield json.dumps(
            {**at, "act": act.what, "at": round(act.t, 3), "id": act.id, **act.about}, separators=(",", ":")
        )
    if frame.truth is not None:
        yield json.dumps({**at, "rest": frame.truth.to_dict()}, separators=(",", ":"))
    if frame.moment.still:
        return
    camera = reel.bare.camera
    moving = [
        {"id": card.id, "face": card.face, "up": card.up, "quad": _rounded(camera.to_picture(card.corners))}
        for card in frame.moment.moving_cards
    ]
    chips = []
    for stack in frame.moment.moving_stacks:
        base = _rounded(camera.to_picture([[stack.x, stack.y]]))[0]
        chips.append({"spot": stack.spot, "chips": list(stack.chips), "base": base})
    brought = {"things": [{"id": thing.id, "kind": thing.kind} for thing in frame.moment.moving_things]}
    hands = []
    for hand in frame.moment.hands:
        flat = corners_of(hand, sprite(hand.sprite))
        hands.append(_rounded(camera.to_picture(np.column_stack([flat, np.full(len(flat), hand.z)]))))
    yield json.dumps(
        {**at, "cards": moving, "chips": chips, "hands": hands, **(brought if brought["things"] else {})},
        separators=(",", ":"),
    )


def _rounded(points: Floats) -> list[list[float]]:
    return [[round(float(x), 2), round(float(y), 2)] for x, y in points]
