"""Several looks at one card: how many faces are reported from each likelihood on, and how many of them are wrong.

A table camera sees a resting card in many frames; its face is reported when the looks together make it likely enough
(`feltwatch.vision.tracking.track`). Here a camera looks at whole cards of unknown decks in the same way.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from feltwatch.datasets.common.parallel import ordered
from feltwatch.datasets.render.crops import Crop, looks
from feltwatch.datasets.sets.sets import READS, SPREAD
from feltwatch.models.evaluation.counting import WHOLE
from feltwatch.models.evaluation.looking import reader_of
from feltwatch.models.evaluation.reader.crops import ANSWERS, FACE_COUNT
from feltwatch.models.evaluation.report import Figures, reported, shares
from feltwatch.vision.detection.reader import Reader
from feltwatch.vision.tracking.track import Votes, told_from

if TYPE_CHECKING:
    from feltwatch.vision.arrays import Floats

NUMBER = 6  # looks at each card
COUNTS = (1, 2, 4, 6)
LEVELS = (0.7, 0.8, 0.85, 0.9, 0.94, 0.97)
TALL_PX = (30.0, 45.0, 52.0, 60.0, 75.0, 130.0)  # groups of cards; a camera over a table shows no larger ones
BLOCK = 100  # cards


@dataclass(frozen=True, slots=True)
class VotedCard:
    """One card: how tall it is shown, and what after so many looks is likeliest."""

    tall_px: float
    deck: str
    after: tuple[tuple[bool, float], ...]  # is it right, how likely: one for each of COUNTS


@dataclass(frozen=True, slots=True)
class Voter:
    """index -> cards looked at; picklable."""

    manifest: Path
    split: str
    seed: int
    threads: int = 1

    def __call__(self, index: int) -> list[VotedCard]:
        reader = reader_of(self.manifest, self.threads)
        cards = (card for card in looks(self.split, self.seed * SPREAD + index, NUMBER) if _lies_whole(card[0]))
        return [_seen(card, reader) for card in islice(cards, BLOCK)]


def _lies_whole(crop: Crop) -> bool:
    return READS.index(crop.face) < FACE_COUNT and crop.visible >= WHOLE and crop.tall_px < TALL_PX[-1]


def _seen(card: Sequence[Crop], reader: Reader) -> VotedCard:
    votes, after = Votes(), []
    for number, crop in enumerate(card, 1):
        votes.add(reader.read(crop.picture, crop.quad)[0].all, 1.0)
        if number in COUNTS:
            best, likely = votes.best
            after.append((READS[best] == crop.face, likely))
    return VotedCard(card[0].tall_px, card[0].deck, tuple(after))


def measure(run: Voter, count: int, jobs: int = 1) -> Figures:
    """Look at so many cards, by whole blocks."""
    blocks = -(-count // BLOCK)
    cards = [card for block in reported(ordered(run, range(blocks), jobs, 1), blocks, "blocks") for card in block]
    found: Figures = {"cards": len(cards), "looks": NUMBER}
    for low, high in pairwise(TALL_PX):
        those = [card for card in cards if low <= card.tall_px < high]
        found[f"{low:.0f} to {high:.0f} px"] = {
            f"{looked} looks": _by_level(those, n) for n, looked in enumerate(COUNTS)
        }
        found[f"reported from, {low:.0f} px"] = round(told_from(low, NUMBER), 3)
    decks = sorted({card.deck for card in cards})
    found["as reported, by deck"] = {deck: _reported([card for card in cards if card.deck == deck]) for deck in decks}
    return found


def _by_level(cards: Sequence[VotedCard], n: int) -> Figures:
    """Give what would be reported from each likelihood on."""
    right = np.array([card.after[n][0] for card in cards], bool)
    likely: Floats = np.array([card.after[n][1] for card in cards])
    rows: Figures = {}
    for level in LEVELS:
        counts = {"right": int((right & (likely >= level)).sum()), "wrong": int((~right & (likely >= level)).sum())}
        rows[f"from {level:.2f}"] = shares({**counts, "cannot tell": len(cards) - sum(counts.values())}, ANSWERS)
    return rows


def _reported(cards: Sequence[VotedCard]) -> Figures:
    """Give what the watching tells after all looks."""
    known = [
        right
        for right, likely, least in ((*card.after[-1], told_from(card.tall_px, NUMBER)) for card in cards)
        if likely >= least
    ]
    counts = {"right": sum(known), "wrong": len(known) - sum(known), "cannot tell": len(cards) - len(known)}
    return shares(counts, ANSWERS)
