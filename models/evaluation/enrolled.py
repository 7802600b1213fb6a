"""What a table's own deck adds: the same cards read without it and with it, and whether another deck is noticed.

Cards of rendered tables are read within their true corners, each moved by chance as a fitter's are; which indices show
is known from the drawing. The deck that is enrolled is the one that the table is played with.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType

import cv2
import numpy as np

from feltwatch.datasets.art.cards.decks import load_deck
from feltwatch.datasets.common.parallel import ordered
from feltwatch.datasets.render.compose import render
from feltwatch.datasets.scene.scene_sampler import cast
from feltwatch.datasets.sets.owners import owner_drawing
from feltwatch.datasets.sets.sets import SPREAD
from feltwatch.datasets.sources.manifest import names_of
from feltwatch.datasets.truth import CardTruth
from feltwatch.models.evaluation.counting import INDEX, INDEX_PX, SEEN, TALL_PX
from feltwatch.models.evaluation.counting import WHOLE as ALL_OF_IT
from feltwatch.models.evaluation.looking import reader_of
from feltwatch.models.evaluation.report import Figures, Tally, percent, reported, table
from feltwatch.models.evaluation.tables import SIZE
from feltwatch.models.shipped.registry import model
from feltwatch.vision.arrays import Floats, Ints
from feltwatch.vision.detection.deck_fusion import SURE, DeckTemplates
from feltwatch.vision.detection.deck_use import DeckInUse, DeckTrust, is_certain
from feltwatch.vision.detection.fitter import CardFit
from feltwatch.vision.detection.known_deck import FACES, PICTURE_PX, DeckOrigin, KnownDeck
from feltwatch.vision.detection.reader import FaceReading
from feltwatch.vision.detection.still_reader import HARD, what_shows
from feltwatch.vision.geometry.card_plane import indices_shown

JITTER = 0.012  # of a card's height, in x and y of each corner
GROUPS = ("whole, 60 px and more", "covered, index 14 px and more", "covered, smaller index")
ANSWERS = ("right", "wrong", "not reported")
WAYS = ("reader alone", "with the deck")


@dataclass(frozen=True, slots=True)
class ReadCard:
    """One card: what was reported of it without and with the deck, and how surely the best guess was wrong."""

    group: str
    answers: tuple[str, str]  # of ANSWERS
    best: tuple[bool, bool]
    wrong: tuple[float, float]  # how likely a wrong best guess seemed; 0 where it was right


@dataclass(frozen=True, slots=True)
class EnrolledTable:
    cards: tuple[ReadCard, ...]
    whole: tuple[tuple[str, Floats, Floats], ...]  # face, likeness to the table's own deck, and to another


@dataclass(frozen=True, slots=True)
class Enrolled:
    """index -> a table read without and with its deck; picklable."""

    manifest: Path
    split: str
    seed: int
    threads: int = 1

    def __call__(self, index: int) -> EnrolledTable:
        scene = cast(self.split, self.seed * SPREAD + index, SIZE)
        drawn = render(scene)
        dice = np.random.default_rng([self.seed, index, 9])
        owners = owner_drawing(drawn.truth).owners((drawn.truth.width, drawn.truth.height))
        foreign = {card.id for card in scene.cards if card.deck not in (None, scene.deck)}
        cards = [
            (n, card)
            for n, card in enumerate(drawn.truth.cards)
            if card.up and card.visible >= SEEN and card.index >= INDEX and card.id not in foreign
        ]
        fits = [_fit(n, card, owners, dice) for n, card in cards]
        quads = np.array([fit.quad for fit in fits]).reshape(-1, 4, 2)
        reader = reader_of(self.manifest, self.threads)
        alone = reader.read(drawn.image, quads)
        sure = model("reader", self.manifest).settings
        own, other = (DeckTemplates(enrolled(name)) for name in (scene.deck, self._other(scene.deck, dice)))
        use = DeckInUse(reader.classes, own.deck, DeckTrust())
        both = [*zip(alone, use.improve(drawn.image, quads, fits, alone), strict=True)]
        read = (
            ReadCard(group, *_judged(card, fit, pair, sure))
            for (_, card), fit, pair in zip(cards, fits, both, strict=True)
            if (group := _group(card, fit))
        )
        alike = tuple(
            (reading.face, own.likeness(drawn.image, fit.quad), other.likeness(drawn.image, fit.quad))
            for fit, reading in zip(fits, alone, strict=True)
            if is_certain(fit.quad, fit, reading)
        )
        return EnrolledTable(tuple(read), alike)

    def _other(self, deck: str, dice: np.random.Generator) -> str:
        others = [name for name in names_of("decks", "train") if name != deck] or [deck]
        return others[int(dice.integers(len(others)))]


@lru_cache(maxsize=8)
def enrolled(name: str) -> KnownDeck:
    """Give a deck as if its clean pictures had been learnt."""
    pictures = load_deck(name).faces
    small = {
        face: np.asarray(cv2.resize(pictures[face], PICTURE_PX, interpolation=cv2.INTER_AREA), np.uint8)
        for face in FACES
    }
    return KnownDeck(DeckOrigin(name, "", "photographs"), MappingProxyType(small))


def _fit(number: int, card: CardTruth, owners: Ints, dice: np.random.Generator) -> CardFit:
    """Give what a fitter would say of a card that is seen so."""
    quad = np.array(card.quad)
    high = float(np.hypot(*(quad[3] - quad[0])))
    shows = indices_shown(owners, number + 1, quad)
    moved = quad + dice.normal(0, JITTER * high, (4, 2))
    return CardFit(moved, np.zeros(4), 1.0, 1.0, (float(shows[0] >= INDEX), float(shows[1] >= INDEX)), card.visible)


def _group(card: CardTruth, fit: CardFit) -> str:
    if card.visible >= ALL_OF_IT:
        return GROUPS[0] if float(np.hypot(*(fit.quad[3] - fit.quad[0]))) >= TALL_PX else ""
    return GROUPS[1] if card.index_px >= INDEX_PX else GROUPS[2]


def _judged(
    card: CardTruth, fit: CardFit, pair: tuple[FaceReading, FaceReading], sure: Mapping[str, float]
) -> tuple[tuple[str, str], tuple[bool, bool], tuple[float, float]]:
    least = _least(what_shows(fit), sure)
    answers, best, wrong = [], [], []
    for reading in pair:
        enough = reading.likely >= (min(least, SURE) if reading.by_deck else least)
        right = reading.face == card.face
        answers.append("not reported" if not enough or reading.face not in FACES else "right" if right else "wrong")
        best.append(right)
        wrong.append(0.0 if right or reading.face not in FACES else reading.likely)
    return (answers[0], answers[1]), (best[0], best[1]), (wrong[0], wrong[1])


def _least(shows: str, sure: Mapping[str, float]) -> float:
    """Give the least probability at which a face is reported, also by manifests that do not know indices."""
    return sure.get(shows, sure[HARD])


def measure(run: Enrolled, count: int, jobs: int = 1) -> Figures:
    """Read the cards of so many tables."""
    found = [*reported(ordered(run, range(count), jobs), count, "tables")]
    cards = [card for one in found for card in one.cards]
    tally = Tally()
    for card in cards:
        for way, answer in zip(WAYS, card.answers, strict=True):
            tally[card.group, way, answer] += 1
    alike = [one for each in found for one in each.whole]
    own = _taken_for_another([(face, like) for face, like, _ in alike])
    other = _taken_for_another([(face, like) for face, _, like in alike])
    return {
        "tables": count,
        **{group: table(tally, group, ANSWERS) for group in GROUPS},
        "best guess right, %": {way: _guesses(cards, n) for n, way in enumerate(WAYS)},
        "likeliest wrong guess": {way: _worst(cards, n) for n, way in enumerate(WAYS)},
        "whole cards read for certain": len(alike),
        "their own deck taken for another": len(own),
        "another deck noticed": len(other),
        "after so many whole cards, at the median": float(np.median(other)) if other else None,
    }


def _taken_for_another(cards: Sequence[tuple[str, Floats]]) -> list[int]:
    """Give after how many whole cards a deck was taken for another; each time it is begun again."""
    found, trust, seen = [], DeckTrust(), 0
    for face, like in cards:
        trust.take(face, like)
        seen += 1
        if trust.is_other:
            found.append(seen)
            trust, seen = DeckTrust(), 0
    return found


def _guesses(cards: Sequence[ReadCard], way: int) -> Figures:
    of = {group: [card for card in cards if card.group == group] for group in GROUPS}
    return {group: percent(sum(card.best[way] for card in mine), len(mine)) for group, mine in of.items()}


def _worst(cards: Sequence[ReadCard], way: int) -> Figures:
    of = {group: [card.wrong[way] for card in cards if card.group == group] for group in GROUPS}
    return {group: round(max(mine, default=0.0), 4) for group, mine in of.items()}
