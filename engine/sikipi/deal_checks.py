"""Each card as it falls: is it due there, and what follows if it is not (3.15, 5.5.3, 5.6, 5.11, 5.12)."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from feltwatch.engine.model.spots import DISCARD, hand_zone
from feltwatch.engine.model.verdicts import Remedy
from feltwatch.engine.sikipi.deal_order import DealOrder, DealSlip
from feltwatch.engine.sikipi.hand import FOUR, FourCards
from feltwatch.engine.sikipi.settlement import give_back

if TYPE_CHECKING:
    from collections.abc import Sequence

    from feltwatch.engine.round.base import CardSeen
    from feltwatch.engine.sikipi.state import SikipiState

RECONSTRUCTED = ("continue-reconstructed", "return-bet")
AS_THEY_LIE = ("continue", "return-bet")
STOPPED_S = 3.0  # a deal that does not go on for so long was stopped


def arrives(r: "SikipiState", seen: "CardSeen", hand: FourCards, *, together: bool) -> bool:
    """A card comes to rest on a box, or before the dealer; say if it is a lifted card that is put down again."""
    deal, box = r.deal, hand.box
    if r.revealed or deal.order is DealOrder.LOOSE:
        return _joins(r, seen, hand)
    if deal.order in (DealOrder.BROKEN, DealOrder.DOUBTED):
        deal.restyle(box)
        _takes(r, seen, hand, together=together)
        _goes_on(r, together=together)
    elif not deal.boxes and not _spare(r, box):
        _unexpected(r, seen, hand)
    elif deal.due() == box:
        _takes(r, seen, hand, together=together)
    elif _comes_back(r, seen, hand):
        return True
    else:
        slip = deal.restyle(box)
        if not slip and (deal.due() == box or _spare(r, box)):
            _takes(r, seen, hand, together=together)
        else:
            _slips(r, seen, hand, together=together)
    return False


def _takes(r: "SikipiState", seen: "CardSeen", hand: FourCards, *, together: bool) -> None:
    r.deal.take(seen, hand.box, together=together)
    hand.cards.append(seen)
    r.owner[seen.id] = hand.box


def _joins(r: "SikipiState", seen: "CardSeen", hand: FourCards) -> bool:
    """Where the order says nothing more, a hand takes what comes to it."""
    if len(hand.cards) >= FOUR and _comes_back(r, seen, hand):
        return True
    to_light = r.only_seen and len(hand.cards) < FOUR  # squared cards look like one until they are shown
    if not r.revealed or to_light:
        hand.cards.append(seen)
        r.owner[seen.id] = hand.box
    return False


def _comes_back(r: "SikipiState", seen: "CardSeen", hand: FourCards) -> bool:
    """A lifted card is put down again, and the eye takes it for another."""
    lifted = next((one for one in hand.cards if one.gone), None)
    if lifted is None and seen.zone.part != "cards" and len(hand.cards) >= FOUR:
        lifted = next((one for one in hand.cards if one.card is None and one.zone.part == "cards"), None)
    if lifted is None:
        return False
    hand.cards[hand.cards.index(lifted)] = seen
    r.deal.replace(lifted, seen)
    r.owner[seen.id] = hand.box
    r.owner.pop(lifted.id)
    return True


def _spare(r: "SikipiState", box: int) -> bool:
    """Chips left from the round before prove to be a bet."""
    if not r.deal.takes_spare(box):
        return False
    held = [stack for stack in r.stacks.values() if stack.spot.box == box and stack.bet.left_over]
    for stack in [one for one in held if one.now.present] or held:  # what was taken up meanwhile is no bet
        stack.bet.place(stack.now)
    return True


# ---- slips ----------------------------------------------------------------------------------------------------------


def _unexpected(r: "SikipiState", seen: "CardSeen", hand: FourCards) -> None:
    r.deal.order = DealOrder.LOOSE
    name = r.alert(
        "unexpected-card",
        f"A card came to {hand.name} and no box has a bet.",
        Remedy("options", r.book.clause("ruling"), ("continue", "void"), says="Stop; the supervisor decides."),
        anchor=seen.id,
        box=hand.box or None,
        evidence=(seen.id,),
    )
    r.plan(name)


def _slips(r: "SikipiState", seen: "CardSeen", hand: FourCards, *, together: bool) -> None:
    """The first card that is not where it was due; one slip is one alert, however many cards follow.

    All backs look alike. Where a camera is all there is, one that was not seen to fall on another is likelier than a
    slip: what is done then tells.
    """
    deal = r.deal
    deal.slip = DealSlip(seen, hand.box, deal.due(), len(deal.drawn) + 1, r.t)
    _takes(r, seen, hand, together=together)
    if r.only_seen and deal.explained():
        deal.order = DealOrder.DOUBTED
    else:
        _slipped(r, deal.slip)


def _slipped(r: "SikipiState", slip: DealSlip) -> None:
    deal, seen, hand = r.deal, slip.seen, r.hand(slip.box)
    deal.order = DealOrder.BROKEN
    was = "nobody" if slip.due is None else "the dealer" if slip.due == 0 else f"box {slip.due}"
    says = f"Card {slip.number} of the deal fell to {hand.name}; {was} was due."
    if hand.box and hand.box not in deal.boxes:
        says = f"Card {slip.number} of the deal fell on box {hand.box}, which has no Initial Bet; {was} was due."
        _stops(r, "card-to-box-without-bet", says, seen, hand.box)
    elif slip.due is not None:
        _stops(r, "wrong-box-order", says, seen, hand.box or slip.due)
    elif deal.doubtful():
        deal.order = DealOrder.LOOSE
        miscounted(r, [hand], late=False)
    else:
        _stops(r, "wrong-card-count", f"Every hand is complete, and {hand.name} has a card more.", seen, hand.box)


def _stops(r: "SikipiState", code: str, says: str, seen: "CardSeen", box: int) -> None:
    """Stop before any Player looks; once one has, the round is void (5.5.3)."""
    looked = r.looked()
    remedy = _void_remedy(r) if looked else _remedy(r)
    clause = r.book.clause("packets") if code == "wrong-box-order" and r.deal.packets else ""
    name = r.alert(
        code,
        says,
        remedy,
        anchor=seen.id,
        box=box or None,
        evidence=(seen.id,),
        severity="void" if looked else "stop",
        clause=remedy.clause if looked and code == "wrong-card-count" else clause,
    )
    if not name:
        r.deal.order = DealOrder.LOOSE  # a supervisor said that it is no error
    elif looked and not r.only_seen:
        r.deal.order = DealOrder.LOOSE
        r.void_round(f"{says} {remedy.says}")
    else:
        r.deal.alert = name
        r.plan(name, DealRuling(r, name))


def _void_remedy(r: "SikipiState") -> Remedy:
    return Remedy("void", r.book.clause("no-reconstruct"), says="A Player has seen his cards: the round is void.")


def _remedy(r: "SikipiState") -> Remedy:
    """Reconstruct, and offer the Players it concerns what 5.6 gives them."""
    deal, boxes = r.deal, r.deal.boxes
    targets, doubtful = deal.targets(), deal.doubtful()
    if r.switches.options_scope == "affected":
        moved = {one.box for seen, zone in targets if seen.zone != zone for one in (seen.zone, zone)}
        boxes = [box for box in boxes if box in moved or box in doubtful]
    if doubtful:
        says = "Nobody knows which card was first: go on with the cards as they lie, or take the bet back."
        return Remedy("options", r.book.clause("options"), AS_THEY_LIE, boxes=tuple(boxes), says=says)
    hands: dict[str, list[str | None]] = {}
    for seen, zone in targets:
        if zone != DISCARD:
            hands.setdefault(hand_zone(zone.box or 0).text, []).append(seen.card.text if seen.card else None)
    return Remedy(
        "reconstruct",
        r.book.clause("reconstruct"),
        RECONSTRUCTED,
        {zone: tuple(faces) for zone, faces in hands.items()},
        r.moves(targets),
        boxes=tuple(boxes),
        says="Move the cards to where the order of the deal puts them; go on with that hand, or take the bet back.",
    )


def _goes_on(r: "SikipiState", *, together: bool) -> None:
    """More cards fall before anybody has ruled."""
    deal = r.deal
    if together and deal.swapped():
        deal.order = DealOrder.KEPT
        r.withdraw(deal.alert, "two cards fell together, and taken the other way round they are in order")
    elif r.only_seen and not deal.proven and deal.explained():
        _miscounted_backs(r)
    elif deal.order is DealOrder.DOUBTED and deal.slip is not None:
        _slipped(r, deal.slip)
    else:
        r.remedied(deal.alert, _remedy(r))


def _miscounted_backs(r: "SikipiState") -> None:
    """The deal goes on as if there had been no slip: the number of backs in each place was not seen."""
    deal = r.deal
    deal.order = DealOrder.LOOSE
    r.withdraw(deal.alert, "the deal went on as it should if a back lies on another")
    number = deal.slip.number if deal.slip is not None else len(deal.drawn)
    _uncounted(r, f"nobody saw how many backs lie on each other, by card {number} of the deal")


def _uncounted(r: "SikipiState", why: str) -> None:
    r.deal.uncounted = r.deal.uncounted or why
    r.doubt = r.doubt or r.deal.uncounted


def came_to_light(r: "SikipiState") -> None:
    """Squared cards were counted as one; once every hand has shown four, and got its first in order, all is known."""
    deal, hands = r.deal, (*r.playing(), r.dealer)
    first = list(dict.fromkeys(seen.zone.box or 0 for seen in deal.drawn))
    if r.doubt == deal.uncounted and first == [*deal.boxes, 0] and all(len(hand.faces()) == FOUR for hand in hands):
        r.doubt = ""


def played_on(r: "SikipiState") -> None:
    """A hand is set, or shown: no slip was found, and a camera alone does not know better."""
    if r.deal.order is DealOrder.DOUBTED or (r.deal.order is DealOrder.BROKEN and r.only_seen and not r.deal.proven):
        _miscounted_backs(r)


def stopped(r: "SikipiState", t: float) -> None:
    """Time goes by, and a deal that should go on does not: there was a slip."""
    slip = r.deal.slip
    if r.deal.order is not DealOrder.DOUBTED or slip is None or (r.only_seen and t - slip.t < STOPPED_S):
        return
    if not (r.only_seen and r.deal.explained(whole=True)):
        _slipped(r, slip)


def proves(r: "SikipiState") -> None:
    """A card of the deal is taken up, or moved to another hand: there was a slip."""
    if r.deal.order is DealOrder.DOUBTED and r.deal.slip is not None:
        _slipped(r, r.deal.slip)
    r.deal.proven = r.deal.order is DealOrder.BROKEN


def seen_while_broken(r: "SikipiState") -> None:
    """5.5.3: cards were wrongly distributed, and now a Player has seen his."""
    remedy = _void_remedy(r)
    r.remedied(r.deal.alert, remedy)
    r.void_round(f"{r.alerts[r.deal.alert].says} {remedy.says}")


# ---- putting it right -----------------------------------------------------------------------------------------------


def healed(r: "SikipiState") -> None:
    """The dealer has moved every card to where it was due: nothing waits any longer."""
    deal = r.deal
    if deal.order is DealOrder.BROKEN and deal.in_place():
        deal.order = DealOrder.KEPT
        r.plans[deal.alert].waits = False


def taken_away(r: "SikipiState", seen: "CardSeen") -> None:
    """A card that lay wrong leaves the table: it is out of the sequence, and may come back under another name."""
    deal = r.deal
    for one, zone in deal.targets():
        alike = one.card == seen.card is None and one.zone.box == seen.zone.box  # which of two backs is unknown
        if (one is seen or (alike and seen in deal.drawn)) and zone != one.zone:
            deal.drawn.remove(one)
            deal.replace(seen, one)
            r.drops(seen)
            healed(r)
            break
    if deal.order is DealOrder.BROKEN:
        r.remedied(deal.alert, _remedy(r))


@dataclass(frozen=True, slots=True, eq=False)
class DealRuling:
    """What a ruling on the deal does: a value, so that a round in the middle can be kept and gone on with."""

    round: "SikipiState"
    name: str

    def __call__(self, choice: str, _: int | None) -> None:
        _ruled(self.round, self.name, choice)


def _ruled(r: "SikipiState", name: str, choice: str) -> None:
    deal = r.deal
    if deal.order is not DealOrder.BROKEN or deal.alert != name or r.void:
        return  # it has been put right meanwhile, or came to nothing
    if choice == "continue":
        deal.order = DealOrder.LOOSE
    elif choice == "continue-reconstructed":
        _adopts(r)
    else:
        r.plans[deal.alert].waits = True  # it is an error; its consequence comes later
        chosen(r)
    r.settle_all()


def chosen(r: "SikipiState") -> None:
    """A box has its bet back: once all concerned boxes have, no choice is left."""
    deal = r.deal
    if deal.order is DealOrder.BROKEN and not any(r.hand(box).valid for box in r.alerts[deal.alert].remedy.boxes):
        r.plans[deal.alert].waits = False
        _adopts(r)


def _adopts(r: "SikipiState") -> None:
    """The cards count as lying where the order of the deal puts them, whether or not they are seen to be moved."""
    deal = r.deal
    if deal.doubtful():
        deal.order = DealOrder.LOOSE
        return
    for seen, zone in deal.targets():
        if zone == DISCARD:
            r.drops(seen)
        else:
            seen.zone = zone
            r.gives(seen, zone.box or 0)
    del deal.drawn[len(deal.slots) :]
    out = len(r.playing()) < len(deal.boxes)  # which box is passed over is then for the dealer to say
    deal.order = DealOrder.LOOSE if out and deal.due() is not None else DealOrder.KEPT


# ---- four cards each ------------------------------------------------------------------------------------------------


def count(r: "SikipiState", *, late: bool) -> None:
    """Every slot should be full: look for hands of other than four cards."""
    wrong = [hand for hand in (*r.playing(), r.dealer) if len(hand.cards) != FOUR]
    if wrong and r.only_seen:
        _uncounted(r, f"nobody saw how many backs fell to {wrong[0].name}")
    elif wrong and r.deal.order is not DealOrder.BROKEN:
        miscounted(r, wrong, late=late)


def miscounted(r: "SikipiState", wrong: "Sequence[FourCards]", *, late: bool) -> None:
    """One Player's hand is removed (5.12); else, or once a Player has looked in time, the round is void (5.5.3)."""
    first = wrong[0]
    alone = len(wrong) == 1 and first.box != 0 and r.switches.wrong_count == "remove-hand"
    removes = alone and (late or not r.looked())
    says = " and ".join(f"{hand.name} holds {len(hand.cards)}" for hand in wrong)
    says = f"{says[:1].upper()}{says[1:]} where four cards are due."
    if removes:
        after = f"Remove the hand of {first.name} and give its bets back; the others go on."
        remedy = Remedy("hand-removed", r.book.clause("removed"), boxes=(first.box,), says=after)
    else:
        remedy = Remedy("void", r.book.clause("no-reconstruct"), says="The round is void.")
    name = r.alert(
        "wrong-card-count",
        says,
        remedy,
        anchor="-".join(f"box{hand.box}" for hand in wrong),
        box=first.box or None,
        evidence=tuple(seen.id for hand in wrong for seen in hand.cards),
        severity="stop" if removes else "void",
        clause=remedy.clause,
    )
    if not name:
        return
    if removes:
        give_back(r, first, remedy.clause)
    else:
        r.void_round(says)
