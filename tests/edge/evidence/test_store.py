"""Files of evidence: whole on disk with the digest of what was written; none is forgotten, and no id leads astray."""

import hashlib
import json
from dataclasses import asdict
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feltwatch.edge.evidence.store import (
    STOPPED,
    Expected,
    StoredFile,
    StoredFiles,
    alert_of,
    dropped_files,
    file_stem,
    found_on_disk,
    store_file,
    unreported,
)
from feltwatch.edge.journal.store import Entry

STILL, CLIP = "evidence/2026-01-02/r7-void-c1.jpg", "evidence/2026-01-02/r7-void-c1.webm"


def entry(seq: int, kind: str, body: object) -> Entry:
    return Entry(seq, "2026-01-02T03:04:05.678Z", kind, body if isinstance(body, str) else json.dumps(body), b"")


def promised(seq: int, alert: str, *names: str) -> Entry:
    return entry(seq, "alert", {"id": alert, "files": dict(zip(("still", "clip"), names, strict=False)) or None})


def test_a_file_is_known_by_the_digest_of_what_was_written(tmp_path: Path) -> None:
    file = store_file(tmp_path, STILL, b"a picture")
    assert file == StoredFile(STILL, hashlib.sha256(b"a picture").hexdigest(), 9)
    assert (tmp_path / STILL).read_bytes() == b"a picture"
    assert [path.name for path in (tmp_path / STILL).parent.iterdir()] == ["r7-void-c1.jpg"]


def test_alerts_of_which_nobody_said_what_came_of_their_files_are_found() -> None:
    record = [
        entry(1, "event", {"t": 1.0, "event": "tick"}),
        promised(2, "a", "evidence/d/a.jpg", "evidence/d/a.webm"),
        promised(3, "b", "evidence/d/b.jpg", "evidence/d/b.webm"),
        promised(4, "advice"),
        promised(5, "c", "evidence/d/c.jpg", "evidence/d/c.webm"),
        entry(6, "evidence", asdict(StoredFiles("a", (StoredFile("evidence/d/a.jpg", "0" * 64, 7),)))),
        entry(7, "evidence", asdict(dropped_files("a", ["evidence/d/a.webm"], "the disk is full"))),
        entry(8, "evidence", asdict(StoredFiles("c", (StoredFile("evidence/d/c.jpg", "0" * 64, 7),)))),
    ]
    assert unreported(record) == [
        Expected("b", ("evidence/d/b.jpg", "evidence/d/b.webm")),
        Expected("c", ("evidence/d/c.webm",)),
    ]


def test_after_a_crash_a_whole_file_is_told_with_its_digest_and_a_missing_one_as_dropped(tmp_path: Path) -> None:
    promise = Expected("r7-void-c1", (STILL, CLIP))
    assert found_on_disk(tmp_path, promise) == [dropped_files("r7-void-c1", [STILL, CLIP], STOPPED)]
    file = store_file(tmp_path, STILL, b"a picture")
    assert found_on_disk(tmp_path, promise) == [
        StoredFiles("r7-void-c1", (file,)),
        dropped_files("r7-void-c1", [CLIP], STOPPED),
    ]
    store_file(tmp_path, CLIP, b"a film")
    (whole,) = found_on_disk(tmp_path, promise)
    assert [file.name for file in whole.files] == [STILL, CLIP]
    assert whole.dropped is None


def test_what_is_told_answers_what_was_promised(tmp_path: Path) -> None:
    record = [promised(1, "r7-void-c1", STILL, CLIP)]
    told = [
        entry(n, "evidence", asdict(kept)) for n, kept in enumerate(found_on_disk(tmp_path, unreported(record)[0]), 2)
    ]
    assert unreported(record + told) == []


@given(alert=st.text(min_size=1, max_size=60), other=st.text(min_size=1, max_size=60), camera=st.text(max_size=10))
def test_every_alert_has_names_of_its_own_from_which_it_is_read(alert: str, other: str, camera: str) -> None:
    if not all(text.isprintable() for text in (alert, other, camera)):
        return
    stem = file_stem(alert, camera)
    assert Path(f"/x/{stem}.jpg").resolve().parent == Path("/x")
    assert alert_of(f"evidence/2026-01-02/{stem}.webm") == alert
    assert alert == other or file_stem(other, camera).casefold() != stem.casefold()
    assert len(file_stem(alert * 99).encode()) < 255


@pytest.mark.parametrize("alert", ["..", ".", "../../etc/passwd", "a/b", "é", "~2", "a@b", "=2F", "=", "A"])
def test_no_id_leads_out_of_the_folder(alert: str, tmp_path: Path) -> None:
    file = store_file(tmp_path, f"evidence/2026-01-02/{file_stem(alert)}.jpg", b"x")
    assert (tmp_path / file.name).resolve().parent == tmp_path / "evidence" / "2026-01-02"
    assert alert_of(file.name) == alert
