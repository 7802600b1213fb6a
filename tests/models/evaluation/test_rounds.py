"""How watching is measured: what counts as right, unresolved, wrong, found and false; what happens to the camera."""

import json
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest

from feltwatch.models.evaluation.rounds.conditions import DIM, JITTER_PX, NAMES, SHAKE_PX, Conditions
from feltwatch.models.evaluation.rounds.figures import FilmScores, Work, figures
from feltwatch.models.evaluation.rounds.scoring import FilmReport, FilmTruth, Score, scores
from tests.film_frames import CLIP
from tests.toy_table import CAMERA, LAYOUT, felt

Event = dict[str, object]

LATE_S = 0.2


def film() -> FilmTruth:
    owed = json.loads(CLIP.with_suffix(".owed.json").read_text("utf-8"))
    lines = CLIP.with_suffix(".events.jsonl").read_text("utf-8").splitlines()
    return FilmTruth("demo", owed["book"], tuple(json.loads(line) for line in lines), tuple(owed["rounds"]))


FILM = film()
ERROR = {"verdict": "alert", "t": 29.0, "round": 2, "code": "dealer-overdraw", "clause": "3.23", "severity": "stop"}
ERROR["id"] = "a"


def events() -> list[Event]:
    """Give what a camera tells that sees everything a little late."""
    found = [deepcopy(dict(event)) for event in FILM.truth if event["event"] not in ("signal", "decision")]
    for event in found:
        event["rested"] = event["t"]
        event["t"] = float(str(event["t"])) + LATE_S
    return found


def verdicts() -> list[Event]:
    found: list[Event] = [dict(ERROR)]
    for number, (t, one) in enumerate(zip((17.0, 33.0), FILM.owed, strict=True), 1):
        lines = one["settlements"]
        assert isinstance(lines, list)
        found += [{"verdict": "settlement", "t": t, "round": number, **line} for line in lines]
        found.append({"verdict": "round-ended", "t": t + 2, "round": number, "result": one["result"]})
    return found


def marks(reported: list[Event] | None = None, said: list[Event] | None = None) -> list[Score]:
    return scores(FILM, FilmReport(tuple(reported or events()), tuple(said or verdicts())))


def changed(which: str, **to: object) -> list[Event]:
    found = events()
    next(event for event in found if event.get("id") == which).update(to)
    return found


def test_what_is_reported_as_it_is_is_right() -> None:
    for score in marks():
        assert (score.events, score.differs, score.unsettled, score.missed, score.false) == ("right", [], [], [], [])
    assert marks()[1].found == ["dealer-overdraw"]
    assert all(late == pytest.approx(LATE_S) for score in marks() for late in score.late_s)
    assert sum(len(score.late_s) for score in marks()) == 18


@pytest.mark.parametrize(
    ("reported", "answer"),
    [
        (changed("c1", card="8h"), "wrong"),
        (changed("c1", zone="box4.cards"), "wrong"),
        (changed("c1", face="down", card=None), "wrong"),
        (changed("c1", card=None), "unresolved"),
        ([event for event in events() if event.get("id") != "c5"], "wrong"),
        ([event for event in events() if event["event"] != "move"], "wrong"),
        ([*events()[:5], {**events()[4], "id": "c99"}, *events()[5:]], "wrong"),
        ([events()[3], events()[4], *events()[:3], *events()[5:]], "right"),  # cards in their order, bets later
        ([*events()[:4], events()[4], events()[3], *events()[5:]], "wrong"),
        ([*events()[:3], events()[4], {**events()[3], "since": 0.0}, *events()[5:]], "right"),  # it may have come first
        ([*events()[:3], events()[4], {**events()[3], "since": 60.0}, *events()[5:]], "wrong"),
    ],
)
def test_one_card_that_is_not_right_makes_a_round_wrong_unless_it_says_so(reported: list[Event], answer: str) -> None:
    first, second = marks(reported)
    assert first.events == answer
    assert bool(first.differs) == (answer != "right")
    assert second.events == "right"


def test_a_round_begins_where_bets_are_asked_for_though_a_card_was_left_lying() -> None:
    clear = next(event for event in FILM.truth if event["event"] == "clear")
    left = replace(FILM, truth=tuple(event for event in FILM.truth if event is not clear))
    asked = [event["t"] for event in left.truth if event.get("name") == "place-bets"]
    assert len(asked) == len(FILM.owed)
    reported = [event for event in events() if event["event"] != "clear"]
    assert [score.events for score in scores(left, FilmReport(tuple(reported), tuple(verdicts())))] == [
        "right",
        "right",
    ]


def test_a_round_that_ends_unresolved_says_so() -> None:
    said = [{**one, "result": "unresolved"} if one["verdict"] == "round-ended" else one for one in verdicts()]
    assert marks(changed("c1", card="8h"), said)[0].events == "unresolved"


def test_a_face_that_was_corrected_counts_as_it_stands_and_is_counted() -> None:
    reported = [*changed("c1", card="8h"), {"t": 9.0, "event": "correct", "id": "c1", "card": "Qc"}]
    (first, _) = marks(sorted(reported, key=lambda event: float(str(event["t"]))))
    assert (first.events, first.misread) == ("right", 1)


def test_a_bet_that_is_settled_otherwise_is_wrong_and_one_that_is_not_is_not() -> None:
    said = verdicts()
    line = next(one for one in said if one["verdict"] == "settlement")
    line["result"] = "lose"
    assert marks(said=said)[0].unsettled == ["box 3 hand 1 pair: win, reported lose"]
    said.remove(line)
    first = marks(said=said)[0]
    assert (first.unsettled, first.settled["not reported"]) == ([], 1)


@pytest.mark.parametrize(
    ("alert", "found", "missed", "false"),
    [
        ({}, ["dealer-overdraw"], [], []),
        ({"clause": "3.24"}, [], ["dealer-overdraw"], []),
        ({"code": "hit-on-21"}, [], ["dealer-overdraw"], ["hit-on-21"]),
        ({"code": "hit-on-21", "severity": "advise"}, [], ["dealer-overdraw"], []),
    ],
)
def test_an_error_is_found_by_its_code_and_clause(
    alert: Mapping[str, str], found: list[str], missed: list[str], false: list[str]
) -> None:
    second = marks(said=[{**ERROR, **alert}, *verdicts()[1:]])[1]
    assert (second.found, second.missed, second.false) == (found, missed, false)


def test_an_alert_that_was_taken_back_is_neither_found_nor_false() -> None:
    back: Event = {"verdict": "withdrawn", "t": 30.0, "round": 2, "alert": "a", "why": "-"}
    assert marks(said=[*verdicts(), back])[1].missed == ["dealer-overdraw"]
    other = {**ERROR, "code": "hit-on-21", "id": "b"}
    second = marks(said=[*verdicts(), other, {**back, "alert": "b"}])[1]
    assert (second.false, second.withdrawn) == ([], ["hit-on-21"])


def test_figures_count_what_was_scored() -> None:
    seen = FilmScores(FILM.book, tuple(marks(changed("c1", card="8h"))), Work(875, 0, 350, 35.0, 7.0, 3.5))
    found = json.loads(json.dumps(figures({"plain": [seen], "lost": []})))
    assert found["rounds"] == {"plain": {"films": 1, "rounds": 2}}
    row = found["rounds whose card events are right, in order"]["plain"]
    assert (row["right"], row["wrong"], row["right %"]) == (1, 1, 50.0)
    assert found["errors a camera can see"]["plain"]["found %"] == 100
    assert found["work"]["plain"]["times real time"] == 5.0
    assert found["work"]["plain"]["ratio"] == 2.0
    assert found["work"]["plain"]["looks a frame"] == 0.4
    assert [one["film"] for one in found["wrong rounds"]] == ["demo"]


# ---- what happens to the camera ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def conditions() -> Conditions:
    return Conditions("some film", "demo", CAMERA, LAYOUT)


PICTURE = felt()


@pytest.mark.parametrize("name", NAMES)
def test_the_same_happens_to_the_same_frame_and_leaves_it_as_it_is(conditions: Conditions, name: str) -> None:
    again = Conditions("some film", "demo", CAMERA, LAYOUT).named(name)
    disturb = conditions.named(name)
    before = PICTURE.copy()
    for number in (1, 40, 77, 200):
        one, other = disturb(number, number / 25, PICTURE), again(number, number / 25, PICTURE)
        assert (one is None) == (other is None)
        assert one is None or other is None or np.array_equal(one, other)
    assert np.array_equal(PICTURE, before)


def share(conditions: Conditions, name: str, of: Callable[[object], bool]) -> float:
    disturb, small = conditions.named(name), np.full((4, 4, 3), 200, np.uint8)
    return float(np.mean([of(disturb(number, number / 25, small)) for number in range(1, 4000)]))


def test_a_tenth_of_the_frames_is_lost(conditions: Conditions) -> None:
    assert share(conditions, "lost", lambda found: found is None) == pytest.approx(0.1, abs=0.02)
    assert conditions.named("lost")(0, 0.0, PICTURE) is not None


@pytest.mark.parametrize(("name", "of"), [("flicker", 0.2), ("dim", 0.5)])
def test_frames_are_dimmed(conditions: Conditions, name: str, of: float) -> None:
    dim = 200 * DIM
    assert share(conditions, name, lambda found: int(np.max(found)) == dim) == pytest.approx(of, abs=0.08)  # type: ignore[call-overload]


def test_the_camera_is_shaken_by_three_pixels_and_no_more(conditions: Conditions) -> None:
    picture = np.zeros((60, 60, 3), np.uint8)
    picture[28:32, 28:32] = 250
    disturb, found = conditions.named("shake"), []
    for number in range(1, 500):
        shaken = disturb(number, number / 25, picture)
        assert shaken is not None
        rows, columns = np.mgrid[:60, :60]
        weight = shaken[..., 0] / float(shaken[..., 0].sum())
        found.append([(weight * columns).sum() - 29.5, (weight * rows).sum() - 29.5])
    off = np.abs(found).max(axis=0)
    assert (off <= SHAKE_PX + 0.1).all()
    assert (off >= SHAKE_PX / 2).all()
    steps = np.abs(np.diff(found, axis=0))
    assert np.median(steps) > JITTER_PX / 4


def test_a_hand_is_over_each_zone_of_cards_three_tenths_of_the_time(conditions: Conditions) -> None:
    disturb = conditions.named("hands")
    zones = [area for area in LAYOUT.areas if area.name.endswith(".cards")]
    places = np.round(CAMERA.to_picture([np.mean(area.polygon, axis=0) for area in zones])).astype(int)
    covered = []
    for number in range(300):
        found = disturb(number, number * 0.7, PICTURE)
        assert found is not None
        near = [
            np.abs(found[y - 3 : y + 4, x - 3 : x + 4].astype(int) - PICTURE[y - 3 : y + 4, x - 3 : x + 4])
            for x, y in places
        ]
        covered.append([float(one.max()) > 30 for one in near])
    often = np.mean(covered, axis=0)
    assert (often > 0.1).all()
    assert 0.18 < float(often.mean()) < 0.4  # fingers are thin, and no hand lies quite in the middle


def test_the_hands_are_those_of_the_films_split() -> None:

    with pytest.raises(KeyError):
        Conditions("some film", "nowhere", CAMERA, LAYOUT).named("hands")
