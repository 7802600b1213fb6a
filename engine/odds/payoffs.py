"""What each end of a hand is worth: rounds played through the engine and read off its settlements."""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from feltwatch.engine.blackjack.hands import LIMIT, MUST_DRAW_BELOW
from feltwatch.engine.blackjack.round import BlackjackRound
from feltwatch.engine.books import Book
from feltwatch.engine.model.cards import CARDS
from feltwatch.engine.model.events import ACTIONS, Chips, Dealt, Decision, Event, Signal
from feltwatch.engine.model.shoe import Shoe
from feltwatch.engine.model.spots import hand_zone, parse_spot
from feltwatch.engine.odds.dealer import TOTALS

STAKE = Decimal(100)
DEALERS = {  # a hand for each end, from a ten, which no rule but the Ace's and Surrender looks at
    "17": "Tc 7c",
    "18": "Tc 8c",
    "19": "Tc 9c",
    "20": "Tc Kc",
    "21": "Tc 6c 5c",
    "bust": "Tc 6c Kc",
    "blackjack": "Tc Ac",
}
BUST = LIMIT + 1
LEAST_DOUBLED = 6  # two, two and two

Row = tuple[Fraction, ...]  # in stakes, by TOTALS


@dataclass(frozen=True, slots=True)
class Payoffs:
    """What a hand brings, by its points and by how the dealer's hand ends."""

    stood: dict[int, Row]
    doubled: dict[int, Row]
    split: dict[int, Row]  # one hand of a split, the other bust
    split_doubled: dict[int, Row]  # nothing where a split hand may not be doubled
    natural: Row
    surrendered: Row
    together: Row  # what two hands of a split bring above twice the one, where neither is bust


def _events(told: str, dealer: str) -> Iterator[Event]:
    """Tell a round: the first two cards, then `1:hit`, or `2:Th` for a card to hand 2; the dealer's cards."""
    first, second, *more = told.split()
    up, *down = dealer.split()
    yield Chips(0, parse_spot("box1.main"), STAKE, "player")
    yield Signal(1, "no-more-bets")
    t = 1
    for n, (box, word) in enumerate(((1, f"1:{first}"), (0, f"1:{up}"), (1, f"1:{second}"))):
        yield Dealt(t := t + 1, f"c{n}", hand_zone(box), CARDS[word[2:]])
    for box, word in [*((1, word) for word in more), *((0, f"1:{face}") for face in down)]:
        hand, _, what = word.partition(":")
        t += 1
        if what in ACTIONS:
            yield Decision(t, box, int(hand), what, STAKE if what in ("split", "double") else None)
        else:
            yield Dealt(t, f"c{t}", hand_zone(box, int(hand)), CARDS[what])


def nets(book: Book, told: str, dealer: str) -> dict[int, Fraction]:
    """Give what each hand of the one box in a round wins or loses, in stakes."""
    played = BlackjackRound(book, 1, Shoe())
    for n, event in enumerate(_events(told, dealer)):
        played.apply(event, n)
    return {line.hand: Fraction(line.net or 0) / Fraction(STAKE) for line in played.settlements.values()}


def _row(book: Book, told: str) -> Row:
    """Give what the first hand brings."""
    return tuple(nets(book, told, DEALERS[end])[1] for end in TOTALS)


def _face(value: int, suit: str) -> str:
    return next(face.text for face in CARDS.values() if face.value == value and face.suit == suit)


def _grow(points: int) -> str:
    """Bring a hand of two and ten, the first of its box, to its points."""
    more = points - MUST_DRAW_BELOW
    return (f" 1:hit 1:{_face(more, 's')}" if more else "") + (" 1:stand" if points < BUST else "")


def _double(points: int) -> tuple[str, str]:
    """Give the cards that bring a two to its points by a double."""
    second = max(2, points - MUST_DRAW_BELOW)
    return _face(second, "d"), _face(points - 2 - second, "h")


def payoffs(book: Book, *, split_doubles: bool) -> Payoffs:
    """Play every end of a hand against every end of the dealer's."""
    split = "2s 2d 1:split 1:"
    bust = " 2:hit 2:Tc"
    stood = {points: _row(book, f"2s Ts{_grow(points)}") for points in range(MUST_DRAW_BELOW, BUST + 1)}
    halves = {points: _row(book, f"{split}Ts 2:Th{_grow(points)}{bust}") for points in stood}
    doubled, split_doubled = {}, {}
    for points in range(LEAST_DOUBLED, BUST + 1):
        second, third = _double(points)
        doubled[points] = _row(book, f"2s {second} 1:double 1:{third}")
        if split_doubles:
            split_doubled[points] = _row(book, f"{split}{second} 2:Th 1:double 1:{third}{bust}")
    twenties = f"{split}Ts 2:Th 1:hit 1:8s 1:stand 2:hit 2:8d 2:stand"
    both = tuple(sum(nets(book, twenties, DEALERS[end]).values(), Fraction(0)) for end in TOTALS)
    together = tuple(two - 2 * one for two, one in zip(both, halves[20], strict=True))
    natural, surrendered = _row(book, "As Ts"), tuple(nets(book, "Ts 6s 1:surrender", "9c Tc").values())
    return Payoffs(stood, doubled, halves, split_doubled, natural, surrendered * len(TOTALS), together)
