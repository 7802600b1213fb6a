"""A power cut between any two writes, in short."""

from tests.faults.power import cuts


def test_no_power_cut_loses_what_was_said_to_be_kept() -> None:
    outcome, writes = cuts(60, 100, 7)
    assert writes > 500
    assert (outcome.times, outcome.not_opened, outcome.lost, outcome.not_whole) == (60, 0, 0, 0)
    assert outcome.tail > 0  # and some of what had not been said yet


def test_the_power_cuts_find_a_journal_that_does_not_wait_for_the_disk() -> None:
    outcome, _ = cuts(60, 30, 7, hasty=True)
    assert outcome.lost > 0
