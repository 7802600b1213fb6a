"""Clean pictures of a deck from cards that were seen whole and read for certain, several looks at each."""

from collections.abc import Sequence
from types import MappingProxyType
from typing import Final

import cv2
import numpy as np

from feltwatch.vision.arrays import Floats, Pixels
from feltwatch.vision.detection.deck_checks import ENDS as BOTH_ENDS
from feltwatch.vision.detection.deck_checks import doubles, ends_likeness
from feltwatch.vision.detection.deck_fusion import tall
from feltwatch.vision.detection.known_deck import BACK, FACES, PICTURE_PX, DeckOrigin, KnownDeck
from feltwatch.vision.geometry.rectify import rectify

LOOKS: Final = 4  # at a card, before its picture is made
MOST: Final = 6  # of those, the largest, are kept
AGREE: Final = 0.75  # looks that are of one face look alike by more than this
REACH: Final = 4  # pixels by which looks may be cut out otherwise


class DeckLearner:
    """Collects looks at whole cards by what they were read as. It can be pickled."""

    def __init__(self) -> None:
        self._looks: dict[str, list[tuple[float, Pixels]]] = {name: [] for name in (*FACES, BACK)}

    @property
    def missing(self) -> tuple[str, ...]:
        """Give the faces that were not seen often enough yet."""
        return tuple(face for face in FACES if len(self._looks[face]) < LOOKS)

    def take(self, name: str, picture: Pixels, quad: Floats) -> None:
        """Take a look at a whole card: a face that was read for certain, or a back."""
        looks = self._looks[name]
        high = tall(quad)
        if len(looks) >= MOST and high <= looks[-1][0]:
            return
        looks.append((high, rectify(picture, quad, 0.0, PICTURE_PX)))
        looks.sort(key=lambda one: -one[0])
        del looks[MOST:]

    def learnt(self, origin: DeckOrigin) -> KnownDeck | None:
        """Give the deck, once there is a clean picture of every face; looks that contradict each other are dropped."""
        if self.missing:
            return None
        faces = {face: clean_picture([crop for _, crop in self._looks[face]]) for face in FACES}
        clean = {face: one for face, one in faces.items() if one is not None and ends_likeness(one) > BOTH_ENDS}
        unclear = {face for face in FACES if face not in clean} | {face for pair in doubles(clean) for face in pair}
        for face in unclear:
            self._looks[face].clear()
        if unclear:
            return None
        back = clean_picture([crop for _, crop in self._looks[BACK]])
        return KnownDeck(origin, MappingProxyType(clean), back)


def clean_picture(crops: Sequence[Pixels]) -> Pixels | None:
    """Give the picture that most looks at a card agree on, without their noise; None where too few agree.

    A card lies either way up: each look is turned as the one that is most like all others, shifted onto it, and the
    median of each pixel counts.
    """
    if len(crops) < LOOKS:
        return None
    turned = [(crop, np.ascontiguousarray(crop[::-1, ::-1])) for crop in crops]
    likes = np.array([[max(_onto(one, way)[0] for way in other) for other in turned] for one in crops])
    first = int(np.median(likes, axis=1).argmax())
    placed = [max((_onto(crops[first], way) for way in other), key=lambda one: one[0]) for other in turned]
    agreed = [shown for like, shown in placed if like > AGREE]
    return np.median(agreed, axis=0).astype(np.uint8) if len(agreed) >= LOOKS else None


def _onto(one: Pixels, other: Pixels) -> tuple[float, Pixels]:
    """Shift a look onto another; give how much they look alike, and the shifted look."""
    inner = np.ascontiguousarray(one[REACH:-REACH, REACH:-REACH])
    found = cv2.matchTemplate(other, inner, cv2.TM_CCOEFF_NORMED)
    _, like, _, (x, y) = cv2.minMaxLoc(found)
    move = np.array([[1.0, 0.0, REACH - x], [0.0, 1.0, REACH - y]])
    shifted = cv2.warpAffine(other, move, PICTURE_PX, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return float(like), np.asarray(shifted, np.uint8)
