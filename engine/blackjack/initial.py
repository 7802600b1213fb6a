"""The Initial Deal: every first and second card against the box it was due to, and reconstruction."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.blackjack import play, sides
from engine.cards import spoken
from engine.round import Plan, Seen
from engine.spots import SHOE, Zone, hand_zone
from engine.verdicts import Remedy

if TYPE_CHECKING:
    from engine.blackjack.round import BlackjackRound


@dataclass(slots=True)
class Misdeal:
    """An open error of order: the sequence of cards is kept, and laid again over the expected slots."""

    alert: str
    code: str
    at: int  # index of the card in the sequence
    due: int  # the box (0: the dealer) whose card it was
    t: float
    plan: Plan


def dealt(r: "BlackjackRound", seen: Seen) -> None:
    """A card of the first two passes."""
    box = seen.zone.box or 0
    place = len(r.sequence) - 1
    if r.misdeal is not None:
        _lay(r, seen)
        _follow(r, seen)
        return
    if r.loose:
        _lay(r, seen)
        _go_on(r)
        return
    due = r.order[place] if place < len(r.order) else -1
    if box != due and _optional(r, box, place):
        due = box
    _lay(r, seen)
    if box == due:
        if place == len(r.order) - 1:
            play.begin(r)
        return
    code = _code(r, box, due, place)
    if code == "unexpected-card":
        _unexpected(r, seen)
        return
    targets = assignment(r)
    remedy = r.error_remedy(targets, can=code != "simultaneous-cards")
    _raise(r, code, seen, due, place, remedy)


def _raise(r: "BlackjackRound", code: str, seen: Seen, due: int, place: int, remedy: Remedy) -> None:  # noqa: PLR0913
    box = seen.zone.box or 0
    went = "the dealer" if box == 0 else f"box {box}"
    was = "the dealer" if due == 0 else f"box {due}"
    about = box if code in ("card-to-box-without-bet", "box-double-card") else due
    name = r.alert(
        code,
        f"The {spoken(seen.card)} went to {went}; it was due to {was}.",
        remedy,
        anchor=seen.id,
        box=about or None,
        hand=1 if about else None,
        evidence=(seen.id,),
    )
    if name:
        r.misdeal = Misdeal(name, code, place, due, r.t, r.plan(name, lambda choice, box: ruled(r, choice, box)))
        settled_by_book(r, name)


def settled_by_book(r: "BlackjackRound", name: str) -> None:
    """Where the book itself voids the round for the error, it is void."""
    remedy = r.alerts[name].remedy
    if remedy.outcome == "void" and not remedy.options:
        r.plans.pop(name, None)
        r.void_round(r.alerts[name].says)


def _optional(r: "BlackjackRound", box: int, place: int) -> bool:
    """Chips left from the last round are a bet after all if a card comes to their box in its turn."""
    if box not in r.optional or place > len(r.boxes):
        return False
    before = r.order[place - 1] if place else 0
    due = r.order[place]
    if not (before < box and (due == 0 or box < due)):
        return False
    r.optional.discard(box)
    stacks = [s for s in r.stacks.values() if s.spot.box == box and s.held and s.spot.kind == "main"]
    for stack in stacks:
        stack.held, stack.at_close, stack.stake = False, True, stack.now
    r.bettors[box] = stacks
    r.open_box(box)
    r.order = [*r.boxes, 0, *r.boxes]
    return True


def _code(r: "BlackjackRound", box: int, due: int, place: int) -> str:
    """Name the deviation; the more particular name takes precedence."""
    if not r.boxes:
        return "unexpected-card"
    if box and box not in r.hands:
        return "card-to-box-without-bet"
    first_pass = place <= len(r.boxes)
    if box == 0:
        return "box-skipped" if first_pass else "dealer-second-card-too-early"
    again = place > 0 and r.order[place - 1] == box
    if due == 0:
        return "box-double-card" if again and box != r.boxes[0] else "dealer-first-card-missing"
    return "box-double-card" if again else "box-skipped"


def _unexpected(r: "BlackjackRound", seen: Seen) -> None:
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


def _lay(r: "BlackjackRound", seen: Seen) -> None:
    """Put a card where it lies."""
    hand = r.hand(seen.zone.box or 0)
    if hand is not None:
        hand.add(seen)


def assignment(r: "BlackjackRound") -> list[tuple[Seen, Zone]]:
    """Lay the sequence of cards over the slots of the Initial Deal; what is left over is the next card."""
    cards = [seen for seen in r.sequence if not seen.gone]
    slots = [hand_zone(box) for box in r.order]
    return [(seen, slots[index] if index < len(slots) else SHOE) for index, seen in enumerate(cards)]


def _follow(r: "BlackjackRound", seen: Seen) -> None:
    """More cards fall before the error is put right: say how it then stands, never alert twice."""
    slip = r.misdeal
    if slip is None:
        return
    place = len(r.sequence) - 1
    first_pass = slip.at <= len(r.boxes)
    last = len(r.boxes) if first_pass else len(r.order) - 1
    remedy = r.error_remedy(assignment(r))
    if slip.code == "box-skipped" and seen.zone.box == slip.due and place <= last:
        name = r.alert(
            "wrong-box-order",
            f"Box {slip.due} was passed over and got its card later in the same pass.",
            remedy,
            anchor=r.sequence[slip.at].id,
            box=slip.due,
            hand=1,
            evidence=(r.sequence[slip.at].id, seen.id),
            t=slip.t,
            replaces=slip.alert,
        )
        if name:
            r.misdeal = Misdeal(name, "wrong-box-order", slip.at, slip.due, slip.t, r.plan(name, slip.plan.rule))
    else:
        r.remedied(slip.alert, remedy)
    lying_right(r)


def lying_right(r: "BlackjackRound") -> None:
    """Once the cards lie as they should, or every hand has its two, play goes on."""
    if r.misdeal is None:
        return
    if all(seen.zone is zone for seen, zone in assignment(r)):
        r.misdeal.plan.waits = False
        r.misdeal = None
    if not r.playing and len(r.dealer) and all(len(hand) > 1 for hand in r.all_hands()):
        r.misdeal = None
        play.begin(r)


def moved(r: "BlackjackRound", seen: Seen, source: Zone) -> None:
    """A card is carried to another place before play has begun: the deal is being put right."""
    old, new = r.hand(source.box, source.hand) if source.box is not None else None, None
    if seen.zone.box is not None:
        new = r.hand(seen.zone.box, seen.zone.hand)
    if source is SHOE:
        r.drawn += 1
        r.sequence.append(seen)
        if r.misdeal is None:
            r.sequence.pop()
            _from_shoe(r, seen)
            return
    if old is not None and seen in old.cards:
        old.drop(seen)
    if new is not None and seen not in new.cards:
        new.add(seen)
        new.cards.sort(key=lambda one: one.n)
    lying_right(r)


def _from_shoe(r: "BlackjackRound", seen: Seen) -> None:
    if seen.zone.box is not None:
        if not r.closed:
            r.close()
        r.sequence.append(seen)
        dealt(r, seen)


def ruled(r: "BlackjackRound", choice: str, box: int | None) -> None:
    """Carry a ruling through: the cards as reconstructed, or as they lie."""
    del box
    if r.misdeal is None or choice == "return-bet":
        return
    slip, r.misdeal = r.misdeal, None
    slip.plan.waits = False
    if choice != "continue-reconstructed":
        _go_on(r)
        return
    targets = assignment(r)
    for hand in (*r.all_hands(), r.dealer):
        for seen in list(hand.cards):
            hand.drop(seen)
    left = []
    for seen, zone in targets:
        seen.zone = zone
        if zone is SHOE:
            left.append(seen)
        elif (hand := r.hand(zone.box or 0)) is not None:
            hand.add(seen)
    if len(targets) >= len(r.order):
        play.begin(r)
        for seen in left:
            play.next_card(r, seen)


def _go_on(r: "BlackjackRound") -> None:
    """As the cards lie: the hands still short of a card take it as it comes."""
    r.loose = True
    if len(r.dealer) and all(len(hand) > 1 for hand in r.all_hands()):
        play.begin(r)


def check_insurance(r: "BlackjackRound") -> None:
    """Chips on the insurance line before the cards say that there is nothing to insure."""
    for stack in sides.insured(r):
        if not r.upcard_is_ace and r.upcard is not None:
            play.no_insurance(r, stack)
