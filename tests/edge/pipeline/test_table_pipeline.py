"""The bundled film from its frames to verdicts, with the networks that ship."""

import json
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from feltwatch.edge.errors import UsageError
from feltwatch.edge.pipeline.table_pipeline import TablePipeline
from feltwatch.engine.model.verdicts import Alert, Ended, Settlement, Withdrawn
from tests.film_frames import CLIP
from tests.film_watched import SECOND, begun, cards, clip, eyes, handled, truth, watched
from tests.json_events import Event

OWED = json.loads(CLIP.with_suffix(".owed.json").read_text("utf-8"))["rounds"]
HEARD = ("void", "stop", "correct")
FIRST_BET = 20.0  # of the second round: before it nothing of it is reported


def test_the_cards_are_those_that_were_dealt_in_their_order() -> None:
    found = watched()
    assert cards(found.events) == cards(truth())
    assert handled(found.events) == handled(truth())
    assert [event["event"] for event in found.events].count("clear") == len(OWED)


def test_the_dealers_error_is_named_once_and_nothing_else() -> None:
    verdicts = watched().verdicts
    back = {verdict.alert for verdict in verdicts if isinstance(verdict, Withdrawn)}
    alerts = [verdict for verdict in verdicts if isinstance(verdict, Alert) and verdict.severity in HEARD]
    assert [(alert.code, alert.clause, alert.round) for alert in alerts] == [("dealer-overdraw", "3.23", 2)]
    assert back == set()


def test_bets_are_settled_as_the_dealer_settles_them() -> None:
    verdicts = watched().verdicts
    told = {(one.round, *one.key): one.result for one in verdicts if isinstance(one, Settlement)}
    owed = {
        (number, line["box"], line["hand"], line["bet"]): line["result"]
        for number, one in enumerate(OWED, 1)
        for line in one["settlements"]
    }
    assert told == owed
    assert [one.result for one in verdicts if isinstance(one, Ended)] == [one["result"] for one in OWED]


def test_events_are_told_within_a_second_of_their_cards_coming_to_rest() -> None:
    dealt = [event for event in watched().events if event["event"] == "card"]
    true = [event for event in truth() if event["event"] == "card"]
    late = [float(str(one["t"])) - float(str(other["t"])) for one, other in zip(dealt, true, strict=True)]
    rested = [float(str(one["rested"])) - float(str(other["t"])) for one, other in zip(dealt, true, strict=True)]
    assert float(np.median(late)) <= 0.3
    assert max(late) <= 1.0
    assert float(np.median(np.abs(rested))) <= 0.1


def test_time_never_runs_backwards() -> None:
    times = [float(str(event["t"])) for event in watched().events]
    assert times == sorted(times)


def told_of_the_second(events: Sequence[Event]) -> list[Event]:
    """Give what is reported of the second round: nothing of the one before, no passing of time."""
    return [event for event in events if float(str(event["t"])) >= FIRST_BET and event["event"] != "tick"]


def test_watching_from_before_a_round_tells_the_same_cards_of_it_as_watching_from_the_start() -> None:
    """Which cards, where, in which order, and what they are called."""
    names = ("event", "id", "zone", "card", "face", "rested", "crosswise")
    whole, late = (
        [tuple(event.get(name) for name in names) for event in told_of_the_second(found.events) if "id" in event]
        for found in (watched(), watched(SECOND))
    )
    assert late == whole
    assert len(whole) == 2 * 8  # each comes and goes


def test_watching_from_before_a_round_tells_of_it_what_watching_from_the_start_tells() -> None:
    assert told_of_the_second(watched(SECOND).events) == told_of_the_second(watched().events)


def test_a_pipeline_that_was_kept_on_disk_goes_on_as_if_nothing_had_been() -> None:
    again = watched(SECOND, 30.0, pickled=1.7)
    whole = watched(SECOND)
    assert again.events == tuple(event for event in whole.events if float(str(event["t"])) <= 30.0)
    assert again.verdicts == whole.verdicts[: len(again.verdicts)]
    assert again.verdicts


def test_a_picture_of_another_size_is_refused() -> None:
    pipeline = begun()
    pipeline.step("camera", 0.0, np.zeros((1080, 1920, 3), np.uint8))
    with pytest.raises(ValueError, match="1920"):
        pipeline.step("camera", 0.1, np.zeros((720, 1280, 3), np.uint8))


def test_a_layout_that_leaves_the_picture_is_refused_by_name() -> None:
    video, table = clip()
    marks = tuple(replace(mark, image=(mark.image[0] + 900, mark.image[1])) for mark in table.marks)
    away = replace(table, cameras=(replace(table.first, marks=marks),))
    with pytest.raises(UsageError, match=r"demo\.table\.toml: "):
        TablePipeline(away, eyes()).step("camera", 0.0, np.zeros((video.height, video.width, 3), np.uint8))


def test_a_round_that_was_being_dealt_when_watching_began_is_told_but_not_judged() -> None:
    found = watched(26.0)
    first = [event for event in found.events if event["event"] == "card" and float(str(event["t"])) < 27.0]
    assert {event["zone"] for event in first} == {"box1.cards", "box6.cards", "dealer.cards"}
    assert any(event.get("found") for event in first)
    assert found.verdicts == ()
