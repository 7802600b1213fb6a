"""The report: true to the events and verdicts, self-contained, well formed, and deaf to what a file name may say."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import cache
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import cv2
import numpy as np
import pytest

from feltwatch.datasets.deal.play import session
from feltwatch.datasets.deal.visible import STALE, VISIBLE
from feltwatch.edge.errors import UsageError
from feltwatch.edge.report.cards import card_svg
from feltwatch.edge.report.html import VOID, Markup, plain, tag
from feltwatch.edge.report.page import Facts, TableFacts, VideoFacts, page, write_report
from feltwatch.edge.report.pictures import CLIPS_BYTES, STILLS_BYTES
from feltwatch.edge.report.provenance import all_doubts
from feltwatch.edge.report.story import PlayedRound, played_rounds
from feltwatch.engine.books import BOOKS, find_book
from feltwatch.engine.books.clauses import clauses
from feltwatch.engine.books.error_catalogue import BOOK_ORDER
from feltwatch.engine.model.cards import Card
from feltwatch.engine.model.events import Correct, Event, parse
from feltwatch.engine.model.verdicts import (
    Alert,
    CardMove,
    Ended,
    Remedied,
    Remedy,
    Settlement,
    Started,
    Verdict,
    Withdrawn,
)
from feltwatch.engine.table import Table

if TYPE_CHECKING:
    from feltwatch.engine.round.base import Round

Row = Mapping[str, object]
CLIPS = Path(__file__).resolve().parents[3] / "datasets" / "clips"
OVERDRAW = "r2-dealer-overdraw-c18"
EVIL = "</script><script>alert(1)</script>\"'><img src=x onerror=alert(2)>&amp;"
VIDEO = VideoFacts("camera 7.mp4", "ab" * 32, 875, 35.0, 1920, 1080, 25.0)
TABLE = TableFacts("bj-07", "main-floor", "blackjack-rws-v5", "Blackjack, Version 5", 8, "50", "5000", {}, "cd" * 32)
EMPTY = Facts(VIDEO, TABLE, {"detector": "12" * 32, "reader": "34" * 32}, "0.1.0", [0.4, 2.1, 0.8])


def exact(rows: Sequence[Row]) -> list[Event]:
    return [parse(json.loads(json.dumps(row, default=float), parse_float=Decimal)) for row in rows]


def judged(table: Table, rows: Sequence[Row]) -> Facts:
    """Give the facts of a footage in which this happened."""
    events = exact(rows)
    verdicts = [verdict for event in events for verdict in table.apply(event)]
    facts = replace(TABLE, book=table.book.id, title=table.book.title)
    return replace(EMPTY, table=facts, events=events, verdicts=verdicts)


def demo_rows() -> list[Row]:
    return [json.loads(line) for line in (CLIPS / "demo.events.jsonl").read_text("utf-8").splitlines()]


@cache
def demo() -> Facts:
    return judged(Table(find_book(TABLE.book).at_table(minimum=Decimal(50), maximum=Decimal(5000))), demo_rows())


def test_the_page_for_investigators_names_the_parts_of_a_report(tmp_path: Path) -> None:
    text = (CLIPS.parents[1] / "docs" / "investigators.md").read_text("utf-8")
    named = re.findall(r"^\d\. \*\*(.+?)\*\*", text, re.MULTILINE)
    headings = re.findall(r"<h2[^>]*>(.*?)</h2>", page(tmp_path, demo()))
    assert len(named) == 5
    assert {*named} - {"The headline"} <= {*headings}


def played(book: str, seed: int, rounds: int, errors: float = 0.3) -> tuple[Table, list[Row]]:
    """Give a table and what a camera sees at it: no signals, no amounts, now and then a card that cannot be read."""
    rng = Random(seed)  # noqa: S311  a game
    codes = [code for code in VISIBLE[book] if code not in {STALE, "squeeze-card-exposed"}]
    some = rng.sample(codes, min(3, len(codes)))
    dealt = session(book, seed, [rng.choice(some) if rng.random() < errors else None for _ in range(rounds)])
    first = dealt[0]
    events = (row for story in dealt for row in story.events if row["event"] not in ("signal", "decision"))
    seen = [_as_seen(row, unread=rng.random() < 0.01) for row in events]
    at_table = find_book(book).at_table(
        decks=first.decks, minimum=first.minimum, maximum=first.maximum, settings=first.settings
    )
    return Table(at_table), seen


def _as_seen(row: Row, *, unread: bool) -> Row:
    if row["event"] == "chips" and row["amount"]:
        return {**row, "amount": None, "stacks": [{"top": None, "count": None}]}
    return {**row, "card": None} if unread and row["event"] == "card" else row


class Checker(HTMLParser):
    """Reads a page strictly: every element closed in its order, ids unique, and what it refers to written down."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.loads: list[str] = []
        self.names: list[str] = []
        self.handlers: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, name: str, attributes: list[tuple[str, str | None]]) -> None:
        if name not in VOID:
            self.open.append(name)
        self.names.append(name)
        for key, value in attributes:
            if key == "id":
                self.ids.append(value or "")
            elif key == "href":
                self.links.append(value or "")
            elif key in ("src", "poster", "data", "srcset", "xlink:href", "action"):
                self.loads.append(value or "")
            elif key.startswith("on") or key == "style":
                self.handlers.append(key)

    def handle_endtag(self, name: str) -> None:
        assert self.open, f"</{name}> closes nothing"
        assert self.open.pop() == name

    def handle_data(self, data: str) -> None:
        if not self.open or self.open[-1] not in ("script", "style"):
            self.text.append(data)


def check(html: str) -> Checker:
    """Read a page and hold it to what every report must be."""
    found = Checker()
    found.feed(html)
    found.close()
    assert found.open == []
    assert len(found.ids) == len(set(found.ids))
    assert not found.handlers
    inside = {link[1:] for link in found.links if link.startswith("#")}
    assert inside <= set(found.ids)
    for target in (*found.links, *found.loads):
        assert target.startswith(("#", "data:", "evidence/")), target[:60]
    assert not re.search(r"(?:https?:)?//(?!\s)[a-z]", re.sub(r"data:[^\"]*", "", html))
    assert not re.search(r"@import|url\(|@font-face|<link|<iframe", html)
    assert found.names.count("script") == found.names.count("style") == 1
    return found


def words(html: str) -> str:
    return re.sub(r"\s+", " ", " ".join(check(html).text))


def with_evidence(folder: Path, number: int = 1, size: int = 200_000) -> dict[str, dict[str, str]]:
    (folder / "evidence").mkdir()
    found = {}
    for k in range(number):
        name = OVERDRAW if k == 0 else f"other-{k}"
        rng = np.random.default_rng(k)
        picture = rng.integers(0, 255, (1184, 1920, 3), np.uint8) if k < 3 else np.zeros((90, 160, 3), np.uint8)
        cv2.imwrite(str(folder / "evidence" / f"{name}.jpg"), cv2.GaussianBlur(picture, (0, 0), 4))
        (folder / "evidence" / f"{name}.webm").write_bytes(bytes([k]) * size)
        found[name] = {"still": f"evidence/{name}.jpg", "clip": f"evidence/{name}.webm"}
    return found


def test_the_page_says_what_happened(tmp_path: Path) -> None:
    said = words(page(tmp_path, demo()))
    for text in (
        "2 rounds, 1 alert: dealer-overdraw at 0:28.",
        "camera 7.mp4",
        "875 frames",
        "The dealer had 17 and drew the 3 of diamonds.",
        "Remedy: Discard the card",
        "Discard the 3 of diamonds; the dealer stands on 17.",
        "blackjack-rws-v5, clause 3.23",
        clauses(TABLE.book)["3.23"].says,
        clauses(TABLE.book)["5.10.2"].says,
        "26, bust",
        "soft 21",
        "split at 0:06.9, inferred",
        "Players +1,010",
        "point 2 is the worst, with 2.1 mm",
        "34" * 32,
    ):
        assert text in said, text


def test_two_runs_give_the_same_bytes_and_nothing_half_written(tmp_path: Path) -> None:
    facts = replace(demo(), evidence=with_evidence(tmp_path))
    write_report(tmp_path, facts)
    first = (tmp_path / "report.html").read_bytes()
    write_report(tmp_path, facts)
    assert (tmp_path / "report.html").read_bytes() == first
    assert sorted(path.name for path in tmp_path.iterdir()) == ["evidence", "report.html"]


def test_stills_and_small_clips_are_on_the_page_with_digests_of_the_files(tmp_path: Path) -> None:
    found = check(page(tmp_path, replace(demo(), evidence=with_evidence(tmp_path))))
    assert [load.partition(",")[0] for load in found.loads] == ["data:image/jpeg;base64", "data:video/webm;base64"]
    for suffix in ("jpg", "webm"):
        digest = sha256((tmp_path / "evidence" / f"{OVERDRAW}.{suffix}").read_bytes()).hexdigest()
        assert digest in found.text


def test_a_large_clip_stays_beside_the_page(tmp_path: Path) -> None:
    found = check(page(tmp_path, replace(demo(), evidence=with_evidence(tmp_path, size=CLIPS_BYTES + 1))))
    assert [load.partition(",")[0] for load in found.loads] == ["data:image/jpeg;base64", f"evidence/{OVERDRAW}.webm"]


def test_however_many_stills_the_page_stays_small(tmp_path: Path) -> None:
    facts = replace(demo(), evidence=with_evidence(tmp_path, 100))
    assert len(page(tmp_path, facts)) < 4 / 3 * (STILLS_BYTES + CLIPS_BYTES) + 200_000


@pytest.mark.parametrize("path", ["evidence/none.jpg", "../secret.jpg", "/etc/passwd", "evidence"])
def test_evidence_that_is_not_there_or_elsewhere_is_not_shown(path: str, tmp_path: Path) -> None:
    inner = tmp_path / "out"
    (inner / "evidence").mkdir(parents=True)
    (tmp_path / "secret.jpg").write_bytes(b"secret")
    assert check(page(inner, replace(demo(), evidence={OVERDRAW: {"still": path}}))).loads == []


def test_a_still_that_is_no_picture_is_linked(tmp_path: Path) -> None:
    (tmp_path / "evidence").mkdir()
    (tmp_path / "evidence" / "a.jpg").write_bytes(b"no picture")
    found = check(page(tmp_path, replace(demo(), evidence={OVERDRAW: {"still": "evidence/a.jpg"}})))
    assert "evidence/a.jpg" in found.links
    assert not found.loads


def test_the_page_runs_its_own_script_and_loads_nothing(tmp_path: Path) -> None:
    html = page(tmp_path, demo())
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', html)
    assert policy is not None
    assert "default-src &#x27;none&#x27;" in policy[1]
    assert "unsafe" not in policy[1]
    assert policy[1].count("sha256-") == 2


def test_what_comes_from_outside_is_text(tmp_path: Path) -> None:
    facts = demo()
    verdicts: list[Verdict] = []
    for one in facts.verdicts:
        if isinstance(one, Alert):
            verdicts.append(replace(one, says=EVIL, code=EVIL, id=EVIL, book=EVIL, clause=EVIL, evidence=(EVIL,)))
        elif isinstance(one, Settlement):
            verdicts.append(replace(one, bet=EVIL, result=EVIL, odds=EVIL, clause=EVIL))
        else:
            verdicts.append(replace(one, why=EVIL) if isinstance(one, Ended) else one)
    evil = Facts(
        replace(VIDEO, name=EVIL, damaged=EVIL),
        replace(TABLE, id=EVIL, site=EVIL, title=EVIL, book=EVIL, settings={EVIL: EVIL}, minimum=EVIL),
        {EVIL: EVIL},
        EVIL,
        [1.0],
        [(1.0, EVIL)],
        facts.events,
        verdicts,
        {EVIL: {EVIL: EVIL}},
    )
    found = check(page(tmp_path, evil))
    assert "".join(found.text).count(EVIL) >= 10


def test_signs_that_cannot_be_shown_or_deceive_are_made_visible(tmp_path: Path) -> None:
    name = "cam\udcff\x00\u202egpj.mp4"
    write_report(tmp_path, replace(EMPTY, video=replace(VIDEO, name=name)))
    assert plain(name) == "cam���gpj.mp4"
    assert plain(clip := "data:" + 1000 * "A") is clip  # a clip has millions of letters, and none is looked at twice
    assert plain(name) in (tmp_path / "report.html").read_text("utf-8")


def test_footage_without_a_round_has_a_report(tmp_path: Path) -> None:
    said = words(page(tmp_path, replace(EMPTY, video=replace(VIDEO, damaged="it ends in mid-frame"))))
    assert "No round was seen in 0:35 of video." in said
    assert "The video is damaged: it ends in mid-frame" in said


@pytest.mark.parametrize("book", BOOK_ORDER)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_every_book_has_a_report(book: str, seed: int, tmp_path: Path) -> None:
    table, rows = played(book, seed, 6)
    check(page(tmp_path, judged(table, rows)))


@pytest.mark.parametrize("rounds", [60, 300])
def test_many_rounds_are_folded_up_and_the_page_stays_small(rounds: int, tmp_path: Path) -> None:
    table, rows = played("blackjack-rws-v5", 5, rounds, errors=0.1)
    html = page(tmp_path, judged(table, rows))
    found = check(html)
    assert found.names.count("details") >= rounds
    assert html.count("<details") - html.count(" open>") > rounds * 0.8
    assert len(html) < 5_000 * rounds


class _Witness(Table):
    """A table that keeps every round it has ended."""

    def __init__(self, table: Table) -> None:
        super().__init__(table.book)
        self.ended: dict[int, Round] = {}

    def watch(self, rows: Sequence[Row]) -> Iterator[Verdict]:
        for event in exact(rows):
            yield from self.apply(event)
            for life in (self.last, self.life):
                if life is not None:
                    self.ended[life.round.number] = life.round


@pytest.mark.parametrize("book", BOOK_ORDER)
@pytest.mark.parametrize("seed", [11, 12, 13, 14])
def test_hands_are_folded_as_the_engine_folds_them(book: str, seed: int) -> None:
    table, rows = played(book, seed, 8)
    witness = _Witness(table)
    told = played_rounds(exact(rows), list(witness.watch(rows)))
    assert [story.number for story in told] == sorted(witness.ended)
    for story in told:
        seen = witness.ended[story.number].seen
        mine = {lay.id: (lay.zone, lay.face, lay.up, lay.gone is not None) for lay in story.cards.values()}
        theirs = {s.id: (s.zone.text, s.card.text if s.card else None, s.up, s.gone) for s in seen.values()}
        assert mine == theirs
        assert {one.alert.id for one in story.standing} == set(witness.ended[story.number].alerts)
        assert set(story.settlements) >= set(witness.ended[story.number].settlements)


def first_round() -> PlayedRound:
    return played_rounds(demo().events, demo().verdicts)[0]


def test_a_split_card_is_in_its_new_hand() -> None:
    zones = {lay.id: lay.zone for lay in first_round().cards.values()}
    assert zones["c4"] == "box3.hand2"
    assert zones["c1"] == "box3.cards"


def test_a_card_that_went_before_its_hand_is_marked_and_not_counted(tmp_path: Path) -> None:
    second = played_rounds(demo().events, demo().verdicts)[1]
    assert [lay.id for lay in second.cards.values() if lay.is_early] == ["c18"]
    html = page(tmp_path, demo())
    assert "3 of diamonds, taken away at 0:30.0" in html
    assert re.search(r'taken away at 0:30.0</title>.*?</svg><span class="total">17</span>', html)


CORRECT = Correct(40.0, "c18", None)
LATER = Correct(41.0, "c18", Card.parse("4d"))


def test_late_corrections_and_unread_cards_are_doubts(tmp_path: Path) -> None:
    said = words(page(tmp_path, replace(demo(), events=[*demo().events, CORRECT], doubts=[(3.0, "the camera moved")])))
    assert "0:03.0 the camera moved" in said
    assert "0:40.0 round 2 : Dealer: 3 of diamonds at first, unread card later" in said
    assert "Dealer: a card was never read" in said
    said = words(page(tmp_path, replace(demo(), events=[*demo().events, CORRECT, LATER])))
    assert "unread card at first, 4 of diamonds later" in said
    assert "never read" not in said


def test_an_alert_that_is_withdrawn_is_struck_through_with_its_reason(tmp_path: Path) -> None:
    taken = Withdrawn(41.0, 2, OVERDRAW, "a later fact shows otherwise")
    html = page(tmp_path, replace(demo(), verdicts=[*demo().verdicts, taken]))
    said = words(html)
    assert "2 rounds, no alerts. 1 alert withdrawn." in said
    assert "Withdrawn at 0:41.0: a later fact shows otherwise." in said
    assert 'class="alert withdrawn stop"' in html
    assert 'class="mark stop withdrawn"' in html
    assert 'class="verdict clean"' in html


def test_a_remedy_shows_how_it_lay_and_how_it_should_lie(tmp_path: Path) -> None:
    html = page(tmp_path, demo())
    found = re.search(r'<table class="lie">.*?</table>', html)
    assert found is not None
    faces = re.findall(r"<title>([^<]*)</title>", found[0])
    assert faces == ["10 of spades", "7 of clubs", "3 of diamonds", "10 of spades", "7 of clubs"]


def test_a_later_remedy_takes_the_place_of_the_first(tmp_path: Path) -> None:
    remedy = Remedy(
        "options",
        "5.7",
        ("continue", "return-bet"),
        {"dealer.cards": ()},
        (CardMove("c18", "3d", "dealer.cards", "box1.cards"),),
        ("box 1 whether to hit",),
        (1, 6),
        "The Players choose.",
    )
    row = Remedied(30.5, 2, OVERDRAW, remedy)
    said = words(page(tmp_path, replace(demo(), verdicts=[*demo().verdicts, row])))
    for text in (
        "Players of box 1 and 6 may choose: continue or return-bet.",
        "from Dealer to Box 1",
        "To be asked again: box 1 whether to hit.",
        "no card",
        clauses(TABLE.book)["5.7"].says,
    ):
        assert text in said, text


def test_a_round_without_its_end_is_still_open(tmp_path: Path) -> None:
    short = [row for row in demo_rows() if float(str(row["t"])) < 25]
    table = Table(find_book(TABLE.book))
    said = words(page(tmp_path, judged(table, short)))
    assert "1 round still open" in said
    assert "still open: the video ends before the round does" in said


def test_settlements_without_amounts_show_odds_and_chips(tmp_path: Path) -> None:
    rows = [
        replace(one, stake=None, returned=None, units=4) if isinstance(one, Settlement) else one
        for one in demo().verdicts
    ]
    said = words(page(tmp_path, replace(demo(), verdicts=rows)))
    assert "pair 4 chips: win at 11:1 clause 3.13.1" in said
    assert "Where the value of a bet was not seen" in said
    assert "Players +" not in said


def test_a_settlement_said_again_counts_as_said_last(tmp_path: Path) -> None:
    last = [one for one in demo().verdicts if isinstance(one, Settlement)][-1]
    again = replace(last, t=44.0, result="stand-off", returned=last.stake, odds=None, revises=True)
    said = words(page(tmp_path, replace(demo(), verdicts=[*demo().verdicts, again])))
    assert "stand-off 0 clause 3.23.3 , changed at 0:44.0" in said
    assert "−75" not in said  # noqa: RUF001  a minus, as printed


def test_settings_that_are_not_the_books_own_stand_out(tmp_path: Path) -> None:
    name, own = next(iter(BOOKS[TABLE.book].switches.to_dict().items()))
    same = page(tmp_path, replace(EMPTY, table=replace(TABLE, settings={name: str(own)})))
    other = page(tmp_path, replace(EMPTY, table=replace(TABLE, settings={name: "other"})))
    assert "default: " not in words(same)
    assert f"default: {own}" in words(other)


@pytest.mark.parametrize(
    ("face", "up", "label"),
    [
        ("9h", True, "9 of hearts"),
        ("Ts", True, "10 of spades"),
        (None, True, "unread card"),
        (None, False, "face down"),
        ("Kd", False, "face down, the King of diamonds"),
        ("<b>", True, "unread card"),
    ],
)
def test_each_card_is_drawn_and_said(face: str | None, label: str, *, up: bool) -> None:
    assert f'aria-label="{label}"' in card_svg(face, up=up)


def test_face_down_and_unread_cards_look_different() -> None:
    drawings = {
        re.sub('.*href="(#[^"]*)".*', r"\1", card_svg(face, up=up)) for face, up in ((None, True), (None, False))
    }
    assert len(drawings) == 2


def test_only_the_cards_that_are_shown_are_on_the_page(tmp_path: Path) -> None:
    html = page(tmp_path, demo())
    used = set(re.findall(r'href="#(card-..)"', html))
    assert used == set(re.findall(r'id="(card-..)"', html))
    assert 10 < len(used) < 30


def test_every_alert_is_a_mark_on_the_time_line(tmp_path: Path) -> None:
    table, rows = played("rws-blackjack-2024", 8, 60)
    facts = judged(table, rows)
    html = page(tmp_path, facts)
    alerts = sum(isinstance(one, Alert) for one in facts.verdicts)
    assert alerts > 5
    for kind in ("wide", "narrow"):
        found = re.search(rf'<svg class="timeline {kind}".*?</svg>', html, re.DOTALL)
        assert found is not None
        assert found[0].count('class="mark ') == alerts


def test_a_report_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "report.html").mkdir()
    with pytest.raises(UsageError, match=r"report\.html: cannot be written"):
        write_report(tmp_path, EMPTY)


def test_markup_escapes_what_is_not_markup() -> None:
    assert tag("p", "<b>", Markup("<i></i>"), None, title='"') == '<p title="&quot;">&lt;b&gt;<i></i></p>'


def test_a_round_that_ends_unresolved_and_a_card_never_read_are_doubts_beside_those_of_the_camera() -> None:
    events = exact([{"t": 1.0, "event": "card", "id": "c1", "zone": "box1.cards", "card": None, "face": "up"}])
    verdicts: list[Verdict] = [Started(0.5, 1), Ended(9.0, 1, "unresolved", "the dealer's hand was never seen")]
    found = all_doubts([(4.0, "the light changed")], played_rounds(events, verdicts))
    assert [(t, number) for t, number, _ in found] == [(1.0, 1), (4.0, 0), (9.0, 1)]
