"""What the engine refuses at its doors: books, settings, events, places, transcripts."""

from collections.abc import Mapping
from decimal import Decimal

import pytest

from feltwatch.engine.books import BOOKS, BookError, find_book
from feltwatch.engine.books.settings import SwitchError
from feltwatch.engine.model.events import EventError, Tick, parse
from feltwatch.engine.model.spots import PlaceTextError, parse_spot, parse_zone
from feltwatch.engine.model.verdicts import Alert
from feltwatch.engine.table import Table
from feltwatch.engine.transcript.parse import TranscriptError
from feltwatch.engine.transcript.parse import parse as told

V5, SKP = BOOKS["blackjack-rws-v5"], BOOKS["si-ki-pi-v3"]


def test_a_book_that_is_not_there() -> None:
    with pytest.raises(BookError, match="unknown book 'poker': expected one of blackjack-rws-v4"):
        find_book("poker")
    assert find_book(V5.id) is V5


@pytest.mark.parametrize(("book", "decks", "span"), [(V5, 3, "4 to 8"), (V5, 9, "4 to 8"), (SKP, 2, "1")])
def test_a_table_with_decks_that_the_book_does_not_allow(book: object, decks: int, span: str) -> None:
    assert book in (V5, SKP)
    with pytest.raises(BookError, match=f"is played with {span} decks: found {decks}"):
        (V5 if book is V5 else SKP).at_table(decks=decks)


def test_limits_that_cross() -> None:
    with pytest.raises(BookError, match=r"the minimum \(9\) is above the maximum \(5\)"):
        V5.at_table(minimum=Decimal(9), maximum=Decimal(5))


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"two_pair": "keep"}, "unknown setting 'two_pair'; did you mean 'two_pairs'"),
        ({"zzz": "keep"}, "unknown setting 'zzz'$"),
        ({"two_pairs": "maybe"}, "expected keep or named or literal, found 'maybe'"),
        ({"burn": "x"}, "expected a number, found 'x'"),
        ({"burn": "-1"}, "expected a number, found '-1'"),
        ({"smallest_chip": "0"}, "expected a number, found '0'"),
    ],
)
def test_settings_that_are_none(settings: Mapping[str, str], said: str) -> None:
    with pytest.raises(SwitchError, match=said):
        SKP.at_table(settings=settings)


def test_settings_that_are() -> None:
    book = V5.at_table(decks=6, minimum=Decimal(5), settings={"smallest_chip": "5", "split_vs_bj": "per_hand"})
    assert (book.decks, book.switches.smallest_chip, book.switches.split_vs_bj) == (6, "5", "per_hand")


@pytest.mark.parametrize("since", [True, "1", -1, 1.5])
def test_chips_that_lie_since_no_time(since: object) -> None:
    with pytest.raises(EventError, match="'since': expected seconds from the start"):
        parse({"t": 1, "event": "chips", "spot": "box1.main", "amount": None, "since": since})


def test_a_player_may_be_a_number() -> None:
    event = parse({"t": 1, "event": "signal", "name": "seated", "box": 1, "player": 7})
    assert event[8] == "7"  # type: ignore[misc]  # a Signal


def test_places_that_are_none() -> None:
    assert parse_zone(None).text == "outside"
    assert parse_zone("box3.hand2", 3).text == "box3.hand2"
    for text, hand in (("box10.cards", None), ("box3.cards", 5)):
        with pytest.raises(PlaceTextError):
            parse_zone(text, hand)
    for spot in ("box3.behind1/standing1", "box3.hand5", "moon"):
        with pytest.raises(PlaceTextError, match="unknown spot"):
            parse_spot(spot)


def test_an_object_is_wanted() -> None:
    with pytest.raises(EventError, match="expected a JSON object"):
        parse([])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("9h to box 1", 'line 1: expected round "title"'),
        ('round "x"\nbook v5\nsing', "line 3: expected an event such as"),
        ('round "x"\ncites poker 3.11', "line 2: unknown word 'poker'"),
        ('round "x"\nlimits ten 20', "line 2: "),
    ],
)
def test_transcripts_that_tell_nothing(text: str, said: str) -> None:
    with pytest.raises(TranscriptError, match=said):
        told(text)


def test_a_turned_card_that_is_badly_read_is_asked_for_again() -> None:
    table = Table(SKP)
    table.apply(parse({"t": 0, "event": "chips", "spot": "box1.main", "amount": 100}))
    table.apply(parse({"t": 1, "event": "card", "id": "c1", "zone": "box1.cards", "card": None, "face": "down"}))
    bad = {"t": 2, "event": "turn", "id": "c1", "face": "up", "card": "9h", "confidence": Decimal("0.2")}
    verdicts = table.apply(parse(bad))
    assert [one.code for one in verdicts if isinstance(one, Alert)] == ["misread-suspect"]


def test_the_first_card_after_the_close_opens_a_round_and_time_alone_does_not() -> None:
    table = Table(V5)
    assert not table.apply(Tick(1.0))
    assert table.life is None
