"""The phases of a round and what leads from one to another: the games' tables of transitions are made of these."""

from collections.abc import Mapping
from enum import Enum


class Phase(Enum):
    """Where a round is; the value says what happens in it."""

    BETTING = "bets are placed, changed and taken back"
    # blackjack
    INITIAL_DEAL = "each box gets two cards and the dealer one, in the order of the book"
    LOOSE_DEAL = "the first cards are still dealt, in whatever order they come: each hand takes what it lacks"
    INTERIM = "two cards lie on each box: Insurance, Even Money, Surrender; side bets and Blackjacks are settled"
    SUBSEQUENT_DEAL = "a further card has counted: Players draw, double and split, the dealer draws, bets are settled"
    # Si Ki Pi
    DEAL = "four cards go to each box and to the dealer, and Players look at them"
    SETTING = "a Player has placed a Low and a High Hand"
    REVEAL = "the dealer's hand is shown: hands are compared, bets paid and taken"
    # every game
    ENDED = "the round is over"


class Trigger(Enum):
    """What may end a phase; the value says what happened at the table."""

    BETS_CLOSE = "no more bets is announced, or the first card falls"
    ORDER_DROPPED = "cards that fell out of order stay, or cards are moved that had fallen in order"
    FIRST_CARDS_COMPLETE = "each box has two cards and the dealer one"
    CARD_COUNTS = "a Player or the dealer takes a further card in turn"
    DEAL_PUT_RIGHT = "a ruling puts the first cards where they belong, after more have been dealt"
    HAND_PLACED = "a Player places a hand"
    DEALER_REVEALS = "the dealer shows his hand"
    ROUND_ENDS = "the table is cleared, the next round begins, or too much was not seen"


Transitions = Mapping[tuple[Phase, Trigger], Phase]


def ends(*phases: Phase) -> Transitions:
    """Give the transitions with which a round may end: from each of its phases."""
    return dict.fromkeys(((phase, Trigger.ROUND_ENDS) for phase in phases), Phase.ENDED)
