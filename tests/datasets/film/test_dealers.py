"""Films of many dealers: each habit is seen, and whatever a dealer does, the truth says where every card lies."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from itertools import pairwise
from math import cos, hypot, radians, sin
from pathlib import Path

import pytest

from feltwatch.datasets.common.errors import DataError
from feltwatch.datasets.deal.play import session
from feltwatch.datasets.deal.story import CarriedCard, ChipMove, DealtRound
from feltwatch.datasets.film.film_cli import DEMO, FilmOrder, dress, with_one_place
from feltwatch.datasets.film.timeline import Reel
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
from feltwatch.datasets.scene.rows import WAYS
from feltwatch.datasets.scene.scene import LaidCard
from feltwatch.engine.books.error_catalogue import BOOK_ORDER
from tests.datasets.deal.test_play import agrees, lawful

DEALERS = 6
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
        for move in (move for move in story.moves if isinstance(move, CarriedCard)):
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
        told = {(float(str(event["t"])), event["id"]) for event in story.events if "id" in event}
        for move in (move for move in story.moves if isinstance(move, CarriedCard) and move.how != "lift"):
            old, new = seen_at(reel, move.start, move.card), seen_at(reel, move.end, move.card)
            assert new is not None
            assert ((move.end, move.card) in acts) != ((move.end, move.card) in told)
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
