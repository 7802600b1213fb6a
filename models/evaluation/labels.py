"""A labelled photograph against what was told of it: which told card each label speaks of, and whether it agrees."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from feltwatch.datasets.photos.real import Photograph
from feltwatch.datasets.truth import CardTruth, Point
from feltwatch.models.evaluation.matching import (
    ANYWHERE,
    CORNER,
    SAME,
    answer,
    bounds,
    box_round,
    holders,
    matched,
    overlaps,
)
from feltwatch.vision.arrays import Mask
from feltwatch.vision.detection.detections import DetectedCard, Detections


@dataclass(frozen=True, slots=True)
class JudgedLabel:
    """A labelled card or index: what it is, and what was told of it."""

    true: CardTruth
    wanted: str  # a face, or only a rank; empty where nobody knows
    told: DetectedCard | None

    @property
    def said(self) -> str:
        if self.is_joker:
            return "not found" if not self.told else "wrong" if self.told.face else "right"
        return answer(self.told, up=self.true.up, wanted=self.wanted)

    @property
    def is_joker(self) -> bool:
        return self.true.up and not self.wanted


def judged(seen: Detections, photo: Photograph, *, upright: bool = False) -> tuple[JudgedLabel, ...]:
    """Say of every label which told card it is of.

    A told card answers for one face. First, a told card that holds an index of its own face in a corner is of that
    card. Then whole cards take, one to one by overlap, what told cards are left or have their face. Then each index
    takes the told card that holds it nearest to where indices are, of those that answer for no other face. So an index
    whose own card was missed is not charged to the card it lies on, if that is told rightly.

    Told boxes that do not turn with the card (`upright`) hold indices anywhere, and are matched to boxes round cards.
    """
    cards = photo.truth.cards
    wanted = {n: card.face or photo.ranks.get(card.id, "") for n, card in enumerate(cards)}
    indices = [n for n, card in enumerate(cards) if card.label == "index"]
    whole = [n for n, card in enumerate(cards) if card.label != "index"]
    quads = {number: card.quad for number, card in enumerate(seen.cards)}
    held = {n: holders(quads, _middle(cards[n]), ANYWHERE if upright else CORNER) for n in indices}
    speaks = _confirmed(seen, held, wanted)
    boxed = np.array([upright or cards[n].label == "box" for n in whole], bool)
    found = _of_whole(seen, [cards[n] for n in whole], [wanted[n] for n in whole], speaks, boxed)
    told: dict[int, int] = {whole[place]: number for place, number in found.items()}
    for n, number in told.items():
        speaks.setdefault(number, wanted[n])
    for _, n, number in sorted((far, n, number) for n, near in held.items() for number, far in near.items()):
        if n not in told and speaks.setdefault(number, wanted[n]) == wanted[n]:
            told[n] = number
    return tuple(
        JudgedLabel(card, wanted[n], seen.cards[told[n]] if n in told else None) for n, card in enumerate(cards)
    )


def _confirmed(seen: Detections, held: Mapping[int, Mapping[int, float]], wanted: Mapping[int, str]) -> dict[int, str]:
    """Give the told cards that hold an index of their own face, with it."""
    return {number: wanted[n] for n, near in held.items() for number in near if seen.cards[number].face == wanted[n]}


def _of_whole(
    seen: Detections,
    cards: Sequence[CardTruth],
    wanted: Sequence[str],
    speaks: Mapping[int, str],
    boxed: Mask,
) -> dict[int, int]:
    """Match whole cards: by their quads, or by the boxes round both where only a box is known."""
    outlines = [card.quad for card in seen.cards]
    by_quad = overlaps(outlines, [card.quad for card in cards])
    by_box = overlaps([box_round(outline) for outline in outlines], [box_round(card.quad) for card in cards])
    scores = np.where(boxed, by_box, by_quad)
    for number, face in speaks.items():
        scores[number, [not one or not face.startswith(one) for one in wanted]] = 0
    return matched(scores, SAME)


def _middle(card: CardTruth) -> Point:
    left, top, right, bottom = bounds(card.quad)
    return (left + right) / 2, (top + bottom) / 2
