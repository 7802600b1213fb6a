"""The journal: what was kept can be proved, and what was done to it is found, entry by entry."""

import json
import multiprocessing
import os
import signal
import sqlite3
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from edge.cli import main
from edge.journal import BrokenError, Entry, Fact, Journal, entries, first_hash, hash_of
from edge.usage import UsageError

AT = "2026-01-02T03:04:05.678Z"
MANY = 40


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Give a journal of so many entries."""
    path = tmp_path / "bj-07.journal"
    journal = Journal(path, "bj-07")
    for n in range(0, MANY, 4):
        journal.add(AT, [Fact("event", json.dumps({"n": k})) for k in range(n, n + 4)])
    journal.close()
    return path


def tampered(path: Path, command: str, *values: object) -> None:
    base = sqlite3.connect(path)
    base.execute(command, values)
    base.commit()
    base.close()


def proved(path: Path) -> int:
    return sum(1 for _ in entries(path))


def test_what_was_kept_is_read_again_and_goes_on_where_it_stopped(path: Path) -> None:
    journal = Journal(path, "bj-07")
    assert journal.head.seq == MANY
    (entry,) = journal.add(AT, [Fact("verdict", "{}")])
    assert entry.seq == MANY + 1
    journal.close()
    kept = [*entries(path)]
    assert [one.seq for one in kept] == [*range(1, MANY + 2)]
    assert [json.loads(one.body)["n"] for one in kept[:-1]] == [*range(MANY)]
    assert kept[-1] == entry
    for before, one in pairwise(kept):
        assert one.hash == hash_of(before.hash, one.seq, one.at, Fact(one.kind, one.body))


def test_nothing_is_kept_of_what_is_kept_in_part(path: Path) -> None:
    journal = Journal(path, "bj-07")
    head = journal.head
    full = (
        "CREATE TRIGGER full BEFORE INSERT ON entry WHEN NEW.body = 'too much' BEGIN SELECT RAISE(ABORT, 'full'); END"
    )
    tampered(path, full)
    with pytest.raises(UsageError, match="cannot be written: full; what was told before is kept"):
        journal.add(AT, [Fact("event", "{}"), Fact("event", "too much")])
    assert journal.head == head
    journal.add(AT, [Fact("event", "{}")])
    journal.close()
    assert proved(path) == MANY + 1


@pytest.mark.parametrize("seq", [1, 7, MANY])
@pytest.mark.parametrize(
    ("change", "value"),
    [
        ("body = ?", '{"n": 99}'),
        ("at = ?", "2026-01-02T03:04:05.679Z"),
        ("kind = ?", "verdict"),
        ("hash = ?", b"0" * 32),
    ],
)
def test_an_entry_that_was_altered_is_named(path: Path, seq: int, change: str, value: object) -> None:
    tampered(path, f"UPDATE entry SET {change} WHERE seq = {seq}", value)  # noqa: S608  of these tests alone
    with pytest.raises(BrokenError, match=rf"entry {seq} \(\w+, .*\) is not what was written"):
        proved(path)


@pytest.mark.parametrize("seq", [1, 7, MANY - 1])
def test_an_entry_that_was_taken_out_is_named(path: Path, seq: int) -> None:
    tampered(path, f"DELETE FROM entry WHERE seq = {seq}")  # noqa: S608  as above
    with pytest.raises(BrokenError, match=f"entry {seq} is missing"):
        proved(path)


def test_entries_that_changed_places_are_named(path: Path) -> None:
    for one, other in ((7, 1007), (8, 7), (1007, 8)):
        tampered(path, f"UPDATE entry SET seq = {other} WHERE seq = {one}")  # noqa: S608  as above
    with pytest.raises(BrokenError, match="entry 7 "):
        proved(path)


def test_a_rewritten_chain_is_found_by_a_head_that_was_written_down(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["verify", str(path)]) == 0
    head = capsys.readouterr().out.split("head ")[1].strip()
    forged, link = [], first_hash(Journal(path, "bj-07").id)
    for entry in entries(path):
        fact = Fact(entry.kind, '{"n": 0}')
        link = hash_of(link, entry.seq, entry.at, fact)
        forged.append(Entry(entry.seq, entry.at, fact.kind, fact.body, link))
    for entry in forged:
        tampered(path, "UPDATE entry SET body = ?, hash = ? WHERE seq = ?", entry.body, entry.hash, entry.seq)
    assert main(["verify", str(path)]) == 0
    assert main(["verify", str(path), "--head", head]) == 1
    assert f"entry {MANY} is not the one of the head that was given" in capsys.readouterr().out


def test_what_was_cut_off_is_found_by_a_head_that_was_written_down(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["verify", str(path)]) == 0
    head = capsys.readouterr().out.split("head ")[1].strip()
    tampered(path, "DELETE FROM entry WHERE seq > 30")
    assert main(["verify", str(path)]) == 0
    assert main(["verify", str(path), "--head", head]) == 1
    assert "entry 31 is missing: the record went to entry 40 and was cut off" in capsys.readouterr().out


def test_bytes_that_rot_on_the_disk_are_found(path: Path) -> None:
    data = bytearray(path.read_bytes())
    at = data.index(b'{"n": 20}')
    data[at + 6] ^= 1
    path.write_bytes(bytes(data))
    with pytest.raises(BrokenError, match="entry 21 "):
        proved(path)


@pytest.mark.parametrize("data", [b"", b"no journal at all, but text of some length" * 50])
def test_what_is_no_journal_is_said_in_a_line(tmp_path: Path, data: bytes, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.journal"
    path.write_bytes(data)
    assert main(["verify", str(path)]) == 2
    assert main(["verify", str(tmp_path / "none.journal")]) == 2
    assert main(["verify", str(path), "--head", "7"]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 3


def test_another_tables_journal_and_another_base_are_not_written_to(path: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="expected the journal of table 'bj-08', found that of 'bj-07'"):
        Journal(path, "bj-08")
    other = tmp_path / "other.db"
    tampered(other, "CREATE TABLE theirs (a)")
    with pytest.raises(UsageError, match="another file of SQLite"):
        Journal(other, "bj-07")
    with pytest.raises(UsageError, match="expected a journal that can be written"):
        Journal(tmp_path / "no" / "folder.journal", "bj-07")


WRITER = """
import sys
from pathlib import Path
from edge.journal import Fact, Journal
journal = Journal(Path(sys.argv[1]), "bj-07")
while True:
    entries = journal.add("2026-01-02T03:04:05.678Z", [Fact("event", "{}"), Fact("verdict", "{}")])
    print(entries[-1].seq, flush=True)
"""


def test_whatever_was_said_to_be_kept_is_there_after_a_kill(tmp_path: Path) -> None:
    path = tmp_path / "bj-07.journal"
    for time_round in range(10):
        command = [sys.executable, "-c", WRITER, str(path)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
            assert writer.stdout is not None
            said = [int(writer.stdout.readline()) for _ in range(3 + 5 * time_round)]
            os.kill(writer.pid, signal.SIGKILL)
            said += [int(line) for line in writer.stdout.read().split("\n")[:-1]]
        kept = proved(path)
        assert kept >= said[-1]
        assert kept % 2 == 0  # what came together is there together


def test_one_reads_while_another_writes(path: Path) -> None:
    journal = Journal(path, "bj-07")
    journal.add(AT, [Fact("event", "{}")])
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(proved, (path,)) == MANY + 1
    journal.close()
