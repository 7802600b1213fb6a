"""Two cards that left the shoe together: the Player chooses which comes first, the dealer's are discarded (5.12)."""

from typing import TYPE_CHECKING

from feltwatch.engine.blackjack.deal import initial_deal, misplaced_cards, subsequent_deal
from feltwatch.engine.blackjack.deal.remedies import settled_by_book
from feltwatch.engine.blackjack.hands import BlackjackHand
from feltwatch.engine.blackjack.play import dealer
from feltwatch.engine.blackjack.state import Stray
from feltwatch.engine.model.cards import spoken
from feltwatch.engine.model.spots import SHOE
from feltwatch.engine.model.verdicts import Remedy
from feltwatch.engine.round.base import CardSeen

if TYPE_CHECKING:
    from feltwatch.engine.blackjack.state import BlackjackState


def simultaneous(r: "BlackjackState", seen: CardSeen) -> None:
    """Two cards drawn together: the Player chooses which comes first, the dealer's are discarded (5.12)."""
    other = r.sequence[-2] if len(r.sequence) > 1 else seen
    hand = r.hand(seen.zone.box or 0, seen.zone.hand)
    step = subsequent_deal.dealt if r.playing else initial_deal.dealt
    if hand is None or other not in hand.cards:
        step(r, seen)
        return
    name = r.alert(
        "simultaneous-cards",
        f"The {spoken(other.card)} and the {spoken(seen.card)} left the shoe together; their order is not known.",
        _simultaneous_remedy(r, hand, other, seen),
        anchor=seen.id,
        box=hand.box or None,
        hand=hand.number if hand.box else None,
        evidence=(other.id, seen.id),
    )
    if not name:
        step(r, seen)
    elif hand.box == 0:
        _discard(r, other)
        r.plan(name, waits=False)
        settled_by_book(r, name)
    elif r.playing:
        misplaced_cards.keep(r, Stray(name, "simultaneous-cards", seen, hand, SHOE, r.plan(name), other=other))
    else:
        initial_deal.together(r, seen, name)


def _simultaneous_remedy(r: "BlackjackState", hand: BlackjackHand, other: CardSeen, seen: CardSeen) -> Remedy:
    if r.book.reconstructs != "options":
        return r.error_remedy([], can=False)
    both = f"the {spoken(other.card)} and the {spoken(seen.card)}"
    options, boxes = ("continue", "return-bet"), tuple(r.boxes)
    if hand.box == 0:
        says = f"Discard {both} and draw another card."
        return Remedy("discard", r.book.clause("simultaneous-dealer"), options, boxes=boxes, says=says)
    says = f"Ask box {hand.box}: {both}, which first? The other is the next card."
    return Remedy("options", r.book.clause("simultaneous"), options, boxes=boxes, says=says)


def _discard(r: "BlackjackState", other: CardSeen) -> None:
    """Both of the dealer's cards are out of the round; another is drawn (5.12.1)."""
    r.dealer.drop(other)
    r.sequence[-2:] = []
    dealer.opened_again(r)
