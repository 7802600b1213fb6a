"""Nobody watches the bundled film for a while, in short: what is said then is what is said undisturbed, or less."""

import pytest

from tests.faults.film import blinded, film, standing, undisturbed


@pytest.fixture(scope="module")
def owed() -> dict[int, tuple[str, tuple[str, ...]]]:
    found = standing([verdict for one in undisturbed()[1] for verdict in one.verdicts])
    return {number: (said.result, (*said.alerts.values(),)) for number, said in found.items()}


def test_undisturbed_it_is_two_rounds_with_one_error(owed: dict[int, tuple[str, tuple[str, ...]]]) -> None:
    assert owed == {1: ("completed", ()), 2: ("completed", ("dealer-overdraw 3.23",))}


def test_a_round_is_followed_through_four_seconds_without_a_picture(
    owed: dict[int, tuple[str, tuple[str, ...]]],
) -> None:
    said = standing(blinded(5.31, 9.62))
    assert {number: (one.result, (*one.alerts.values(),)) for number, one in said.items()} == owed
    assert len(said[1].lines) > 2


@pytest.mark.parametrize("gap", [(25.47, 27.12), (31.0, 33.4)])
def test_what_cannot_be_known_after_it_is_not_guessed(gap: tuple[float, float]) -> None:
    """Cards lie under others then, and are not found again; or a mistake was put right unseen."""
    said = standing(blinded(*gap))[2]
    assert said.result == "unresolved"
    assert {*said.alerts.values()} <= {"dealer-overdraw 3.23"}
    assert "void" not in said.lines.values()


def test_nothing_false_is_said() -> None:
    killed, blind = film(3, 7)
    assert (killed.false, blind.false) == ([], [])
    assert killed.as_undisturbed + killed.unresolved >= 3
    assert blind.as_undisturbed + blind.unresolved >= 3
