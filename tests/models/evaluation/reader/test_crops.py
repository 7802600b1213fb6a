"""What is made of the reader's probabilities: on logits whose temperature and faults are known."""

from types import SimpleNamespace

import numpy as np
import pytest

from feltwatch.datasets.photos.photo_sources import source_named
from feltwatch.datasets.photos.real import Photograph
from feltwatch.datasets.sets.sets import READS
from feltwatch.datasets.truth import CardTruth, Truth
from feltwatch.models.evaluation.reader.calibrate import RANGE, of_photograph, surprise, warmth
from feltwatch.models.evaluation.reader.crops import Reads, figures, joined, likely_of


def sure_of(classes: list[str], doubt: float = 0.0) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Logits that name these classes, and leave so much to the class after each."""
    found = np.full((len(classes), len(READS)), -40.0)
    for row, name in enumerate(classes):
        found[row, READS.index(name)] = np.log(1 - doubt)
        if doubt:
            found[row, (READS.index(name) + 1) % len(READS)] = np.log(doubt)
    return found


def reads(is_: list[str], said: list[str], doubt: float = 0.0, *, visible: float = 1.0, deck: str = "a") -> Reads:
    logits = sure_of(said, doubt)
    count = len(is_)
    places = np.array([READS.index(name) for name in is_])
    return Reads(places, logits, logits.copy(), np.full(count, visible), np.full(count, 85.0), (deck,) * count)


def test_the_temperature_that_was_put_in_is_found() -> None:
    dice = np.random.default_rng(2)
    logits = dice.normal(0, 3, (6000, len(READS)))
    for hot in (0.6, 1.0, 2.2):
        chances = np.exp(logits / hot)
        chances /= chances.sum(axis=1, keepdims=True)
        drawn = (chances.cumsum(axis=1) > dice.random((len(logits), 1))).argmax(axis=1)
        ones = np.ones(len(drawn))
        found = Reads(drawn, logits, logits.copy(), ones, ones * 85, ("a",) * len(drawn))
        assert warmth(found) == pytest.approx(hot, rel=0.05)
        assert surprise(found, hot) < min(surprise(found, 0.8 * hot), surprise(found, 1.25 * hot))
    assert RANGE[0] < 0.6


def test_a_wrong_label_is_left_out_of_calibration() -> None:
    quad = ((10.0, 10.0), (60.0, 10.0), (60.0, 80.0), (10.0, 80.0))
    cards = tuple(CardTruth(name, quad, face, up=True, visible=1.0) for name, face in (("c1", "9h"), ("c2", "Ks")))
    picture = np.zeros((120, 120, 3), np.uint8)
    photo = Photograph("p.jpg", source_named("cadyze_black_deck"), lambda: picture, Truth(120, 120, cards))
    reader = SimpleNamespace(logits=lambda crops: np.zeros((len(crops), len(READS))))
    left = {("cadyze_black_deck", "p.jpg", "c1"): "it is another"}
    (all_of_it,) = of_photograph(photo, reader, {})  # type: ignore[arg-type]  # not real
    (rest,) = of_photograph(photo, reader, left)  # type: ignore[arg-type]  # not real
    assert [READS[int(n)] for n in all_of_it.is_] == ["9h", "Ks"]
    assert [READS[int(n)] for n in rest.is_] == ["Ks"]


def test_only_what_is_doubtful_is_looked_at_twice() -> None:
    first, again = sure_of(["9h", "9h"]), sure_of(["2s", "2s"])
    first[1] = sure_of(["9h"], 0.3)[0]
    found = Reads(np.array([0, 0]), first, again, np.ones(2), np.ones(2), ("a", "a"))
    likely = likely_of(found, 1.0)
    assert READS[int(likely[0].argmax())] == "9h"
    assert likely[0].max() > 0.999
    assert likely[1, READS.index("2s")] == pytest.approx(likely[1, READS.index("9h")], rel=0.5)


def test_crops_are_counted_as_they_would_be_reported() -> None:
    parts = [
        reads(["9h"] * 6, ["9h"] * 6),
        reads(["9h", "Ks"], ["9d", "Qs"], deck="b"),  # sure, and wrong: by suit, and by rank
        reads(["2c"], ["2c"], 0.2),  # right, not sure
        reads(["3c"], ["3c"], visible=0.4),  # covered
        reads(["none", "back", "none"], ["none", "back", "4d"]),
    ]
    found = figures(joined(parts), 1.0, 0.9, 0.9)
    assert found["crops"] == 13
    accuracy, as_reported, decks = found["accuracy"], found["as reported"], found["by deck"]
    assert isinstance(accuracy, dict)
    assert isinstance(as_reported, dict)
    assert isinstance(decks, dict)
    assert accuracy["whole, 60 px and more"] == {"of": 9, "right %": 77.7778, "rank %": 88.8889, "suit %": 88.8889}
    whole = as_reported["whole, 60 px and more"]
    assert (whole["of"], whole["right"], whole["wrong"], whole["cannot tell"]) == (9, 6, 2, 1)
    assert as_reported["covered"]["right"] == 1
    assert (as_reported["none and back"]["wrong"], as_reported["none and back"]["cannot tell"]) == (1, 2)
    assert decks["b"] == {"of": 2, "right %": 0.0, "whole": 2, "whole right %": 0.0}
    assert {"is": "Ks", "reported": "Qs", "times": 1} in found["confusions"]  # type: ignore[operator]  # a list
    precise = found["at a precision of 99.99%"]
    assert isinstance(precise, dict)
    assert precise["covered"] == {"from": 1.0, "reported": 1, "wrong": 0, "of": 1, "answered %": 100.0}
