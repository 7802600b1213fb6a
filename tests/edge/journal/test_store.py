"""The journal: what was kept can be proved, and what was done to it is found, entry by entry."""

import json
import multiprocessing
import os
import signal
import sqlite3
import subprocess
import sys
import threading
from itertools import pairwise
from pathlib import Path

import pytest

from feltwatch.edge.cli.main import main
from feltwatch.edge.errors import UsageError
from feltwatch.edge.journal.signing import Signer
from feltwatch.edge.journal.store import (
    BrokenError,
    Entry,
    Fact,
    Journal,
    UnreadableError,
    claimed,
    entries,
    first_hash,
    hash_of,
)
from feltwatch.models.files import digest

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
    with pytest.raises(UsageError, match="cannot be written: full; all earlier entries are safe"):
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
    assert f"entry {MANY} does not match the given head" in capsys.readouterr().out


def test_what_was_cut_off_is_found_by_a_head_that_was_written_down(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["verify", str(path)]) == 0
    head = capsys.readouterr().out.split("head ")[1].strip()
    tampered(path, "DELETE FROM entry WHERE seq > 30")
    assert main(["verify", str(path)]) == 0
    assert main(["verify", str(path), "--head", head]) == 1
    assert "entry 31 is missing: the journal went to entry 40 and was cut off" in capsys.readouterr().out


def test_bytes_that_rot_on_the_disk_are_found(path: Path) -> None:
    data = bytearray(path.read_bytes())
    at = data.index(b'{"n": 20}')
    data[at + 6] ^= 1
    path.write_bytes(bytes(data))
    with pytest.raises(BrokenError, match="entry 21 "):
        proved(path)


def test_a_folder_stands_for_the_one_journal_in_it(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(path.parent)]) == 0
    assert capsys.readouterr().out.startswith(f"{path}: whole: ")
    (path.parent / "empty").mkdir()
    assert main(["verify", str(path.parent / "empty")]) == 2
    path.with_name("other.journal").touch()
    assert main(["verify", str(path.parent)]) == 2
    assert main(["verify", str(path.parent / "nowhere")]) == 2
    none, several, nowhere = capsys.readouterr().err.splitlines()
    assert none.endswith("expected a folder with one journal in it, found none")
    assert several.endswith(f"found {path.name}, other.journal; name one")
    assert nowhere.endswith("expected a journal of `feltwatch run`, found no such file")


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
    with pytest.raises(UsageError, match="another SQLite file"):
        Journal(other, "bj-07")
    with pytest.raises(UsageError, match="expected a journal that can be written"):
        Journal(tmp_path / "no" / "folder.journal", "bj-07")


WRITER = """
import sys
from pathlib import Path
from feltwatch.edge.journal.store import Fact, Journal
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


def test_what_was_kept_is_read_while_it_is_written_and_waited_for(path: Path) -> None:
    journal = Journal(path, "bj-07")
    assert [entry.seq for entry in journal.read(38, 99)] == [39, 40]
    assert journal.read(40, 99) == []
    assert journal.wait(40, 0.0) == 40
    writer = threading.Thread(target=journal.add, args=(AT, [Fact("alert", "{}"), Fact("event", "{}")]))
    writer.start()
    assert journal.wait(40, 30.0) == 42
    writer.join()
    assert [entry.seq for entry in journal.read(0, 99, ("alert",))] == [41]
    journal.close()


def test_what_is_not_acknowledged_and_what_is_remembered_stay(path: Path) -> None:
    journal = Journal(path, "bj-07")
    assert (journal.unsent(), journal.remembered("round")) == ([(1, None)], None)
    journal.sent([(3, 7), (12, 12), (30, None)])
    journal.add(AT, [Fact("event", "{}")], {"round": b"\0seven"})
    journal.close()
    journal = Journal(path, "bj-07")
    assert (journal.unsent(), journal.remembered("round")) == ([(3, 7), (12, 12), (30, None)], (41, b"\0seven"))
    journal.close()


def dropped(path: Path, *, told: bool = True) -> None:
    journal = Journal(path, "bj-07")
    if told:
        journal.add("2026-03-01T00:00:00.000Z", [Fact("note", '{"kind":"pruned","upto":25}')])
    journal.drop(25)
    journal.close()


def test_what_is_dropped_on_record_is_no_fault(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dropped(path)
    assert main(["verify", str(path)]) == 0
    assert "whole: 16 entries, entries before 26 removed on record" in capsys.readouterr().out
    journal = Journal(path, "bj-07")
    journal.add(AT, [Fact("event", "{}")])
    journal.close()
    assert proved(path) == 17
    tampered(path, "UPDATE entry SET body = '{}' WHERE seq = 26")
    assert main(["verify", str(path)]) == 1
    assert "entry 26 " in capsys.readouterr().out


def test_what_is_dropped_without_a_word_is_found(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dropped(path, told=False)
    assert main(["verify", str(path)]) == 1
    assert "entries 1 to 25 are missing, and no later entry records" in capsys.readouterr().out


def test_the_last_entry_before_a_time_is_found(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j", "bj-07")
    for day in range(1, 29):
        journal.add(f"2026-02-{day:02d}T00:00:00.000Z", [Fact("event", "{}")] * 3)
    found = [journal.before(f"2026-02-{day:02d}T00:00:00.000Z") for day in (1, 2, 15, 28)]
    assert (*found, journal.before("2027")) == (0, 3, 42, 81, 84)
    journal.close()


def test_a_damaged_journal_is_told_from_one_that_is_not_ours(path: Path, tmp_path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[:4096] + b"\xff" * (len(data) - 4096))
    with pytest.raises(UnreadableError, match="malformed"):
        Journal(path, "bj-07")
    (tmp_path / "text").write_text("no journal at all, but text of some length" * 50)
    with pytest.raises(UnreadableError, match="not a database"):
        Journal(tmp_path / "text", "bj-07")


# ---- signed heads ----


@pytest.fixture
def box(path: Path) -> tuple[Path, Signer, Path]:
    """Give a journal with signed heads in it, the box's key, and the messages of a witness."""
    journal, signer = Journal(path, "bj-07"), Signer(path.with_name("key.pem"))
    lines = []
    for _ in range(3):
        head = journal.head
        body = {"seq": head.seq, "hash": head.hash.hex(), "signature": signer.sign(head), "key": signer.public}
        (entry,) = journal.add(AT, [Fact("head", json.dumps(body))])
        lines.append(json.dumps({"id": f"{journal.id[:12]}-{entry.seq}", "head": body}))
        journal.add(AT, [Fact("event", "{}")])
    journal.close()
    told = path.with_name("heads.jsonl")
    told.write_text("\n".join(lines))
    return path, signer, told


def test_a_journal_goes_by_way_of_its_signed_heads(
    box: tuple[Path, Signer, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    path, signer, told = box
    assert main(["verify", str(path), "--heads", str(told), "--key", signer.public]) == 0
    assert "whole: 46 entries, 3 known heads in it, 3 signed heads" in capsys.readouterr().out
    tampered(path, "DELETE FROM entry WHERE seq > 43")
    assert main(["verify", str(path)]) == 0
    assert main(["verify", str(path), "--heads", str(told), "--key", signer.public]) == 1
    assert "entry 44 is missing: the journal went to entry 44 and was cut off" in capsys.readouterr().out


def test_heads_signed_with_another_key_prove_nothing(
    box: tuple[Path, Signer, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, _, told = box
    other = Signer(tmp_path / "other.pem")
    assert main(["verify", str(path), "--key", other.public]) == 1
    assert "entry 41 is a head that was not signed with the given key" in capsys.readouterr().out
    (tmp_path / "key").write_text(other.public + "\n")
    assert main(["verify", str(path), "--heads", str(told), "--key", str(tmp_path / "key")]) == 2
    assert main(["verify", str(path), "--heads", str(told)]) == 2
    assert main(["verify", str(path), "--heads", str(path), "--key", other.public]) == 2
    assert main(["verify", str(path), "--key", str(tmp_path / "nowhere")]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 4


def test_a_key_is_made_once_and_kept_from_others(tmp_path: Path) -> None:
    first, again = Signer(tmp_path / "key.pem"), Signer(tmp_path / "key.pem")
    assert first.public == again.public
    assert (tmp_path / "key.pem").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["key.pem"]
    (tmp_path / "key.pem").write_text("no key")
    with pytest.raises(UsageError, match=r"key\.pem: expected a key in PEM"):
        Signer(tmp_path / "key.pem")
    with pytest.raises(UsageError, match=r"key\.pem: expected a key to sign with: no such file"):
        Signer(tmp_path / "nowhere" / "key.pem")


@pytest.mark.parametrize("change", ["altered", "gone"])
def test_evidence_that_is_not_as_it_was_is_found(path: Path, change: str, capsys: pytest.CaptureFixture[str]) -> None:
    (path.parent / "evidence").mkdir()
    stills = [path.parent / "evidence" / f"{name}.jpg" for name in ("one", "two")]
    journal = Journal(path, "bj-07")
    for still in stills:
        still.write_bytes(still.name.encode())
        name = str(still.relative_to(path.parent))
        body = {"alert": "r1", "files": [{"name": name, "sha256": digest(still), "bytes": 7}]}
        journal.add(AT, [Fact("evidence", json.dumps(body))])
    journal.add(AT, [Fact("evidence", json.dumps({"alert": "r1", "dropped": True, "files": [{"name": name}]}))])
    journal.close()
    stills[1].unlink()
    assert main(["verify", str(path), "--evidence"]) == 0
    assert "whole: 43 entries, 1 files of evidence" in capsys.readouterr().out
    if change == "gone":
        stills[0].unlink()
    else:
        stills[0].write_bytes(b"something else")
    assert main(["verify", str(path)]) == 0
    assert main(["verify", str(path), "--evidence"]) == 1
    assert "one.jpg: this evidence file" in capsys.readouterr().out


def test_two_do_not_write_one_journal(path: Path, tmp_path: Path) -> None:
    with claimed(path), pytest.raises(UsageError, match="another feltwatch runs on it"), claimed(path):
        pass
    with claimed(path):
        pass
    wrong = pytest.raises(UsageError, match=r"cannot be written: no such file or directory; name another folder")
    with wrong, claimed(tmp_path / "none" / "journal"):
        pass
