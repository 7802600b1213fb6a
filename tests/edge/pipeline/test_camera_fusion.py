"""Several cameras over one table: one stream of events, as if there were one camera that sees all."""

import json
import pickle
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from feltwatch.edge.errors import UsageError
from feltwatch.edge.pipeline.camera_fusion import BACK_S, LOST_S, STALL_S, CameraFusion
from feltwatch.engine.model import events
from feltwatch.engine.model.verdicts import Alert, Ended, Settlement, Withdrawn
from feltwatch.vision.events.card_events import CardsLeft
from feltwatch.vision.geometry.calibration import Lens
from feltwatch.vision.geometry.camera import look_at
from feltwatch.vision.geometry.patch import Patch
from feltwatch.vision.table_watcher import TableWatcher
from feltwatch.vision.tracking.track import CardTrack
from tests.edge.pipeline.two_cameras import filmed, seen_by, two, watched_by_two
from tests.edge.scripted_watcher import BLIND
from tests.film_frames import CLIP
from tests.film_watched import SECOND, cards, clip, handled, truth
from tests.json_events import Event, as_json, typed

SIZE = (1920, 1080)
PICTURE = np.zeros((SIZE[1], SIZE[0], 3), np.uint8)
OWED = json.loads(CLIP.with_suffix(".owed.json").read_text("utf-8"))["rounds"]


class Scripted(TableWatcher):
    """A watcher that looks at nothing: it tells what it is given."""

    def __init__(self, seen: TableWatcher) -> None:
        self.__dict__.update(seen.__dict__)
        self.started = True
        self.next: list[Event] = []

    def restarted(self) -> "Scripted":
        found = Scripted(super().restarted())
        found.lying.cards, found.next = [*self.later], [*self.tells]
        return found

    def step(self, t: float, picture: object, small: object = None) -> list[events.Event]:
        del picture, small
        found, self.next = self.next, []
        return [typed(event | {"t": t}) for event in found]

    later: tuple[CardTrack, ...] = ()  # what lies there when it sees again
    tells: tuple[Event, ...] = ()  # and what is reported of that


class Table:
    """Two cameras, "left" of box 1 to 3 and the dealer, and "right"; a test decides what they see."""

    def __init__(self) -> None:
        self.fusion = CameraFusion(two(clip()[1]), BLIND)
        self.watchers: dict[str, Scripted] = {}
        for name in ("left", "right"):
            self.fusion.join(name, SIZE)
            track = self.fusion.tracks[name]
            track.watcher = self.watchers[name] = Scripted(track.watcher)

    def step(self, camera: str, t: float, *events: Event) -> list[Event]:
        watcher = self.fusion.tracks[camera].watcher
        assert isinstance(watcher, Scripted)
        watcher.next = [*events]
        return as_json(self.fusion.step(camera, t, PICTURE))

    def both(self, t: float, left: tuple[Event, ...] = (), right: tuple[Event, ...] = ()) -> list[Event]:
        return self.step("left", t, *left) + self.step("right", t, *right)

    def runs(self, since: float, until: float, *cameras: str) -> list[Event]:
        """Let pictures come on which nothing happens."""
        times = np.arange(since, until + 0.01, 0.4).round(2).tolist()
        return [event for t in times for name in cameras or ("left", "right") for event in self.step(name, t)]

    def lies(self, camera: str, name: str, rested: float, place: tuple[float, float] = (0.0, 0.0)) -> CardTrack:
        """Let a camera believe that a card lies there."""
        quad = np.zeros((4, 2))
        card = CardTrack(quad, place, 0.0, Patch.of(quad, 1.0, (9, 9)), up=True, seen_at=rested, rested=rested)
        card.id, card.face = name, "9h"
        self.watchers[camera].lying.cards.append(card)
        return card


def card(name: str, zone: str, rested: float, **more: object) -> Event:
    hand = {"hand": 1} if zone.startswith("box") else {}
    return {"event": "card", "id": name, "zone": zone, "card": "9h", "face": "up", **hand, "rested": rested, **more}


def told(events: list[Event]) -> list[tuple[object, object]]:
    return [(event["event"], event.get("id", event.get("spot"))) for event in events]


def test_what_one_camera_tells_waits_until_the_other_has_got_so_far() -> None:
    table = Table()
    assert table.step("left", 10.0, card("c9800", "box1.cards", 9.8)) == []
    (event,) = table.step("right", 10.04)
    assert (event["id"], event["t"]) == ("c9800", 10.0)


def test_cards_are_told_in_the_order_in_which_they_came_to_rest() -> None:
    table = Table()
    table.both(9.96)
    coming = table.lies("right", "", 9.7)
    coming.looks = 2
    table.watchers["right"].lying.cards, table.watchers["right"].lying.coming = [], [coming]
    assert table.both(10.0, (card("c9800", "box1.cards", 9.8),)) == []  # the other looks at one that rested before
    assert table.step("left", 10.2) == []
    table.watchers["right"].lying.coming = []
    found = table.step("right", 10.2, card("c9700", "box5.cards", 9.7))
    assert told(found) == [("card", "c9700.right"), ("card", "c9800")]
    assert [event["t"] for event in found] == [10.2, 10.2]


def test_a_card_that_cannot_be_read_is_not_waited_for_long() -> None:
    table = Table()
    coming = table.lies("right", "", 9.7)
    coming.looks = 2
    table.watchers["right"].lying.coming = [coming]
    table.both(10.0, (card("c9800", "box1.cards", 9.8),))
    assert table.both(10.4) == []
    assert told(table.both(10.52)) == [("card", "c9800")]


def test_the_names_of_two_cameras_cards_do_not_collide() -> None:
    table = Table()
    table.lies("right", "c9800", 9.8, (300.0, 400.0))
    found = table.both(10.0, (card("c9800", "box1.cards", 9.8),), (card("c9800", "box6.cards", 9.8),))
    assert told(found) == [("card", "c9800"), ("card", "c9800.right")]
    turned = table.both(11.0, right=({"event": "turn", "id": "c9800", "face": "up", "card": "9h"},))
    assert told(turned) == [("turn", "c9800.right")]
    assert [one.id for one in table.fusion.view("right").cards] == ["c9800.right"]


def test_cards_that_others_came_between_were_not_drawn_together() -> None:
    table = Table()
    table.both(10.0, (card("c9700", "box1.cards", 9.7),), (card("c9750", "box6.cards", 9.75),))
    (event,) = table.both(10.1, (card("c9800", "box1.cards", 9.8, together=True),))
    assert "together" not in event
    (event,) = table.both(10.2, (card("c9850", "box1.cards", 9.85, together=True),))
    assert event["together"] is True


def test_the_table_is_clear_once_no_camera_sees_cards() -> None:
    table = Table()
    table.both(9.9)
    table.watchers["right"].telling.dealt = True
    assert table.both(10.0, ({"event": "clear"},)) == []
    table.runs(10.4, 11.0)
    assert table.step("left", 11.2) == []
    table.watchers["right"].telling.dealt = False
    found = table.step("right", 11.2, {"event": "remove", "id": "c1"}, {"event": "clear"})
    assert told(found) == [("remove", "c1.right"), ("clear", None)]
    assert table.both(12.0) == []


def test_what_no_camera_can_see_is_told_together() -> None:
    table = Table()
    table.both(9.96)
    table.watchers["left"].hidden, table.watchers["right"].hidden = {"box2.cards": 9.0}, {"box5.cards": 9.9}
    tick = table.fusion.tick(10.0)
    assert tick is not None
    assert events.to_dict(tick) == {"t": 10.0, "event": "tick", "hidden": ["box2.cards", "box5.cards"]}
    (event,) = table.both(10.04, right=(card("c10000", "box6.cards", 10.0),))
    assert event["hidden"] == ["box2.cards"]  # the other was covered only just now


def test_a_card_that_is_carried_to_the_others_part_keeps_its_name() -> None:
    table = Table()
    gone = table.lies("left", "c9800", 9.8)
    table.both(10.0, (card("c9800", "box3.cards", 9.8),))
    table.watchers["left"].lying.cards.remove(gone)
    table.watchers["left"].telling.left = [CardsLeft(gone, 11.0)]
    table.runs(10.4, 11.2)
    (event,) = table.both(11.5, right=(card("c11400", "box4.cards", 11.4, hand=1),))
    assert event == {"t": 11.5, "event": "move", "id": "c9800", "zone": "box4.cards", "hand": 1}
    assert table.watchers["left"].telling.left == []
    assert told(table.both(12.0, right=({"event": "remove", "id": "c11400"},))) == [("remove", "c9800")]


def test_a_card_on_the_border_is_told_once() -> None:
    table = Table()
    table.lies("left", "c9800", 9.8, (-40.0, 400.0))
    assert told(table.both(10.0, (card("c9800", "box3.cards", 9.8),))) == [("card", "c9800")]
    table.lies("right", "c9840", 9.84, (-31.0, 404.0))
    assert table.both(10.1, right=(card("c9840", "box4.cards", 9.84),)) == []
    assert table.both(11.0, right=({"event": "remove", "id": "c9840"},)) == []
    assert table.fusion.view("right").cards == ()


# ---- one in trouble -------------------------------------------------------------------------------------------------


def test_what_the_others_tell_waits_for_a_camera_that_sees_nothing() -> None:
    """Nothing happened in its part: all is reported as it was seen."""
    table = Table()
    table.both(10.0)
    table.fusion.blind("right", 10.0)
    assert table.step("left", 10.4, card("c10200", "box1.cards", 10.2)) == []
    assert table.fusion.tick(11.0) is None
    assert table.fusion.doubts() == ("camera 'right' sees nothing: unwatched are box4, box5, box6, box7",)
    assert table.runs(10.8, 14.8, "left") == []
    assert table.runs(15.2, 15.0 + BACK_S) == []
    (event,) = table.runs(15.4 + BACK_S, 15.4 + BACK_S)
    assert event == card("c10200", "box1.cards", 10.2) | {"t": 10.4}
    assert table.fusion.doubts() == ()


def test_what_happened_unseen_is_told_as_of_a_gap() -> None:
    """All of it at one time, in an unknown order; cards that lay there keep their names."""
    table = Table()
    table.lies("right", "c9000", 9.0, (400.0, 380.0)).zone = "box6.cards"
    table.lies("right", "c9100", 9.1, (520.0, 220.0)).zone = "box7.cards"
    table.both(10.0)
    table.step("left", 10.4, card("c10200", "box1.cards", 10.2, hidden=["box2.cards"]))
    assert table.runs(10.8, 14.8, "left") == []  # no picture of the other comes
    right = table.watchers["right"]
    right.later = (table.lies("right", "c15200", 15.2, (401.0, 381.0)), table.lies("right", "c15201", 15.2))
    right.lying.cards = right.lying.cards[:2]
    right.tells = (
        card("c15200", "box6.cards", 15.2, found=True),
        card("c15201", "box6.cards", 15.2, found=True) | {"card": None},
        card("c15202", "outside", 15.2, found=True) | {"card": None, "face": "down"},  # a sleeve: it does not lie there
        {"event": "correct", "id": "c15201", "card": "2d"},
        {"event": "chips", "spot": "box6.main", "amount": None, "stacks": [{}, {}], "since": 10.0},
    )
    assert table.runs(15.2, 15.6) == []
    table.both(15.8, (card("c15600", "box2.cards", 15.6),), (card("c15700", "box5.cards", 15.7, since=15.5),))
    assert table.runs(16.0, 15.0 + BACK_S) == []
    gap, *rest = table.runs(15.4 + BACK_S, 15.4 + BACK_S)
    assert gap == {"t": 15.2, "event": "gap", "since": 10.0}
    assert [event["t"] for event in rest] == [15.2] * 4 + [15.8] * 2
    assert rest[0] == card("c10200", "box1.cards", 10.2) | {"t": 15.2}
    assert told(rest[1:4]) == [("card", "c15201.right"), ("remove", "c9100.right"), ("chips", "box6.main")]
    assert (rest[1]["card"], rest[3]["stacks"]) == ("2d", [{"top": None, "count": None}] * 2)
    assert told(rest[4:]) == [("card", "c15600"), ("card", "c15700.right")]
    assert [one.id for one in table.fusion.view("right").cards] == ["c9000.right", "c15201.right"]


def test_what_was_not_seen_for_long_is_lost_and_the_others_go_on() -> None:
    table = Table()
    table.both(10.0)
    table.step("left", 10.4, card("c10200", "box1.cards", 10.2))
    gap, event = table.runs(10.8, 10.8 + LOST_S, "left")
    assert (gap["event"], gap["lost"], gap["why"]) == ("gap", True, "box4, box5, box6, box7 were not seen")
    assert event["id"] == "c10200"
    assert "box6.cards" in str(table.fusion.tick(18.8))
    found = table.step("left", 19.2, {"event": "remove", "id": "c10200"}, {"event": "clear"})
    assert told(found) == [("remove", "c10200")]  # whether the table is clear no one knows
    assert table.runs(19.6, 30.0, "left") == []
    assert told(table.runs(30.4, 30.8 + BACK_S)) == [("clear", None)]
    assert told(table.both(33.0, (card("c32900", "box1.cards", 32.9),))) == [("card", "c32900")]


def test_the_table_is_clear_if_all_cards_went_unseen() -> None:
    table = Table()
    table.lies("right", "c9000", 9.0).zone = "box6.cards"
    table.both(10.0)
    table.runs(10.4, 14.0, "left")
    table.both(14.4)
    table.both(14.8, ({"event": "chips", "spot": "box1.main", "amount": None, "since": 14.5},))  # of the next round
    found = table.runs(15.2, 14.8 + BACK_S)
    assert told(found) == [("gap", None), ("remove", "c9000.right"), ("clear", None), ("chips", "box1.main")]
    assert [event["t"] for event in found] == [14.4, 14.4, 14.4, 14.8]


def test_a_camera_that_has_not_shown_anything_yet_sees_nothing() -> None:
    fusion = CameraFusion(two(clip()[1]), BLIND)
    fusion.join("left", SIZE)
    fusion.tracks["left"].watcher = Scripted(fusion.tracks["left"].watcher)
    for t in range(8):
        assert fusion.step("left", float(t), PICTURE) == []
    assert fusion.doubts() == ("camera 'right' sees nothing yet: unwatched are box4, box5, box6, box7",)
    (gap,) = fusion.step("left", LOST_S + 0.1, PICTURE)
    assert isinstance(gap, events.Gap)
    assert gap.lost
    fusion.join("right", SIZE)
    assert list(fusion.tracks) == ["left", "right"]
    assert fusion.tracks["right"].suffix == ".right"


def test_a_short_delay_is_no_gap() -> None:
    table = Table()
    table.both(10.0)
    table.step("left", 9.9 + STALL_S, card("c11000", "box1.cards", 11.0))
    found = table.step("right", 9.9 + STALL_S, card("c10900", "box6.cards", 10.9, since=10.0))
    assert told(found) == [("card", "c10900.right"), ("card", "c11000")]


def test_a_camera_that_only_records_tells_nothing() -> None:
    one = clip()[1].first
    table = replace(clip()[1], cameras=(one, replace(one, name="wide", watches=None)))
    fusion = CameraFusion(table, BLIND)
    fusion.join(one.name, SIZE)
    fusion.join("wide", (320, 180))
    assert list(fusion.tracks) == [one.name]
    assert fusion.step("wide", 1.0, np.zeros((180, 320, 3), np.uint8)) == []


def test_a_camera_that_does_not_see_its_part_is_refused_by_name() -> None:
    table = two(clip()[1])
    marks = tuple(replace(mark, image=(mark.image[0] - 600, mark.image[1])) for mark in table.first.marks)
    away = replace(table, cameras=(table.first, replace(table.cameras[1], marks=marks, lens=Lens())))
    with pytest.raises(UsageError, match=r"demo\.table\.toml: camera 'right': zone .* sees all it watches"):
        CameraFusion(away, BLIND).join("right", SIZE)


def test_it_goes_on_as_it_comes_out_of_a_file() -> None:
    table = Table()
    table.step("left", 10.0, card("c9800", "box1.cards", 9.8))
    again = pickle.loads(pickle.dumps(table.fusion))  # noqa: S301  our own bytes
    again.resume(two(clip()[1]), BLIND)
    assert told(as_json(again.step("right", 10.04, PICTURE))) == [("card", "c9800")]
    assert again.tracks["left"].watcher.eyes is BLIND


# ---- films ----------------------------------------------------------------------------------------------------------


def settled(verdicts: tuple[object, ...]) -> Mapping[object, str]:
    return {(one.round, *one.key): one.result for one in verdicts if isinstance(one, Settlement)}


def test_two_cameras_tell_of_a_round_what_one_does() -> None:
    """The second round of the bundled film, given twice; the second camera's pictures come later."""
    found = watched_by_two(SECOND, late_s=0.12)
    assert cards(found.events) == cards(truth(), SECOND)
    assert handled(found.events) == handled(truth(), SECOND)
    assert [event["event"] for event in found.events].count("clear") == 1
    times = [float(str(event["t"])) for event in found.events]
    assert times == sorted(times)
    ticks = [float(str(event["t"])) // 1 for event in found.events if event["event"] == "tick"]
    assert len(ticks) == len(set(ticks))
    alerts = [one for one in found.verdicts if isinstance(one, Alert)]
    assert [(one.code, one.clause) for one in alerts] == [("dealer-overdraw", "3.23")]
    assert not any(isinstance(one, Withdrawn) for one in found.verdicts)
    owed = {(1, one["box"], one["hand"], one["bet"]): one["result"] for one in OWED[1]["settlements"]}
    assert settled(found.verdicts) == owed
    named = {str(event["zone"]): str(event["id"]) for event in found.events if event["event"] == "card"}
    assert named["box6.cards"].endswith(".right")
    assert "." not in named["box1.cards"] + named["dealer.cards"]


@pytest.mark.parametrize("camera", ["left", "right"])
def test_a_camera_that_is_lost_for_five_seconds_in_a_round_makes_no_false_alert(camera: str) -> None:
    found = watched_by_two(SECOND, 31.5, lambda name, t: name == camera and 22.0 <= t < 27.0)
    alerts = [one.code for one in found.verdicts if isinstance(one, Alert)]
    assert set(alerts) <= {"dealer-overdraw"}  # which is true
    gaps = [event for event in found.events if event["event"] == "gap"]
    assert [(event["since"], event["t"]) for event in gaps] == [(22.0, 27.0)]
    ends = [one for one in found.verdicts if isinstance(one, Ended)]
    assert alerts or [one.result for one in ends] == ["unresolved"]


def test_two_cameras_on_two_sides_of_a_table_see_one_deal(tmp_path: Path) -> None:
    """Neither sees the whole table, and one sees it upside down."""
    lens = (-0.08, 0.01, 0.0, 0.0, 0.0)
    sides = {
        "left": look_at((1280, 720), (-450.0, 250.0, 1700.0), (-300.0, 440.0), 1750.0, lens, 2.0),
        "right": look_at((1280, 720), (600.0, 900.0, 1600.0), (270.0, 480.0), 1850.0, lens, 176.0),
    }
    table = filmed(tmp_path, sides, 5.0)
    left, right = table.cameras
    watches = ("box1", "box2", "box3", "dealer", "shoe")
    table = replace(table, cameras=(replace(left, watches=watches), right))
    found = seen_by(table, {name: tmp_path / f"{name}.mp4" for name in sides})
    events = [json.loads(line) for line in (tmp_path / "events.jsonl").read_text().splitlines()]
    assert cards(found.events) == cards([event for event in events if event["t"] < 4.9])
    assert {str(event["id"]).partition(".")[2] for event in found.events if event["event"] == "card"} == {"", "right"}


def test_a_table_that_was_cleared_soon_after_a_hole_is_clear_when_the_footage_ends() -> None:
    table = Table()
    table.runs(9.2, 10.0)
    found = table.both(12.0)  # a hole of two seconds
    found += table.both(12.2, ({"event": "clear"},), ({"event": "clear"},))
    assert "clear" not in {event["event"] for event in found}  # hands may still be in the way
    assert "clear" in {event["event"] for event in as_json(table.fusion.finish())}
