"""Dealers: how each lays, parts, turns and gathers cards, and how fast. A film shows one dealer.

Whole habits are named; measures are numbers. Every combination of whole habits belongs to one split (`owner`), and some
habits (`RESERVED`) to test alone: a film that judges shows what nothing before it was fitted to.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from itertools import product
from random import Random
from types import MappingProxyType

from feltwatch.datasets.common.errors import DataError
from feltwatch.datasets.scene.scene import BRIDGE, POKER

PRINTED = "printed"  # as the layout has it
HOUSE_NAME = "house"
EACH_SPLIT = 200  # dealers that a split has

# Which way the cards of a hand follow each other, seen from the Player; a double; the pair of a split.
BLACKJACK_HABITS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "way": ("right", "left", "up", "down", "up-right", "down-right", "up-left", "down-left", "squared"),
        "double": ("across", "straight", "face-down"),
        "split": ("along", "across", "both-along", "both-across", "diagonal"),
    }
)
# How four cards are dealt, where the two parts of a hand lie, how they are shown, and how they are taken up.
SIKIPI_HABITS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "deal": ("piles", "packets", "loose-packets"),
        "parts": ("apart", "overlapping", "stepped", "reversed"),
        "show": ("one-by-one", "backwards", "packet", "by-parts"),
        "gather": ("zones", "boxes", "sweep"),
    }
)
RESERVED = frozenset({"down", "up-left", "down-left", "diagonal", "loose-packets", "reversed", "by-parts", "sweep"})
ROOMY = frozenset({*product(("right", "left"), ("along",)), *product(("up", "down"), ("across",))})  # far apart is well
PILES_MM = MappingProxyType({"piles": (3.0, 18.0), "packets": (0.0, 3.0), "loose-packets": (3.0, 10.0)})
OWNERS = ("train", "train", "val", "test")  # of the combinations that are not reserved, by their digest


@dataclass(frozen=True, slots=True)
class Dealer:
    """How one dealer works. As it stands without arguments: the dealer of the bundled clip."""

    name: str = HOUSE_NAME
    seed: int = 0  # of where each single thing comes to lie
    # a single card
    place_mm: float = 2.5  # standard deviation of where it comes to lie
    angle_deg: float = 2.5
    bend_mm: float = 0.5
    size: tuple[float, float] = POKER
    # a hand
    way: str = PRINTED
    reach: float = 1.0  # how far apart the cards of a printed way are laid, 1 as the layout has it
    offset_mm: float = 17.0  # from one card to the next, of any other way
    own_way: str = PRINTED  # of the dealer's own hand
    own_mm: float = 46.0
    tilt_deg: float = 0.0  # by how much a whole hand is turned against its place, at the most
    edge_mm: float = (
        30.0  # the middle of a card lies at least so far within its place: a small number lets it stick out
    )
    double: str = "across"
    split: str = PRINTED
    split_mm: float = 90.0  # by how much a pair is moved apart where no place for a second hand is printed
    parts_first: bool = False  # a pair is moved apart before the second bet is put down
    # four cards
    deal: str = PRINTED
    pile_way: str = PRINTED
    pile_mm: float = 9.0
    parts: str = PRINTED
    part_mm: float = 17.0  # between the two cards of a part
    show: str = PRINTED
    show_mm: float = 0.0  # how far apart the dealer's own four are laid when they are turned; 0: where they lay
    turned_mm: float = 0.0  # by how much a card that is turned comes to lie elsewhere
    gather: str = PRINTED
    in_pairs: bool = False  # the two cards of a part are set at once
    taken_up: bool = False  # Players take their cards to the edge of the table to look at them
    # time and hands
    pace: float = 1.0
    close: float = 0.0  # how often the next act follows at once
    rests: float = 0.0  # how often a hand rests over cards, at every pause
    two_hands: bool = False  # cards are turned with both hands
    # what else happens, at every pause
    nudges: float = 0.0
    things: float = 0.0
    # chips
    on_top: float = 0.0  # how often chips that are added are put on top of a stack
    several: float = 0.0  # how often a bet stands in several stacks


HOUSE = Dealer()


def owner(habits: tuple[str, ...]) -> str:
    """Give the split to which a combination of whole habits belongs."""
    if RESERVED.intersection(habits):
        return "test"
    return OWNERS[sha256(" ".join(habits).encode()).digest()[0] % len(OWNERS)]


def combinations(habits: Mapping[str, tuple[str, ...]], split: str) -> Iterator[dict[str, str]]:
    """Give every combination of whole habits of a split."""
    for values in product(*habits.values()):
        if owner(values) == split:
            yield dict(zip(habits, values, strict=True))


def named(name: str, split: str) -> Dealer:
    """Give a dealer of a split by its name, as `val-17`."""
    of, _, number = name.rpartition("-")
    if of != split or not number.isdecimal() or int(number) >= EACH_SPLIT:
        raise DataError(f"--dealer {name!r}: expected {split}-0 to {split}-{EACH_SPLIT - 1} in a film of that split")
    return drawn(Random(f"dealer {name}"), name, split)  # noqa: S311  habits are no secret


def any_of(split: str, seed: int) -> Dealer:
    """Give the dealer whom the seed of a film draws."""
    return named(f"{split}-{Random(f'{split} {seed}').randrange(EACH_SPLIT)}", split)  # noqa: S311  nor is this


def drawn(rng: Random, name: str, split: str) -> Dealer:
    """Draw a dealer whose whole habits belong to the split."""
    habits = rng.choice([*combinations(BLACKJACK_HABITS, split)]) | rng.choice([*combinations(SIKIPI_HABITS, split)])
    offsets = [(1, 5)] if habits["way"] == "squared" else [(6, 16), (16, 26)]
    if (habits["way"], habits["split"].removeprefix("both-")) in ROOMY:
        offsets.append((26, 60))
    return Dealer(
        name,
        place_mm=rng.uniform(0.5, 4),
        angle_deg=rng.uniform(*rng.choice([(0.5, 2), (2, 5), (5, 12)])),
        bend_mm=rng.uniform(0, 0.7),
        size=rng.choice([POKER, POKER, BRIDGE]),
        way=habits["way"],
        double=habits["double"],
        split=habits["split"],
        deal=habits["deal"],
        parts=habits["parts"],
        show=habits["show"],
        gather=habits["gather"],
        offset_mm=rng.uniform(*rng.choice(offsets)),
        own_way=rng.choice(["right", "left"]),
        own_mm=rng.uniform(*rng.choice([(12, 40), (40, 67)])),
        tilt_deg=rng.uniform(*rng.choice([(0, 4), (4, 12), (12, 25)])),
        edge_mm=rng.choice([30.0, 18.0, 8.0]),
        split_mm=rng.uniform(84, 112),
        parts_first=rng.random() < 0.5,
        pile_way=rng.choice(["right", "left", "up", "down", "up-right"]),
        pile_mm=rng.uniform(*PILES_MM[habits["deal"]]),
        part_mm=rng.uniform(6 if habits["show"] in ("one-by-one", "backwards") else 14, 38),  # each face must show
        show_mm=rng.uniform(14, 45),
        turned_mm=rng.uniform(0, 4),
        in_pairs=rng.random() < 0.5,
        taken_up=rng.random() < 0.5,
        pace=2 ** rng.uniform(-1, 1),
        close=rng.choice([0.0, 0.2, 0.6]),
        rests=rng.choice([0.0, 0.02, 0.08]),
        two_hands=rng.random() < 0.5,
        nudges=rng.choice([0.0, 0.03, 0.08]),
        things=rng.choice([0.0, 0.03, 0.08]),
        on_top=rng.choice([0.0, 0.5, 1.0]),
        several=rng.choice([0.0, 0.3, 0.8]),
    )
