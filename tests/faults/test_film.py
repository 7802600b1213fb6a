"""Nobody watches the bundled film for a while, in short: what is said then is what is said undisturbed, or less."""

import pytest

from tests.faults.unwatched_film import blinded, film, killed, standing, undisturbed


@pytest.fixture(scope="module")
def owed() -> dict[int, tuple[str, tuple[str, ...]]]:
    found = standing([verdict for one in undisturbed()[1] for verdict in one.verdicts])
    return {number: (said.result, (*said.alerts.values(),)) for number, said in found.items()}


def test_undisturbed_it_is_two_rounds_with_one_error(owed: dict[int, tuple[str, tuple[str, ...]]]) -> None:
    assert owed == {1: ("completed", ()), 2: ("completed", ("dealer-overdraw 3.23",))}


@pytest.mark.parametrize("gap", [(5.31, 9.62), (25.47, 27.12)])
def test_a_round_is_followed_through_a_time_without_a_picture(
    gap: tuple[float, float], owed: dict[int, tuple[str, tuple[str, ...]]]
) -> None:
    said = standing(blinded(*gap))
    assert {number: (one.result, (*one.alerts.values(),)) for number, one in said.items()} == owed
    assert all(one.lines for one in said.values())


def test_what_cannot_be_known_after_it_is_not_guessed() -> None:
    """A mistake was put right, or was not, and the bets went, while nobody watched."""
    said = standing(blinded(31.0, 33.4))[2]
    assert (said.result, [*said.alerts.values()]) == ("unresolved", ["dealer-overdraw 3.23"])
    assert "void" not in said.lines.values()


def test_a_bet_that_nobody_saw_placed_makes_no_card_amiss() -> None:
    said = standing(killed(18.17, 20.32))
    assert (said[1].result, said[2].result) == ("completed", "unresolved")
    assert "what was bet is not sure" in said[2].why
    assert not said[2].alerts


def test_nothing_false_is_said() -> None:
    killed, blind = film(3, 7)
    assert (killed.false, blind.false) == ([], [])
    assert killed.as_undisturbed + killed.unresolved >= 3
    assert blind.as_undisturbed + blind.unresolved >= 3
