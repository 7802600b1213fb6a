"""What was reported of a table against what is true of it: cards and stacks found, faces, and what is not there."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from feltwatch.datasets.truth import CardTruth, StackTruth, Truth
from feltwatch.models.evaluation.matching import (
    ANSWERS,
    DOWN_ANSWERS,
    FOUND,
    SAME,
    answer_to,
    matched,
    overlaps,
    tall_px,
)
from feltwatch.models.evaluation.report import Figures, Tally, percent, table
from feltwatch.vision.detection.detections import DetectedCard, DetectedStack, Detections

SEEN = 0.08  # the least of a card or a stack that the picture shows, for it to count
CLEARLY = 0.2  # as above, for the second count
WHOLE = 0.98  # visible part from which a card is whole
TALL_PX = 60.0
INDEX = 0.9  # so much of the better index is seen, and it shows
INDEX_PX = 14.0
NEAR_MM = 4.0  # a stack's centre is reported no further off
STEP_PX = 2  # of the curve over the height of indices
CLASSES = (0.08, 0.2, 0.4, 0.6, 0.8, 0.98)  # of coverage: the least that is seen
FALSE = ("nowhere", "askew", "duplicate")  # see `_false_kind`
HARDLY = "hardly visible"


@dataclass(frozen=True, slots=True)
class CardOutcome:
    """A true card, and what was reported of it."""

    true: CardTruth
    reported: DetectedCard | None
    overlap: float = 0.0


@dataclass(frozen=True, slots=True)
class FalseCard:
    reported: DetectedCard
    kind: str  # of FALSE, or "hidden": it lies on a card that hardly shows


@dataclass(frozen=True, slots=True)
class StackOutcome:
    """A true stack, and how far off its centre was reported: None if no centre was reported within its top disc."""

    true: StackTruth
    off_mm: float | None


@dataclass(frozen=True, slots=True)
class Outcome:
    """All that came of one picture."""

    cards: tuple[CardOutcome, ...]  # visible ones, and hardly visible ones with a report
    false: tuple[FalseCard, ...]
    stacks: tuple[StackOutcome, ...]
    false_stacks: int
    deck: str = ""


def outcome(seen: Detections, truth: Truth, radius_mm: float, deck: str = "") -> Outcome:
    """Compare what was reported of a picture with what is true.

    Cards are matched one to one by overlap, those that show before those that hardly do.
    """
    quads = [card.quad for card in truth.cards]
    scores = overlaps([card.quad for card in seen.cards], quads)
    shown = np.array([card.visible >= SEEN for card in truth.cards], bool)
    found = matched(scores * shown, SAME)
    rest = scores * ~shown
    rest[list(found.values())] = 0
    faint = matched(rest, SAME)
    cards = [
        CardOutcome(card, seen.cards[row], float(scores[row, n])) if (row := found.get(n, faint.get(n))) is not None
        else CardOutcome(card, None)
        for n, card in enumerate(truth.cards)
        if shown[n] or n in faint
    ]  # fmt: skip
    free = set(range(len(seen.cards))) - set(found.values()) - set(faint.values())
    false = [FalseCard(seen.cards[row], _false_kind(scores[row])) for row in sorted(free)]
    false += [FalseCard(seen.cards[row], "hidden") for row in faint.values()]
    stacks, false_stacks = _stacks(seen.stacks, truth.stacks, radius_mm)
    return Outcome(tuple(cards), tuple(false), tuple(stacks), false_stacks, deck)


def _false_kind(scores: np.ndarray[tuple[int], np.dtype[np.float64]]) -> str:
    """Classify a reported card that has no true card.

    duplicate: another reported card has its true card. askew: it overlaps one too little. nowhere: it touches none.
    """
    most = float(scores.max(initial=0.0))
    return "duplicate" if most >= SAME else "askew" if most > 0 else "nowhere"


def _stacks(
    reported: Sequence[DetectedStack], true: Sequence[StackTruth], radius_mm: float
) -> tuple[list[StackOutcome], int]:
    """Match centres one to one, the nearest first. A report of a hardly visible stack counts neither way.

    Pixels become millimetres by the top disc itself: as many as its radius has.
    """
    centers = np.array([stack.center for stack in reported]).reshape(-1, 1, 2)
    goals = np.array([stack.center for stack in true]).reshape(1, -1, 2)
    radius = np.array([max(stack.radius, 1e-6) for stack in true])
    off = np.hypot(*np.moveaxis(centers - goals, -1, 0)).reshape(len(reported), len(true)) / radius.reshape(1, -1)
    found = matched(1 - off, 0.0)
    outcomes = [
        StackOutcome(stack, float(off[found[n], n]) * radius_mm if n in found else None)
        for n, stack in enumerate(true)
        if stack.visible >= SEEN
    ]
    return outcomes, len(reported) - len(found)


def group(card: CardTruth) -> str:
    """Say to which measure the face of a card belongs."""
    if card.visible < SEEN:
        return HARDLY
    if card.visible >= WHOLE:
        return f"whole, {TALL_PX:.0f} px and more" if tall_px(card.quad) >= TALL_PX else "whole, smaller"
    if card.index < INDEX:
        return "covered, no index shows"
    return f"covered, index {INDEX_PX:.0f} px and more" if card.index_px >= INDEX_PX else "covered, index smaller"


def add(tally: Tally, one: Outcome) -> None:
    """Count the outcome of a picture."""
    for card in one.cards:
        true, said = card.true, answer_to(card.reported, card.true)
        if true.visible >= SEEN:
            _add_found(tally, card)
        if not true.up:
            tally["face down", HARDLY if true.visible < SEEN else "visible", said] += 1
            continue
        tally["faces", group(true), said] += 1
        if true.visible >= WHOLE and tall_px(true.quad) >= TALL_PX:
            tally["decks", one.deck, said] += 1
        elif SEEN <= true.visible < WHOLE and true.index >= INDEX:
            low = int(true.index_px // STEP_PX) * STEP_PX
            tally["curve", f"{low:3d} to {low + STEP_PX} px", said] += 1
    for false in one.false:
        tally["reported", "cards", false.kind] += 1
        if false.reported.face:
            tally["reported", "with a face", false.kind] += 1
    for stack in one.stacks:
        near = stack.off_mm is not None and stack.off_mm <= NEAR_MM
        said = "found" if near else "further off" if stack.off_mm is not None else "not found"
        tally["stacks", f"visible {SEEN:.0%} and more", said] += 1
        if stack.true.visible >= 0.5:
            tally["stacks", "visible 50% and more", said] += 1
    tally["reported", "stacks", "false"] += one.false_stacks
    tally["pictures", "", ""] += 1


def _add_found(tally: Tally, card: CardOutcome) -> None:
    visible = card.true.visible
    said = "found" if card.overlap >= FOUND else "askew" if card.reported else "not found"
    low, high = next(ends for ends in pairwise((*CLASSES, 2.0)) if visible < ends[1])
    for row in (f"all, {SEEN:.0%} and more", f"visible {low:3.0%} to {min(high, 1):.0%}"):
        tally["found", row, said] += 1
    if visible >= CLEARLY:
        tally["found", f"all, {CLEARLY:.0%} and more", said] += 1


def figures(tally: Tally) -> Figures:
    pictures = tally["pictures", "", ""]
    kinds = {kind: tally["reported", "cards", kind] for kind in (*FALSE, "hidden")}
    false = sum(kinds[kind] for kind in FALSE)
    return {
        "pictures": pictures,
        "cards found": table(tally, "found", ("found", "askew", "not found")),
        "false cards": {
            "in all": false,
            "pictures for one": round(pictures / false, 2) if false else None,
            **kinds,
            "with a face": sum(tally["reported", "with a face", kind] for kind in FALSE),
        },
        "faces": table(tally, "faces", ANSWERS),
        "covered cards, by the height of their index": table(tally, "curve", ANSWERS),
        "cards face down": table(tally, "face down", DOWN_ANSWERS),
        "up and down": _confusion(tally),
        "stacks": table(tally, "stacks", ("found", "further off", "not found")),
        "false stacks": {"in all": tally["reported", "stacks", "false"]},
        "whole cards, by deck": table(tally, "decks", ANSWERS),
    }


def _confusion(tally: Tally) -> Figures:
    """Give how often a card that shows, and was found, was reported to lie the other way."""
    shown = [(said, count) for (name, row, said), count in tally.items() if name == "faces" and row != HARDLY]
    faces = {said: sum(count for one, count in shown if one == said) for said in ANSWERS}
    down = {said: tally["face down", "visible", said] for said in DOWN_ANSWERS}
    return {
        "up, reported down": _part(faces["reported down"], sum(faces.values()) - faces["not found"]),
        "down, reported up": _part(down["reported up"] + down["wrong"], sum(down.values()) - down["not found"]),
    }


def _part(count: int, total: int) -> Figures:
    return {"of": total, "reported": count, "%": percent(count, total)}
