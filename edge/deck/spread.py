"""A deck from one picture of all its cards, laid out in rows under the table's own camera."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import numpy as np

from feltwatch.edge.deck.faults import DeckFaultsError, unfit
from feltwatch.vision.arrays import Floats, Pixels
from feltwatch.vision.detection.deck_use import WHOLE
from feltwatch.vision.detection.detections import SMALL_PX
from feltwatch.vision.detection.fitter import FittedCard
from feltwatch.vision.detection.known_deck import FACES, PICTURE_PX, DeckOrigin, KnownDeck
from feltwatch.vision.detection.reader import FaceReading
from feltwatch.vision.detection.still_reader import StillReader
from feltwatch.vision.geometry.rectify import rectify

SURE: Final = 0.95  # a face read so surely is that face
GUESSED: Final = 0.5  # one that no other card shows may be read less surely
BLURRED_PX: Final = 7.0  # as the table's own camera sees every card


@dataclass(frozen=True, slots=True)
class SpreadCard:
    """One card of a spread."""

    where: str  # "row 2, card 5"
    quad: Floats
    visible: float
    reading: FaceReading


def spread_deck(picture: Pixels, name: str, origin: DeckOrigin, eyes: StillReader) -> KnownDeck:
    """Make a deck of a picture of its 52 cards, or raise all that is wrong with it."""
    candidates, _ = eyes.detector.survey(picture)
    fitted = eyes.fitter.settle(picture, candidates)
    ups = [one for one in fitted if one.detection.up >= GUESSED]
    cards = _read(picture, ups, eyes)
    by_face, faults = sorted_out(cards)
    missing = [face for face in FACES if face not in by_face]
    if missing:
        faults.append(
            f"expected 52 cards, found {len(by_face)} faces on {len(cards)} cards; missing: {' '.join(missing)}"
        )
    for face, card in by_face.items():
        where = f"{card.where} ({face})"
        if card.visible < WHOLE:
            faults.append(f"{where}: expected a whole card, found {card.visible:.0%} of one; lay the cards apart")
        elif _tall(card.quad) < SMALL_PX:
            faults.append(
                f"{where}: expected a card at least {SMALL_PX:.0f} pixels high, found {_tall(card.quad):.0f}; "
                "move the camera closer, or use more of its pixels"
            )
        else:
            faults += unfit(where, _flat(picture, card.quad), BLURRED_PX)
    if faults:
        raise DeckFaultsError([f"{name}: {fault}" for fault in faults])
    faces = {face: _flat(picture, by_face[face].quad) for face in FACES}
    return KnownDeck(origin, MappingProxyType(faces), _back(picture, fitted))


def _read(picture: Pixels, fitted: Sequence[FittedCard], eyes: StillReader) -> list[SpreadCard]:
    """Read the cards of a spread, row by row from the top."""
    ordered = [(row, place, one) for row, line in enumerate(_rows(fitted), 1) for place, one in enumerate(line, 1)]
    quads = np.array([one.fit.quad for _, _, one in ordered]).reshape(-1, 4, 2)
    readings = eyes.reader.read(picture, quads)
    return [
        SpreadCard(f"row {row}, card {place}", one.fit.quad, one.fit.visible, reading)
        for (row, place, one), reading in zip(ordered, readings, strict=True)
    ]


def sorted_out(cards: Sequence[SpreadCard]) -> tuple[Mapping[str, SpreadCard], list[str]]:
    """Give each face its card: certain readings first, then what is left where only one face is likely and free."""
    certain = defaultdict(list)
    for card in cards:
        if card.reading.face in FACES and card.reading.likely >= SURE:
            certain[card.reading.face].append(card)
    faults = [
        f"expected each face once, found the {face} at {' and at '.join(card.where for card in found)}"
        for face, found in certain.items()
        if len(found) > 1
    ]
    by_face = {face: found[0] for face, found in certain.items()}
    known = {card.where for found in certain.values() for card in found}
    guessed = defaultdict(list)
    for card in cards:
        if card.where not in known:
            guessed[card.reading.face if card.reading.likely >= GUESSED else ""].append(card)
    for face, found in guessed.items():
        if face in FACES and face not in by_face and len(found) == 1:
            by_face[face] = found[0]
        else:
            faults += [f"{card.where}: expected a card that can be read, found one that cannot" for card in found]
    return by_face, faults


def _rows(fitted: Sequence[FittedCard]) -> Iterator[list[FittedCard]]:
    """Give the cards as one reads: rows from the top, each from the left."""
    if not fitted:
        return
    reach = float(np.median([np.ptp(one.fit.quad[:, 1]) for one in fitted])) / 2
    row: list[FittedCard] = []
    top = -np.inf
    for one in sorted(fitted, key=lambda one: float(one.fit.quad[:, 1].mean())):
        middle = float(one.fit.quad[:, 1].mean())
        if middle > top + reach:
            yield from [_by_x(row)] if row else []
            row, top = [], middle
        row.append(one)
    yield _by_x(row)


def _by_x(row: Sequence[FittedCard]) -> list[FittedCard]:
    return sorted(row, key=lambda one: float(one.fit.quad[:, 0].mean()))


def _back(picture: Pixels, fitted: Sequence[FittedCard]) -> Pixels | None:
    downs = [one for one in fitted if one.detection.up < GUESSED and one.fit.visible >= WHOLE]
    best = max(downs, key=lambda one: one.fit.exists, default=None)
    return None if best is None else _flat(picture, best.fit.quad)


def _flat(picture: Pixels, quad: Floats) -> Pixels:
    return rectify(picture, quad, 0.0, PICTURE_PX)


def _tall(quad: Floats) -> float:
    return float(np.hypot(*(quad[3] - quad[0])))
