"""The figures of the way from a frame to its message: each time is taken at its stated place."""

import shutil
from pathlib import Path
from time import sleep

import pytest

from feltwatch.edge.cli.options import command_parser
from feltwatch.edge.config.table_file import TableFile, read_table
from feltwatch.edge.tools import bench_mqtt
from feltwatch.edge.tools.bench_mqtt import BUDGET_MS, Latency, TimedMessage, broker, measured
from feltwatch.vision.arrays import Pixels
from tests.faults.practice_table import Practice, PracticeNetworks, table_file
from tests.json_events import Event

SPEED = 40.0  # times as fast as a round is reported
LOOKS_S = 0.03  # a picture is looked at for so long


class Slow(Practice):
    """Takes its time over each picture, as networks do."""

    def step(self, camera: str, t: float, picture: Pixels, small: Pixels) -> list[Event]:
        sleep(LOOKS_S)  # this is the work, not a wait for something
        return super().step(camera, t, picture, small)


class SlowNetworks(PracticeNetworks):
    def watching(self, table: TableFile) -> Slow:
        found = super().watching(table)
        return Slow(found.book, found.events, found.epoch, SPEED)


@pytest.mark.parametrize("name", ["mosquitto", "the built-in broker"])
def test_every_message_is_followed_from_its_frame_to_the_subscriber(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if name != "mosquitto":
        monkeypatch.setattr(shutil, "which", lambda *_, **__: None)
    table = read_table(table_file(tmp_path, "bench"))
    with broker() as found:
        assert found[0] == name
        latency = measured(table, SlowNetworks(), found, 1.5)
    assert len(latency.messages) > 20
    for one in latency.messages:
        assert one.taken + LOOKS_S <= one.judged < one.kept
        assert one.judged < one.heard < one.judged + bench_mqtt.READY_S
    assert min(one.heard - one.judged for one in latency.messages) < LOOKS_S  # the pipeline is no part of what is added
    assert latency.bare_s
    assert all(0 < seconds < bench_mqtt.READY_S for seconds in (*latency.bare_s, *latency.sync_s))


def test_the_figures_are_of_each_message_and_stand_with_their_budget() -> None:
    told = [TimedMessage(n, n + 0.050, n + 0.052, n + 0.054) for n in range(98)]
    late = TimedMessage(100.0, 100.030, 100.031, 100.042)
    found = Latency([*told, late, late], [0.001], [0.002])
    assert found.added_ms == pytest.approx(12.0)
    rows = [line.split() for line in found.lines()]
    assert rows[0] == ["p50", "p99"]
    figures = {" ".join(row[:4]): [float(word) for word in row if word.replace(".", "").isdigit()] for row in rows[1:]}
    assert figures["frame to verdict, without"] == [50.0, 50.0]
    assert figures["frame to the message"] == [54.0, 54.0]
    assert figures["what is added, message"] == [4.0, 12.0, BUDGET_MS]
    assert figures["of it until it"] == [2.0, 2.0]
    assert figures["and from there to"] == [2.0, 11.0]
    assert figures["a bare message over"] == [1.0, 1.0]
    assert figures["a bare write that"] == [2.0, 2.0]


def test_the_command_knows_it() -> None:
    assert command_parser().parse_args(["bench", "mqtt"]).what == "mqtt"
