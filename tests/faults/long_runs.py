"""The faults in their long forms, for `make faults`: the laws of the short tests, more often and by more seeds."""

import subprocess
import sys

import pytest

from tests.faults.cameras import FAULTS, SHORT, run
from tests.faults.test_cameras import is_over_by_itself
from tests.faults.unwatched_film import film, random_cuts, watch_undisturbed

COMMANDS = (  # each ends with 0 only if nothing was lost, altered, published twice or false
    "kills --times 10",
    "power --times 200",
    "disk --times 2",
    "clocks --times 10",
    "fleet --tables 100 --seconds 20 --restart 1",
    "soak --hours 6 --speed 120",
    "broker --times 3 --only 'broker killed'",
    "broker --times 3 --only 'broker killed, persistence'",
    "broker --times 2 --only half-open",
    "broker --times 3 --only 'network cut'",
    "broker --times 1 --only '500 ms and 30 % loss'",
    "broker --times 1 --only 'away for a day'",
)


@pytest.mark.parametrize("command", COMMANDS)
def test_the_long_form_of_a_fault_ends_well(command: str) -> None:
    line = f"{sys.executable} -m tests.faults.{command}"
    done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=False)  # noqa: S607  every system has sh
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_of_a_camera_is_reported_ten_times_and_is_over_by_itself(fault: str) -> None:
    (line,) = run([fault], 10, SHORT, seed=2, jobs=5)
    is_over_by_itself(line, 10)


def test_nothing_false_is_published_of_a_film_that_is_unwatched_for_a_while() -> None:
    cuts = random_cuts(5, 7)
    killed, blind = film(watch_undisturbed(cut for cut, _ in cuts), cuts)
    assert (killed.false, blind.false) == ([], [])
    assert killed.as_undisturbed + killed.unresolved >= 5
    assert blind.as_undisturbed + blind.unresolved >= 5
