"""A labelled photograph against its reports: which reported card each label is about, and whether they agree."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from feltwatch.datasets.photos.real import Photograph
from feltwatch.datasets.truth import CardTruth
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
from feltwatch.vision.arrays import Mask, Point
from feltwatch.vision.detection.detections import DetectedCard, Detections


@dataclass(frozen=True, slots=True)
class JudgedLabel:
    """A labelled card or index: what it is, and what was reported of it."""

    true: CardTruth
    wanted: str  # a face, or only a rank; empty: unknown
    reported: DetectedCard | None

    @property
    def said(self) -> str:
        if self.is_joker:
            return "not found" if not self.reported else "wrong" if self.reported.face else "right"
        return answer(self.reported, up=self.true.up, wanted=self.wanted)

    @property
    def is_joker(self) -> bool:
        return self.true.up and not self.wanted


def judged(seen: Detections, photo: Photograph, *, upright: bool = False) -> tuple[JudgedLabel, ...]:
    """Match every label with a reported card.

    A reported card answers for one face. First, one that holds an index of its own face in a corner belongs to that
    card. Then whole cards take, one to one by overlap, the reported cards that are left or have their face. Then each
    index takes the reported card without another face that holds it nearest to where indices are. So an index of a
    missed card is not charged to a rightly reported card below it.

    Boxes that do not rotate with the card (`upright`) hold indices anywhere, and are matched with boxes round cards.
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
    reported: dict[int, int] = {whole[place]: number for place, number in found.items()}
    for n, number in reported.items():
        speaks.setdefault(number, wanted[n])
    for _, n, number in sorted((far, n, number) for n, near in held.items() for number, far in near.items()):
        if n not in reported and speaks.setdefault(number, wanted[n]) == wanted[n]:
            reported[n] = number
    return tuple(
        JudgedLabel(card, wanted[n], seen.cards[reported[n]] if n in reported else None) for n, card in enumerate(cards)
    )


def _confirmed(seen: Detections, held: Mapping[int, Mapping[int, float]], wanted: Mapping[int, str]) -> dict[int, str]:
    """Give the reported cards that hold an index of their own face, with it."""
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
