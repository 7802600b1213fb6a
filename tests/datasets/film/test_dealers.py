"""Films of many dealers: each habit is seen, and whatever a dealer does, the truth says where every card lies."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from math import hypot
from pathlib import Path

import pytest

from feltwatch.datasets.deal.play import session
from feltwatch.datasets.deal.story import CarriedCard, DealtRound
from feltwatch.datasets.film.film_cli import DEMO, FilmOrder, dress, with_one_place
from feltwatch.datasets.film.timeline import Reel
from feltwatch.datasets.scene.dealer import Dealer, any_of
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
