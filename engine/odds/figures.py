"""The figures: what each assumes, its value, and the counts it comes from."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from feltwatch.engine.books import BOOKS
from feltwatch.engine.odds import live, sides, sikipi, texts
from feltwatch.engine.odds.dealer import TOTALS, finals
from feltwatch.engine.odds.shoe import NONE, SUITED, plus
from feltwatch.engine.odds.sides import edge, shares

V5, R24, SKP = BOOKS["blackjack-rws-v5"], BOOKS["rws-blackjack-2024"], BOOKS["si-ki-pi-v3"]
CLAIMED = Fraction(9954, 10000)  # live, supplementary-1
EDGE, CHANCE, RETURN, MORE = "house edge", "probability", "return", "difference"


@dataclass(frozen=True, slots=True)
class Figure:
    """One number, by the key under which the command gives it."""

    key: str
    what: str
    kind: str
    value: Fraction
    counts: str = ""  # what it comes from, where that is short

    @property
    def exact(self) -> str:
        return f"{self.value.numerator:,}/{self.value.denominator:,}"


@dataclass(frozen=True, slots=True)
class Section:
    """Figures that share what they assume."""

    title: str
    assumes: str
    figures: tuple[Figure, ...]


def sections(columns: live.Columns) -> Iterator[Section]:
    """Give every figure; those of the best play from what the slow run has found."""
    yield Section("Side bets on the first two cards", texts.FIRST_TWO, tuple(_first_two()))
    yield Section("Insurance", texts.INSURANCE, tuple(_insurance()))
    yield Section("The dealer's hand", texts.DEALER, tuple(_dealer()))
    yield Section("Boom Busted", texts.BOOM, tuple(_boom()))
    yield Section("Si Ki Pi", texts.SIKIPI, tuple(_sikipi()))
    yield Section("Live Blackjack, best play", texts.LIVE, tuple(_live(columns)))


def _told(counts: Mapping[str, int], names: Mapping[str, str]) -> str:
    """Say how many of all."""
    told = ", ".join(f"{name} {counts[key]:,}" for key, name in names.items())
    return f"{told} of {sum(counts.values()):,}"


def _first_two() -> Iterator[Figure]:
    for kind, what in (("over13", "Over 13"), ("under13", "Under 13"), ("pair", "Player Pair")):
        for decks in (8, 6):
            book = V5.at_table(decks=decks)
            counts = sides.first_two(book, kind)
            told = _told(counts, {kind: "wins"})
            yield Figure(f"{kind}-{decks}", f"{what}, {decks} decks", EDGE, edge(book, shares(counts)), told)
    names = {
        "ace-pair-suited": "Aces suited",
        "suited-pair": "suited",
        "coloured-pair": "coloured",
        "mixed-pair": "mixed",
    }
    for decks in (8, 6):
        book = R24.at_table(decks=decks)
        counts = sides.first_two(book, "rws-pairs")
        told = _told(counts, names)
        yield Figure(f"rws-pairs-{decks}", f"RWS Pairs, {decks} decks", EDGE, edge(book, shares(counts)), told)


def _insurance() -> Iterator[Figure]:
    for key, what, gone in (
        ("insurance-8", "Insurance, the Ace known, 8 decks", NONE),
        ("insurance-own-cards-8", "Insurance, two cards below ten known as well, 8 decks", plus(NONE, 1, SUITED)),
    ):
        counts = sides.insurance(V5, gone)
        yield Figure(key, what, EDGE, edge(V5, shares(counts)), _told(counts, {"insurance": "a Blackjack"}))


def _dealer() -> Iterator[Figure]:
    chances = finals(V5)
    for total in TOTALS:
        yield Figure(f"dealer-{total}-8", f"The dealer's hand ends {_ends(total)}, 8 decks", CHANCE, chances[total])


def _ends(total: str) -> str:
    return {"bust": "bust", "blackjack": "as a Blackjack"}.get(total, f"at {total}")


def _boom() -> Iterator[Figure]:
    by_decks = {decks: sides.boom(R24.at_table(decks=decks)) for decks in (8, 6)}
    for decks, chances in by_decks.items():
        yield Figure(f"boom-busted-{decks}", f"Boom Busted, {decks} decks", EDGE, edge(R24, chances))
    for key, chance in by_decks[8].items():
        if key:
            cards = key.removeprefix("boom")
            more = " or more" if cards == "8" else ""
            what = f"bust with {cards} cards{more} (pays {R24.pays[key].pays} to 1), 8 decks"
            yield Figure(f"boom-busted-{cards}-cards", what, CHANCE, chance)


def _sikipi() -> Iterator[Figure]:
    counts = sikipi.bonus()
    names = {"bonus4": "four alike", "bonus3": "three", "bonus2": "two pairs", "bonus1": "one pair"}
    yield Figure("bonus", "Bonus", EDGE, edge(SKP, shares(counts)), _told(counts, names))
    readings: tuple[tuple[str, str, dict[str, str]], ...] = (
        ("main", "Main bet", {}),
        ("main-two-pairs-named", "Main bet, `two_pairs = named`", {"two_pairs": "named"}),
        ("main-two-pairs-literal", "Main bet, `two_pairs = literal`", {"two_pairs": "literal"}),
        ("main-nine-or-ace", "Main bet, `nine_or_ace = exclusive`", {"nine_or_ace": "exclusive"}),
    )
    found = sikipi.main(SKP.at_table(settings=settings) for _, _, settings in readings)
    for (key, what, _), ends in zip(readings, found, strict=True):
        told = _told(ends, {"win": "won", "stand-off": "stood off", "lose": "lost"})
        yield Figure(key, what, EDGE, sikipi.main_edge(SKP, ends), told)


def _live(columns: live.Columns) -> Iterator[Figure]:
    names = {
        live.TEXT: "By the text",
        "live-best-surrender-10": "Surrender against a 10 as well, `live_surrender = not-ace`",
        "live-best-21-pushes": "A 21 pushes against a dealer's Blackjack, `bj_beats_21 = false`",
        "live-best-original-bet": "The original bet alone is lost to a dealer's Blackjack, `live_vs_bj = obo`",
        "live-best-double-split": "Double after a split, `live_das = true`",
        live.BOTH: "By the text, with both hands of a split in view",
    }
    text = live.returned(columns[live.TEXT])
    yield Figure("live-claimed", "What the text claims", RETURN, CLAIMED)
    for key, what in names.items():
        value = live.returned(columns[key])
        yield Figure(key, what, RETURN, value, _by_card(columns[key]))
        if key != live.TEXT:
            yield Figure(f"{key}-more", f"{what}: above the text", MORE, value - text)


def _by_card(column: Mapping[str, Fraction]) -> str:
    """Say what it brings by the dealer's first card."""
    return ", ".join(f"{rank} {float(value):+.4f}" for rank, value in column.items())
