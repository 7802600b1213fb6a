"""The Initial Deal: every first and second card against the box it was due to, and reconstruction."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from feltwatch.engine.blackjack.deal import moved_cards, remedies, subsequent_deal
from feltwatch.engine.blackjack.state import Misdeal
from feltwatch.engine.model.cards import spoken
from feltwatch.engine.model.events import Dealt
from feltwatch.engine.model.spots import SHOE, Zone
from feltwatch.engine.model.verdicts import Remedy
from feltwatch.engine.round import checks
from feltwatch.engine.round.base import CardSeen
from feltwatch.engine.round.phase import Phase, Trigger

if TYPE_CHECKING:
    from feltwatch.engine.blackjack.state import BlackjackState


SIMULTANEOUS = "simultaneous-cards"
AWAY_S = 1.5  # a card may be lifted and laid down again
LONG_S = 2.0  # between a card that fell off the table and the next thing taken up


def dealt(r: "BlackjackState", seen: CardSeen) -> None:
    """A card of the first two passes."""
    if r.misdeal is not None:
        _lay(r, seen)
        _follow(r, r.misdeal, seen)
        return
    if r.phase is Phase.LOOSE_DEAL:
        _lay(r, seen)
        go_on(r)
        return
    box, place = seen.zone.box or 0, len(r.sequence) - 1
    due = _due(r, box, place)
    _lay(r, seen)
    if due < 0 and r.boxes:
        go_on(r)
        return
    if box == due:
        if all(_given_back(r, left) for left in r.order[place + 1 :]):
            subsequent_deal.begin(r)
        return
    code = _code(r, box, due, place)
    if code == "unexpected-card":
        _unexpected(r, seen)
        return
    _raise(r, code, seen, due, place)


def _due(r: "BlackjackState", box: int, place: int) -> int:
    """Give the box whose card comes now (0: the dealer); one whose bet was given back may be left out."""
    while place < len(r.order) and r.order[place] != box and _given_back(r, r.order[place]):
        del r.order[place]
    if place >= len(r.order):
        return -1
    return box if _optional(r, box, place) else r.order[place]


def _given_back(r: "BlackjackState", box: int) -> bool:
    return box > 0 and r.hands[box][0].invalid


def _raise(r: "BlackjackState", code: str, seen: CardSeen, due: int, place: int) -> None:
    box = seen.zone.box or 0
    went = "the dealer" if box == 0 else f"box {box}"
    was = "the dealer" if due == 0 else f"box {due}"
    about = box if code in ("card-to-box-without-bet", "box-double-card") else due
    name = r.alert(
        code,
        f"The {spoken(seen.card)} went to {went}; it was due to {was}.",
        r.error_remedy(remedies.assignment(r)),
        anchor=seen.id,
        box=about or None,
        hand=1 if about else None,
        evidence=(seen.id,),
    )
    if name:
        _open(r, Misdeal(name, code, seen, place, due, r.t, r.plan(name)))
    else:
        go_on(r)


def together(r: "BlackjackState", seen: CardSeen, name: str) -> None:
    """Two cards drawn together came to one box: one of them is the next card (5.12)."""
    _lay(r, seen)
    plan = r.plan(name)
    if r.misdeal is None:
        _open(r, Misdeal(name, SIMULTANEOUS, seen, len(r.sequence) - 1, seen.zone.box or 0, r.t, plan))


@dataclass(frozen=True, slots=True, eq=False)
class MisdealRuling:
    """What a ruling on a misdeal does: a value, so that a round in the middle can be kept and gone on with."""

    round: "BlackjackState"
    slip: Misdeal

    def __call__(self, choice: str, _: int | None) -> None:
        ruled(self.round, self.slip, choice)


def _open(r: "BlackjackState", slip: Misdeal) -> None:
    slip.plan.rule = MisdealRuling(r, slip)
    r.misdeal = slip
    remedies.settled_by_book(r, slip.alert)


def _optional(r: "BlackjackState", box: int, place: int) -> bool:
    """Chips left from the last round are a bet after all if a card comes to their box in its turn."""
    if box not in r.optional or place > len(r.boxes) or r.order[place] == box:
        return False
    before = r.order[place - 1] if place else 0
    due = r.order[place]
    if not (before < box and (due == 0 or box < due)):
        return False
    r.optional.discard(box)
    stacks = [s for s in r.stacks.values() if s.spot.box == box and s.bet.left_over and s.spot.kind == "main"]
    stacks = [stack for stack in stacks if stack.now.present] or stacks  # what was taken up meanwhile is no bet
    if not stacks:
        return False
    for stack in stacks:
        stack.bet.place(stack.now)
        stack.now = stack.now._replace(known=stack.now.amount)
    r.bettors[box] = stacks
    r.open_box(box)
    r.order = [*r.boxes, 0, *r.boxes]
    return True


def _code(r: "BlackjackState", box: int, due: int, place: int) -> str:
    """Name the deviation; the more particular name takes precedence."""
    if not r.boxes:
        return "unexpected-card"
    if box and box not in r.hands:
        return "card-to-box-without-bet"
    first_pass = place <= len(r.boxes)
    if box == 0:
        return _skipped(r) if first_pass else "dealer-second-card-too-early"
    again = place > 0 and r.order[place - 1] == box
    if due == 0:
        return "box-double-card" if again and box != r.boxes[0] else "dealer-first-card-missing"
    return "box-double-card" if again else _skipped(r)


def _skipped(r: "BlackjackState") -> str:
    """Passed over, until its card comes later; where the round is cancelled at once, without waiting."""
    return "wrong-box-order" if r.book.reconstructs == "void" and r.switches.live_error == "cancel" else "box-skipped"


def _unexpected(r: "BlackjackState", seen: CardSeen) -> None:
    if any(alert.code == "unexpected-card" for alert in r.alerts.values()):
        return
    name = r.alert(
        "unexpected-card",
        f"The {spoken(seen.card)} came to {seen.zone.text}, where no rule asks for a card.",
        Remedy("options", r.book.clause("ruling"), ("continue", "void"), says="Stop; the supervisor decides."),
        anchor=seen.id,
        box=seen.zone.box or None,
        evidence=(seen.id,),
    )
    r.plan(name)
    r.cancel(name)


def _lay(r: "BlackjackState", seen: CardSeen) -> None:
    """Put a card where it lies."""
    hand = r.hand(seen.zone.box or 0)
    if hand is not None:
        hand.add(seen)


def _follow(r: "BlackjackState", slip: Misdeal, seen: CardSeen) -> None:
    """More cards fall before the error is put right: say how it then stands, never alert twice."""
    place = len(r.sequence) - 1
    first_pass = slip.at <= len(r.boxes)
    last = len(r.boxes) if first_pass else len(r.order) - 1
    remedy = r.error_remedy(remedies.assignment(r))
    if slip.code == "box-skipped" and seen.zone.box == slip.due and place <= last:
        name = r.alert(
            "wrong-box-order",
            f"Box {slip.due} was passed over and got its card later in the same pass.",
            remedy,
            anchor=slip.seen.id,
            box=slip.due,
            hand=1,
            evidence=(slip.seen.id, seen.id),
            t=slip.t,
            replaces=slip.alert,
        )
        r.misdeal = None
        if name:
            _open(r, Misdeal(name, "wrong-box-order", slip.seen, slip.at, slip.due, slip.t, r.plan(name)))
        else:
            r.change_phase(Trigger.ORDER_DROPPED)
    else:
        r.remedied(slip.alert, remedy if slip.code != SIMULTANEOUS else r.alerts[slip.alert].remedy)
    lying_right(r)


def lying_right(r: "BlackjackState") -> None:
    """Once the cards lie as they should the error is put right; once every hand has its two, play may begin."""
    if r.misdeal is not None and all(seen.zone == zone for seen, zone in remedies.assignment(r)):
        r.misdeal.plan.waits = False
        r.misdeal = None
    if not (len(r.dealer) and all(len(hand) > 1 or hand.invalid for hand in r.all_hands())):
        return
    if r.playing:
        subsequent_deal.begin_again(r)
    else:
        subsequent_deal.begin(r)


def moved(r: "BlackjackState", seen: CardSeen, source: Zone) -> None:
    """A card is carried to another place before play has begun: the deal is being put right."""
    slip = r.misdeal
    if slip is not None and slip.code == SIMULTANEOUS:
        _second_first(r, slip.seen, seen)
    old = r.hand(source.box, source.hand) if source.box is not None else None
    new = r.hand(seen.zone.box, seen.zone.hand) if seen.zone.box is not None else None
    if old is not None and seen in old.cards:
        old.drop(seen)
    if new is not None and seen not in new.cards:
        new.add(seen)
        new.cards.sort(key=lambda one: one.n)
    if slip is None:
        r.change_phase(Trigger.ORDER_DROPPED)
    lying_right(r)


def _second_first(r: "BlackjackState", second: CardSeen, moved: CardSeen) -> None:
    """Of two cards drawn together the first is carried on: the Player takes the second."""
    at = next((i for i, one in enumerate(r.sequence) if one is second), 0)
    if at and r.sequence[at - 1] is moved:
        r.sequence[at - 1 : at + 1] = [second, moved]
        moved.n, second.n = second.n, moved.n


def removed(r: "BlackjackState", seen: CardSeen) -> None:
    """A card is taken up again before play has begun: it is not in the sequence until it comes back."""
    hand = r.hand(seen.zone.box) if seen.zone.box is not None else None
    if hand is None or seen not in hand.cards:
        return
    if r.misdeal is None:
        if not (r.only_seen or r.gap):  # else what was said may not have been heard
            checks.gone(r, seen)
        return
    hand.drop(seen)
    r.sequence = [one for one in r.sequence if one is not seen]
    lying_right(r)


def missing(r: "BlackjackState", event: Dealt) -> None:
    """A card falls, and one had left the table before it: play goes on without it, or this is it."""
    gone = _gone(r)
    if len(gone) != 1 or r.misdeal is not None:
        return  # none has, or the cards are being taken up
    seen = gone[0]
    if event.id not in r.seen and event.zone == seen.zone and event.card == seen.card is not None:
        r.seen[event.id] = seen  # it is back under another name
    if event.t - (seen.gone_at or 0) >= AWAY_S:
        checks.gone(r, seen)


def left_alone(r: "BlackjackState") -> None:
    """The round is broken off: a card that had left long before the others had fallen off the table."""
    gone = sorted(_gone(r), key=lambda one: one.gone_at or 0)
    if not gone or r.misdeal is not None:
        return
    emptied = [stack.settled.emptied for stack in r.stacks.values()]
    since = [*(one.gone_at for one in gone[1:]), *(one and one.t for one in emptied)]
    if all(t is None or t - (gone[0].gone_at or 0) >= LONG_S for t in since):
        checks.gone(r, gone[0])


def _gone(r: "BlackjackState") -> list[CardSeen]:
    return [seen for seen in r.sequence if seen.gone]


def ruled(r: "BlackjackState", slip: Misdeal, choice: str) -> None:
    """Carry a ruling through: the cards as reconstructed, or where they are."""
    if slip not in (r.misdeal, r.lapsed) or choice == "return-bet":
        return
    late, r.misdeal, r.lapsed = slip is r.lapsed, None, None
    if choice != "continue-reconstructed" and slip.code != SIMULTANEOUS:
        go_on(r)
    elif late and (r.dealer.complete or any(hand.split or hand.doubled for hand in r.all_hands())):
        slip.plan.waits = True  # too much has happened to say by itself where each card goes
    else:
        _lay_again(r)


def _lay_again(r: "BlackjackState") -> None:
    targets = remedies.assignment(r)
    r.stray, r.hit, r.dealer_shown = None, False, False
    r.change_phase(Trigger.DEAL_PUT_RIGHT)
    r.apart.clear()
    r.waiting.clear()
    for hand in (*r.all_hands(), r.dealer):
        for seen in list(hand.cards):
            hand.drop(seen)
    for seen, zone in targets:
        seen.zone = zone
        if (new := r.hand(zone.box) if zone.box is not None else None) is not None:
            new.add(seen)
    lying_right(r)
    if r.playing:
        for seen, zone in targets:
            if zone == SHOE:
                moved_cards.next_card(r, seen)


def go_on(r: "BlackjackState") -> None:
    """As the cards lie: the hands still short of a card take it as it comes."""
    r.change_phase(Trigger.ORDER_DROPPED)
    if not r.playing:
        lying_right(r)
