"""A card that the detector does not find: supposed to lie across others where the table has changed, and then read.

The detector learnt little of cards laid crosswise on a hand, as the one of a double is. The reader tells whether there
is one: only where it reads the same face, for certain, in several places so near each other that they are one card.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Final

import numpy as np

from feltwatch.vision.arrays import Floats, Pixels
from feltwatch.vision.detection.roi_detection import CardGlimpse
from feltwatch.vision.detection.still_reader import StillReader
from feltwatch.vision.geometry.camera import Camera

Size = tuple[float, float]
Ways = Sequence[float]  # degrees

ALONG_MM: Final = (-14.0, -7.0, 0.0, 7.0, 14.0)
ACROSS_MM: Final = (-8.0, -4.0, 0.0, 4.0, 8.0)
SURE: Final = 0.97
AGREE: Final = 2  # places that read alike
SCORE: Final = 0.8  # what is read for certain is as good as found


class CrosswiseSearch:
    """Lays rectangles of a card's size on the felt, and reads what they hold."""

    def __init__(self, camera: Camera) -> None:
        self.camera = camera

    def crosswise(
        self, eyes: StillReader, picture: Pixels, shift: tuple[float, float], middles: Floats, lies: tuple[Ways, Size]
    ) -> CardGlimpse | None:
        """Look for a card across others: `middles` are where its own may be, `lies` how it may lie, and how large."""
        angles, size = lies
        poses = [(middle, angle) for middle in middles for angle in angles]
        tried = [self._places(middle, angle, size) for middle, angle in poses]
        places, quads = (np.concatenate([one[n] for one in tried]) for n in (0, 1))
        readings = eyes.reader.read(picture, quads - shift)
        sure = [n for n, one in enumerate(readings) if one.likely >= SURE and len(one.face) == 2]
        face, count = Counter(readings[n].face for n in sure).most_common(1)[0] if sure else ("", 0)
        if count < AGREE:
            return None
        best = max((n for n in sure if readings[n].face == face), key=lambda n: readings[n].likely)
        x, y = places[best]
        faces, angle = readings[best].all, float(poses[best // len(tried[0][0])][1] % 180)
        return CardGlimpse(quads[best], (float(x), float(y)), angle, size, SCORE, 1.0, faces)

    def _places(self, middle: Floats, angle: float, size: Size) -> tuple[Floats, Floats]:
        """Give where a card may lie whose long side points so, and its corners there."""
        along = np.array([np.cos(np.deg2rad(angle)), np.sin(np.deg2rad(angle))])
        across = np.array([-along[1], along[0]])
        places = np.array([middle + a * along + b * across for a in ALONG_MM for b in ACROSS_MM])
        half = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * np.array(size) / 2
        felt = places[:, None, :] + half[:, :1] * across + half[:, 1:] * along
        quads = self.camera.to_picture(felt.reshape(-1, 2)).reshape(-1, 4, 2)
        return places, quads if self._clockwise(quads[0]) else quads[:, [1, 0, 3, 2]]

    def _clockwise(self, quad: Floats) -> bool:
        (ax, ay), (bx, by), (cx, cy) = quad[0], quad[1], quad[2]
        return bool((bx - ax) * (cy - ay) - (by - ay) * (cx - ax) > 0)
