"""The faults of a camera, in short; and that a bad picture that is taken would be noticed."""

import numpy as np
import pytest

from feltwatch.edge.camera.feed import LiveFrame
from feltwatch.vision.motion.change_detector import shrunk
from tests.edge.scripted_watcher import SIZE
from tests.faults.cameras import FAULTS, SHORT, Line, Table, Trial, marked, number_of, run

TIMES = 2
SAID_S = 5.0


@pytest.fixture(scope="module")
def lines() -> dict[object, Line]:
    return {line["fault"]: line for line in run([*FAULTS], TIMES, SHORT, seed=2, jobs=10)}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_said_nothing_bad_is_taken_and_it_is_over_by_itself(fault: str, lines: dict[object, Line]) -> None:
    is_over_by_itself(lines[fault], TIMES)


def is_over_by_itself(line: Line, times: int) -> None:
    said = line["said_within_s"]
    assert isinstance(said, dict)
    assert said["max"] <= SAID_S
    assert (line["times"], line["recovered"], line["bad_pictures_taken"]) == (times, times, 0)
    assert isinstance(line["pictures_taken"], int)
    assert line["pictures_taken"] >= times


@pytest.mark.parametrize("number", [0, 1, 40_000, 65_535])
def test_a_picture_carries_its_number(number: int) -> None:
    table = Table(np.random.default_rng(1))
    assert number_of(table(number, 0.0)) == number
    assert number_of(np.zeros((SIZE[1], SIZE[0], 3), np.uint8)) is None


@pytest.mark.parametrize(("bad", "age_s"), [(True, 0.0), (False, 2.0)])
def test_a_picture_that_is_bad_or_old_is_counted(*, bad: bool, age_s: float) -> None:
    trial = Trial("black", "http", SHORT, np.random.default_rng(1))
    for number in range(3):
        trial.table.disturb = np.zeros_like if bad and number == 2 else None
        picture = trial.table(number, 0.0)
        assert number_of(picture) == number
        trial.camera.left[number] = 10.0 + number - (age_s if number == 2 else 0.0)
        trial.took(LiveFrame(0.0, 10.0 + number, picture, shrunk(picture)))
    assert trial.found.bad == 1
    other = marked(trial.table(5, 0.0), 6)
    trial.took(LiveFrame(0.0, 20.0, other, shrunk(other)))
    assert trial.found.bad == 2  # a number that no picture had
