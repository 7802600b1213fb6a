"""What a deck or a back looks like, in 64 bits a picture: the same after scaling, compression and recolouring.

Number cards of different makers look alike, and so do plain aces. What tells decks apart is their twelve court cards
and the ace of spades: only these are hashed, and of them the middle, where the drawing is and not the layout.
Backs with fine patterns alias when they are scaled: they go by name, and by looks only where nearly the same.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from feltwatch.datasets.art.cards.decks import paper
from feltwatch.datasets.common.errors import DataError
from feltwatch.datasets.sources.card_codes import COURTS
from feltwatch.vision.arrays import Pixels

PATH = Path(__file__).with_name("fingerprints.txt")

TELLING = (*COURTS, "As")
BITS = 64
HEAD = "# kind name, then 16 hexadecimal digits a picture: of a deck its court cards and its ace of spades"

MIDDLE = 0.25
SOFT_PX = 2.0
WAVES = sorted(  # of the even ones the 64 longest, without the mean
    ((down, across) for down in range(20) for across in range(20) if (down + across) % 2 == 0 and down + across > 0),
    key=lambda wave: (sum(wave), abs(wave[0] - wave[1]), wave),
)[:BITS]

Print = tuple[int, ...]  # of a deck one number a telling card, of a back two


@dataclass(frozen=True, slots=True)
class Prints:
    decks: Mapping[str, Print]
    backs: Mapping[str, Print]


def fingerprint(picture: Pixels, cut: float = MIDDLE) -> int:
    """Hash the large shapes of ink on paper, `cut` of the picture left out on every side.

    Ink is whatever differs from the paper, in any colour. A card looks the same upside down, so half of its waves
    vanish and would be noise: the picture is laid over itself upside down, and only the others are counted.
    """
    height, width = picture.shape[:2]
    away = np.abs(picture.astype(np.int16) - paper(picture).astype(np.int16)).max(axis=2).astype(np.float32)
    left, top = int(width * cut), int(height * cut)
    ink = cv2.GaussianBlur(away[top : height - top, left : width - left], (0, 0), SOFT_PX)
    small = cv2.resize(ink, (32, 32), interpolation=cv2.INTER_AREA)
    waves = cv2.dct((small + small[::-1, ::-1]) / 2)
    strengths = np.array([waves[down, across] for down, across in WAVES])
    return sum(1 << bit for bit, strong in enumerate(strengths > np.median(strengths)) if strong)


def print_of_deck(faces: Mapping[str, Pixels]) -> Print:
    return tuple(fingerprint(faces[face]) for face in TELLING)


def print_of_back(back: Pixels) -> Print:
    """Hash the whole and the middle."""
    return fingerprint(back, 0.0), fingerprint(back)


def distance(one: Print, other: Print) -> float:
    """Give the bits that differ, of 64, as a mean over the pictures; two that have nothing in common differ by 32."""
    return sum((left ^ right).bit_count() for left, right in zip(one, other, strict=True)) / len(one)


def written(prints: Prints) -> str:
    """Write fingerprints as lines, sorted; `read_prints` gives them back."""
    return "\n".join([HEAD, *_lines("deck", prints.decks), *_lines("back", prints.backs), ""])


def _lines(kind: str, prints: Mapping[str, Print]) -> Iterable[str]:
    for name in sorted(prints):
        yield f"{kind} {name} {''.join(f'{number:016x}' for number in prints[name])}"


def read_prints(path: Path = PATH) -> Prints:
    found: dict[str, dict[str, Print]] = {"deck": {}, "back": {}}
    lengths = {"deck": len(TELLING), "back": 2}
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        words = line.split()
        if not words or words[0] == "#":
            continue
        if len(words) != 3 or words[0] not in found or len(words[2]) != 16 * lengths[words[0]]:
            raise DataError(f"{path}:{number}: 'deck' or 'back', a name and its hashes expected, found {line[:60]!r}")
        digits = words[2]
        found[words[0]][words[1]] = tuple(int(digits[at : at + 16], 16) for at in range(0, len(digits), 16))
    return Prints(found["deck"], found["back"])
