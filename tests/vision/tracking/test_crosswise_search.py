"""A card that the detector does not find is read where it may lie, in a frame of the bundled film."""

from functools import cache

import numpy as np
import pytest

from feltwatch.vision.table_watcher import TableWatcher
from feltwatch.vision.tracking.crosswise_search import CrosswiseSearch
from feltwatch.vision.tracking.track import CardTrack
from tests.film_frames import frame
from tests.film_watched import CAMERA, begun, clip, eyes

NUMBER = 330  # of a frame in which a whole card lies still
BARE = (0.0, 700.0)  # nothing lies there


@cache
def table() -> tuple[TableWatcher, CardTrack]:
    """Give a table as one look at it tells, and a card that lies there alone."""
    fusion = begun().fusion
    fusion.join(CAMERA, clip()[0].size)
    watcher = fusion.tracks[CAMERA].watcher
    watcher.still_s = 0.0
    watcher.step(0.0, frame(NUMBER))
    cards = [card for card in watcher.lying.cards if card.up and watcher.lying.covered(card) == 0]
    return watcher, max(cards, key=lambda card: card.votes.best[1])


@pytest.mark.parametrize("off", [(0.0, 0.0), (10.0, -6.0), (-8.0, 12.0)])
@pytest.mark.parametrize("askew", [-12.0, 0.0, 12.0])
def test_a_card_is_read_near_where_it_is_supposed(off: tuple[float, float], askew: float) -> None:
    watcher, card = table()
    ways = [card.angle + askew + turn for turn in (-14.0, 0.0, 14.0)]
    middles = np.array([np.add(card.place, off)])
    found = CrosswiseSearch(watcher.camera).crosswise(eyes(), frame(NUMBER), (0.0, 0.0), middles, (ways, (63.0, 88.0)))
    assert found is not None
    assert int(found.faces.argmax()) == card.votes.best[0]
    assert np.hypot(*np.subtract(found.place, card.place)) < 12


@pytest.mark.parametrize("middle", [BARE, (-500.0, 250.0)])
def test_where_none_lies_none_is_read(middle: tuple[float, float]) -> None:
    watcher, _ = table()
    ways, middles = [0.0, 45.0, 90.0, 135.0], np.array([middle])
    found = CrosswiseSearch(watcher.camera).crosswise(eyes(), frame(NUMBER), (0.0, 0.0), middles, (ways, (63.0, 88.0)))
    assert found is None
