"""The five approved books as data, one TOML file each: pay tables, limits, settings, and which clause says what."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal

from feltwatch.engine.books.error_catalogue import FAULTS, Fault
from feltwatch.engine.books.settings import Switches, changed
from feltwatch.engine.model.money import EVEN, Odds


class BookError(ValueError):
    """No such book, or a table that the book does not allow."""


@dataclass(frozen=True, slots=True)
class Book:
    """One approved rule book, as it is played at one table."""

    id: str
    title: str
    family: str  # blackjack or si-ki-pi
    decks_allowed: tuple[int, int]
    decks: int
    bets: frozenset[str]  # kinds of spots on its layout
    pays: Mapping[str, Odds]
    clauses: Mapping[str, str]  # what decides a result, what a remedy rests on
    faults: Mapping[str, Fault]
    switches: Switches = field(default_factory=Switches)
    minimum: Decimal | None = None
    maximum: Decimal | None = None
    max_hands: int = 4  # of one box after splits
    reconstructs: str = "options"  # options (5.7), reconstruct (Version 4), void (live)

    def clause(self, topic: str) -> str:
        return self.clauses[topic]

    def at_table(
        self,
        *,
        decks: int | None = None,
        minimum: Decimal | None = None,
        maximum: Decimal | None = None,
        settings: Mapping[str, str] | None = None,
    ) -> "Book":
        """Give the book with a table's decks, limits and settings; refuse what it does not allow."""
        least, most = self.decks_allowed
        count = self.decks if decks is None else decks
        if not least <= count <= most:
            span = str(least) if least == most else f"{least} to {most}"
            raise BookError(f"{self.id} is played with {span} decks: found {count}")
        if minimum is not None and maximum is not None and minimum > maximum:
            raise BookError(f"the minimum ({minimum}) is above the maximum ({maximum})")
        switches = self.switches
        for name, value in (settings or {}).items():
            switches = changed(switches, name, value)
        return replace(self, decks=count, minimum=minimum, maximum=maximum, switches=switches)


_V4 = {
    "order": "3.6",
    "round": "1-round-of-play",
    "win": "3.18.2",
    "dealer-bust": "3.18.1",
    "lose": "3.18.3",
    "push": "3.18.4",
    "bust": "3.16",
    "blackjack": "3.9",
    "pay-blackjack": "4.1#1",
    "pay-win": "4.1#2",
    "even-money": "3.8.1",
    "insurance": "3.8.2-p3",
    "surrender": "3.10",
    "split-vs-blackjack": "3.13-p3",
    "double-vs-blackjack": "3.14-p2",
    "vs-blackjack": "3.8.2-p3",
    "pair": "3.7.1",
    "under13": "3.7.2.a",
    "over13": "3.7.2.b",
    "thirteen": "3.7.2.c",
    "void": "5.1",
    "returned": "5.1.2",
    "reconstruct": "5.1.2",
    "no-reconstruct": "5.1.2",
    "options": "5.1.2",
    "discard": "5.1.2",
    "overdraw": "3.18",
    "simultaneous": "5.1.2",
    "simultaneous-dealer": "5.1.2",
    "closed": "5.2",
    "position": "3.2",
    "reject": "3.3",
    "side-settle": "3.7",
    "excess": "3.7.2.d",
    "ruling": "5.1.2",
}
_V5 = {
    "order": "3.11",
    "round": "1.25",
    "win": "3.23.2",
    "dealer-bust": "3.23.1",
    "lose": "3.23.3",
    "push": "3.23.4",
    "bust": "3.18",
    "blackjack": "3.15",
    "pay-blackjack": "4.1.1#1",
    "pay-win": "4.1.1#2",
    "even-money": "3.14.1",
    "insurance": "3.14.2.b",
    "surrender": "3.16",
    "split-vs-blackjack": "3.21.3",
    "double-vs-blackjack": "3.22.2",
    "vs-blackjack": "3.23.3",
    "pair": "3.13.1",
    "under13": "3.13.2.a",
    "over13": "3.13.2.b",
    "thirteen": "3.13.2.c",
    "void": "5.17",
    "returned": "5.7.3",
    "reconstruct": "5.9",
    "no-reconstruct": "5.10.1",
    "options": "5.7",
    "discard": "5.10.3",
    "overdraw": "5.10.2",
    "simultaneous": "5.12",
    "simultaneous-dealer": "5.12.1",
    "closed": "5.8",
    "position": "5.14",
    "reject": "5.15",
    "side-settle": "5.16",
    "limit": "5.1",
    "pro-rata": "5.1.1",
    "below": "5.2",
    "below-settle": "5.2.1",
    "excess": "3.13.2.d",
    "continue": "5.4.1",
    "interrupted": "5.4.2",
    "earlier": "5.6",
    "ruling": "5.19",
}
_R24 = {
    **{key: clause for key, clause in _V5.items() if key not in ("pair", "under13", "over13", "thirteen", "excess")},
    "round": "1.24",
    "win": "3.24.2",
    "dealer-bust": "3.24.1",
    "lose": "3.24.3",
    "push": "3.24.4",
    "bust": "3.19",
    "blackjack": "3.16",
    "even-money": "3.15.1",
    "insurance": "3.15.2.b",
    "surrender": "3.17",
    "split-vs-blackjack": "3.22.3",
    "double-vs-blackjack": "3.23.2",
    "vs-blackjack": "3.24.3",
    "rws-pairs": "3.14",
    "ace-pair-suited": "4.1.2#1",
    "suited-pair": "4.1.2#2",
    "coloured-pair": "4.1.2#3",
    "mixed-pair": "4.1.2#4",
    "boom": "3.26",
    "boom-lost": "3.26.2",
    "boom8": "4.1.3#1",
    "boom7": "4.1.3#2",
    "boom6": "4.1.3#3",
    "boom5": "4.1.3#4",
    "boom4": "4.1.3#5",
    "boom3": "4.1.3#5",
}
_LIVE = {
    "order": "flow-3",
    "round": "flow-1",
    "win": "gameplay-3",
    "dealer-bust": "gameplay-3",
    "lose": "gameplay-3",
    "push": "gameplay-5",
    "bust": "gameplay-4",
    "blackjack": "gameplay-2",
    "pay-blackjack": "payouts-1",
    "pay-win": "payouts-2",
    "even-money": "gameplay-2",
    "insurance": "decision-insurance",
    "surrender": "decision-surrender",
    "split-vs-blackjack": "gameplay-2",
    "double-vs-blackjack": "gameplay-2",
    "vs-blackjack": "gameplay-2",
    "pair": "decision-pair",
    "void": "errors-2",
    "returned": "errors-2",
    "reconstruct": "errors-2",
    "no-reconstruct": "errors-2",
    "options": "errors-2",
    "discard": "errors-2",
    "overdraw": "errors-2",
    "simultaneous": "errors-2",
    "simultaneous-dealer": "errors-2",
    "closed": "flow-1",
    "position": "flow-1",
    "reject": "flow-2",
    "side-settle": "decision-pair",
    "interrupted": "errors-1",
    "behind-blackjack": "behind-2",
    "behind-win": "behind-2",
    "ruling": "errors-2",
}
_SKP = {
    "order": "3.15",
    "packets": "3.16",
    "round": "1.19",
    "win": "3.22.7",
    "lose": "3.22.8",
    "push": "3.22.9",
    "commission": "4.1#1",
    "bonus4": "4.2#1",
    "bonus3": "4.2#2",
    "bonus2": "4.2#3",
    "bonus1": "4.2#4",
    "bonus-lost": "3.23",
    "no-commission": "4.2#5",
    "void": "5.16",
    "returned": "5.6.3",
    "reconstruct": "5.11",
    "no-reconstruct": "5.5.3",
    "options": "5.6",
    "options-player": "5.7",
    "continue-seen": "5.8",
    "continue-own": "5.9",
    "exposed": "5.5.2",
    "removed": "5.12",
    "extra-hand": "5.13",
    "house-way": "3.21",
    "house-way-asked": "3.19",
    "absent": "5.3",
    "closed": "5.10",
    "position": "5.15",
    "reject": "3.13",
    "limit": "5.1",
    "pro-rata": "5.1.1",
    "below": "5.2",
    "below-settle": "5.2.1",
    "continue": "5.4.1",
    "interrupted": "5.4.2",
    "earlier": "5.14",
    "ruling": "5.18",
}

_TABLE_BETS = {"blackjack": Odds(3, 2), "main": EVEN, "insurance": Odds(2)}
_BOOM = {"boom8": Odds(200), "boom7": Odds(50), "boom6": Odds(12), "boom5": Odds(4), "boom4": Odds(2), "boom3": Odds(2)}
_PAIRS = {
    "ace-pair-suited": Odds(50),
    "suited-pair": Odds(20),
    "coloured-pair": Odds(12),
    "mixed-pair": Odds(6),
}

BOOKS: Mapping[str, Book] = {
    book.id: book
    for book in (
        Book(
            "blackjack-rws-v4",
            "Blackjack, Version 4 (2017)",
            "blackjack",
            (4, 8),
            8,
            frozenset(("main", "pair", "under13", "over13", "insurance")),
            {**_TABLE_BETS, "pair": Odds(11), "under13": EVEN, "over13": EVEN},
            _V4,
            FAULTS["blackjack-rws-v4"],
            Switches(hard21_may_hit="false"),
            reconstructs="reconstruct",
        ),
        Book(
            "blackjack-rws-v5",
            "Blackjack, Version 5",
            "blackjack",
            (4, 8),
            8,
            frozenset(("main", "pair", "under13", "over13", "insurance")),
            {**_TABLE_BETS, "pair": Odds(11), "under13": EVEN, "over13": EVEN},
            _V5,
            FAULTS["blackjack-rws-v5"],
        ),
        Book(
            "rws-blackjack-2024",
            "RWS Blackjack, 10 January 2024",
            "blackjack",
            (4, 8),
            8,
            frozenset(("main", "rws-pairs", "boom-busted", "insurance")),
            {**_TABLE_BETS, "blackjack": Odds(6, 5), **_PAIRS, **_BOOM},
            _R24,
            FAULTS["rws-blackjack-2024"],
        ),
        Book(
            "live-blackjack",
            "Live dealer Blackjack, document 003",
            "blackjack",
            (8, 8),
            8,
            frozenset(("main", "pair", "insurance")),
            {**_TABLE_BETS, "pair": Odds(11)},
            _LIVE,
            FAULTS["live-blackjack"],
            Switches(hard21_may_hit="false"),
            max_hands=2,
            reconstructs="void",
        ),
        Book(
            "si-ki-pi-v3",
            "Si Ki Pi, Version 3 (2021)",
            "si-ki-pi",
            (1, 1),
            1,
            frozenset(("main", "bonus", "dealer-bonus")),
            {"main": EVEN, "bonus4": Odds(100), "bonus3": Odds(20), "bonus2": Odds(12), "bonus1": EVEN},
            _SKP,
            FAULTS["si-ki-pi-v3"],
            Switches(options_scope="affected"),
        ),
    )
}


def find_book(name: str) -> Book:
    """Give the book of that id, or say which there are."""
    book = BOOKS.get(name)
    if book is None:
        raise BookError(f"unknown book {name!r}: expected one of {', '.join(BOOKS)}")
    return book
