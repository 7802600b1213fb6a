"""The counting behind every figure, on answers whose faults are known one by one."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from feltwatch.datasets.common.errors import DataError
from feltwatch.datasets.photos.photo_sources import PhotoSource
from feltwatch.datasets.photos.real import Photograph
from feltwatch.datasets.render.compose import render
from feltwatch.datasets.scene.scene_sampler import Own, cast
from feltwatch.datasets.sets.sets import SPREAD
from feltwatch.datasets.truth import CardTruth, StackTruth, Truth
from feltwatch.models.evaluation.cardless import measure as measure_cardless
from feltwatch.models.evaluation.counting import Outcome, add, figures, group, outcome
from feltwatch.models.evaluation.labels import judged
from feltwatch.models.evaluation.looking import Mistake, Worst, view
from feltwatch.models.evaluation.matching import answer, holders, matched, overlap, overlaps
from feltwatch.models.evaluation.photographs import PhotographCounts, unreadable
from feltwatch.models.evaluation.reader.chances import at_precision, calibration_error, least_sure, lowest, reliability
from feltwatch.models.evaluation.report import Figures, Tally, lines, shares
from feltwatch.models.evaluation.tables import TableLooks, measure
from feltwatch.vision.arrays import Pixels, Quad
from feltwatch.vision.detection.detections import DetectedCard, DetectedHand, DetectedStack, Detections

WIDE, TALL = 63.0, 88.0


def quad(x: float, y: float, grown: float = 1.0) -> Quad:
    """A card with its top left there."""
    wide, tall = WIDE * grown, TALL * grown
    return ((x, y), (x + wide, y), (x + wide, y + tall), (x, y + tall))


def true(n: int, place: Quad, face: str | None = "9h", **more: object) -> CardTruth:
    card = CardTruth(f"c{n}", place, face, up=True, visible=1.0, index=1.0, index_px=10.5)
    return replace(card, **more)  # type: ignore[arg-type]  # whatever the test wants


def reported(place: Quad, face: str | None = "9h", *, up: bool = True, sure: float = 0.99) -> DetectedCard:
    return DetectedCard(place, up=up, face=face, confidence=sure)


def stack(x: float, y: float, visible: float = 1.0) -> StackTruth:
    return StackTruth("s", (x, y), (x, y + 9), 20.0, 10.0, (5,), ((x - 20, y), (x, y - 20), (x + 20, y)), visible)


def counted(*outcomes: Outcome) -> Figures:
    tally = Tally()
    for one in outcomes:
        add(tally, one)
    return figures(tally)


def at(found: object, *names: str) -> object:
    """Look a figure up by the names that lead to it."""
    for name in names:
        assert isinstance(found, dict)
        found = found[name]
    return found


# ---- overlap and matching -------------------------------------------------------------------------------------------


def test_overlap_does_not_care_where_or_which_way_round_a_quad_starts() -> None:
    card, moved = quad(100, 100), quad(100 + WIDE / 2, 100)
    for other in (moved, moved[::-1], (*moved[2:], *moved[:2])):
        assert overlap(card, other) == pytest.approx(1 / 3)
    assert overlap(card, card[::-1]) == pytest.approx(1)
    assert overlap(card, quad(300, 100)) == 0
    assert overlap(quad(0, 0, 2), quad(20, 20)) == pytest.approx(1 / 4)


@given(
    st.lists(st.tuples(st.floats(0, 60), st.floats(0, 60)), min_size=4, max_size=4),
    st.lists(st.tuples(st.floats(0, 60), st.floats(0, 60)), min_size=4, max_size=4),
)
def test_overlap_is_a_share_and_the_same_from_both_sides(
    one: list[tuple[float, float]], other: list[tuple[float, float]]
) -> None:
    found = overlap(one, other)
    assert -1e-9 <= found <= 1 + 1e-6
    assert found == pytest.approx(overlap(other, one), abs=1e-6)


def test_overlap_is_what_counting_points_gives() -> None:
    dice = np.random.default_rng(3)
    x, y = (n.ravel() for n in np.meshgrid(np.arange(0.05, 60, 0.1), np.arange(0.05, 60, 0.1)))
    for _ in range(5):
        turn, at_ = dice.uniform(0, 6), dice.uniform(22, 38, 2)
        spin = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
        card = np.array([[-8, -12], [8, -12], [8, 12], [-8, 12]]) @ spin + at_
        inside = (np.abs((np.column_stack([x, y]) - at_) @ spin.T) < [8, 12]).all(axis=1)
        fixed = (x > 20) & (x < 40) & (y > 20) & (y < 40)
        wanted = (inside & fixed).sum() / (inside | fixed).sum()
        corners = [(float(a), float(b)) for a, b in card]
        assert overlap(corners, [(20, 20), (40, 20), (40, 40), (20, 40)]) == pytest.approx(wanted, abs=0.002)


def test_the_greatest_overlap_is_matched_first_and_nothing_twice() -> None:
    assert matched(np.array([[0.9, 0.8], [0.95, 0.75]]), 0.7) == {0: 1, 1: 0}
    assert matched(np.array([[0.9, 0.8], [0.95, 0.6]]), 0.85) == {0: 1}
    assert matched(np.zeros((0, 3)), 0.5) == {}
    assert overlaps([], [quad(0, 0)]).shape == (0, 1)


@pytest.mark.parametrize(
    ("one", "up", "wanted", "says"),
    [
        (None, True, "9h", "not found"),
        (reported(quad(0, 0)), True, "9h", "right"),
        (reported(quad(0, 0)), True, "9", "right"),
        (reported(quad(0, 0)), True, "9s", "wrong"),
        (reported(quad(0, 0), None), True, "9h", "cannot tell"),
        (reported(quad(0, 0), None, up=False), True, "9h", "reported down"),
        (reported(quad(0, 0), None, up=False), False, "", "right"),
        (reported(quad(0, 0), None), False, "", "reported up"),
        (reported(quad(0, 0)), False, "", "wrong"),
    ],
)
def test_each_answer_has_its_name(one: DetectedCard | None, up: bool, wanted: str, says: str) -> None:  # noqa: FBT001  a row
    assert answer(one, up=up, wanted=wanted) == says


# ---- tables ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("card", "name"),
    [
        (true(1, quad(0, 0)), "whole, 60 px and more"),
        (true(1, quad(0, 0, 0.6)), "whole, smaller"),
        (true(1, quad(0, 0), visible=0.05), "hardly visible"),
        (true(1, quad(0, 0), visible=0.5, index_px=14.0), "covered, index 14 px and more"),
        (true(1, quad(0, 0), visible=0.5, index_px=13.9), "covered, index smaller"),
        (true(1, quad(0, 0), visible=0.5, index=0.8), "covered, no index shows"),
    ],
)
def test_a_card_is_of_one_group(card: CardTruth, name: str) -> None:
    assert group(card) == name


def test_known_faults_on_a_table_are_counted_one_by_one() -> None:
    cards = (
        true(1, quad(0, 0)),  # reported rightly
        true(2, quad(100, 0), "Ks"),  # reported wrongly
        true(3, quad(200, 0), "2c"),  # seen, not reported
        true(4, quad(300, 0), "3d"),  # missed
        true(5, quad(400, 0), "4d", visible=0.5, index_px=17.0),  # reported rightly, covered
        true(6, quad(500, 0), "5d", visible=0.15, index_px=9.0),  # found askew
        true(7, quad(600, 0), "6d", visible=0.03),  # hardly shows, yet reported
        true(8, quad(700, 0), "7d", visible=0.03),  # hardly shows, not reported
        true(9, quad(800, 0), "8d", up=False),  # reported to lie up
        true(10, quad(900, 0), "9d"),  # reported to lie down
    )
    seen = (
        reported(quad(0, 0)),
        reported(quad(100, 1), "Kc"),
        reported(quad(201, 0), None),
        reported(quad(402, 0), "4d"),
        reported(quad(500 + 0.25 * WIDE, 0), None),  # overlap 0.6
        reported(quad(600, 0), "6d"),
        reported(quad(800, 0), None),
        reported(quad(900, 0), None, up=False),
        reported(quad(2, 0), "2s"),  # a second card where the first is
        reported(quad(0, 300), None),  # where nothing is
        reported(quad(300 + 0.6 * WIDE, 0), "3d"),  # overlap 0.25 with the missed one
    )
    found = counted(outcome(Detections(seen), Truth(1100, 500, cards), 20.0, "deck"))
    assert at(found, "pictures") == 1
    assert at(found, "cards found", "all, 8% and more") == shares(
        {"found": 6, "askew": 1, "not found": 1}, ("found", "askew", "not found")
    )
    assert at(found, "cards found", "all, 20% and more", "of") == 7
    assert at(found, "cards found", "visible  8% to 20%", "askew") == 1
    assert at(found, "cards found", "visible 40% to 60%", "found") == 1
    whole = at(found, "faces", "whole, 60 px and more")
    assert whole == shares(
        {"right": 1, "wrong": 1, "cannot tell": 1, "reported down": 1, "not found": 1},
        ("right", "wrong", "cannot tell", "reported down", "not found"),
    )
    assert at(found, "whole cards, by deck", "deck") == whole
    assert at(found, "faces", "covered, index 14 px and more", "right") == 1
    assert at(found, "faces", "covered, index smaller", "cannot tell") == 1
    assert at(found, "faces", "hardly visible", "right") == 1
    assert set(at(found, "covered cards, by the height of their index")) == {" 16 to 18 px", "  8 to 10 px"}  # type: ignore[call-overload]  # a table
    assert at(found, "cards face down", "visible", "reported up") == 1
    assert at(found, "up and down") == {
        "up, reported down": {"of": 6, "reported": 1, "%": 16.6667},
        "down, reported up": {"of": 1, "reported": 1, "%": 100.0},
    }
    assert at(found, "false cards") == {
        "in all": 3,
        "pictures for one": 0.33,
        "nowhere": 1,
        "askew": 1,
        "duplicate": 1,
        "hidden": 1,
        "with a face": 2,
    }


def test_a_card_that_hardly_shows_takes_no_reported_card_from_one_that_does() -> None:
    cards = (true(1, quad(0, 0), "2s", visible=0.02), true(2, quad(1, 0), "3s"))
    found = counted(outcome(Detections((reported(quad(0.2, 0), "3s"),)), Truth(200, 200, cards), 20.0))
    assert at(found, "faces", "whole, 60 px and more", "right") == 1
    assert at(found, "false cards", "in all") == 0
    assert "hardly visible" not in at(found, "faces")  # type: ignore[operator]  # a table


def test_a_stack_is_found_within_four_millimetres_of_its_top() -> None:
    shown = (stack(100, 100), stack(200, 100), stack(300, 100), stack(400, 100), stack(500, 100, visible=0.04))
    seen = tuple(DetectedStack((x, 100.0), 20, 0.9) for x in (103.9, 204.1, 325.0, 400.0, 401.0, 500.0))
    one = outcome(Detections(stacks=seen), Truth(600, 200, stacks=shown), 20.0)
    found = counted(one)
    assert [round(one.off_mm, 3) if one.off_mm is not None else None for one in one.stacks] == [3.9, 4.1, None, 0.0]
    assert at(found, "stacks", "visible 8% and more") == shares(
        {"found": 2, "further off": 1, "not found": 1}, ("found", "further off", "not found")
    )
    assert at(found, "false stacks", "in all") == 2


class FromTruth:
    """Eyes that know the truth of a run of tables, and leave every fifth card out."""

    def __init__(self, split: str, seed: int, size: tuple[int, int], own: Own) -> None:
        self.truths = iter([render(cast(split, seed * SPREAD + n, size, own)).truth for n in range(2)])

    def __call__(self, picture: Pixels) -> Detections:
        truth = next(self.truths)
        assert picture.shape == (truth.height, truth.width, 3)
        cards = [card for n, card in enumerate(truth.cards) if n % 5]
        stacks = tuple(DetectedStack(one.center, one.radius, 1.0) for one in truth.stacks)
        return Detections(
            tuple(reported(card.quad, card.face if card.up else None, up=card.up) for card in cards), stacks
        )


def test_rendered_tables_are_measured_end_to_end(tmp_path: Path) -> None:
    own = Own(("house",), ("house-blue",), "chips-house")
    size = (480, 270)
    truths = [render(cast("train", 7 * SPREAD + n, size, own)).truth for n in range(2)]
    found = measure(TableLooks(FromTruth("train", 7, size, own), "train", 7, size, own), 2, show=tmp_path)
    shown = [[card.visible >= 0.08 for card in truth.cards] for truth in truths]
    assert at(found, "pictures") == 2
    assert at(found, "cards found", "all, 8% and more", "of") == sum(map(sum, shown))
    missed = sum(sum(marks[::5]) for marks in shown)
    assert at(found, "cards found", "all, 8% and more", "not found") == missed > 0
    assert at(found, "false cards", "in all") == 0
    rows = at(found, "faces")
    assert isinstance(rows, dict)
    assert sum(row["wrong"] for row in rows.values()) == 0
    assert len(list(tmp_path.iterdir())) == missed


# ---- photographs ----------------------------------------------------------------------------------------------------


def index(n: int, of: Quad, face: str, corner: str = "left") -> CardTruth:
    """The label of a card's index at its top left or bottom right."""
    (x, y), (a, b) = of[0], of[2]
    u, v = (x + 0.1 * (a - x), y + 0.14 * (b - y)) if corner == "left" else (a - 0.1 * (a - x), b - 0.14 * (b - y))
    return true(n, ((u - 4, v - 9), (u + 4, v - 9), (u + 4, v + 9), (u - 4, v + 9)), face, label="index")


def blank() -> Pixels:
    return np.full((400, 600, 3), 90, np.uint8)


def photo(*cards: CardTruth, ranks: dict[str, str] | None = None) -> Photograph:
    return Photograph("p.jpg", PhotoSource("here", "val", "CC0"), blank, Truth(600, 400, cards), ranks or {})


def said(seen: Sequence[DetectedCard], *cards: CardTruth) -> list[str]:
    return [one.said for one in judged(Detections(tuple(seen)), photo(*cards))]


LOW, HIGH, AWAY = quad(100, 100), quad(116, 104), quad(300, 100)


@pytest.mark.parametrize(
    ("seen", "cards", "wanted"),
    [
        pytest.param(
            [reported(LOW)], [index(1, LOW, "9h"), index(2, LOW, "9h", "right")], ["right", "right"], id="both"
        ),
        pytest.param([reported(LOW, "6h")], [index(1, LOW, "9h")], ["wrong"], id="another face"),
        pytest.param([reported(LOW, None)], [index(1, LOW, "9h")], ["cannot tell"], id="no face"),
        pytest.param([reported(LOW, None, up=False)], [index(1, LOW, "9h")], ["reported down"], id="face down"),
        pytest.param([reported(AWAY, "6h")], [index(1, LOW, "9h")], ["not found"], id="elsewhere"),
        pytest.param([reported(LOW, "6h")], [index(1, quad(125, 130), "9h")], ["not found"], id="in no corner"),
        pytest.param(
            [reported(LOW), reported(HIGH, "6h")],
            [index(1, LOW, "9h"), index(2, HIGH, "6h")],
            ["right", "right"],
            id="fanned",
        ),
        pytest.param(
            [reported(LOW), reported(HIGH, "6h")],
            [index(1, LOW, "9h"), index(2, HIGH, "7h")],
            ["right", "wrong"],
            id="upper",
        ),
        pytest.param(
            [reported(LOW)], [index(1, LOW, "9h"), index(2, HIGH, "6h")], ["right", "not found"], id="upper missed"
        ),
        pytest.param(
            [reported(LOW, "2s")],
            [index(1, LOW, "9h"), index(2, HIGH, "6h")],
            ["wrong", "not found"],
            id="one is to blame",
        ),
        pytest.param(
            [reported(LOW, None), reported(HIGH, "6h")],
            [index(1, LOW, "9h"), index(2, HIGH, "6h")],
            ["cannot tell", "right"],
            id="lower untold",
        ),
        pytest.param(
            [reported((*LOW[2:], *LOW[:2]))],
            [index(1, LOW, "9h"), index(2, LOW, "9h", "right")],
            ["right"] * 2,
            id="upside down",
        ),
    ],
)
def test_an_index_is_judged_by_the_card_that_owns_it(
    seen: list[DetectedCard], cards: list[CardTruth], wanted: list[str]
) -> None:
    assert said(seen, *cards) == wanted


def test_whole_cards_are_matched_by_quads_and_by_boxes() -> None:
    turned: Quad = ((150, 90), (210, 150), (150, 210), (90, 150))
    round_: Quad = ((90, 90), (210, 90), (210, 210), (90, 210))
    assert said([reported(turned)], true(1, round_, label="box")) == ["right"]
    assert said([reported(turned)], true(1, round_)) == ["right"]  # overlap 0.5
    assert said([reported(quad(130, 100))], true(1, LOW)) == ["not found"]
    assert said([reported(quad(110, 100), "2h")], true(1, LOW)) == ["wrong"]


def test_a_card_reported_by_its_own_index_is_no_wrong_answer_for_the_card_below() -> None:
    near = quad(110, 104)  # overlaps LOW by more than half
    assert said([reported(near, "6h")], true(1, LOW), index(2, near, "6h")) == ["not found", "right"]
    assert said([reported(LOW)], true(1, LOW), index(2, quad(108, 106), "6h")) == ["right", "not found"]


def test_ranks_backs_and_jokers_are_judged_by_what_is_known() -> None:
    cards = (
        true(1, LOW, face=None),
        true(2, AWAY, face=None, up=False),
        true(3, quad(400, 100), face=None),
        true(4, quad(500, 100), face=None),
    )
    seen = (reported(LOW), reported(AWAY, "2s"), reported(quad(400, 100), "3s"), reported(quad(500, 100), None))
    found = judged(Detections(seen), photo(*cards, ranks={"c1": "9"}))
    assert [one.said for one in found] == ["right", "wrong", "wrong", "right"]
    count = PhotographCounts({})
    count.add(photo(*cards), found, len(seen))
    rows = count.figures()
    assert at(rows, "faces", "overhead", "of") == 1
    assert at(rows, "cards face down", "here", "wrong") == 1
    assert (at(rows, "jokers", "here", "right"), at(rows, "jokers", "here", "wrong")) == (1, 1)


def test_wrong_answers_are_named_and_unreadable_cards_left_out_openly(tmp_path: Path) -> None:
    shot = photo(index(1, LOW, "9h"), index(2, AWAY, "7h"), true(3, quad(400, 100), "8h"))
    found = judged(Detections((reported(LOW, "6h", sure=0.97), reported(AWAY, None, up=False))), shot)
    path = tmp_path / "left.toml"
    path.write_text('[[unreadable]]\nsource = "here"\npicture = "p.jpg"\ncard = "c3"\nwhy = "behind a hand"\n')
    count = PhotographCounts(unreadable(path))
    count.add(shot, found, 2)
    rows = count.figures()
    assert at(rows, "faces", "overhead") == shares(
        {"wrong": 1, "cannot tell": 1}, ("right", "wrong", "cannot tell", "not found")
    )
    assert at(rows, "faces, by kind of label", "here, indices", "of") == 2
    assert at(rows, "photographs", "here") == {
        "count": 1,
        "labels": 3,
        "reported cards": 2,
        "left out": 1,
        "reported down": 1,
    }
    row = {"source": "here", "picture": "p.jpg", "card": "c1", "is": "9h", "reported": "6h", "confidence": 0.97}
    assert at(rows, "wrong") == [row]
    assert at(rows, "left out as unreadable") == [
        {"source": "here", "picture": "p.jpg", "card": "c3", "why": "behind a hand"}
    ]
    count.worst.write(tmp_path / "show")
    assert [one.name for one in sorted((tmp_path / "show").iterdir())] == [
        "000-wrong-9h-reported-6h-here-p.jpg-c1.jpg",
        "001-reported-down-7h-reported-None-here-p.jpg-c2.jpg",
    ]


def test_a_broken_list_of_unreadable_cards_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "left.toml"
    path.write_text('[[unreadable]]\nsource = "here"\n')
    with pytest.raises(DataError, match="source, picture, card and why"):
        unreadable(path)
    assert all(reason for reason in unreadable().values())


@given(st.floats(0.05, 0.25), st.floats(0.05, 0.3), st.floats(0, 6.28), st.integers(0, 3))
def test_any_corner_of_a_turned_card_holds_an_index(u: float, v: float, turn: float, corner: int) -> None:
    spin = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    place = np.array(quad(-WIDE / 2, -TALL / 2)) @ spin + 300
    u, v = (1 - u if corner % 2 else u), (1 - v if corner // 2 else v)
    point = place[0] + u * (place[1] - place[0]) + v * (place[3] - place[0])
    a, b, c, d = ((float(x), float(y)) for x, y in place)
    held = holders({7: (a, b, c, d)}, (float(point[0]), float(point[1])))
    assert list(held) == [7]
    assert held[7] == pytest.approx(np.hypot(min(u, 1 - u) - 0.1, 1.4 * (min(v, 1 - v) - 0.14)), abs=1e-3)


# ---- probabilities --------------------------------------------------------------------------------------------------


def test_promises_that_are_kept_have_no_error() -> None:
    likely = np.repeat([0.5, 0.75, 1.0], 400)
    kept = np.concatenate([np.arange(400) % 2 == 0, np.arange(400) % 4 > 0, np.ones(400, bool)])
    assert calibration_error(likely, kept, 3) == pytest.approx(0)
    assert calibration_error(likely, np.ones(1200, bool), 3) == pytest.approx(0.25)
    rows = reliability(likely, kept, 3)
    assert [(row["of"], row["promised %"], row["right %"]) for row in rows] == [
        (400, 50.0, 50.0),
        (400, 75.0, 75.0),
        (400, 100.0, 100.0),
    ]
    assert sum(int(str(row["of"])) for row in reliability(np.linspace(0, 1, 100), np.ones(100, bool))) == 100


def test_the_least_probability_lets_no_more_wrong_answers_pass_than_allowed() -> None:
    likely = np.array([0.99, 0.98, 0.97, 0.96, 0.95, 0.94])
    right = np.array([True, True, False, True, False, True])
    for allowed, least in ((0, 0.98), (1, 0.96), (1.9, 0.96), (2, 0.94)):
        assert least_sure(likely, right, allowed) == least
    assert least_sure(likely, ~right & right, 0) == 1.0
    assert at_precision(likely, right, 1.0) == 0.98
    assert at_precision(likely, right, 0.75) == 0.96
    assert at_precision(np.array([0.9, 0.9]), np.array([True, False]), 1.0) == 1.0  # equally likely: both or none


def test_a_valley_is_found() -> None:
    assert lowest(lambda x: (x - 0.3) ** 2, -2, 2) == pytest.approx(0.3, abs=1e-4)


# ---- cardless pictures, what is shown, and the tables ---------------------------------------------------------------


def test_every_card_reported_where_none_is_counts(tmp_path: Path) -> None:
    import cv2  # noqa: PLC0415  only here

    paths = [tmp_path / f"{n}.jpg" for n in range(3)]
    for path in paths:
        path.write_bytes(cv2.imencode(".jpg", blank())[1].tobytes())
    answers = iter(
        [
            Detections(),
            Detections((reported(LOW), reported(AWAY, None, up=False))),
            Detections(hands=(DetectedHand(LOW, 0.5),)),
        ]
    )
    found = measure_cardless(lambda _: next(answers), paths, show=tmp_path / "show")
    assert [found[name] for name in ("pictures", "reported cards", "of these with a face", "reported hands")] == [
        3,
        2,
        1,
        1,
    ]
    assert found["pictures with a reported card"] == 1
    assert len(list((tmp_path / "show").iterdir())) == 2


def test_the_worst_are_kept_however_many_there_are() -> None:
    worst = Worst(most=3)
    load: Callable[[], Pixels] = blank
    for weight in (1.0, 5.0, 3.0, 4.0, 2.0):
        worst.add([Mistake(weight, f"{weight}", LOW, None, load)])
    assert [fault.weight for fault in worst.faults()] == [5.0, 4.0, 3.0]


@pytest.mark.parametrize("place", [LOW, quad(-200, -200), quad(590, 390), quad(2000, 100)])
def test_a_fault_can_be_shown_wherever_it_is(place: Quad) -> None:
    shown = view(Mistake(1.0, "x", place, reported(place), blank))
    assert min(shown.shape) > 0
    assert max(shown.shape) <= 1042


def test_figures_read_as_tables() -> None:
    rows: Figures = {"pictures": 2, "faces": {"all": shares({"right": 3, "wrong": 1}, ("right", "wrong"))}, "wrong": []}
    assert list(lines(rows, "tables")) == [
        "tables",
        "  pictures                                     2",
        "",
        "tables: faces",
        "       of  right  right %  wrong  wrong %",
        "  all   4      3       75      1       25",
    ]
