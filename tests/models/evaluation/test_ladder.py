"""The ladder: which stage loses a card, how exactly cards are placed, and from when on a face is sure."""

from dataclasses import replace

import numpy as np
import pytest

from feltwatch.datasets.sets.sets import READS
from feltwatch.datasets.truth import CardTruth, Truth
from feltwatch.models.evaluation.ladder import LEAST, Climb, Ladder, TableClimbs, climbed, measure, thresholds
from feltwatch.vision.arrays import Floats, Pixels, Quad
from feltwatch.vision.detection.detector import Detection
from feltwatch.vision.detection.reader import FaceReading
from feltwatch.vision.detection.still_reader import StillReader
from tests.vision.exact_fitter import SURE, ExactFitter

PICTURE = np.zeros((400, 600, 3), np.uint8)
LOW: Quad = ((100, 100), (163, 100), (163, 188), (100, 188))
FAR: Quad = ((400, 100), (463, 100), (463, 188), (400, 188))
CROSS: Quad = ((175, 110), (175, 173), (87, 173), (87, 110))


class Found:
    """Stands for the detector: its raw boxes, and its candidates."""

    lone, certain = 0.5, 0.5

    def __init__(self, raw: list[Floats], candidates: list[Floats]) -> None:
        self.raw, self.rough = ([Detection("card_up", quad, 0.9) for quad in quads] for quads in (raw, candidates))

    def raw_cards(self, _: Pixels) -> list[Detection]:
        return self.raw

    def candidates(self, _: Pixels) -> list[Detection]:
        return self.rough

    def survey(self, _: Pixels) -> tuple[list[Detection], list[Detection]]:
        return self.rough, []


class Nines:
    classes = READS

    def read(self, _: Pixels, quads: Floats) -> list[FaceReading]:
        return [FaceReading("9h", 0.99, np.eye(len(READS))[READS.index("9h")]) for _ in quads]


def card(quad: Quad, visible: float = 1.0, face: str = "9h", name: str = "c1") -> CardTruth:
    return CardTruth(name, quad, face, up=True, visible=visible)


def follow(raw: list[Quad], candidates: list[Floats], *cards: CardTruth) -> TableClimbs:
    eyes = StillReader(Found([np.array(one) for one in raw], candidates), ExactFitter(), Nines(), SURE)  # type: ignore[arg-type]  # they answer alike
    return climbed(eyes, PICTURE, Truth(600, 400, cards))


def test_a_card_is_followed_to_the_rung_where_it_is_lost() -> None:
    found = follow([LOW, FAR], [np.add(LOW, (0, 4.4))], card(LOW), card(FAR, name="c2"))
    assert [one.reached for one in found.climbs] == [(True, True, True, True), (True, False, False, False)]
    assert found.climbs[0].off == pytest.approx((5.0, 5.0, 5.0, 5.0))  # % of its height
    assert found.climbs[1].off == (None, None, None, None)
    assert [one.answer for one in found.climbs] == ["right", "not found"]
    assert found.false == ()


def test_the_case_that_a_card_is_of_is_named() -> None:
    under, over = card(LOW, 0.5), card(CROSS, name="c2")
    (first, second) = follow([LOW], [], under, over).climbs
    assert {"all", "whole, or 40% and more visible", "covered, crosswise to another"} <= set(first.strata)
    assert "covered, crosswise to another" not in second.strata
    (cut,) = follow([], [], card(((-40, 100), (23, 100), (23, 188), (-40, 188)), 0.3)).climbs
    assert "cut by the edge of the picture" in cut.strata
    hand = ((80, 80), (180, 80), (180, 150), (80, 150))
    eyes = StillReader(Found([], []), ExactFitter(), Nines(), SURE)  # type: ignore[arg-type]  # as above
    (hidden,) = climbed(eyes, PICTURE, Truth(600, 400, (card(LOW, 0.4),), (), (hand,))).climbs
    assert "under a hand" in hidden.strata


def test_figures_are_shares_of_the_cards_of_a_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    one = Climb(
        ("all",),
        "whole, 60 px and more",
        (True, True, True, True),
        (6.0, 1.0, 1.0, 1.0),
        "right",
        "right",
        "sure",
        0.9,
        "right",
    )
    wrong = replace(one, best="wrong", likely=0.8, answer="cannot tell", reached=(True, True, False, False))
    tables = [TableClimbs((one, wrong), ("duplicate",)), TableClimbs((one, replace(one, likely=0.7)), ())]
    monkeypatch.setattr(Ladder, "__call__", lambda _, index: tables[index])
    found = measure(Ladder(__file__, "val", 1), 2)  # type: ignore[arg-type]  # no manifest is read
    rungs, reads = found["cards that each stage still has, %"], found["read, %"]
    assert rungs == {"all": {"of": 4, "raw box": 100.0, "candidate": 100.0, "fitted": 75.0, "reported": 75.0}}
    assert reads["whole, 60 px and more"]["fitted corners, best guess"] == 75.0  # type: ignore[index]  # a mapping
    assert found["false cards a table"] == {"in all": 0.5, "nowhere": 0.0, "askew": 0.0, "duplicate": 0.5}
    assert thresholds(found) == {"sure": LEAST["sure"], "sure_index": 1.0, "sure_hard": 1.0}
