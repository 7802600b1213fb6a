"""`feltwatch run`: a camera, a journal, a broker and a witness; what is killed goes on, what breaks is begun again."""

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic

import pytest

from feltwatch.edge.cli.main import main
from feltwatch.edge.cli.options import command_parser
from feltwatch.edge.cli.terminal_view import Commentary
from feltwatch.edge.config.table_file import TableFile
from feltwatch.edge.errors import UsageError
from feltwatch.edge.journal.store import Entry, entries
from feltwatch.edge.pipeline.table_pipeline import TablePipeline
from feltwatch.edge.service.logs import say
from feltwatch.edge.service.recovery import seconds_of
from feltwatch.edge.service.run import run
from feltwatch.vision.arrays import Pixels
from feltwatch.vision.drawing.view import TableView
from tests.asyncapi_check import validate
from tests.edge.scripted_watcher import CLIPS, ScriptedNetworks, write_table, write_video
from tests.faults.practice_table import Practice, table_file
from tests.json_events import Event, as_json, typed
from tests.mosquitto import Mosquitto

PATIENCE_S = 60.0


@dataclass
class Told:
    """Tells the bundled film's own events, when their time has come or all of them at the end."""

    waiting: list[str]
    breaks: list[float] = field(default_factory=list)  # times at which it does

    def step(self, camera: str, t: float, picture: Pixels, small: Pixels) -> list[Event]:
        assert camera == "camera"
        del picture, small
        if self.breaks and t >= self.breaks[0]:
            raise RuntimeError(f"broken at {self.breaks.pop(0)}")
        due = []
        while self.waiting and json.loads(self.waiting[0])["t"] <= t:
            due.append(json.loads(self.waiting.pop(0)))
        return due

    def finish(self) -> list[Event]:
        return [json.loads(line) for line in self.waiting]

    def view(self, camera: str) -> TableView:
        del camera
        return TableView()

    def doubts(self) -> tuple[str, ...]:
        return ("the light changed",)


class ToldNetworks(ScriptedNetworks):
    def __init__(self, breaks: list[float] | None = None) -> None:
        super().__init__()
        self.breaks = breaks or []

    def watching(self, table: object) -> Told:
        del table
        return Told((CLIPS / "demo.events.jsonl").read_text("utf-8").splitlines(), self.breaks)


@pytest.fixture
def given(tmp_path: Path) -> Path:
    """Make a film of half a second, and a table whose camera it is."""
    write_video(tmp_path / "demo.mp4", [n / 25 for n in range(12)])
    return write_table(tmp_path / "table.toml")


def options(table: Path, *more: str) -> argparse.Namespace:
    return command_parser().parse_args(["run", "-c", str(table), "--broker-port", "0", *more])


def journal(table: Path, name: str = "demo") -> list[Entry]:
    return [*entries(table.parent / f"{name}.record" / f"{name}.journal")]


def bodies(kept: list[Entry], kind: str) -> list[dict[str, object]]:
    return [json.loads(entry.body) for entry in kept if entry.kind == kind]


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Mosquitto]:
    (tmp_path / "broker").mkdir()
    with Mosquitto(tmp_path / "broker") as found:
        yield found


def url(broker: Mosquitto) -> str:
    return f'\n[mqtt]\nurl = "mqtt://127.0.0.1:{broker.port}"\n'


def with_broker(table: Path, broker: Mosquitto) -> Path:
    table.write_text(table.read_text("utf-8") + url(broker), "utf-8")
    return table


def test_a_film_as_a_camera_is_watched_to_its_end(
    given: Path, broker: Mosquitto, capsys: pytest.CaptureFixture[str]
) -> None:
    with closing(broker.subscribe("feltwatch/#")) as witness:
        assert run(options(with_broker(given, broker)), lambda *_: ToldNetworks()) == 0
        kept = journal(given)
        witness.wait(lambda lines: len({json.loads(one.payload)["seq"] for one in lines}) >= len(kept), PATIENCE_S)
        messages = [(one.topic, json.loads(one.payload)) for one in witness.lines]
        for one in witness.lines:
            validate(one.topic, one.payload.encode())
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    script = [json.loads(line) for line in (CLIPS / "demo.events.jsonl").read_text("utf-8").splitlines()]
    told = as_json(map(typed, script))
    assert [line for line in lines if "event" in line] == told == bodies(kept, "event")
    assert [line for line in lines if "verdict" in line] == bodies(kept, "verdict")
    numbered = [(topic.rpartition("/")[2], one["seq"]) for topic, one in messages]
    assert [one for one in numbered if one[0] not in ("status", "state", "health")] == [(e.kind, e.seq) for e in kept]
    assert len({one["id"] for _, one in messages}) == len(messages)
    assert [one["status"] for topic, one in messages if topic.endswith("/status")] == ["online", "offline"]
    (alert,) = [one["alert"] for topic, one in messages if topic.endswith("/alert")]
    assert (alert["code"], sorted(alert["files"])) == ("dealer-overdraw", ["clip", "still"])
    assert [one["round"]["round"] for topic, one in messages if topic.endswith("/round")][:2] == [1, 2]
    assert [one["kind"] for one in bodies(kept, "note")][0::99] == ["started"]
    assert main(["verify", str(given.parent / "demo.record" / "demo.journal"), "--evidence"]) == 0


def test_people_are_shown_the_table_and_its_alerts_are_logged(given: Path, capfd: pytest.CaptureFixture[str]) -> None:
    def show(pipeline: TablePipeline, table: str) -> Commentary:
        return Commentary(pipeline, table, sys.stdout)

    assert run(options(given, "--watch"), lambda *_: ToldNetworks(), show) == 0
    shown = capfd.readouterr()
    lines = shown.out.splitlines()
    assert lines[1].startswith("── demo ── Blackjack, Version 5 ──")
    assert "         !! STOP: dealer-overdraw (clause 3.23)" in lines
    assert not any(line.startswith("{") for line in lines)
    alert = "feltwatch: demo: ALERT stop dealer-overdraw (clause 3.23): The dealer had 17 and drew the 3 of diamonds."
    assert alert in shown.err.splitlines()


def test_an_alert_has_the_time_at_which_it_happened(given: Path) -> None:
    assert run(options(given, "--quiet"), lambda *_: ToldNetworks()) == 0
    (entry,) = [one for one in journal(given) if one.kind == "alert"]
    body = json.loads(entry.body)
    assert (body["state"], body["time"][-1]) == ("open", "Z")
    assert abs(seconds_of(body["time"]) - seconds_of(entry.at)) < 40.0  # the last events all come at the end


def test_what_is_told_is_in_the_journal_first(given: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = given.parent / "demo.record" / "demo.journal"
    kept: list[bool] = []

    class Out:
        def write(self, text: str) -> None:
            on_disk = [entry.body for entry in entries(path)]
            kept.extend(line in on_disk for line in text.splitlines())

        def flush(self) -> None: ...

    monkeypatch.setattr(sys, "stdout", Out())
    assert run(options(given), lambda *_: ToldNetworks()) == 0
    assert len(kept) > 60
    assert all(kept)


@pytest.mark.parametrize("more", [(), ("--watch",)])
def test_a_table_is_watched_on_when_the_reader_of_its_output_ends(
    given: Path, monkeypatch: pytest.MonkeyPatch, more: tuple[str, ...]
) -> None:
    class Out:
        def write(self, _: str) -> None:
            raise BrokenPipeError

        def flush(self) -> None: ...

        def isatty(self) -> bool:
            return False

    def show(pipeline: TablePipeline, table: str) -> Commentary:
        return Commentary(pipeline, table, sys.stdout)

    monkeypatch.setattr(sys, "stdout", Out())
    assert run(options(given, *more), lambda *_: ToldNetworks(), show if more else None) == 0
    kept = journal(given)
    assert [note["kind"] for note in bodies(kept, "note") if note["kind"] == "broken"] == []
    assert any(entry.kind == "alert" for entry in kept)


def test_a_table_without_a_broker_has_one_of_its_own(given: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(options(given, "--quiet"), lambda *_: ToldNetworks()) == 0
    told = capfd.readouterr()
    assert told.out == ""
    assert "built-in broker, for this device only; it speaks MQTT 3.1.1, not 5" in told.err
    assert "wait in the journal" not in told.err


def test_what_breaks_is_said_and_begun_again_from_the_journal(given: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(options(given, "--quiet"), lambda *_: ToldNetworks([0.2])) == 0
    kept = journal(given)
    says = [str(note["says"]) for note in bodies(kept, "note")]
    assert "restarted after an internal error in test_run.step: RuntimeError: broken at 0.2" in says
    assert "Traceback" not in capfd.readouterr().out
    assert [note["kind"] for note in bodies(kept, "note")][-1] == "stopped"


def test_the_next_run_goes_on_where_the_last_one_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRACTICE_EPOCH", str(monotonic()))
    table = table_file(tmp_path, "bj-01")
    ends = []
    for _ in range(2):
        assert run(options(table, "--quiet", "--seconds", "6"), _practising) == 0
        ends.append(len(journal(table, "bj-01")))
    kept = journal(table, "bj-01")
    times = [float(str(event["t"])) for event in bodies(kept, "event")]
    rounds = [one["round"] for one in bodies(kept, "verdict") if one["verdict"] == "round-started"]
    (gap,) = [event for event in bodies(kept[ends[0] :], "event") if event["event"] == "gap"]
    assert times == sorted(times)
    assert len(set(rounds)) == len(rounds)
    assert float(str(gap["since"])) == float(str(bodies(kept[: ends[0]], "event")[-1]["t"]))
    assert "were not observed" in str(bodies(kept[ends[0] :], "note")[0]["says"])


def test_two_tables_run_in_one_process(tmp_path: Path, broker: Mosquitto) -> None:
    files = [table_file(tmp_path, name, url(broker)) for name in ("bj-01", "bj-02")]
    with closing(broker.subscribe("feltwatch/#")) as witness:
        given = options(files[0], "-c", str(files[1]), "--seconds", "3")
        assert run(given, lambda *_: _Practising()) == 0
        witness.wait(lambda lines: sum('"offline"' in one.payload for one in lines) == 2, PATIENCE_S)
        topics = {one.topic for one in witness.lines}
    assert {f"feltwatch/demo/bj-0{n}/event" for n in (1, 2)} <= topics
    for name in ("bj-01", "bj-02"):
        assert bodies(journal(files[0], name), "event")


class _Practising(ScriptedNetworks):
    def watching(self, table: TableFile) -> Practice:
        from tests.faults.practice_table import PracticeNetworks  # noqa: PLC0415  read again: its time begins with it

        return PracticeNetworks().watching(table)


def test_asked_to_stop_it_says_what_it_still_knows(tmp_path: Path) -> None:
    table = table_file(tmp_path, "bj-01")
    command = [sys.executable, "-m", "tests.faults.practice_table", "-c", str(table)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        assert json.loads(running.stdout.readline())
        os.kill(running.pid, signal.SIGTERM)
        _, err = running.communicate(timeout=PATIENCE_S)
    assert running.returncode == 0
    assert "feltwatch was stopped" in err
    assert [note["kind"] for note in bodies(journal(table, "bj-01"), "note")][-1] == "stopped"


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("", "camera.source: expected a URL, a device's number or a file, found none; name the camera"),
        ("nowhere.mp4", "nowhere.mp4: expected a video that can be read, found none"),
    ],
)
def test_a_camera_that_cannot_be_is_one_line(source: str, says: str, given: Path) -> None:
    given.write_text(given.read_text("utf-8").replace('"demo.mp4"', f'"{source}"'))
    with pytest.raises(UsageError) as told:
        run(options(given), lambda *_: ToldNetworks())
    assert says in str(told.value)


def test_the_provider_of_the_tables_file_runs_the_networks(given: Path) -> None:
    opened: list[tuple[str, int]] = []

    def opener(provider: str, threads: int) -> ToldNetworks:
        opened.append((provider, threads))
        return ToldNetworks()

    given.write_text(given.read_text("utf-8") + '\n[vision]\nprovider = "tensorrt"\n')
    assert run(options(given, "--seconds", "0"), opener) == 0
    assert run(options(given, "--seconds", "0", "--provider", "cpu"), opener) == 0
    assert opened == [("tensorrt", 2), ("cpu", 2)]
    with pytest.raises(UsageError) as caught:
        run(options(given, "--seconds", "0"))
    assert str(caught.value) == (
        f"{given}: vision.provider 'tensorrt': not in this ONNX Runtime, which has cpu; install its package, or use cpu"
    )


def test_a_camera_that_is_not_there_yet_is_waited_for(given: Path, capfd: pytest.CaptureFixture[str]) -> None:
    given.write_text(given.read_text("utf-8").replace('"demo.mp4"', '"rtsp://127.0.0.1:1/table"'))
    assert run(options(given, "--seconds", "2"), lambda *_: ToldNetworks()) == 0
    assert "the camera is lost: it does not answer; retrying" in capfd.readouterr().err


def test_a_journal_that_another_writes_is_refused(given: Path) -> None:
    table = table_file(given.parent, "bj-01")
    command = [sys.executable, "-m", "tests.faults.practice_table", "-c", str(table)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as running:
        assert running.stdout is not None
        running.stdout.readline()
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE_S)
        running.kill()
    assert done.returncode == 2
    assert "another feltwatch runs on it" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_damaged_journal_is_put_aside(given: Path) -> None:
    assert run(options(given, "--quiet"), lambda *_: ToldNetworks()) == 0
    path = given.parent / "demo.record" / "demo.journal"
    data = path.read_bytes()
    path.write_bytes(data[:4096] + b"\xff" * (len(data) - 4096))
    assert run(options(given, "--quiet"), lambda *_: ToldNetworks()) == 0
    assert len([*path.parent.glob("demo.journal.damaged-*Z")]) == 1
    assert "the journal was damaged" in str(bodies(journal(given), "note")[0]["says"])


def test_two_tables_of_one_name_are_refused(given: Path) -> None:
    with pytest.raises(UsageError, match="expected tables with an id each, found 'demo' twice"):
        run(options(given, "-c", str(given)), lambda *_: ToldNetworks())


def test_two_tables_in_one_folder_are_refused(tmp_path: Path) -> None:
    record = '\n[record]\nfolder = "record"\n'
    first, second = (table_file(tmp_path, name, record) for name in ("bj-01", "bj-02"))
    says = f"{second}: record.folder: expected a folder of its own, found {tmp_path / 'record'}, that of table bj-01"
    with pytest.raises(UsageError, match=re.escape(says)):
        run(options(first, "-c", str(second)), lambda *_: ToldNetworks())


def test_a_password_is_shown_by_nothing_that_is_said(
    given: Path, broker: Mosquitto, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = given.with_name("secret")
    secret.write_text("hunter22\n")
    monkeypatch.setenv("FELTWATCH_MQTT_USER", "bj-01")
    given.write_text(given.read_text("utf-8") + url(broker) + 'password_file = "secret"\n')
    assert run(options(given, "--quiet"), lambda *_: ToldNetworks()) == 0
    say("it is hunter22")
    assert capfd.readouterr().err.splitlines()[-1] == "feltwatch: it is …"


def test_a_command_before_the_table_was_seen_is_refused(given: Path, broker: Mosquitto) -> None:
    given.write_text(given.read_text("utf-8").replace('"demo.mp4"', '"rtsp://127.0.0.1:1/table"') + url(broker))
    with closing(broker.subscribe("feltwatch/#")) as witness:
        watching = threading.Thread(target=run, args=(options(given, "--seconds", "5"), lambda *_: ToldNetworks()))
        watching.start()
        witness.wait(lambda lines: any(one.topic.endswith("/note") for one in lines), PATIENCE_S)
        broker.publish("feltwatch/demo/demo/cmd/signal/pit", '{"event":"signal","name":"shuffled"}')
        watching.join()
    (answer,) = bodies(journal(given), "command")
    assert (answer["taken"], answer["why"]) == (False, "no camera has shown the table yet")


def test_commands_are_answered(tmp_path: Path, broker: Mosquitto) -> None:
    table = table_file(tmp_path, "bj-01", url(broker))
    topic = "feltwatch/demo/bj-01/cmd/signal/pit"

    def answers() -> list[dict[str, object]]:
        return [json.loads(one.payload)["command"] for one in witness.lines if one.topic.endswith("/command")]

    with closing(broker.subscribe("feltwatch/#")) as witness:
        watching = threading.Thread(target=run, args=(options(table, "--quiet", "--seconds", "12"), _practising))
        watching.start()
        witness.wait(lambda lines: any(one.topic.endswith("/event") for one in lines), PATIENCE_S)
        broker.publish(topic, json.dumps({"command": "a", "event": "signal", "name": "shuffled"}))
        broker.publish(topic, json.dumps({"event": "signal", "name": "ruling", "choice": "void", "alert": "r9-x"}))
        broker.publish(topic, "no JSON")
        witness.wait(lambda _: len(answers()) == 3, PATIENCE_S)
        watching.join()
        found = answers()
    assert [(one["sender"], one["proven"], one["taken"]) for one in found] == [
        ("pit", True, True),
        ("pit", True, False),
        ("pit", True, False),
    ]
    told = [one for one in bodies(journal(table, "bj-01"), "event") if one["event"] == "signal"]
    assert [one["name"] for one in told] == ["shuffled"]


def _practising(provider: str, threads: int) -> _Practising:
    del provider, threads
    return _Practising()


def test_a_flood_garbage_and_a_huge_payload_do_no_harm(tmp_path: Path, broker: Mosquitto) -> None:
    table = table_file(tmp_path, "bj-01", url(broker))
    topic = "feltwatch/demo/bj-01/cmd/signal/pit"
    huge, lines = tmp_path / "huge", tmp_path / "lines"
    huge.write_bytes(b"x" * 10_000_000)
    lines.write_text("".join(f'{{"event":"signal","name":"nonsense-{n}"}}\n' for n in range(5000)))
    broker.publish(topic, "garbage", ("-q", "1", "-r"))
    with closing(broker.subscribe("feltwatch/#")) as witness:
        watching = threading.Thread(target=run, args=(options(table, "--quiet", "--seconds", "14"), _practising))
        watching.start()
        witness.wait(lambda got: any(one.topic.endswith("/event") for one in got), PATIENCE_S)
        broker.publish(topic, huge)
        assert broker.flood(topic, lines).returncode == 0
        count = sum(one.topic.endswith("/event") for one in witness.lines)
        witness.wait(lambda got: sum(one.topic.endswith("/event") for one in got) > count + 3, PATIENCE_S)
        watching.join()
        answers = [json.loads(one.payload)["command"] for one in witness.lines if one.topic.endswith("/command")]
    assert not any(one["taken"] for one in answers)
    assert 5 <= len(answers) <= 80
    assert sum(one["times"] for one in answers) > 1000  # also those that no one had the time to look at
    assert {event["event"] for event in bodies(journal(table, "bj-01"), "event")} & {"signal", "decision"} == set()
    assert main(["verify", str(tmp_path / "bj-01.record" / "bj-01.journal")]) == 0
