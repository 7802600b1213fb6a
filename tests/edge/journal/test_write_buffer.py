"""What cannot be journalled waits: no entry is lost, repeated or out of order, and the trouble is reported."""

import json
import random
import shutil
import sqlite3
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feltwatch.edge.errors import UsageError
from feltwatch.edge.evidence.retention import Retention, RetentionLimits
from feltwatch.edge.journal.store import Entry, Fact, Journal, entries
from feltwatch.edge.journal.write_buffer import AGAIN_S, SLICE_S, Batch, WriteBuffer
from tests.faults.disk import ERRORS, faulted, library, remounted
from tests.faults.mounts import grown, mounted

AT = "2026-01-02T03:04:05.678Z"


class Paper:
    """A journal that a test makes writable or not, and a clock."""

    def __init__(self, *, cost_s: float = 0.0) -> None:
        self.works = True
        self.cost_s = cost_s
        self.tries = 0
        self.t = 1000.0
        self.written: list[tuple[str, Fact]] = []
        self.error: Exception = UsageError("j: cannot be written: full")

    def add(self, at: str, facts: Sequence[Fact]) -> list[Entry]:
        self.tries += 1
        self.t += self.cost_s
        if not self.works:
            raise self.error
        self.written += [(at, fact) for fact in facts]
        return [Entry(len(self.written), at, fact.kind, fact.body, b"") for fact in facts]

    def now(self) -> float:
        return self.t

    @property
    def bodies(self) -> list[str]:
        return [fact.body for _, fact in self.written]


class Ballast:
    """A disk that has so many ballasts to give; each helps or does not."""

    def __init__(self, paper: Paper, *, helps: bool) -> None:
        self.paper, self.helps, self.given = paper, helps, 0

    def disk_fault(self) -> str | None:
        return "its disk is full"

    def give_back(self) -> bool:
        self.given += 1
        self.paper.works = self.helps
        return True


def verdict(number: int) -> Fact:
    return Fact("verdict", f"v{number}")


def event(number: int) -> Fact:
    return Fact("event", json.dumps({"t": number, "event": "card"}))


def tick(number: int) -> Fact:
    return Fact("event", json.dumps({"t": number, "event": "tick"}, separators=(",", ":")))


def held(paper: Paper, most: int = 100, disk: Ballast | None = None) -> tuple[WriteBuffer, list[str]]:
    says: list[str] = []
    return WriteBuffer(lambda at, facts, _: paper.add(at, facts), says.append, disk, most, paper.now), says


def test_what_can_be_written_is_written_at_once() -> None:
    paper = Paper()
    holding, says = held(paper)
    (entry,) = holding.add(AT, [verdict(1)])
    assert (entry.body, holding.waiting, holding.since, says) == ("v1", 0, None, [])
    assert holding.retry() == []
    assert paper.tries == 1


@pytest.mark.parametrize("error", [UsageError("j: full"), OSError(28, "full"), sqlite3.OperationalError("full")])
def test_what_cannot_be_written_waits_with_its_time_and_comes_in_order(error: Exception) -> None:
    paper = Paper()
    holding, says = held(paper)
    paper.works, paper.error = False, error
    for number in range(5):
        assert holding.add(f"at {number}", [verdict(2 * number), verdict(2 * number + 1)]) == []
        paper.t += 2
    assert (holding.waiting, holding.since, len(says)) == (10, 1000.0, 1)
    assert says[0].endswith("full; new events and verdicts wait in memory and are not published until they are written")
    paper.works = True
    found = holding.add("at 5", [verdict(10)])
    assert [entry.body for entry in found] == [f"v{n}" for n in range(11)]
    assert [at for at, _ in paper.written] == [f"at {n // 2}" for n in range(11)]
    assert says[1:] == ["the journal can be written again: 11 facts that waited up to 10 s are on disk, in order"]
    assert (holding.waiting, holding.since) == (0, None)


def test_a_disk_that_says_no_is_not_asked_at_every_fact() -> None:
    paper = Paper()
    holding, _ = held(paper)
    paper.works = False
    for number in range(50):
        holding.add(AT, [verdict(number)])
        paper.t += AGAIN_S / 10
    assert paper.tries <= 6


def test_the_ballast_is_given_back_once_and_what_helps_is_used() -> None:
    for helps in (True, False):
        paper = Paper()
        disk = Ballast(paper, helps=helps)
        holding, says = held(paper, disk=disk)
        paper.works = False
        found = holding.add(AT, [verdict(1)])
        for _ in range(5):
            paper.t += 2
            holding.retry()
        assert disk.given == 1
        assert [entry.body for entry in found] == (["v1"] if helps else [])
        assert says[0].endswith("until they are written: its disk is full")
        assert len(says) == 1 + helps
        paper.works = True
        paper.t += 2
        holding.retry()
        assert paper.bodies == ["v1"]
        paper.works = False
        holding.add(AT, [verdict(2)])
        assert disk.given == 2  # another time


def test_what_waited_is_written_a_slice_at_a_time_so_that_the_watching_goes_on() -> None:
    paper = Paper()
    holding, says = held(paper, most=1000)
    paper.works = False
    for number in range(100):
        holding.add(AT, [verdict(number)])
    paper.t += 2
    paper.works, paper.cost_s = True, 0.01
    start = paper.t
    holding.add(AT, [verdict(100)])
    assert SLICE_S <= paper.t - start < 2 * SLICE_S
    assert len(paper.written) <= 12
    assert holding.retry() == []  # it is the turn of the watching
    calls = 0
    while holding.waiting:
        paper.t += SLICE_S
        holding.retry()
        calls += 1
        assert calls < 30
    assert paper.bodies == [f"v{n}" for n in range(101)]
    assert len(says) == 2


def test_where_memory_is_short_ticks_go_first_then_events_and_never_a_verdict() -> None:
    paper = Paper()
    holding, says = held(paper, most=100)
    paper.works = False
    for number in range(40):
        holding.add(AT, [tick(number), event(number)])
    assert len(says) == 1
    for number in range(30):
        holding.add(AT, [verdict(number)])
    assert holding.waiting <= 100
    assert len(says) == 2
    assert says[1] == (
        "the journal has not been written for 0 s and 100 facts wait in memory: "
        "the oldest ticks are discarded, then other events; verdicts are kept"
    )
    for number in range(30, 130):
        holding.add(AT, [verdict(number)])
    assert holding.waiting == 130
    paper.works = True
    paper.t += 60
    holding.retry()
    assert paper.bodies == [f"v{n}" for n in range(130)]
    assert len(says) == 3
    assert says[2] == (
        "the journal can be written again: 130 facts that waited up to 60 s are on disk, in order; "
        "40 ticks and 40 events were discarded"
    )
    paper.works = False
    holding.add(AT, [verdict(1)])
    paper.works = True
    paper.t += 2
    holding.retry()
    assert "let go" not in says[-1]  # that was another time


def test_of_what_is_let_go_the_oldest_goes_and_no_more_than_needed() -> None:
    paper = Paper()
    holding, _ = held(paper, most=10)
    paper.works = False
    for number in range(6):
        holding.add(AT, [tick(number), event(number)])
    paper.works = True
    paper.t += 60
    holding.retry()
    first = [event(0), event(1), event(2)]  # without their ticks: of 12 facts 9 were to stay
    assert paper.bodies == [fact.body for fact in (*first, tick(3), event(3), tick(4), event(4), tick(5), event(5))]


def test_who_hears_of_trouble_may_add_to_the_journal() -> None:
    paper = Paper()
    holding: WriteBuffer

    def note(text: str) -> None:
        holding.add(AT, [Fact("note", text[:10])])

    holding = WriteBuffer(lambda at, facts, _: paper.add(at, facts), note, None, 100, paper.now)
    paper.works = False
    holding.add(AT, [verdict(1)])
    assert holding.waiting == 2
    paper.works = True
    paper.t += 2
    holding.retry()
    assert [fact.kind for _, fact in paper.written] == ["verdict", "note", "note"]


def test_an_error_of_ours_is_raised() -> None:
    paper = Paper()
    holding, _ = held(paper)
    paper.works, paper.error = False, KeyError("ours")
    with pytest.raises(KeyError, match="ours"):
        holding.add(AT, [verdict(1)])


def test_what_is_left_at_the_end_is_given_and_said() -> None:
    paper = Paper()
    holding, says = held(paper)
    holding.add("at 0", [verdict(0)])
    paper.works = False
    holding.add(AT, [verdict(1), verdict(2)])
    last = Batch("at 0", (verdict(0),))  # a disk that fails may take back its word
    assert holding.finish() == [last, Batch(AT, (verdict(1), verdict(2)))]
    assert says[-1] == "2 facts could not be written to the journal"
    paper.works = True
    assert holding.finish() == []
    assert paper.bodies == ["v0", "v1", "v2"]


def test_many_threads_lose_and_repeat_nothing() -> None:
    paper = Paper()
    holding, _ = held(paper, most=10_000)

    def work(thread: int) -> None:
        for number in range(200):
            holding.add(AT, [Fact("verdict", f"{thread} {number}")])

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for _ in range(50):
        paper.works = not paper.works
        paper.t += 2
        holding.retry()
    for thread in threads:
        thread.join()
    paper.works = True
    paper.t += 2
    holding.finish()
    for name in range(4):
        assert [body for body in paper.bodies if body.startswith(f"{name} ")] == [f"{name} {n}" for n in range(200)]


@given(
    st.lists(st.tuples(st.sampled_from(["tick", "event", "verdict"]), st.booleans(), st.integers(0, 3)), max_size=60)
)
def test_whatever_happens_verdicts_are_written_once_and_in_order(steps: list[tuple[str, bool, int]]) -> None:
    paper = Paper()
    holding, _ = held(paper, most=10)
    make = {"tick": tick, "event": event, "verdict": verdict}
    told = []
    for number, (kind, works, wait) in enumerate(steps):
        paper.works = works
        paper.t += wait
        told.append((f"at {number}", make[kind](number)))
        holding.add(*[told[-1][0], [told[-1][1]]])  # type: ignore[arg-type]  # a time and facts
        assert holding.waiting <= max(10, sum(fact.kind == "verdict" for _, fact in told))
    paper.works = True
    assert holding.finish() == []
    assert [one for one in paper.written if one[1].kind == "verdict"] == [
        one for one in told if one[1].kind == "verdict"
    ]
    assert [one for one in told if one in paper.written] == paper.written


def test_a_really_full_disk_costs_no_fact(tmp_path: Path) -> None:
    """On a disk of 1 MB; where none can be mounted, with a base that may not grow."""
    says: list[str] = []
    with mounted(tmp_path / "disk", 1 << 20) as disk:
        folder = disk or tmp_path
        path, space = folder / "bj-07.journal", Retention(folder, RetentionLimits(reserve=0, ballast=100 << 10))
        journal = Journal(path, "bj-07")
        if disk is None:
            tampered(journal, 20)
        holding = WriteBuffer(journal.add, says.append, space)
        for number in range(200):
            holding.add(AT, [Fact("verdict", f"{number} " + "x" * 8000)])
        waiting = holding.waiting
        assert [int(one.body.split()[0]) for one in entries(path)] == [*range(200 - waiting)]
        assert waiting
        assert "full" in says[0]
        assert not (folder / "ballast").exists()
        assert grown(disk) if disk else tampered(journal, 9999)
        assert holding.finish() == []
        journal.close()
        assert [int(one.body.split()[0]) for one in entries(path)] == [*range(200)]
    assert says[-1].startswith("the journal can be written again: ")


def tampered(journal: Journal, pages: int) -> bool:
    journal._base.execute(f"PRAGMA max_page_count = {pages}")  # noqa: SLF001  there is no disk to fill
    return True


@pytest.fixture(scope="module")
def faults(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, object] | None]:
    """Have each fault once, all at the same time; the long form is `python -m tests.faults.disk`."""
    folder = tmp_path_factory.mktemp("faults")
    built = library(folder)

    def one(kind: str) -> dict[str, object] | None:
        chance = random.Random(7)  # noqa: S311  no secret
        if kind == "readonly-system":
            return remounted(built, chance, folder / kind)
        with mounted(folder / kind, 16 << 20) as disk:
            return faulted(kind, disk or folder / kind, built, chance)

    kinds = [*ERRORS, "readonly-system"]
    with ThreadPoolExecutor(len(kinds)) as pool:
        return dict(zip(kinds, pool.map(one, kinds), strict=True))


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        ("full", "its disk is full"),
        ("readonly", "its disk is read-only"),
        ("broken", "its disk is broken"),
        ("readonly-system", "its disk is read-only"),
    ],
)
def test_no_fault_of_the_disk_costs_a_fact(kind: str, says: str, faults: dict[str, dict[str, object] | None]) -> None:
    found = faults[kind]
    if found is None:
        assert kind == "readonly-system"  # where no disk can be damaged, `readonly` says the same of one that pretends
        return
    assert found["wrong"] == []
    really = shutil.which("gcc") or shutil.which("cc") or (kind == "full" and found["disk"] == "its own")
    expected = (
        says if really else "its disk: file too large"
    )  # a limit that stands for them where nothing else can be had
    assert expected in str(found["says"])
