"""A story on a table: nothing is in two places, everything ends where its event says, and hands do the work."""

from itertools import pairwise, permutations
from math import dist
from pathlib import Path

import numpy as np
import pytest

from feltwatch.datasets.common.errors import DataError
from feltwatch.datasets.deal.play import play, session
from feltwatch.datasets.deal.story import CarriedCard, ChipMove, DealtRound, Gesture
from feltwatch.datasets.deal.visible import VISIBLE
from feltwatch.datasets.film.film_cli import DEMO, FilmOrder, dress
from feltwatch.datasets.film.timeline import Reel
from feltwatch.datasets.scene.placement import beside_zones
from feltwatch.engine.books.error_catalogue import BOOK_ORDER
from feltwatch.vision.layout.zones import load_layout, parse_layout

ROUNDS = 3
SEEDS = 4
NEAR_MM = 75.0  # between a moving card and the fingers that move it
LEAP_MM = 150.0  # in a fiftieth of a second
SPLIT = "rws-blackjack-2024"


def filmed(book: str, stories: list[DealtRound]) -> Reel:
    return dress(FilmOrder(book, stories[0].seed, len(stories), DEMO, Path(), size=(640, 360)), stories)


def evening(book: str, seed: int) -> tuple[Reel, list[DealtRound]]:
    """Some rounds at one table; the middle one goes wrong."""
    codes = VISIBLE[book]
    stories = session(book, seed, [None, codes[7 * seed % len(codes)], None])
    return filmed(book, stories), stories


EVENINGS = [(book, seed) for book in BOOK_ORDER for seed in range(SEEDS)]


@pytest.mark.parametrize(("book", "seed"), EVENINGS)
def test_everything_moves_as_the_story_tells(book: str, seed: int) -> None:
    reel, stories = evening(book, seed)
    moves = [move for story in stories for move in story.moves]
    for move in moves[::2]:
        for share in (0.0, 0.3, 0.6, 0.99):
            t = move.start + share * (move.end - move.start)
            now = reel.moment(t)
            ids = [card.id for card in now.cards + now.moving_cards]
            assert len(ids) == len(set(ids)), f"a card is in two places at {t}"
            assert now.hands or not (now.moving_cards or now.moving_stacks), f"nobody moves what moves at {t}"
            if isinstance(move, CarriedCard):
                assert [card.id for card in now.moving_cards].count(move.card) == 1
                _is_held(reel, move, t)


def _is_held(reel: Reel, move: CarriedCard, t: float) -> None:
    """One card is led by a hand; of many that are swept together, one."""
    now = reel.moment(t)
    near = [((card.x - hand.x) ** 2 + (card.y - hand.y) ** 2) ** 0.5 for card in now.moving_cards for hand in now.hands]
    assert min(near) < NEAR_MM, f"{move.how} of {move.card} at {t}"


@pytest.mark.parametrize(("book", "seed"), EVENINGS)
def test_every_card_comes_to_rest_in_its_zone(book: str, seed: int) -> None:
    reel, stories = evening(book, seed)
    layout = reel.bare.layout
    for move in (move for story in stories for move in story.moves if isinstance(move, CarriedCard)):
        resting = {card.id: card for card in reel.moment(move.end).cards}
        card = resting[move.card]
        assert (card.face, card.up) == (move.face.text, move.up)
        if move.zone in layout.by_name:
            assert layout.zone_at((card.x, card.y)) == card.zone == move.zone
        else:
            assert move.zone == "outside"
            assert card.zone is None


@pytest.mark.parametrize(("book", "seed"), EVENINGS)
def test_every_stack_stands_on_its_spot(book: str, seed: int) -> None:
    """Chips of a split stand on the box's main spot, beside its own: what is printed is the box's one spot."""
    reel, stories = evening(book, seed)
    layout = reel.bare.layout
    chips = [move for story in stories for move in story.moves if isinstance(move, ChipMove)]
    begun = {(move.spot, move.start) for move in chips}
    for move in (move for move in chips if (move.spot, move.end) not in begun):
        standing = [stack for stack in reel.moment(move.end).stacks if stack.spot == move.spot]
        assert [stack.chips for stack in standing] == list(move.stacks)
        box, _, bet = move.spot.partition(".")
        printed = f"{box}.main" if bet.startswith("hand") else move.spot
        for stack in standing[:2] if printed in layout.by_name else ():
            assert layout.spot_at((stack.x, stack.y)) == printed


def test_no_two_stacks_of_a_box_stand_in_each_other() -> None:
    seen = 0
    for seed in range(60):
        story = play(SPLIT, seed, occupied=3)
        if not any(isinstance(move, ChipMove) and ".hand" in move.spot for move in story.moves):
            continue
        reel = filmed(SPLIT, [story])
        for move in (move for move in story.moves if isinstance(move, ChipMove)):
            box = move.spot.partition(".")[0]
            stacks = [one for one in reel.moment(move.end).stacks if (one.spot or "").startswith(f"{box}.")]
            seen += any(".hand" in (stack.spot or "") for stack in stacks)
            for n, one in enumerate(stacks):
                for other in stacks[:n]:
                    apart = ((one.x - other.x) ** 2 + (one.y - other.y) ** 2) ** 0.5
                    assert apart > 28, f"seed {seed}: {one.spot} and {other.spot} at {move.end}"
    assert seen > 5


@pytest.mark.parametrize("book", BOOK_ORDER)
def test_the_same_number_is_the_same_picture(book: str) -> None:
    """What rests changes only where the resting number does: the film is drawn again only then."""
    reel = filmed(book, [play(book, 5)])
    times = [n / 20 for n in range(int(reel.ends * 20))]
    changes = 0
    for one, other in pairwise(reel.moment(t) for t in times):
        if one.rest == other.rest:
            assert (one.cards, one.stacks) == (other.cards, other.stacks)
        changes += one.rest != other.rest
    assert changes > 20


@pytest.mark.parametrize("book", BOOK_ORDER)
def test_a_reel_is_the_same_whenever_it_is_asked(book: str) -> None:
    story = play(book, 2)
    one, other = filmed(book, [story]), filmed(book, [story])
    times = [story.ends * n / 17 for n in range(18)]
    forward = [one.scene_at(t) for t in times]
    assert [other.scene_at(t) for t in reversed(times)] == forward[::-1]
    assert one.scene_at(0).cards == ()
    assert one.scene_at(story.ends + 60).hands == ()


@pytest.mark.parametrize("book", BOOK_ORDER)
def test_hands_do_not_leap(book: str) -> None:
    """From one frame to the next a hand moves as people do, not by a foot."""
    story = play(book, 3)
    reel = filmed(book, [story])
    frames = [_places(reel, n / 50) for n in range(int(story.ends * 50))]
    for one, other in pairwise(frames):
        for name in one.keys() & other.keys():
            if len(one[name]) == len(other[name]):
                ways = (zip(one[name], order, strict=True) for order in permutations(other[name]))
                assert min(max(dist(a, b) for a, b in way) for way in ways) < LEAP_MM


def _places(reel: Reel, t: float) -> dict[str, list[tuple[float, float]]]:
    found: dict[str, list[tuple[float, float]]] = {}
    for hand in reel.moment(t).hands:
        found.setdefault(hand.sprite, []).append((hand.x, hand.y))
    return found


def test_gestures_bring_a_hand() -> None:
    story = play("blackjack-rws-v5", 1)
    reel = filmed("blackjack-rws-v5", [story])
    gestures = [move for move in story.moves if isinstance(move, Gesture)]
    assert gestures
    assert all(reel.moment((move.start + move.end) / 2).hands for move in gestures)


def test_a_card_slips_to_bare_felt_and_where_there_is_none_one_line_says_so() -> None:
    five = load_layout("blackjack-5")
    for seed in range(50):
        assert five.zone_at(beside_zones(five, np.random.default_rng(seed))) is None
    whole = '[[zones]]\nname = "box1.cards"\npolygon = [[-900, 5], [900, 5], [900, 890], [-900, 890]]\n'
    with pytest.raises(DataError, match=r"everywhere: expected bare felt between the boxes"):
        beside_zones(parse_layout(f'name = "everywhere"\n{whole}', "everywhere"), np.random.default_rng(0))
