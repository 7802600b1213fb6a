"""The story of a change is the one that was drawn: what came, what went, what was moved, and which card is which."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from feltwatch.vision.scene.explain import GAIN, Explainer, Story
from feltwatch.vision.scene.rectangle_search import CardPose
from tests.vision.scene.drawn_scene import Drawn, Table

FIRST, SECOND, THIRD = Drawn(3, (0.0, 400.0, 70.0)), Drawn(7, (14.0, 412.0, 72.0)), Drawn(11, (28.0, 424.0, 66.0))


def best(table: Table) -> Story:
    stories = Explainer(table.scene).stories(table.view())
    return stories[0] if stories else Story((), (), (), 0.0)


def told(story: Story) -> tuple[set[str], list[tuple[int, str | None]]]:
    """Give the cards that left, and what came: its face, and which card it was."""
    came = [(one.best, None if card is None else card.id) for one, card in zip(story.placed, story.was, strict=True)]
    return {card.id for card in story.gone}, sorted(came, key=str)


@pytest.mark.parametrize(
    ("before", "after", "gone", "came"),
    [
        pytest.param([], [FIRST], set(), [(3, None)], id="a card comes"),
        pytest.param([FIRST], [FIRST, SECOND], set(), [(7, None)], id="another comes to lie on it"),
        pytest.param([FIRST, SECOND], [FIRST, SECOND], set(), [], id="nothing happens"),
        pytest.param([FIRST, SECOND], [FIRST], {"c2"}, [], id="the card on top is taken"),
        pytest.param([FIRST, SECOND, THIRD], [], {"c1", "c2", "c3"}, [], id="a hand is taken"),
        pytest.param(
            [FIRST, SECOND], [FIRST, Drawn(7, (90.0, 400.0, 70.0))], {"c2"}, [(7, "c2")], id="a pair is split"
        ),
        pytest.param(
            [FIRST, SECOND],
            [Drawn(3, (-60.0, 400.0, 70.0)), Drawn(7, (60.0, 400.0, 72.0))],
            {"c1", "c2"},
            [(3, "c1"), (7, "c2")],
            id="both of a pair are moved",
        ),
    ],
)
def test_the_story_is_what_was_drawn(
    before: list[Drawn], after: list[Drawn], gone: set[str], came: list[tuple[int, str | None]]
) -> None:
    table = Table(before)
    table.cards = after
    assert told(best(table)) == (gone, came)


def test_a_card_across_another_of_its_face_is_a_new_one() -> None:
    table = Table([FIRST, SECOND])
    table.cards = [FIRST, SECOND, Drawn(7, (10.0, 440.0, 160.0))]
    gone, came = told(best(table))
    assert not gone
    assert came == [(7, None)]


POSES = st.tuples(st.floats(-60, 60), st.floats(360, 440), st.floats(0, 180))


@settings(max_examples=20, deadline=None, derandomize=True)
@given(poses=st.lists(POSES, min_size=1, max_size=4), taken=st.booleans())
def test_whatever_lies_there_the_next_card_or_the_last_is_told_or_nothing(
    poses: list[CardPose], *, taken: bool
) -> None:
    cards = [Drawn(3 + 2 * number, pose) for number, pose in enumerate(poses)]
    table = Table(cards if taken else cards[:-1])
    table.cards = cards[:-1] if taken else cards
    gone, came = told(best(table))
    last = f"c{len(cards)}"
    assert (gone, came) in [({last}, []) if taken else (set(), [(cards[-1].number, None)]), (set(), [])]


def test_what_is_hidden_is_not_told_as_gone() -> None:
    table = Table([FIRST])
    table.cards = []
    view = table.view()
    view.rest[:] = False
    assert all(not story.sound for story in Explainer(table.scene).stories(view) if story.gone)


def test_light_that_fades_a_little_is_no_story() -> None:
    table = Table([FIRST, SECOND])
    view = table.view()
    view.now[:] = np.clip(view.now * 0.97, 0, 255)
    assert float(view.now.mean()) > GAIN
    assert Explainer(table.scene).stories(view) == []
