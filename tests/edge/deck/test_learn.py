"""A deck from footage: whatever the cameras show whole and for certain; what is missing at the end is named."""

from pathlib import Path
from typing import ClassVar

import pytest

from feltwatch.edge.config.table_file import TableFile, read_table
from feltwatch.edge.deck import learn
from feltwatch.edge.deck.faults import DeckFaultsError
from feltwatch.edge.deck.learn import learnt_from
from feltwatch.vision.arrays import Pixels
from feltwatch.vision.detection.known_deck import FACES
from feltwatch.vision.detection.still_reader import StillReader
from tests.edge.scripted_watcher import BLIND, write_table, write_video
from tests.vision.toy_deck import ORIGIN, fit_of, house, reading, shown


class Dealing:
    """Shows the eyes every card of a list at each frame."""

    faces: ClassVar[tuple[str, ...]] = FACES
    frames: ClassVar[list[str]] = []

    def __init__(self, table: TableFile, eyes: StillReader) -> None:
        del table
        self.eyes = eyes

    def step(self, camera: str, t: float, picture: Pixels, small: Pixels) -> None:
        del t, picture, small
        self.frames.append(camera)
        assert self.eyes.deck is not None
        for face in self.faces:
            card, quad = shown(house().faces[face], seed=len(self.frames))
            self.eyes.deck.improve(card, quad[None], [fit_of(quad)], [reading({face: 0.999})])


@pytest.fixture
def given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[list[str], TableFile]:
    monkeypatch.setattr(learn, "CameraFusion", Dealing)
    monkeypatch.setattr(learn, "EVERY", 4)
    monkeypatch.setattr(Dealing, "frames", [])
    films = [write_video(tmp_path / f"{n}.mp4", [n / 25 for n in range(3)]) for n in range(3)]
    return [str(film) for film in films], read_table(write_table(tmp_path / "table.toml"))


def test_a_deck_is_learnt_over_several_videos(given: tuple[list[str], TableFile]) -> None:
    said: list[str] = []
    deck = learnt_from(*given, BLIND, ORIGIN, said.append)
    assert deck.origin == ORIGIN
    assert deck.back is None
    assert said == [f"{given[0][0]}: 0 of 52 faces"]
    assert len(Dealing.frames) == 4  # the rest is not needed


def test_what_is_missing_at_the_end_is_named(
    given: tuple[list[str], TableFile], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Dealing, "faces", FACES[2:])
    with pytest.raises(DeckFaultsError) as caught:
        learnt_from(*given, BLIND, ORIGIN)
    assert caught.value.lines == [
        "2.mp4: expected 4 clear looks at each of 52 faces in 3 videos, found 50 faces; missing: 2s 3s; add footage"
    ]
