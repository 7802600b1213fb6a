"""feltwatch is killed in the middle of a round, in short."""

from pathlib import Path

from tests.faults.kills import kills


def test_no_kill_loses_repeats_or_alters_anything(tmp_path: Path) -> None:
    outcome = kills(3, 5, tmp_path, longest_s=4.0)
    assert outcome.good, outcome
    assert outcome.entries > 20
