"""`feltwatch run` with a deck of the table's own: learnt from its cards, and noticed when another one is dealt."""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from feltwatch.edge.cli.main import main
from feltwatch.edge.cli.options import command_parser
from feltwatch.edge.config.table_file import TableFile
from feltwatch.edge.journal.store import entries
from feltwatch.edge.pipeline.table_pipeline import TablePipeline
from feltwatch.edge.pipeline.table_state import TableState
from feltwatch.edge.service.run import run
from feltwatch.vision.arrays import Pixels
from feltwatch.vision.detection.deck_learner import LOOKS
from feltwatch.vision.detection.deck_use import RUN, DeckInUse
from feltwatch.vision.detection.known_deck import FACES, KnownDeck, read_deck, write_deck
from feltwatch.vision.drawing.view import TableView
from tests.edge.scripted_watcher import Script, ScriptedNetworks, write_table, write_video
from tests.json_events import Event
from tests.vision.toy_deck import fit_of, house, other, reading, shown


def deal(deck: DeckInUse, cards: KnownDeck, faces: tuple[str, ...]) -> None:
    for face in faces:
        picture, quad = shown(cards.faces[face])
        deck.improve(picture, quad[None], [fit_of(quad)], [reading({face: 0.999})])


class Dealt:
    """Deals some cards of a deck at each frame."""

    def __init__(self, cards: KnownDeck, faces: tuple[str, ...]) -> None:
        self.cards, self.faces = cards, faces
        self.deck: DeckInUse | None = None

    def step(self, camera: str, t: float, picture: Pixels, small: Pixels) -> list[Event]:
        del camera, t, picture, small
        assert self.deck is not None
        deal(self.deck, self.cards, self.faces)
        return []

    def finish(self) -> list[Event]:
        return []

    def view(self, camera: str) -> TableView:
        del camera
        return TableView()

    def doubts(self) -> tuple[str, ...]:
        return ()


class DealtNetworks(ScriptedNetworks):
    def __init__(self, script: Dealt) -> None:
        super().__init__()
        self.script = script

    def watching(self, table: TableFile) -> Script:
        del table
        return self.script

    def pipeline(self, table: TableFile, state: TableState | None = None) -> TablePipeline:
        found = super().pipeline(table, state)
        self.script.deck = found.deck
        return found


@pytest.fixture
def given(tmp_path: Path) -> Path:
    """Make a film of half a second, and a table whose camera it is and whose deck is to be learnt."""
    write_video(tmp_path / "demo.mp4", [n / 25 for n in range(12)])
    table = write_table(tmp_path / "table.toml")
    text = table.read_text("utf-8")
    table.write_text(text.replace("[table]\n", '[table]\ndeck = "own.deck"\nlearn_deck = true\n', 1), "utf-8")
    return table


def options(table: Path) -> argparse.Namespace:
    return command_parser().parse_args(["run", "-c", str(table), "--broker-port", "0", "--quiet"])


def notes(table: Path) -> Iterator[tuple[str, str]]:
    for entry in entries(table.parent / "demo.record" / "demo.journal"):
        if entry.kind == "note":
            body = json.loads(entry.body)
            yield body["kind"], body["says"]


def test_a_deck_is_learnt_written_and_used(given: Path) -> None:
    script = Dealt(house(), FACES)
    assert run(options(given), lambda *_: DealtNetworks(script)) == 0
    deck = read_deck(given.parent / "own.deck")
    assert (deck.origin.maker, deck.origin.source) == ("deck of demo", "footage")
    begun, learnt = (says for kind, says in notes(given) if kind == "deck")
    assert begun.endswith("the deck is learnt from the cards on the table; none is there yet")
    assert learnt.endswith(f"the deck was learnt and is used from now on: {deck.named}")
    assert script.deck is not None
    assert script.deck.templates is not None
    assert script.deck.learner is None


def test_nothing_is_written_while_a_face_is_missing(given: Path) -> None:
    assert run(options(given), lambda *_: DealtNetworks(Dealt(house(), FACES[1:]))) == 0
    assert not (given.parent / "own.deck").exists()
    assert [kind for kind, _ in notes(given)].count("deck") == 1
    assert LOOKS <= 12  # frames: there were enough


def test_another_deck_on_the_table_is_one_doubt_and_no_alert(given: Path) -> None:
    write_deck(given.parent / "own.deck", house())
    assert run(options(given), lambda *_: DealtNetworks(Dealt(other(), FACES[:RUN]))) == 0
    (says,) = (says for kind, says in notes(given) if kind == "doubt")
    assert says.startswith("the deck on the table is not the enrolled one (Example, blue, learnt 2026-11-20 from ")
    assert [kind for kind, _ in notes(given) if kind == "deck"] == []
    assert not any(entry.kind == "alert" for entry in entries(given.parent / "demo.record" / "demo.journal"))


def test_a_bad_deck_is_refused_before_anything_is_watched(given: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = given.parent / "own.deck"
    path.write_text("no deck")
    assert main(["run", "-c", str(given), "--broker-port", "0"]) == 2
    says = f"{given}: table.deck: {path}: expected a file that `feltwatch deck` wrote, found another kind"
    assert capsys.readouterr().err == f"feltwatch: {says}\n"
    given.write_text(given.read_text("utf-8").replace("learn_deck = true", "learn_deck = false"))
    path.unlink()
    assert main(["run", "-c", str(given), "--broker-port", "0"]) == 2
    assert "expected a deck file, found none that can be read" in capsys.readouterr().err
    assert not (given.parent / "demo.record").exists()
