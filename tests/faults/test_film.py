"""The bundled film with a gap in watching, in short: the reports are the undisturbed ones, or fewer."""

import pytest

from tests.faults.unwatched_film import Undisturbed, blinded, film, killed, random_cuts, standing, watch_undisturbed

FOLLOWED = ((5.31, 9.62), (25.47, 27.12))
MISTAKE_UNSEEN = (30.4, 33.4)
BET_UNSEEN = (18.17, 20.32)


@pytest.fixture(scope="module")
def cuts() -> list[tuple[float, float]]:
    return random_cuts(1, 7)


@pytest.fixture(scope="module")
def whole(cuts: list[tuple[float, float]]) -> Undisturbed:
    return watch_undisturbed(cut for cut, _ in (*FOLLOWED, MISTAKE_UNSEEN, *cuts))


@pytest.fixture(scope="module")
def owed(whole: Undisturbed) -> dict[int, tuple[str, tuple[str, ...]]]:
    return {number: (said.result, (*said.alerts.values(),)) for number, said in standing(whole.verdicts).items()}


def test_undisturbed_it_is_two_rounds_with_one_error(owed: dict[int, tuple[str, tuple[str, ...]]]) -> None:
    assert owed == {1: ("completed", ()), 2: ("completed", ("dealer-overdraw 3.23",))}


@pytest.mark.parametrize("gap", FOLLOWED)
def test_a_round_is_followed_through_a_time_without_a_picture(
    gap: tuple[float, float], whole: Undisturbed, owed: dict[int, tuple[str, tuple[str, ...]]]
) -> None:
    said = standing(blinded(whole, *gap))
    assert {number: (one.result, (*one.alerts.values(),)) for number, one in said.items()} == owed
    assert all(one.lines for one in said.values())


def test_what_cannot_be_known_after_it_is_not_guessed(whole: Undisturbed) -> None:
    """A mistake was put right, or was not, and the bets went, while no one watched."""
    said = standing(blinded(whole, *MISTAKE_UNSEEN))[2]
    assert (said.result, [*said.alerts.values()]) == ("unresolved", ["dealer-overdraw 3.23"])
    assert "void" not in said.lines.values()


def test_a_bet_that_nobody_saw_placed_makes_no_card_amiss(whole: Undisturbed) -> None:
    said = standing(killed(whole, *BET_UNSEEN))
    assert (said[1].result, said[2].result) == ("completed", "unresolved")
    assert "what was bet is not sure" in said[2].why
    assert not said[2].alerts


def test_nothing_false_is_said(whole: Undisturbed, cuts: list[tuple[float, float]]) -> None:
    killed, blind = film(whole, cuts)
    assert (killed.false, blind.false) == ([], [])
    assert killed.as_undisturbed + killed.unresolved >= 1
    assert blind.as_undisturbed + blind.unresolved >= 1
