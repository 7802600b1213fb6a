"""The bundled film: it is what its command makes, it can be decoded, and the engine comes to what is owed."""

import json
from decimal import Decimal
from pathlib import Path

import cv2

from feltwatch.datasets.deal.play import session
from feltwatch.datasets.film.film_cli import SPLITS, FilmOrder
from feltwatch.datasets.truth import truth_of
from feltwatch.engine.books import find_book
from feltwatch.engine.model.events import parse
from feltwatch.engine.model.verdicts import Alert, Ended
from feltwatch.engine.table import Table

CLIP = Path(__file__).parents[3] / "datasets" / "clips" / "demo.mp4"
ORDER = FilmOrder(
    "blackjack-rws-v5", 4, 2, SPLITS[-1], CLIP.parent, "dealer-overdraw", pace=2.0, occupied=2, name="demo"
)


def test_the_events_are_those_of_its_seed() -> None:
    stories = session(ORDER.book, ORDER.seed, [None, ORDER.error], boxes=7, occupied=2, pace=2.0, apart=False)
    told = [json.loads(line) for line in CLIP.with_suffix(".events.jsonl").read_text("utf-8").splitlines()]
    assert told == [json.loads(json.dumps(event, default=float)) for story in stories for event in story.events]


def test_the_engine_comes_to_what_is_owed() -> None:
    owed = json.loads(CLIP.with_suffix(".owed.json").read_text("utf-8"))["rounds"]
    table = Table(find_book(ORDER.book))
    said = [
        verdict
        for line in CLIP.with_suffix(".events.jsonl").read_text("utf-8").splitlines()
        for verdict in table.apply(parse(json.loads(line, parse_float=Decimal)))
    ]
    assert [v.code for v in said if isinstance(v, Alert)] == [code for one in owed for code in one["alerts"]]
    assert [v.result for v in said if isinstance(v, Ended)] == [one["result"] for one in owed]


def test_the_film_is_short_small_and_whole() -> None:
    assert CLIP.stat().st_size < 8_000_000
    film = cv2.VideoCapture(str(CLIP))
    frames, fps = int(film.get(cv2.CAP_PROP_FRAME_COUNT)), film.get(cv2.CAP_PROP_FPS)
    assert 20 <= frames / fps <= 60
    count = 0
    while film.read()[0]:
        count += 1
    assert count == frames


def test_every_card_dealt_is_in_the_truth_with_its_face() -> None:
    events = [json.loads(line) for line in CLIP.with_suffix(".events.jsonl").read_text("utf-8").splitlines()]
    dealt = {event["id"]: event["card"] for event in events if event["event"] == "card"}
    lines = [json.loads(line) for line in CLIP.with_suffix(".truth.jsonl").read_text("utf-8").splitlines()]
    seen = {card.id: card.face for line in lines if "rest" in line for card in truth_of(line["rest"]).cards}
    assert dealt
    assert dealt.items() <= seen.items()
