"""Many tables at one broker, in short; and that what the witness misses would be noticed."""

import json
import zlib
from pathlib import Path

import pytest

from tests.asyncapi_check import validate
from tests.faults.fleet import Heard, Plan, Sent, fleet, outcome
from tests.faults.fleet_record import JOURNAL, record
from tests.faults.fleet_speaker import Speaker
from tests.faults.fleet_tables import JOURNALLED

TABLES = 20
AT = "2026-01-02T03:04:05.678Z"
CAME = [(n, f'{{"id":"a-{n}"}}') for n in range(1, 4)]


def test_a_broker_and_its_restart_under_twenty_tables(tmp_path: Path) -> None:
    found = fleet(Plan(TABLES, seconds=2.0, processes=1, restart_s=0.2, recorded_s=60.0), tmp_path)
    assert found["whole"], found
    assert (found["back"], found["refused"], found["unacknowledged"]) == (TABLES, 0, 0)
    entries = found["entries"]
    assert isinstance(entries, int)
    assert entries > TABLES  # a table says something nearly every second


def test_what_a_table_says_is_as_it_is_described(tmp_path: Path) -> None:
    said = record(240.0, tmp_path)
    speaker = Speaker("table-001", JOURNAL, said, 240.0, 100.0)
    started = speaker.due
    found = [(speaker.due, speaker.next(AT)) for _ in range(len(said) + 10)]  # it begins again when all is reported
    assert 0 <= started < 1
    assert [due for due, _ in found] == sorted(due for due, _ in found)
    assert 239 < found[len(said)][0] - started < 241
    told = [json.loads(message.payload) for _, message in found]
    seqs = [one["seq"] for one in told if one["schema"].partition("/")[0] in JOURNALLED]
    assert seqs == [*range(1, len(seqs) + 1)]
    last = {message.topic: message.payload for _, message in found}
    kinds = {validate(topic, payload)["schema"].partition("/")[0] for topic, payload in last.items()}
    assert kinds == {"event", "verdict", "alert", "evidence", "round", "state", "health", "head"}


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (CAME, (0, 0, 0)),
        (CAME[::-1], (0, 0, 0)),
        (CAME[:2], (1, 0, 0)),
        ([*CAME, CAME[0]], (0, 0, 1)),
        ([*CAME[:2], (3, '{"id":"a-3","more":1}')], (0, 1, 0)),
    ],
)
def test_what_the_witness_misses_is_noticed(
    tmp_path: Path, lines: list[tuple[int, str]], expected: tuple[int, int, int]
) -> None:
    sent, heard = Sent(), Heard(tmp_path / "heard")
    lists = [f"a-{n} event {zlib.crc32(text.encode())} {len(text)} {n}\n" for n, text in CAME]
    (tmp_path / "sent").write_text("".join([*lists, "a-3 state 1 1 1\n"]))
    sent.read(tmp_path / "sent")
    shown = [f"1767323045.{n:09} feltwatch/fleet/t/event {text}\n" for n, text in lines]
    heard.path.write_text("".join(shown)[:50])
    heard.look()
    heard.path.write_text("".join(shown))
    heard.look()
    found = outcome(heard, sent)
    assert (found["missing"], found["altered"], found["again"]) == expected
    assert found["entries"] == 3
