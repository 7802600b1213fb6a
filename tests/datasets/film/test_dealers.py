"""Films of many dealers: each habit is seen, and whatever a dealer does, the truth says where every card lies."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise
from math import cos, hypot, radians, sin
from pathlib import Path

import cv2
import numpy as np
import pytest

from feltwatch.datasets.__main__ import main
from feltwatch.datasets.art.felts.things import KINDS
from feltwatch.datasets.common.errors import DataError
from feltwatch.datasets.deal.play import session
from feltwatch.datasets.deal.story import THINGS, CarriedCard, ChipMove, DealtRound, Gesture, ThingMove
from feltwatch.datasets.film.film_cli import DEMO, FilmOrder, dress, table_toml, whole_table, with_one_place
from feltwatch.datasets.film.timeline import Reel
from feltwatch.datasets.lighting import LightChange
from feltwatch.datasets.render.compose import render
from feltwatch.datasets.scene.dealer import (
    BLACKJACK_HABITS,
    EACH_SPLIT,
    HOUSE,
    RESERVED,
    SIKIPI_HABITS,
    Dealer,
    any_of,
    named,
)
from feltwatch.datasets.scene.light import change_light
from feltwatch.datasets.scene.rows import WAYS
from feltwatch.datasets.scene.scene import LaidCard, Scene
from feltwatch.datasets.truth import truth_of
from feltwatch.edge.config.table_file import read_table
from feltwatch.engine.books.error_catalogue import BOOK_ORDER
from feltwatch.vision.arrays import Mask
from feltwatch.vision.geometry.card_plane import INDEX_SPOTS
from feltwatch.vision.layout.zones import load_layout
from tests.datasets.deal.test_play import agrees, lawful

DEALERS = 6
CHANGED = 12  # grey levels
JUDGES = ("train", "val", "test")


def of(split: str, seed: int) -> Dealer:
    return replace(any_of(split, seed), seed=seed)


def stories_of(book: str, dealer: Dealer) -> list[DealtRound]:
    return session(book, dealer.seed, [None], pace=dealer.pace, dealer=dealer, apart=False)


@cache
def reel_of(book: str, dealer: Dealer, *, one_place: bool) -> tuple[Reel, DealtRound]:
    """Give a round of a dealer on the bundled table, or on one without places for split hands."""
    (story,) = stories_of(book, dealer)
    reel = dress(FilmOrder(book, dealer.seed, 1, DEMO, Path(), size=(640, 360)), [replace(story, boxes=story.boxes)])
    layout = with_one_place(reel.bare.layout) if one_place else reel.bare.layout
    return Reel(replace(reel.bare, layout=layout), dealer, [story], reel.sprites, reel.foreign), story


def rounds(book: str) -> Iterator[tuple[Reel, DealtRound]]:
    for split in JUDGES:
        for seed in range(DEALERS):
            yield reel_of(book, of(split, seed), one_place=seed % 2 == 0)


def seen_at(reel: Reel, t: float, name: str) -> LaidCard | None:
    now = reel.moment(t)
    return next((card for card in now.cards + now.moving_cards if card.id == name), None)


@pytest.mark.parametrize("book", BOOK_ORDER)
def test_every_dealer_deals_by_the_book(book: str) -> None:
    for split in JUDGES:
        for seed in range(4 * DEALERS):
            for story in stories_of(book, of(split, seed)):
                agrees(story)
                lawful(story)


@pytest.mark.parametrize("book", BOOK_ORDER)
def test_every_card_lies_in_the_zone_that_the_events_name(book: str) -> None:
    """On a felt without places for split hands, in the place of the box."""
    for reel, story in rounds(book):
        layout = reel.bare.layout
        for move in (move for move in story.moves if isinstance(move, CarriedCard) and not move.lifted):
            card = seen_at(reel, move.end, move.card)
            assert card is not None
            printed = move.zone if move.zone in layout.by_name else f"{move.zone.partition('.')[0]}.cards"
            assert card.zone == move.zone or card in reel.moment(move.end).moving_cards  # it goes on at once
            assert layout.zone_at((card.x, card.y)) == printed, (reel.dealer.name, story.seed, move)


@pytest.mark.parametrize("book", BOOK_ORDER)
def test_nothing_is_moved_but_by_an_event_or_an_act_of_the_truth(book: str) -> None:
    seen = 0
    for reel, story in rounds(book):
        acts = {(act.t, act.id): act.about for act in reel.acts() if act.what != "thing"}
        reported = {(float(str(event["t"])), event["id"]) for event in story.events if "id" in event}
        for move in (move for move in story.moves if isinstance(move, CarriedCard) and move.how != "lift"):
            old, new = seen_at(reel, move.start, move.card), seen_at(reel, move.end, move.card)
            assert new is not None
            assert ((move.end, move.card) in acts) != ((move.end, move.card) in reported)
            if old is not None and (move.end, move.card) in acts:
                by = acts[move.end, move.card]["by_mm"]
                assert by == [round(new.x - old.x, 1), round(new.y - old.y, 1)]
                seen += hypot(new.x - old.x, new.y - old.y) > 1
    assert seen


# ---- who they are ---------------------------------------------------------------------------------------------------

GROUPS = (BLACKJACK_HABITS, SIKIPI_HABITS)


def habits(dealer: Dealer, group: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(getattr(dealer, name) for name in group)


def everybody(split: str) -> list[Dealer]:
    return [named(f"{split}-{number}", split) for number in range(EACH_SPLIT)]


@pytest.mark.parametrize("group", GROUPS)
def test_no_two_splits_share_a_combination_of_whole_habits(group: Mapping[str, tuple[str, ...]]) -> None:
    seen = {split: {habits(dealer, group) for dealer in everybody(split)} for split in JUDGES}
    assert not seen["train"] & seen["val"] | seen["train"] & seen["test"] | seen["val"] & seen["test"]
    assert not any(RESERVED.intersection(one) for split in ("train", "val") for one in seen[split])
    assert sum(bool(RESERVED.intersection(one)) for one in seen["test"]) > len(seen["test"]) / 2


@pytest.mark.parametrize("split", JUDGES)
def test_every_habit_occurs_among_the_dealers_of_a_split_but_those_that_are_reserved(split: str) -> None:
    for name, values in {**BLACKJACK_HABITS, **SIKIPI_HABITS}.items():
        found = Counter(getattr(dealer, name) for dealer in everybody(split))
        due = {value for value in values if split == "test" or value not in RESERVED}
        assert set(found) == due
        assert min(found.values()) >= EACH_SPLIT / len(due) / 4, found


def test_measures_reach_as_far_as_those_of_people() -> None:
    them = [dealer for split in JUDGES for dealer in everybody(split)]
    for name, least, most in (
        ("offset_mm", 3, 50),
        ("tilt_deg", 1, 22),
        ("angle_deg", 1, 10),
        ("pace", 0.55, 1.8),
        ("pile_mm", 1, 15),
    ):
        found = [getattr(dealer, name) for dealer in them]
        assert min(found) < least < most < max(found), name
    for name in ("close", "rests", "nudges", "things", "on_top", "several", "two_hands", "parts_first", "in_pairs"):
        assert len({bool(getattr(dealer, name)) for dealer in them}) == 2, name


def test_a_dealer_is_known_by_name_and_works_for_one_split() -> None:
    assert named("val-17", "val") == named("val-17", "val") != named("val-18", "val")
    assert any_of("val", 3) == named(any_of("val", 3).name, "val")
    for name in ("test-17", f"val-{EACH_SPLIT}", "val-x", "anna", "val--1"):
        with pytest.raises(DataError, match="expected val-0 to val-199"):
            named(name, "val")


def test_the_command_lists_those_with_a_habit(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["dealers", "--split", "test", "way=up-left"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == [one.name for one in everybody("test") if one.way == "up-left"]
    for wrong, says in (("way=sideways", "expected one of right, left"), ("pace=2", "no habit 'pace'")):
        assert main(["dealers", wrong]) == 2
        assert says in capsys.readouterr().err


# ---- what is seen of their habits -----------------------------------------------------------------------------------


def landed(reel: Reel, story: DealtRound, zone: str) -> list[LaidCard]:
    """Give the cards of a zone as each came to lie, in the order dealt."""
    moves = [move for move in story.moves if isinstance(move, CarriedCard) and (move.how, move.zone) == ("deal", zone)]
    return [card for move in moves if (card := seen_at(reel, move.end, move.card))]


NEAT = Dealer("neat", place_mm=0.01, angle_deg=0.01, own_way="right", edge_mm=8.0)


@pytest.mark.parametrize("way", [way for way in BLACKJACK_HABITS["way"] if way != "squared"])
def test_cards_of_a_hand_follow_each_other_as_the_dealer_lays_them(way: str) -> None:
    seen = 0
    for seed in range(8):
        dealer = replace(NEAT, seed=seed, way=way, offset_mm=14.0, tilt_deg=20.0)
        reel, story = reel_of("blackjack-rws-v5", dealer, one_place=True)
        for box in range(1, 8):
            for one, other in pairwise(landed(reel, story, f"box{box}.cards")[:3]):
                top = radians(one.angle)
                x, y = other.x - one.x, other.y - one.y
                right, up = x * sin(top) - y * cos(top), x * cos(top) + y * sin(top)
                assert (round(right / 14, 1), round(up / 14, 1)) == WAYS[way]
                seen += 1
    assert seen > 5


def test_neat_packets_are_squared_and_loose_ones_are_not() -> None:
    def offsets(dealer: Dealer) -> list[float]:
        reel, story = reel_of("si-ki-pi-v3", dealer, one_place=False)
        hand = landed(reel, story, "dealer.cards")
        return [hypot(other.x - one.x, other.y - one.y) for one, other in pairwise(hand)]

    packets = [dealer for dealer in everybody("test") if dealer.deal == "packets"][:5]
    loose = [dealer for dealer in everybody("test") if dealer.deal == "loose-packets"][:5]
    assert max(max(offsets(dealer)) for dealer in packets) < 8
    assert max(max(offsets(dealer)) for dealer in loose) > 8


def test_a_pair_is_moved_apart_where_no_place_is_printed_and_lies_clear() -> None:
    ways = set()
    for split in JUDGES:
        for seed in range(60):
            dealer = of(split, seed)
            reel, story = reel_of("blackjack-rws-v5", dealer, one_place=True)
            moves = [move for move in story.moves if isinstance(move, CarriedCard)]
            for move in (move for move in moves if move.how == "slide" and move.zone.endswith("hand2")):
                end = max(
                    other.end for other in moves if other.end <= move.end + 1 and other.how in ("slide", "spread")
                )
                first = next(other for other in moves if other.zone == f"{move.zone[:4]}.cards" and other.start < end)
                one, other_card = seen_at(reel, end, first.card), seen_at(reel, end, move.card)
                assert one is not None
                assert other_card is not None
                assert hypot(one.x - other_card.x, one.y - other_card.y) > 40
                ways.add(dealer.split)
    assert ways == set(BLACKJACK_HABITS["split"])


def test_what_people_do_besides_the_game_is_in_the_films() -> None:
    found: Counter[str] = Counter()
    for book in ("rws-blackjack-2024", "si-ki-pi-v3"):
        for seed in range(60):
            for story in stories_of(book, of("train", seed)):
                for move in story.moves:
                    found["rests"] += isinstance(move, Gesture) and move.end - move.start > 1.2
                    found["pushed"] += isinstance(move, CarriedCard) and move.how == "nudge"
                    found["moved aside"] += isinstance(move, CarriedCard) and move.how == "spread"
                    found["brought"] += isinstance(move, ThingMove) and move.there
                    found["taken away"] += isinstance(move, ThingMove) and not move.there
                    found["held up"] += isinstance(move, CarriedCard) and move.lifted and move.end - move.start > 0.9
    assert set(+found) == {"rests", "pushed", "moved aside", "brought", "taken away", "held up"}


def test_a_hand_that_rests_leaves_before_a_card_comes_or_goes() -> None:
    rests = 0
    for seed in range(40):
        dealer = replace(of("train", seed), rests=0.5)
        for story in stories_of("blackjack-rws-v5", dealer):
            resting = [one for one in story.moves if isinstance(one, Gesture) and one.end - one.start > 1.2]
            rests += len(resting)
            for move in (move for move in story.moves if isinstance(move, CarriedCard)):
                over = [one for one in resting if one.over == move.zone and one.start < move.start - 0.01]
                assert all(one.end <= move.start + 0.2 for one in over)
    assert rests > 20


def test_a_late_chip_is_put_on_top_and_a_bet_stands_in_two_stacks() -> None:
    dealer = replace(HOUSE, on_top=1.0, several=1.0)
    stacks = [
        (len(move.stacks), move.by)
        for seed in range(20)
        for story in stories_of("blackjack-rws-v5", replace(dealer, seed=seed))
        for move in story.moves
        if isinstance(move, ChipMove) and move.spot.endswith(".main") and move.how == "place"
    ]
    assert {1, 2} == {count for count, by in stacks if by != "dealer"}


def test_every_face_that_is_reported_can_be_seen_when_it_comes_to_rest() -> None:
    seen, hidden = 0, []
    for book in BOOK_ORDER:
        for reel, story in rounds(book):
            for event in (event for event in story.events if event.get("face") == "up"):
                cards = reel.moment(float(str(event["t"]))).cards
                places = [n for n, card in enumerate(cards) if card.id == event["id"]]
                seen += len(places)
                hidden += [(reel.dealer.name, event) for n in places if index_shown(cards[n:]) < 0.5]
    assert seen > 500
    assert len(hidden) < seen / 100, hidden


def index_shown(cards: Sequence[LaidCard]) -> float:
    """Give how much of the better index of the first card the others leave free, seen from straight above."""
    card, *others = cards
    outlines = [other.corners[:, :2].astype(np.float32) for other in others]
    shares = []
    for spots in (INDEX_SPOTS, 1 - INDEX_SPOTS):
        points = card.points(spots[:, 0], spots[:, 1])[:, :2].tolist()
        free = [all(cv2.pointPolygonTest(one, (x, y), measureDist=False) < 0 for one in outlines) for x, y in points]
        shares.append(sum(free) / len(free))
    return max(shares)


# ---- the picture and its truth --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def lying() -> Scene:
    """Give a table at the end of a round in which much happens, without hands."""
    dealer = replace(of("val", 3), things=0.5, nudges=0.5)
    (story,) = stories_of("blackjack-rws-v5", dealer)
    reel = dress(FilmOrder("blackjack-rws-v5", 3, 1, DEMO, Path(), size=(1280, 720)), [story])
    reel = Reel(reel.bare, dealer, [story], reel.sprites, reel.foreign)
    now = max((reel.moment(n / 2) for n in range(int(2 * reel.ends))), key=lambda one: len(one.cards) * len(one.things))
    assert len(now.things) > 1
    return replace(reel.bare, cards=now.cards, stacks=now.stacks, things=now.things)


def changed(one: Scene, other: Scene) -> Mask:
    apart = np.abs(render(one).image.astype(int) - render(other).image).max(axis=2)
    return np.asarray(apart > CHANGED)


def inside(outline: Sequence[tuple[float, float]]) -> Mask:
    mask = np.zeros((720, 1280), np.uint8)
    cv2.fillPoly(mask, [np.round(np.array(outline)).astype(np.int32)], 1)
    return np.asarray(mask > 0)


def test_what_the_truth_says_of_cards_and_things_is_where_the_picture_shows_them(lying: Scene) -> None:
    still = replace(lying, sensor=replace(lying.sensor, noise=0.0, jpeg=0))
    truth = render(still).truth
    assert [thing.id for thing in truth.things] == [thing.id for thing in still.things]
    assert {thing.kind for thing in truth.things} <= set(THINGS)
    for n, thing in enumerate(truth.things):
        without = replace(still, things=still.things[:n] + still.things[n + 1 :])
        apart, whole = changed(still, without), inside(thing.hull)
        assert (apart & whole).sum() > 0.5 * whole.sum(), thing.kind
        assert (apart & ~cv2.dilate(whole.astype(np.uint8), np.ones((25, 25))).astype(bool)).sum() == 0, thing.kind
        assert thing.visible > 0.9
    for n, card in enumerate(truth.cards):
        without = replace(still, cards=still.cards[:n] + still.cards[n + 1 :])
        if card.visible > 0.95 and card.zone != "discard":
            apart, whole = changed(still, without), inside(card.quad)
            assert (apart & whole).sum() > 0.6 * whole.sum()
            assert (apart & ~cv2.dilate(whole.astype(np.uint8), np.ones((21, 21))).astype(bool)).sum() == 0


def test_things_lie_clear_of_cards_and_chips_and_are_no_cards(lying: Scene) -> None:
    assert {thing.kind for thing in lying.things} <= set(KINDS) == set(THINGS)
    for thing in lying.things:
        places = [(card.x, card.y) for card in lying.cards] + [(stack.x, stack.y) for stack in lying.stacks]
        assert all(hypot(x - thing.x, y - thing.y) > 85 for x, y in places)


def test_the_truth_of_a_thing_comes_back_from_its_papers(lying: Scene) -> None:
    truth = render(lying).truth
    again = truth_of(json.loads(json.dumps(truth.to_dict())))
    assert [thing.to_dict() for thing in again.things] == [thing.to_dict() for thing in truth.things]


# ---- the table, the light and the camera ----------------------------------------------------------------------------


def test_light_that_changes_is_that_of_its_moment() -> None:
    flat = np.full((90, 160, 3), 100, np.uint8)
    assert change_light(flat, LightChange(), 7.0) is flat
    drift = LightChange(drift=0.1, drift_s=40.0)
    assert [int(change_light(flat, drift, t).mean().round()) for t in (0.0, 10.0, 20.0, 30.0)] == [100, 110, 100, 90]
    flicker = LightChange(flicker=0.03, flicker_hz=2.5)
    assert {int(change_light(flat, flicker, n / 25)[0, 0, 0]) for n in range(10)} >= {97, 103}
    shaded = change_light(flat, LightChange(shade=0.4, shade_s=8.0, shade_at=(0.2, 0.1, 0.2)), 2.0)
    assert shaded[:, -20:].mean() > 98
    assert shaded[:30, :50].mean() < 80


def test_cameras_hang_on_every_side_and_see_the_whole_felt() -> None:
    sides: Counter[tuple[bool, bool]] = Counter()
    turned = 0
    layout = load_layout("blackjack-7")
    for seed in range(40):
        camera = whole_table(np.random.default_rng(seed), (1920, 1080), layout)
        seen = camera.to_picture(np.array(layout.outline))
        assert (seen >= 0).all()
        assert (seen <= [1920, 1080]).all()
        sides[camera.eye[0] > 0, camera.eye[1] > 440] += 1
        dealer, player = camera.to_picture([[0.0, 0.0], [0.0, 800.0]])
        turned += bool(dealer[1] > player[1])
    assert len(sides) == 4
    assert 8 < turned < 30


def test_a_felt_with_one_place_for_a_box_is_one_that_its_table_file_describes(tmp_path: Path) -> None:
    (story,) = stories_of("blackjack-rws-v5", of("val", 0))
    order = FilmOrder("blackjack-rws-v5", 0, 1, "val", tmp_path)
    bare = dress(replace(order, split=DEMO), [story]).bare
    for layout in (bare.layout, with_one_place(bare.layout)):
        path = tmp_path / "table.toml"
        path.write_text(table_toml("one.mp4", order, [story], replace(bare, layout=layout)))
        read = read_table(path).layout
        assert {area.name: area.polygon for area in read.areas} == {area.name: area.polygon for area in layout.areas}
    assert not any(".hand" in area.name for area in with_one_place(bare.layout).areas)
