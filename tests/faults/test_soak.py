"""Hours of rounds through the real service, in short; and a leak would show."""

from pathlib import Path

import pytest

from tests.faults.soak import FLAT, Look, Soak, soak

START = {"rss_mb": 100.0, "files": 19, "threads": 11}


def test_half_an_hour_of_rounds_ends_with_every_message_acknowledged(tmp_path: Path) -> None:
    found = soak(tmp_path, 0.5, 300, 60)
    facts = found.facts
    assert len(found.looks) > 10
    assert facts["rounds"] > 20  # type: ignore[operator]  # a number
    assert facts["alerts"] > 0  # type: ignore[operator]  # as above
    assert (facts["left"], facts["acknowledged"], facts["entries kept and whole"]) == (0, *[facts["messages"]] * 2)
    assert (facts["broker stopped"], facts["connections"]) == (1, 2)


@pytest.mark.parametrize(
    ("leak", "flat"),
    [({}, True), ({"rss_mb": 1.1 * FLAT * 100}, False), ({"files": 1}, False), ({"threads": 1}, False)],
)
def test_what_grows_in_the_second_half_is_not_flat(leak: dict[str, float], flat: bool) -> None:  # noqa: FBT001  a row
    looks = [look_at(n, leak) for n in range(9)]
    assert Soak(looks, {}).flat is flat


def look_at(hour: int, leak: dict[str, float]) -> Look:
    rss, files, threads = (base + max(0, hour - 4) * leak.get(name, 0) for name, base in START.items())
    return Look(hour, rss, int(files), int(threads), 9 * hour)
