"""What several looks at one card come to: how many faces are told from which likelihood on, and how many of them wrong.

On a table a card lies still and is looked at more than once; its face is told when the looks together make it likely
enough (`vision.tracks`). Here cards of decks never learnt from lie whole under a camera, and are looked at so.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np

from datasets.crops import Crop, looks
from datasets.sets import READS, SPREAD
from datasets.stream import ordered
from models.evaluation.counting import TALL_PX, WHOLE
from models.evaluation.crops import ANSWERS, FACE_COUNT, Floats
from models.evaluation.looking import reader_of
from models.evaluation.report import Figures, percent, shares, told
from vision.reader import Reader
from vision.tracks import SURE, Votes

NUMBER = 6  # looks at each card
COUNTS = (1, 2, 4, 6)
LEVELS = (0.7, 0.8, 0.85, 0.9, 0.94, 0.97)
TALLEST_PX = 130.0  # a camera over a table shows no larger ones
BLOCK = 100  # cards


@dataclass(frozen=True, slots=True)
class Seen:
    """One card: whether it is large enough to be whole for the figures, and what after so many looks is likeliest."""

    large: bool
    deck: str
    after: tuple[tuple[bool, float], ...]  # is it right, how likely: one for each of COUNTS


@dataclass(frozen=True, slots=True)
class Voter:
    """index -> cards looked at; picklable."""

    manifest: Path
    split: str
    seed: int
    threads: int = 1

    def __call__(self, index: int) -> list[Seen]:
        reader = reader_of(self.manifest, self.threads)
        cards = (card for card in looks(self.split, self.seed * SPREAD + index, NUMBER) if _lies_whole(card[0]))
        return [_seen(card, reader) for card in islice(cards, BLOCK)]


def _lies_whole(crop: Crop) -> bool:
    return READS.index(crop.face) < FACE_COUNT and crop.visible >= WHOLE and crop.tall_px <= TALLEST_PX


def _seen(card: Sequence[Crop], reader: Reader) -> Seen:
    votes, after = Votes(), []
    for number, crop in enumerate(card, 1):
        votes.add(reader.read(crop.picture, crop.quad)[0].all, 1.0)
        if number in COUNTS:
            best, likely = votes.best
            after.append((READS[best] == crop.face, likely))
    return Seen(card[0].tall_px >= TALL_PX, card[0].deck, tuple(after))


def measure(run: Voter, count: int, jobs: int = 1) -> Figures:
    """Look at so many cards, by whole blocks."""
    blocks = -(-count // BLOCK)
    cards = [card for block in told(ordered(run, range(blocks), jobs, 1), blocks, "blocks") for card in block]
    groups = {
        f"whole, {TALL_PX:.0f} to {TALLEST_PX:.0f} px": [card for card in cards if card.large],
        f"whole, smaller than {TALL_PX:.0f} px": [card for card in cards if not card.large],
    }
    found: Figures = {"cards": len(cards), "looks": NUMBER, "told from": SURE}
    for name, those in groups.items():
        found[name] = {f"{looked} looks": _by_level(those, n) for n, looked in enumerate(COUNTS)}
    decks = sorted({card.deck for card in cards})
    found["untold by deck"] = {deck: _untold([card for card in cards if card.deck == deck]) for deck in decks}
    return found


def _by_level(cards: Sequence[Seen], n: int) -> Figures:
    """Give what would be told from each likelihood on."""
    right = np.array([card.after[n][0] for card in cards], bool)
    likely: Floats = np.array([card.after[n][1] for card in cards])
    rows: Figures = {}
    for level in LEVELS:
        counts = {"right": int((right & (likely >= level)).sum()), "wrong": int((~right & (likely >= level)).sum())}
        rows[f"from {level:.2f}"] = shares({**counts, "cannot tell": len(cards) - sum(counts.values())}, ANSWERS)
    return rows


def _untold(cards: Sequence[Seen]) -> Figures:
    missed = sum(card.after[-1][1] < SURE for card in cards)
    return {"of": len(cards), "untold": missed, "untold %": percent(missed, len(cards))}
