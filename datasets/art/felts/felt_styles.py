"""Which felts there are: drawn from recipes, so that nothing is stored, and split by whole felt."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, cycle, product
from types import MappingProxyType

import numpy as np
from numpy.random import Generator

from feltwatch.datasets.art.drawing.colours import shaded
from feltwatch.datasets.art.drawing.houses import HOUSES
from feltwatch.datasets.art.drawing.prints import DEALER, PLAYERS, Type
from feltwatch.datasets.art.felts.felt_texture import Cloth, Surround
from feltwatch.vision.arrays import Colour

CLOTHS: Mapping[str, Colour] = {
    "green": (62, 112, 34),
    "darkgreen": (48, 74, 22),
    "lime": (64, 150, 72),
    "blue": (140, 82, 28),
    "navy": (84, 44, 20),
    "royal": (168, 70, 30),
    "sky": (176, 138, 74),
    "teal": (118, 112, 28),
    "burgundy": (44, 22, 98),
    "red": (38, 30, 150),
    "purple": (112, 42, 84),
    "black": (38, 36, 36),
    "grey": (112, 108, 104),
    "tan": (110, 150, 178),
    "brown": (40, 62, 96),
    "sand": (140, 178, 196),
}
INKS: Mapping[str, tuple[Colour, Colour]] = {
    "white": ((226, 230, 230), (226, 230, 230)),
    "white-yellow": ((226, 230, 230), (60, 205, 238)),
    "yellow": ((70, 205, 235), (70, 205, 235)),
    "gold": ((92, 168, 206), (92, 168, 206)),
    "white-gold": ((220, 224, 226), (84, 160, 204)),
    "yellow-red": ((80, 210, 238), (48, 44, 196)),
    "black-white": ((34, 30, 28), (226, 228, 230)),
    "white-black": ((224, 228, 228), (36, 32, 30)),
    "silver": ((186, 186, 182), (214, 214, 210)),
}
PALE = ("tan", "sand", "sky", "grey", "lime")  # only these carry black ink
FIGURES = ("plain", "plain", "plain", "suits", "dots", "lattice", "rings", "chevron", "checks", "swirl", "scales")

COUNTS: Mapping[str, int] = {"train": 2400, "val": 6, "test": 20}
DEMO = "house-green"


@dataclass(frozen=True, slots=True)
class FeltPrint:
    """How the layout is printed: which signs, how thick, and for whose eyes."""

    main: Colour
    second: Colour
    spot: str  # circle, double, square, ellipse, diamond, octagon
    box: str  # rounded, square, ticks, dashed, none
    side: str  # circle, square, diamond
    line_mm: float
    kind: Type
    facing: str  # who reads the words: players or dealer
    strength: float  # how much of the cloth the ink covers
    filled: bool  # side spots and bands are tinted
    band: bool  # two lines hold the insurance words
    logo: str  # crest, star, wreath, script, none
    numbers: bool
    words: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class FeltStyle:
    name: str
    split: str
    house: str
    seed: int
    cloth: Cloth
    surround: Surround
    prints: FeltPrint


def _seed(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


def _combinations() -> list[tuple[str, str, str]]:
    """Every cloth x ink x figure that can be read, in one fixed shuffled order."""
    found = [
        (cloth, ink, figure)
        for cloth, ink, figure in product(CLOTHS, INKS, dict.fromkeys(FIGURES))
        if not (ink.startswith("black") and cloth not in PALE)
        and not (cloth in {"tan", "sand", "sky"} and ink in {"yellow", "gold", "silver", "yellow-red"})
        and not (cloth == "sand" and ink.startswith("white") and ink != "white-black")
        and not (cloth in {"red", "burgundy"} and ink == "yellow-red")
    ]
    order = np.random.default_rng(7101).permutation(len(found))
    return [found[i] for i in order]


def _plan() -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, str, str]]]:
    """Share the combinations out: none is in two splits; plain cloth is as common as on the floor.

    Training, which comes last, uses the rest again and again: each felt differs in shade, print and wear.
    """
    shuffled = _combinations()
    judged = COUNTS["test"] + COUNTS["val"]
    plain = _again([c for c in shuffled if c[2] == "plain"], judged // 2)
    figured = _again([c for c in shuffled if c[2] != "plain"], judged // 2)
    names: dict[str, tuple[str, ...]] = {}
    chosen: dict[str, tuple[str, str, str]] = {}
    for split in ("test", "val", "train"):
        here = [f"felt-{split}-{n:02d}" for n in range(1, COUNTS[split] + 1)]
        for n, name in enumerate(here):
            chosen[name] = next(plain if n % 2 else figured)
        names[split] = tuple(here)
    names["train"] = (DEMO, *names["train"])
    return names, chosen


def _again(found: list[tuple[str, str, str]], once: int) -> Iterator[tuple[str, str, str]]:
    """Give every combination; then those after the first so many again, without end."""
    return chain(found[:once], cycle(found[once:]))


_NAMES, _CHOSEN = _plan()
FELTS: Mapping[str, tuple[str, ...]] = MappingProxyType(_NAMES)


@lru_cache(maxsize=128)
def felt_style(name: str) -> FeltStyle:
    """Give the felt of this name; the same name gives the same felt."""
    split = next((split for split, names in FELTS.items() if name in names), None)
    if split is None:
        raise KeyError(f"unknown felt {name!r}: see FELTS")
    seed = _seed(name)
    rng = np.random.default_rng(seed)
    if name == DEMO:
        return _demo(seed, rng)
    cloth, ink, figure = _CHOSEN[name]
    house = str(rng.choice(HOUSES[split]))
    return FeltStyle(name, split, house, seed, _cloth(cloth, figure, rng), _surround(rng), _print(ink, rng))


def _demo(seed: int, rng: Generator) -> FeltStyle:
    cloth = Cloth((58, 108, 30), mottle=0.04, wear=0.25, stains=1)
    surround = Surround((34, 38, 52), (36, 74, 110), (26, 24, 44), (40, 60, 92), carpet="swirl")
    words = {name: choices[0] for name, choices in WORDS.items()}
    kind = Type("sans", 700)
    demo = FeltPrint(
        *INKS["white-yellow"], "double", "rounded", "circle", 3.0, kind, PLAYERS, 0.92,
        filled=False, band=True, logo="crest", numbers=False, words=MappingProxyType(words),
    )  # fmt: skip
    return FeltStyle(DEMO, "train", str(rng.choice(HOUSES["train"])), seed, cloth, surround, demo)


def _cloth(colour: str, figure: str, rng: Generator) -> Cloth:
    contrast = float(rng.uniform(0.05, 0.2) * rng.choice([-1, 1]))
    if colour in {"black", "navy", "darkgreen"}:
        contrast = abs(contrast) * 2
    return Cloth(
        shaded(CLOTHS[colour], rng, 0.16),
        figure,
        float(rng.uniform(18, 70)),
        contrast,
        float(rng.uniform(0.5, 1.6)),
        float(rng.uniform(0.025, 0.09)),
        float(rng.uniform(0.02, 0.07)),
        float(rng.uniform(0, 0.9)),
        int(rng.integers(0, 5)),
    )


RAILS: tuple[Colour, ...] = (
    (34, 34, 36), (30, 44, 74), (22, 30, 52), (52, 84, 128), (40, 28, 92), (84, 92, 102), (58, 40, 26), (120, 156, 178),
)  # fmt: skip
WOODS: tuple[Colour, ...] = ((38, 66, 110), (28, 44, 80), (62, 104, 156), (24, 34, 58))
FLOORS: tuple[Colour, ...] = ((24, 22, 40), (46, 30, 22), (30, 34, 36), (22, 36, 24), (54, 52, 50), (34, 44, 66))


def _surround(rng: Generator) -> Surround:
    wooden = rng.random() < 0.25
    rail = (WOODS if wooden else RAILS)[int(rng.integers(len(WOODS if wooden else RAILS)))]
    strip = ((20, 20, 22), (150, 152, 156), *WOODS)[int(rng.integers(2 + len(WOODS)))]
    floor = FLOORS[int(rng.integers(len(FLOORS)))]
    return Surround(
        shaded(rail, rng, 0.2),
        shaded(strip, rng, 0.2),
        shaded(floor, rng, 0.3),
        shaded(floor, rng, 0.3) if rng.random() < 0.4 else shaded((50, 80, 110), rng, 0.4),
        float(rng.uniform(70, 150)),
        float(rng.uniform(4, 45)),
        wooden,
        str(rng.choice(FIGURES)),
        bool(rng.random() < 0.35),
    )


WORDS: Mapping[str, tuple[str, ...]] = {
    "insurance": (
        "INSURANCE PAYS 2 TO 1",
        "INSURANCE",
        "PAYS 2 TO 1 · INSURANCE · PAYS 2 TO 1",
        "Insurance Pays 2 to 1",
    ),
    "pays": ("BLACKJACK PAYS 3 TO 2", "BLACK JACK PAYS 3 TO 2", "Blackjack pays 3 to 2", "BLACKJACK  3:2"),
    "rule": (
        "Dealer must draw to 16 and stand on all 17's",
        "DEALER MUST DRAW TO 16 AND STAND ON ALL 17's",
        "Dealer draws to 16 and stands on 17",
        "DEALER STANDS ON ALL 17s",
    ),
    "pair": ("PAIR", "PAIRS", "PAIR", "PAIR 11:1"),
    "under13": ("UNDER 13", "UNDER 13", "UNDER"),
    "over13": ("OVER 13", "OVER 13", "OVER"),
    "rws-pairs": ("RWS PAIRS", "RWS PAIRS", "PAIRS"),
    "boom-busted": ("BOOM BUSTED", "BOOM BUSTED", "BOOM"),
    "bonus": ("BONUS", "BONUS", "BONUS BET"),
    "dealer-bonus": ("DEALER BONUS", "DEALER BONUS", "D. BONUS"),
    "low": ("LOW", "LOW HAND", "Low"),
    "high": ("HIGH", "HIGH HAND", "High"),
    "tie": ("TIES PLAY THE HOUSE WAY", "HOUSE WAY APPLIES", "Bonus pays on every hand"),
    "title": ("SI KI PI", "SI KI PI", "Si Ki Pi"),
}


def _print(ink: str, rng: Generator) -> FeltPrint:
    main, second = (shaded(colour, rng, 0.06) for colour in INKS[ink])
    kind = Type(
        str(rng.choice(["sans", "sans", "italic", "uni", "plain"])),
        int(rng.integers(400, 850)),
        float(rng.uniform(0.8, 1.2)),
        float(rng.choice([0, 0, 0.08, 0.2])),
    )
    words = {name: str(rng.choice(choices)) for name, choices in WORDS.items()}
    return FeltPrint(
        main,
        second,
        str(rng.choice(["circle", "circle", "double", "double", "square", "ellipse", "diamond", "octagon"])),
        str(rng.choice(["rounded", "square", "ticks", "dashed", "none", "none"])),
        str(rng.choice(["circle", "circle", "square", "diamond"])),
        float(rng.uniform(1.6, 5.0)),
        kind,
        PLAYERS if rng.random() < 0.65 else DEALER,
        float(rng.uniform(0.65, 0.97)),
        filled=bool(rng.random() < 0.35),
        band=bool(rng.random() < 0.55),
        logo=str(rng.choice(["crest", "star", "wreath", "script", "none"])),
        numbers=bool(rng.random() < 0.3),
        words=MappingProxyType(words),
    )
