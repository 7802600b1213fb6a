"""The power fails in mid-round, in short: every report is true, or the round ends unresolved."""

import pytest

from tests.faults.recovery import rounds


@pytest.mark.parametrize(
    ("errors", "signals", "amounts"),
    [
        (False, False, False),
        (True, False, False),
        (False, True, False),
        (True, False, True),
        (True, True, True),
    ],
)
def test_nothing_false_is_said_of_what_nobody_saw(*, errors: bool, signals: bool, amounts: bool) -> None:
    found = rounds(60, 4, errors=errors, signals=signals, amounts=amounts)
    assert (found.false_alerts, found.wrong, found.twice) == ([], [], [])
    assert found.recovered > 0
    assert found.unresolved > 0
