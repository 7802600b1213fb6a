"""The odds: figures that are known from elsewhere, and small shoes played out card by card."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations, combinations_with_replacement, pairwise
from pathlib import Path

import pytest

from feltwatch.edge.tools import odds as command
from feltwatch.engine.books import BOOKS, Book
from feltwatch.engine.model.cards import CARDS, RANKS
from feltwatch.engine.odds import both, live, play, sikipi
from feltwatch.engine.odds.dealer import TOTALS, Chances, draws
from feltwatch.engine.odds.figures import CHANCE, EDGE, RETURN, Figure, Section
from feltwatch.engine.odds.hands import Hands, Seat
from feltwatch.engine.odds.page import percent, shown
from feltwatch.engine.odds.payoffs import payoffs
from feltwatch.engine.odds.shoe import ACE, FACES, NONE, TEN, Counts, full, player, plus
from feltwatch.engine.sikipi.ranking import outcome

LIVE = BOOKS["live-blackjack"]
OBO = LIVE.at_table(settings={"live_vs_bj": "obo"})
HALF = Fraction(1, 2)


@pytest.fixture(scope="module")
def all_sections() -> Sequence[Section]:
    return command.figures()


@pytest.fixture(scope="module")
def figures(all_sections: Sequence[Section]) -> dict[str, Figure]:
    return {figure.key: figure for section in all_sections for figure in section.figures}


@pytest.fixture
def worked_out(all_sections: Sequence[Section], monkeypatch: pytest.MonkeyPatch) -> None:
    """Give the command the figures that are worked out already."""
    monkeypatch.setattr(command, "figures", lambda: all_sections)


# ---- the figures --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "kind", "value", "digits"),
    [
        ("over13-8", EDGE, "6.54", 2),
        ("under13-8", EDGE, "10.06", 2),
        ("pair-8", EDGE, "10.36", 2),
        ("insurance-8", EDGE, "7.47", 2),
        ("dealer-bust-8", CHANCE, "28.1839", 4),
        ("dealer-17-8", CHANCE, "14.5215", 4),
        ("dealer-20-8", CHANCE, "17.9709", 4),
        ("rws-pairs-8", EDGE, "8.64", 2),
        ("rws-pairs-6", EDGE, "10.44", 2),
        ("boom-busted-8", EDGE, "8.26", 2),
        ("bonus", EDGE, "5.82", 2),
        ("main", EDGE, "2.74", 2),
        ("live-claimed", RETURN, "99.54", 2),
        ("live-best", RETURN, "99.29", 2),
        ("live-best-surrender-10", RETURN, "99.54", 2),
        ("live-best-21-pushes-more", "difference", "0.37", 2),
        ("live-best-original-bet-more", "difference", "0.10", 2),
        ("live-best-double-split-more", "difference", "0.12", 2),
    ],
)
def test_the_figures_are_those_known(figures: dict[str, Figure], key: str, kind: str, value: str, digits: int) -> None:
    assert figures[key].kind == kind
    assert f"{round(figures[key].value * 10 ** (digits + 2)) / 10**digits:.{digits}f}" == value


def test_the_exact_figures(figures: dict[str, Figure]) -> None:
    """Counted by hand: pairs of 416 cards, second cards of 415, hands of 52."""
    assert figures["pair-8"].value == Fraction(415 - 12 * 31, 415)
    assert figures["insurance-8"].value == Fraction(415 - 3 * 128, 415)
    assert figures["insurance-own-cards-8"].value == Fraction(413 - 3 * 128, 413)
    assert figures["rws-pairs-8"].value == 1 - Fraction(112 * 51 + 1344 * 21 + 1664 * 13 + 3328 * 7, 416 * 415 // 2)
    assert figures["bonus"].value == 1 - Fraction(13 * 101 + 2496 * 21 + 2808 * 13 + 82368 * 2, 270_725)
    assert sum(figures[f"dealer-{total}-8"].value for total in TOTALS) == 1
    busts = [figures[f"boom-busted-{cards}-cards"].value for cards in range(3, 9)]
    assert sum(busts) == figures["dealer-bust-8"].value
    assert all(many < few for few, many in pairwise(busts))


@pytest.mark.usefixtures("worked_out")
def test_the_page_is_fresh() -> None:
    found = command.FOUND.parents[2] / "docs" / "odds.md"
    assert found.read_text(encoding="utf-8") == command.page(), (
        "python -m feltwatch.edge.tools.odds > docs/odds.md writes it"
    )


def test_a_figure_is_shown_with_its_sign() -> None:
    assert percent(Fraction(1, 3)) == "33.3333 %"
    assert shown(Figure("", "", "difference", Fraction(1, 1000))) == "+0.1000 %"
    assert shown(Figure("", "", "difference", Fraction(0))) == "0.0000 %"


# ---- the slow figures: of ten first cards one is played out again ---------------------------------------------------


def test_the_best_play_against_a_ten_is_as_kept() -> None:
    """These readings differ here; the others go by the same functions, which small shoes check below."""
    kept = command.columns()
    keys = (live.TEXT, "live-best-surrender-10", "live-best-21-pushes", "live-best-original-bet")
    assert live.column("T", keys) == {key: kept[key]["T"] for key in keys}


def test_nothing_is_gained_against_a_ten_by_what_it_does_not_reach() -> None:
    kept = command.columns()
    assert kept[live.BOTH]["T"] == kept["live-best-double-split"]["T"] == kept[live.TEXT]["T"]


def test_the_columns_kept_are_whole() -> None:
    kept = command.columns()
    assert list(kept) == list(live.KEYS)
    for column in kept.values():
        assert list(column) == [face.rank for face in FACES]
    text = kept[live.TEXT]
    for key, column in kept.items():
        assert all(column[rank] >= text[rank] for rank in text), f"{key} gives the player more"
        same = {"live-best-surrender-10": "23456789A", "live-best-21-pushes": "23456789"}
        assert all(column[rank] == text[rank] for rank in same.get(key, ""))


# ---- the dealer ---------------------------------------------------------------------------------------------------


def take(shoe: Counts, value: int) -> Counts:
    return plus(shoe, value, -1)


def drawn_from(shoe: Counts) -> Iterator[tuple[int, Fraction]]:
    for value, copies in enumerate(shoe):
        if copies:
            yield value, Fraction(copies, sum(shoe))


def points(hand: tuple[int, ...]) -> int:
    """Count a hand of values (the Ace 0) without the engine."""
    found = sum(value + 1 for value in hand)
    return found + 10 if 0 in hand and found <= 11 else found


@cache
def dealer_ends(shoe: Counts, hand: tuple[int, ...], *, hits_soft: bool = False) -> dict[str, Fraction]:
    """Deal the dealer's cards one after another."""
    total = points(hand)
    soft = total != sum(value + 1 for value in hand)
    if total > 17 or (total == 17 and not (hits_soft and soft)):
        return {"blackjack" if total == 21 and len(hand) == 2 else "bust" if total > 21 else str(total): Fraction(1)}
    found: dict[str, Fraction] = {}
    for value, chance in drawn_from(shoe):
        longer = tuple(sorted((*hand, value)))
        for end, part in dealer_ends(take(shoe, value), longer, hits_soft=hits_soft).items():
            found[end] = found.get(end, Fraction(0)) + chance * part
    return found


@pytest.mark.parametrize("up", [ACE, 5, TEN])
@pytest.mark.parametrize("soft17", ["stand", "hit"])
def test_the_dealer_ends_as_dealt_card_by_card(up: int, soft17: str) -> None:
    shoe = plus(full(1), up, -1)
    found = draws(up, LIVE.at_table(settings={"dealer_soft17": soft17}))
    ways = dict(zip(TOTALS, found.weigh(shoe), strict=True))
    ends = {end: Fraction(number, sum(ways.values())) for end, number in ways.items() if number}
    assert ends == dealer_ends(shoe, (up,), hits_soft=soft17 == "hit")


# ---- what each end brings -------------------------------------------------------------------------------------------


def brings(mine: int, end: str) -> int:
    """Compare a hand of more than two cards."""
    if mine > 21 or end == "blackjack":
        return -1
    theirs = 0 if end == "bust" else int(end)
    return (mine > theirs) - (mine < theirs)


def test_the_engine_pays_as_the_live_book_says() -> None:
    found = payoffs(LIVE, split_doubles=False)
    for mine, row in found.stood.items():
        assert row == found.split[mine] == tuple(brings(mine, end) for end in TOTALS)
    for mine, row in found.doubled.items():
        assert row == tuple(2 * brings(mine, end) for end in TOTALS)
    assert (list(found.stood), list(found.doubled)) == (list(range(12, 23)), list(range(6, 23)))
    assert found.split_doubled == {}
    assert found.natural == (*(3 * HALF for _ in range(6)), Fraction(0))
    assert set(found.surrendered) == {-HALF}
    assert set(found.together) == {0}


def test_the_readings_of_the_live_book_pay_otherwise() -> None:
    pushes = payoffs(LIVE.at_table(settings={"bj_beats_21": "false"}), split_doubles=False)
    assert [pushes.stood[21][-1], pushes.doubled[21][-1], pushes.stood[20][-1]] == [0, 0, -1]
    original = payoffs(OBO, split_doubles=False)
    assert [original.doubled[20][-1], original.doubled[22][-1], *original.together] == [-1, -2, *[0] * 6, 1]
    doubles = payoffs(LIVE.at_table(settings={"live_das": "true"}), split_doubles=True)
    assert doubles.split_doubled == doubles.doubled


# ---- the best play, off small shoes ---------------------------------------------------------------------------------


class Small:
    """A game off a shoe of few kinds, played out card by card without the engine."""

    def __init__(self, shoe: Counts, up: int, book: Book = LIVE) -> None:
        self.shoe, self.up = shoe, up
        self.das = book.switches.live_das == "true"
        self.seat = Seat(book, Chances(book, up, shoe))

    def against(self, shoe: Counts, pays: Callable[[str], Fraction | int]) -> Fraction:
        ends = dealer_ends(shoe, (self.up,))
        return sum((chance * pays(end) for end, chance in ends.items()), Fraction(0))

    def one(self, shoe: Counts, hand: tuple[int, ...], *, split: bool = False) -> Fraction:
        """Play one hand at its best."""
        total, first = points(hand), len(hand) == 2
        if total > 21:
            return Fraction(-1)
        if first and total == 21 and not split:
            return self.against(shoe, lambda end: 0 if end == "blackjack" else 3 * HALF)
        stood = self.against(shoe, lambda end: brings(total, end)) if len(hand) > 1 else Fraction(-2)
        aces = split and hand[0] == ACE
        if total == 21 or (first and aces):
            return stood
        hit = doubled = Fraction(0)
        for value, chance in drawn_from(shoe):
            more, left = (*hand, value), take(shoe, value)
            hit += chance * self.one(left, more, split=split)
            doubled += chance * self.against(left, lambda end, more=more: 2 * brings(points(more), end))  # type: ignore[misc]  # bound early
        return max(stood, hit, doubled if first and (self.das or not split) else hit)

    def two(self, value: int, half: play.Play, pays: Callable[[int, int, str], int]) -> Fraction:
        """Play a split hand after hand, each as `half` does, and pay both together."""

        def go(shoe: Counts, done: tuple[int, ...], hand: tuple[int, ...]) -> Fraction:
            drawn = NONE
            for more in hand[1:]:
                drawn = plus(drawn, more)
            if points(hand) <= 21 and drawn not in half.stands:
                return sum((c * go(take(shoe, v), done, (*hand, v)) for v, c in drawn_from(shoe)), Fraction(0))
            if not done:
                return go(shoe, hand, (value,))
            return self.against(shoe, lambda end: pays(points(done), points(hand), end))

        return go(plus(self.shoe, value, -2), (), (value,))

    def sighted(self, value: int) -> Fraction:
        """Play a split with both hands in view: both have their second card, the first is played, then the second."""

        @cache
        def go(one: tuple[int, ...], two: tuple[int, ...], acting: int) -> Fraction:
            shoe = plus(self.shoe, value, -2)
            for card in (*one[1:], *two[1:]):
                shoe = take(shoe, card)
            hand = (one, two)[acting]
            total = points(hand)
            ways = []
            if total >= 12 and len(hand) > 1:
                ways.append(go(one, two, 1) if acting == 0 else self.against(shoe, lambda end: pays(one, two, end)))
            if total < 21 and not (value == ACE and len(hand) > 1):
                hits = (
                    chance * (go((*one, v), two, 0) if acting == 0 else go(one, (*two, v), 1))
                    for v, chance in drawn_from(shoe)
                )
                ways.append(sum(hits, Fraction(0)))
            return max(ways)

        def pays(one: tuple[int, ...], two: tuple[int, ...], end: str) -> int:
            return brings(points(one), end) + brings(points(two), end)

        shoe, found = plus(self.shoe, value, -2), Fraction(0)
        for other, chance in drawn_from(shoe):
            found += chance * go((value,), (value, other), 0)
        return found


def shoe_of(**copies: int) -> Counts:
    """Give a shoe such as `shoe_of(A=9, T=50)`; digits as s6=20."""
    found = NONE
    for rank, number in copies.items():
        found = plus(found, next(n for n, face in enumerate(FACES) if face.rank == rank[-1]), number)
    return found


SHOES = [
    (shoe_of(s4=9, s7=20, T=40), TEN),
    (shoe_of(A=20, s6=10, T=35), 5),
    (shoe_of(s3=4, s8=28, T=30), ACE),
    (shoe_of(s5=11, s7=8, T=41), 6),  # here the sight of the other hand is worth something
]


@pytest.mark.parametrize(("shoe", "up"), SHOES)
def test_one_hand_is_played_at_its_best(shoe: Counts, up: int) -> None:
    game = Small(shoe, up)
    whole = play.Play(Hands(game.seat), NONE)
    for one, first in drawn_from(shoe):
        del first
        for two, second in drawn_from(take(shoe, one)):
            del second
            left = take(take(shoe, one), two)
            assert whole.worth(plus(plus(NONE, one), two)) == game.one(left, (one, two))


def apart(one: int, two: int, end: str) -> int:
    return brings(one, end) + brings(two, end)


def original(one: int, two: int, end: str) -> int:
    """Lose one bet for all hands not bust, each bet of a bust one."""
    if end != "blackjack":
        return apart(one, two, end)
    return -(one > 21) - (two > 21) - (min(one, two) <= 21)


@pytest.mark.parametrize(("shoe", "up"), SHOES)
@pytest.mark.parametrize(("book", "pays"), [(LIVE, apart), (OBO, original)])
def test_both_hands_of_a_split_bring_the_same(
    shoe: Counts, up: int, book: Book, pays: Callable[[int, int, str], int]
) -> None:
    """The law of `play.split`: hand after hand off the shoe is twice the first hand."""
    game = Small(shoe, up, book)
    for value, _ in drawn_from(shoe):
        half = play.half_of(game.seat, value)
        each = half.worth(NONE)
        found = play.split(game.seat, value, Fraction(-4))
        assert found == game.two(value, half, pays)
        assert each == game.one(plus(shoe, value, -2), (value,), split=True)


@pytest.mark.parametrize(("shoe", "up"), SHOES)
def test_a_split_hand_may_be_doubled_where_a_table_says_so(shoe: Counts, up: int) -> None:
    game = Small(shoe, up, LIVE.at_table(settings={"live_das": "true"}))
    for value, _ in drawn_from(shoe):
        one = game.one(plus(shoe, value, -2), (value,), split=True)
        assert play.split(game.seat, value, Fraction(-4)) == 2 * one


def test_what_is_not_counted_is_refused() -> None:
    """One Initial Bet lost for two hands where one may be doubled: no book of ours has both."""
    shoe, up = SHOES[2]
    game = Small(shoe, up, LIVE.at_table(settings={"live_vs_bj": "obo", "live_das": "true"}))
    with pytest.raises(ValueError, match="not doubled"):
        play.split(game.seat, TEN, Fraction(-4))


@pytest.mark.parametrize(("shoe", "up"), SHOES)
def test_a_split_with_both_hands_in_view_is_played_at_its_best(shoe: Counts, up: int) -> None:
    game = Small(shoe, up)
    gains = []
    for value, _ in drawn_from(shoe):
        found = both.split(game.seat, value, Fraction(-4))
        assert found == game.sighted(value)
        gains.append(found - play.split(game.seat, value, Fraction(-4)))
    assert min(gains) >= 0


def test_a_split_that_falls_short_is_not_looked_into() -> None:
    """Neither for both hands in view nor for the one bet that a Blackjack takes."""
    shoe, up = SHOES[3]
    game = Small(shoe, up)
    each = play.split(game.seat, 4, Fraction(-4))
    assert both.split(game.seat, 4, each + both.NEAR) == each < both.split(game.seat, 4, each)
    shoe, up = SHOES[2]
    game = Small(shoe, up, OBO)
    least = play.split(game.seat, 7, Fraction(4))
    assert least < play.split(game.seat, 7, least)


def test_no_hand_against_a_ten_draws_to_a_hard_17() -> None:
    """`both` leaves such draws out, for the first hand of two."""
    shoe = plus(full(8), TEN, -1)
    whole = play.Play(Hands(Seat(LIVE, Chances(LIVE, TEN, shoe))), NONE)
    for one, two in combinations_with_replacement(range(len(FACES)), 2):
        whole.value(plus(plus(NONE, one), two))
    hard = {drawn for drawn in whole.known if sum(drawn) > 1 and both.stays(player(drawn)) and not player(drawn).bust}
    assert len(hard) > 1000
    assert hard <= whole.stands


def test_all_first_cards_meet_in_the_average() -> None:
    """Against a ten, where this book allows no surrender, the rest is splits and single hands."""
    shoe, up = SHOES[0]
    game = Small(shoe, up)
    found = Fraction(0)
    for one, first in drawn_from(shoe):
        for two, second in drawn_from(take(shoe, one)):
            left = take(take(shoe, one), two)
            value = game.one(left, (one, two))
            if one == two:
                value = max(value, 2 * game.one(left, (one,), split=True))
            found += first * second * value
    assert play.best(game.seat) == found
    early = Small(shoe, up, LIVE.at_table(settings={"live_surrender": "not-ace"}))
    assert found < play.best(early.seat)


# ---- Si Ki Pi -------------------------------------------------------------------------------------------------------


def test_the_hands_that_are_left_are_counted_right() -> None:
    """All hands off the 48 cards that two pairs, a pair and four alike leave."""
    for kind in (tuple("2299"), tuple("388A"), tuple("KKKK")):
        gone = sikipi.shown(kind)
        assert [card.rank for card in gone] == list(kind)
        assert len(set(gone)) == 4
        rest = sorted((card for card in CARDS.values() if card not in gone), key=lambda card: RANKS.index(card.rank))
        found = Counter(tuple(card.rank for card in hand) for hand in combinations(rest, 4))
        left = sikipi.ways_left(kind)
        for other in sikipi.kinds():
            ways = 1
            for code in sikipi.codes(other):
                ways *= left[code]
            assert ways == found[other]


def test_hands_end_as_the_engine_says() -> None:
    every = list(sikipi.kinds())
    reading = sikipi.Reading(BOOKS["si-ki-pi-v3"], every)
    for kind in ("2347", "89JA", "5TJQ", "888K"):
        place = every.index(tuple(kind))
        masks = reading.masks(place)
        for other, due in enumerate(reading.due):
            (end,) = (end for end, mask in masks.items() if mask[other])
            assert end == outcome(reading.due[place], due)


def test_every_two_hands_meet(figures: dict[str, Figure]) -> None:
    pairs = 270_725 * 194_580
    for key in ("main", "main-two-pairs-named", "main-two-pairs-literal", "main-nine-or-ace"):
        assert figures[key].counts.endswith(f" of {pairs:,}")


# ---- the command ----------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("worked_out")
def test_the_command_gives_single_figures(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main([]) == 0
    assert capsys.readouterr().out == command.page()
    assert command.main(["insurance-8"]) == 0
    assert capsys.readouterr().out == "Insurance, the Ace known, 8 decks, house edge: 7.4699 %, exactly 31/415\n"
    assert command.main(["insurance-9"]) == 2
    assert "unknown figure 'insurance-9'" in capsys.readouterr().err


def test_the_slow_run_keeps_what_it_finds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "FOUND", tmp_path / "odds.json")
    monkeypatch.setattr(live, "column", lambda rank: {key: Fraction(1, 1 + RANKS.index(rank)) for key in live.KEYS})
    assert command.main(["--slow", "T", "2"]) == 0
    assert command.main(["--slow", "A"]) == 0
    found = {"A": Fraction(1, 13), "2": Fraction(1), "T": Fraction(1, 9)}
    assert command.columns() == dict.fromkeys(live.KEYS, found)
    assert list(command.columns()[live.TEXT]) == list(found)
