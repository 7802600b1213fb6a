"""On which spot a stack stands, and what shows of one under an arm."""

import numpy as np
import pytest

from feltwatch.engine.books import BOOKS, find_book
from feltwatch.vision.detection.roi_detection import Glimpse, StackGlimpse
from feltwatch.vision.geometry.patch import Patch
from feltwatch.vision.layout.shapes import for_book
from feltwatch.vision.layout.zones import load_layout
from feltwatch.vision.motion.change_detector import ChangeDetector, FrameChange
from feltwatch.vision.motion.hand_attribution import HandAttribution
from feltwatch.vision.tracking.chip_tracker import BESIDE_MM, IN_PART_MM, ChipTracker
from feltwatch.vision.tracking.roi_context import RoiContext
from tests.toy_table import CAMERA, LAYOUT, SIZE, Arm, Chips, Toy, felt

PRESETS = {"si-ki-pi-v3": "si-ki-pi-6"}


def stacks(book: str) -> ChipTracker:
    return ChipTracker(for_book(load_layout(PRESETS.get(book, "blackjack-7")), find_book(book)))


@pytest.mark.parametrize("book", BOOKS)
def test_a_stack_stands_on_the_spot_on_which_it_is_laid(book: str) -> None:
    found = stacks(book)
    assert {found.spot_of(area.first) == area.name for area in found.spots} == {True}


@pytest.mark.parametrize("book", BOOKS)
def test_a_stack_that_stands_a_little_beside_a_spot_is_meant_for_it(book: str) -> None:
    found = stacks(book)
    area = found.layout.by_name["box4.main"]
    x, y = max(area.polygon, key=lambda point: point[0] + point[1])
    beside = x + BESIDE_MM / 2, y + BESIDE_MM / 2
    assert 0 < area.away(beside) < BESIDE_MM
    assert found.spot_of(beside) is not None


def test_a_stack_in_the_middle_of_the_table_stands_on_no_spot() -> None:
    assert stacks("live-blackjack").spot_of((0.0, 330.0)) is None


RADIUS_MM = 19.75


@pytest.mark.parametrize(
    ("off", "armed", "stand"),
    [(0.6 * IN_PART_MM, True, 1), (1.5 * IN_PART_MM, True, 2), (0.9 * IN_PART_MM, False, 2)],
    ids=["what shows beside an arm", "another beside an arm", "another, and no arm"],
)
def test_what_shows_of_a_stack_beside_an_arm_is_no_other(off: float, stand: int, *, armed: bool) -> None:
    attention = ChangeDetector(SIZE)
    small = attention.step(0.0, felt()).small.copy()
    attention.is_bare[:] = True
    found, sides = ChipTracker(LAYOUT), HandAttribution(CAMERA, LAYOUT, attention.size, attention.factor)
    x, y = LAYOUT.by_name["box4.main"].first
    shape = attention.size[1], attention.size[0]
    nothing = np.zeros(shape, bool)

    def look(t: float, *places: float, arm: bool = False) -> None:
        seen = [_glimpse(x + place, y) for place in places]
        changed = nothing.copy()
        for one in seen:
            patch = Patch.disc(one.center, one.radius_px, attention.factor, shape)
            small[patch.box][patch.mask] = 250
            patch.onto(changed)
        over = (CAMERA.to_picture([[x - 60, y - 60], [x + 5, y - 60], [x + 60, y + 60], [x - 60, y + 60]]),)
        sight = FrameChange(t, small, (0.0, 0.0), 1.0, nothing, changed)
        glimpse = Glimpse((), tuple(seen), over if arm else ())
        found.take(RoiContext(sight, attention, sides, felt(), glimpse, changed, nothing))

    for n in range(3):
        look(0.04 * n, 0.0)
    assert len(found.stacks) == 1
    for n in range(3, 8):
        look(0.04 * n, off, arm=armed)
    assert len(found.stacks) == stand


def _glimpse(x: float, y: float) -> StackGlimpse:
    ((u, v),) = CAMERA.to_picture([[x, y]])
    return StackGlimpse((float(u), float(v)), (x, y), RADIUS_MM * CAMERA.scale(x, y), 0.95)


@pytest.mark.parametrize(("colour", "stand"), [((70, 105, 40), 0), ((40, 40, 200), 1)], ids=["a print", "chips"])
def test_where_a_hand_lay_when_watching_began_a_ring_that_is_printed_is_no_stack(
    colour: tuple[int, int, int], stand: int
) -> None:
    x, y = LAYOUT.by_name["box4.main"].first
    arm = Arm(x, y - 40, dealers=False)
    toy = Toy([Chips(x, y, colour), arm])
    toy.wait(1.0)
    toy.things.remove(arm)
    toy.wait(2.0)
    assert len(toy.watcher.stacks.stacks) == stand
    assert len([event for event in toy.events if event["event"] == "chips"]) == stand
