"""Where cards are lost: of each true card on rendered tables, which stage still had it, and how exactly.

A card climbs from the network's raw boxes to candidates, to fitted quads, to what is reported. Beside it stands how
the reader does with the card's true corners and with those that were found.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from feltwatch.datasets.common.parallel import ordered
from feltwatch.datasets.render.compose import render
from feltwatch.datasets.scene.scene import Scene
from feltwatch.datasets.scene.scene_sampler import cast
from feltwatch.datasets.sets.owners import owner_drawing
from feltwatch.datasets.sets.sets import SPREAD
from feltwatch.datasets.sources.card_codes import FACES
from feltwatch.datasets.truth import CardTruth, Truth
from feltwatch.models.evaluation import counting
from feltwatch.models.evaluation.counting import CLASSES, FALSE, SEEN, group, outcome
from feltwatch.models.evaluation.looking import eyes_of
from feltwatch.models.evaluation.matching import ANSWERS, FOUND, SAME, answer_to, matched, overlaps, tall_px
from feltwatch.models.evaluation.reader.chances import least_sure
from feltwatch.models.evaluation.report import Figures, Tally, percent, reported, table
from feltwatch.models.evaluation.tables import SIZE
from feltwatch.vision.arrays import Floats, Ints, Pixels, Quad
from feltwatch.vision.detection.detector import CARDS, Detection
from feltwatch.vision.detection.still_reader import HARD, INDEX, TWIN, WHOLE, StillReader, what_shows
from feltwatch.vision.geometry.rigid_card import rigid_quad

RUNGS = ("raw box", "candidate", "fitted", "reported")
PLACED = ("candidate", "fitted", "fitted, size known", "reported")  # on a calibrated table the size is known
NEAR = (0.0, 0.1, 0.18, 0.25, 0.4)  # of a width: how far the corners of the nearest other card are off, at least
CROSSWISE = (60.0, 120.0)  # degrees between the long sides of two cards that lie across each other
CUT = 0.7  # a card with less of it in the picture is cut by its edge
UNDER = 0.25  # so much of a card is under a hand
ERRORS = (50, 90)  # percentiles of corner errors
# No face is reported below these, whatever val allows: its decks are few. Set by hand (see models/shipped/fitter.md).
LEAST = {WHOLE: 0.9, INDEX: 0.975, HARD: 0.999}
ALLOWED = {WHOLE: 1 / 10_000, INDEX: 1 / 1_000, HARD: 1 / 1_000}  # wrong faces, by what of a card shows


@dataclass(frozen=True, slots=True)
class Climb:
    """One true card: what kind of case it is, which rungs it reached, how exactly, and how it was read."""

    strata: tuple[str, ...]
    face: str  # the group of its face, "" for one that lies face down
    reached: tuple[bool, ...]  # of RUNGS
    off: tuple[float | None, ...]  # corner error of the quads of PLACED, in % of its height
    answer: str  # of ANSWERS
    from_truth: str  # what the reader says of it within its true corners: "right", "wrong" or ""
    shows: str  # what shows of the fitted card, as the fitter has it; "" where there is none
    likely: float  # how likely the reader finds what it says of that card
    best: str  # that it is "right", "wrong" or "no face"; "" where there is no fitted card


@dataclass(frozen=True, slots=True)
class TableClimbs:
    climbs: tuple[Climb, ...]
    false: tuple[str, ...]  # kinds of false cards


@dataclass(frozen=True, slots=True)
class Ladder:
    """index -> the climbs of a table's cards; picklable, so that workers can be given it."""

    manifest: Path
    split: str
    seed: int
    threads: int = 1

    def __call__(self, index: int) -> TableClimbs:
        scene = cast(self.split, self.seed * SPREAD + index, SIZE)
        drawn = render(scene)
        return climbed(eyes_of(self.manifest, self.threads), drawn.image, drawn.truth, scene)


def climbed(eyes: StillReader, picture: Pixels, truth: Truth, scene: Scene | None = None) -> TableClimbs:
    """Follow every card that shows through the stages; the scene gives the camera, and how large cards are."""
    true = [card.quad for card in truth.cards]
    raw = _quads(eyes.detector.raw_cards(picture))
    candidates = eyes.detector.candidates(picture)
    fitted = eyes.cards(picture, candidates)
    places = _quads(one.found for one in fitted)
    rigid = places
    if scene is not None and scene.cards:
        size_mm = scene.cards[0].size
        rigid = [_quad(rigid_quad(scene.camera, one.fit.quad, one.fit.spreads, size_mm)) for one in fitted]
    seen = eyes.look(picture)
    came = outcome(seen, truth, 20.0)
    said = {card.true.id: card for card in came.cards}
    reads = eyes.reader.read(picture, np.array(true).reshape(-1, 4, 2))
    scores = [overlaps(found, true) for found in (raw, _quads(candidates), places)]
    pairs = matched(scores[2], SAME)
    owners = owner_drawing(truth).owners((truth.width, truth.height))
    climbs = []
    for n, card in enumerate(truth.cards):
        if card.visible < SEEN:
            continue
        tall = tall_px(card.quad)
        best = [_nearest(found, card.quad) for found in (_quads(candidates), places, rigid)]
        reported_card = said[card.id]
        off = (*best, None if not reported_card.reported else _nearest([reported_card.reported.quad], card.quad))
        reached = (*(bool(score[:, n].max(initial=0) >= FOUND) for score in scores), reported_card.overlap >= FOUND)
        read = fitted[pairs[n]].reading if n in pairs else None
        climbs.append(
            Climb(
                tuple(_strata(card, n, truth, owners)),
                group(card) if card.up else "",
                reached,
                tuple(None if one is None else 100 * one / tall for one in off),
                answer_to(reported_card.reported, card),
                "" if not card.up else "right" if reads[n].face == card.face else "wrong",
                what_shows(fitted[pairs[n]].fit) if n in pairs else "",
                read.likely if read else 0.0,
                "" if read is None or not card.up else _best(read.face, card, _beside(places[pairs[n]], truth)),
            )
        )
    return TableClimbs(tuple(climbs), tuple(one.kind for one in came.false if one.kind in FALSE))


def _quads(found: Iterable[Detection]) -> list[Quad]:
    return [_quad(one.quad) for one in found if one.kind in CARDS]


def _quad(corners: Floats) -> Quad:
    a, b, c, d = ((float(x), float(y)) for x, y in corners)
    return a, b, c, d


def _nearest(found: Sequence[Quad], true: Quad) -> float | None:
    """Give how far off the corners of the best quad about a card are, in pixels."""
    scores = overlaps(found, [true])
    if not len(scores) or scores.max() < SAME:
        return None
    return _apart(np.array(found[int(scores[:, 0].argmax())]), np.array(true))


def _apart(one: Floats, other: Floats) -> float:
    return min(float(np.hypot(*(one - np.roll(other, turn, axis=0)).T).mean()) for turn in (0, 2))


def _best(said: str, card: CardTruth, beside: set[str | None]) -> str:
    """Judge a face: where quads of two cards are nearly alike, that of the other is no misread, but a duplicate."""
    return "right" if said == card.face or said in beside else "wrong" if said in FACES else "no face"


def _beside(quad: Quad, truth: Truth) -> set[str | None]:
    """Give the faces of the cards that lie nearly like a quad."""
    near = (card for card in truth.cards if card.up and card.visible >= SEEN)
    return {card.face for card in near if _apart(np.array(quad), np.array(card.quad)) <= TWIN * tall_px(card.quad)}


def _strata(card: CardTruth, number: int, truth: Truth, owners: Ints) -> Iterable[str]:
    """Name the kinds of case that a card is."""
    low, high = next(ends for ends in pairwise((*CLASSES, 2.0)) if card.visible < ends[1])
    yield "all"
    yield f"visible {low:3.0%} to {min(high, 1):.0%}"
    if card.visible >= 0.4:
        yield "whole, or 40% and more visible"
    elif card.visible >= 0.2 or card.index >= counting.INDEX:
        yield "20% and more, or a whole index"
    if not card.up:
        yield "face down"
    quad = np.array(card.quad)
    wide = max(float(np.hypot(*(quad[1] - quad[0]))), 1.0)
    others = [np.array(other.quad) for n, other in enumerate(truth.cards) if n != number]
    near = min((_apart(quad, other) for other in others), default=np.inf) / wide
    for least, most in pairwise((*NEAR, np.inf)):
        if least <= near < most:
            yield f"nearest card {least:.2f} widths off and more"
    if card.visible < counting.WHOLE and any(_across(quad, other) for other in others):
        yield "covered, crosswise to another"
    inside = ((quad >= 0) & (quad < (truth.width, truth.height))).all(axis=1).mean()
    if inside < CUT:
        yield "cut by the edge of the picture"
    if _under_hand(card, truth, owners) >= UNDER:
        yield "under a hand"


def _across(quad: Floats, other: Floats) -> bool:
    if float(np.hypot(*(quad.mean(axis=0) - other.mean(axis=0)))) > float(np.hypot(*(quad[2] - quad[0]))) / 2:
        return False
    ways = [one[3] - one[0] for one in (quad, other)]
    angle = abs(float(np.degrees(np.arctan2(ways[0][1], ways[0][0]) - np.arctan2(ways[1][1], ways[1][0])))) % 180
    return CROSSWISE[0] <= angle <= CROSSWISE[1]


def _under_hand(card: CardTruth, truth: Truth, owners: Ints) -> float:
    """Give how much of a card is hidden by hands."""
    if not truth.hands:
        return 0.0
    grid = np.stack(np.meshgrid(np.linspace(0.05, 0.95, 8), np.linspace(0.05, 0.95, 8)), axis=-1).reshape(-1, 2)
    a, b, _, d = (np.array(corner) for corner in card.quad)
    pixels = np.round(a + grid[:, :1] * (b - a) + grid[:, 1:] * (d - a)).astype(int)
    inside = ((pixels >= 0) & (pixels < (truth.width, truth.height))).all(axis=1)
    first = len(truth.cards) + len(truth.stacks)
    return float((owners[pixels[inside, 1], pixels[inside, 0]] > first).sum()) / len(grid)


def measure(run: Ladder, count: int, jobs: int = 1) -> Figures:
    """Follow the cards of so many tables."""
    found = [*reported(ordered(run, range(count), jobs), count, "tables")]
    climbs = [climb for one in found for climb in one.climbs]
    tally = Tally()
    for climb in climbs:
        if climb.face:
            tally["faces", climb.face, climb.answer] += 1
    false = Tally(("false", kind, "") for one in found for kind in one.false)
    strata = sorted({name for climb in climbs for name in climb.strata})
    groups = sorted({climb.face for climb in climbs if climb.face})
    return {
        "tables": count,
        "cards that each stage still has, %": {
            name: _rungs([climb for climb in climbs if name in climb.strata]) for name in strata
        },
        "corner error, % of the height": {
            name: _errors([climb for climb in climbs if name in climb.strata]) for name in strata
        },
        "read, %": {name: _reads([climb for climb in climbs if climb.face == name]) for name in groups},
        "faces that are sure": {kind: _least(climbs, kind) for kind in (WHOLE, INDEX, HARD)},
        "faces as reported": table(tally, "faces", ANSWERS),
        "false cards a table": {
            "in all": round(sum(false.values()) / count, 4),
            **{kind: round(false["false", kind, ""] / count, 4) for kind in FALSE},
        },
    }


def _rungs(climbs: Sequence[Climb]) -> Figures:
    return {
        "of": len(climbs),
        **{rung: percent(sum(one.reached[n] for one in climbs), len(climbs)) for n, rung in enumerate(RUNGS)},
    }


def _errors(climbs: Sequence[Climb]) -> Figures:
    found: Figures = {}
    for n, rung in enumerate(PLACED):
        known = [off for one in climbs if (off := one.off[n]) is not None]
        for part in ERRORS:
            found[f"{rung}, {part}th"] = round(float(np.percentile(known, part)), 2) if known else None
    return found


def _reads(climbs: Sequence[Climb]) -> Figures:
    return {
        "of": len(climbs),
        "true corners, best guess": percent(sum(one.from_truth == "right" for one in climbs), len(climbs)),
        "fitted corners, best guess": percent(sum(one.best == "right" for one in climbs), len(climbs)),
    }


def _least(climbs: Sequence[Climb], kind: str) -> Figures:
    """Give from which likelihood on faces of one kind are as rarely wrong as they may be."""
    mine = [one for one in climbs if one.shows == kind and one.best in ("right", "wrong")]
    right = np.array([one.best == "right" for one in mine], bool)
    likely = np.array([one.likely for one in mine], np.float64)
    least = least_sure(likely, right, len(mine) * ALLOWED[kind])
    return {
        "of": len(mine),
        "at least": round(least, 6),
        "right and so likely %": percent(int((right & (likely >= least)).sum()), len(mine)),
        "wrong and so likely": int((~right & (likely >= least)).sum()),
    }


def thresholds(found: Figures) -> dict[str, float]:
    """Give from which likelihood on each kind of face is reported."""
    rows = found["faces that are sure"]
    assert isinstance(rows, dict)  # noqa: S101  as `measure` made it
    return {kind: max(float(row["at least"]), LEAST[kind]) for kind, row in rows.items()}
