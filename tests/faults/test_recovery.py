"""The power fails in mid-round, in short: every report is true, or the round ends unresolved."""

import pytest

from tests.faults.recovery import rounds


@pytest.mark.parametrize(
    ("count", "seed", "errors", "signals", "amounts"),
    [
        (60, 4, False, False, False),
        (60, 4, True, False, False),
        (60, 4, False, True, False),
        (60, 4, True, False, True),
        (60, 4, True, True, True),
        (200, 21, False, False, True),
        (200, 21, False, True, True),
        (200, 21, True, True, False),
        (200, 21, True, False, False),
        (200, 21, True, False, True),
    ],
)
def test_nothing_false_is_published_after_an_outage(
    count: int, seed: int, *, errors: bool, signals: bool, amounts: bool
) -> None:
    found = rounds(count, seed, errors=errors, signals=signals, amounts=amounts)
    assert (found.false_alerts, found.wrong, found.twice) == ([], [], [])
    assert found.recovered > 0
    assert found.unresolved > 0
