"""Checks that every book shares: signals from outside, the set of cards, and what lies when a round ends."""

from typing import TYPE_CHECKING

from feltwatch.engine.model.cards import Card, spoken
from feltwatch.engine.model.spots import SHOE
from feltwatch.engine.model.verdicts import Remedy
from feltwatch.engine.round import bets

if TYPE_CHECKING:
    from feltwatch.engine.model.events import Dealt, Signal
    from feltwatch.engine.round.findings import CardSeen
    from feltwatch.engine.round.state import RoundState

DECKS = 52


def signal(r: "RoundState", event: "Signal") -> None:
    """Take a report from outside."""
    handler = SIGNALLED.get(event.name)
    if handler is not None:
        handler(r, event)
    if not r.void:
        r.signalled(event)


def _closing(r: "RoundState", _: "Signal") -> None:
    if not r.closed:
        r.close()


def _walked(r: "RoundState", event: "Signal") -> None:
    """5.3: the House acts for a Player who left, unless another Player bets on his box."""
    box = event.box or 0
    if len(bets.mains(r, box)) < 2 or r.book.id == "live-blackjack":
        r.absent.add(box)


def void(r: "RoundState", code: str, says: str, anchor: str, **more: object) -> None:
    """Raise an alert that voids the round, unless a supervisor has dismissed it."""
    remedy = Remedy("void", r.faultclause(code), says="Void: every bet of this round goes back; earlier rounds stand.")
    name = r.alert(code, says, remedy, anchor=anchor, **more)  # type: ignore[arg-type]  # passed on as given
    if name:
        r.void_round(says)


def _foreign(r: "RoundState", event: "Signal") -> None:
    where = f" on box {event.box}" if event.box else ""
    says = f"A card that does not belong to this set was found{where}."
    void(r, "foreign-card", says, event.card or f"e{r.n}", box=event.box, evidence=(event.card,) if event.card else ())


def _count(r: "RoundState", event: "Signal") -> None:
    due = DECKS * r.book.decks
    if event.number is not None and event.number < due:
        void(r, "card-shortage", f"{event.number} cards were counted where there should be {due}.", "count")
    elif event.number is not None and event.number > due:
        code = "duplicate-card" if r.book.family == "si-ki-pi" else "excess-identical-card"
        void(r, code, f"{event.number} cards were counted where there should be {due}.", "count")


def _exhausted(r: "RoundState", _: "Signal") -> None:
    if r.must_draw():
        void(r, "shoe-exhausted", "The shoe is empty and the round still needs cards.", "shoe")


def _unshuffled(r: "RoundState", _: "Signal") -> None:
    void(r, "unshuffled-suspect", "The cards were not shuffled.", "told", severity="void")


def _interrupted(r: "RoundState", _: "Signal") -> None:
    """5.4: once a bet has won or lost the round is played out, else it is void."""
    code = "technical-interruption"
    fault = r.book.faults.get(code)
    if fault is None or not (r.closed or r.stacks):
        return
    decided = any(line.result not in ("no-action", "void") for line in r.settlements.values())
    silent = r.book.reconstructs == "reconstruct" and r.switches.v4_fallback == "supervisor"
    if silent:
        says = "Play was interrupted; this book does not say what follows, the supervisor decides."
        remedy = Remedy("options", r.book.clause("ruling"), ("continue", "void"), says="Wait for the ruling.")
        name = r.alert(code, says, remedy, anchor="told", severity="stop")
        r.plan(name)
    elif decided and "continue" in r.book.clauses:
        says = "Play was interrupted after a bet had been decided; the round is played to its end."
        remedy = Remedy("continue", r.book.clause("continue"), says="Finish the round.")
        r.alert(code, says, remedy, anchor="told", severity="advise")
    else:
        says = "Play was interrupted." if decided else "Play was interrupted before any bet was decided."
        remedy = Remedy("void", r.book.clauses.get("interrupted", fault.clause), says="Void: every bet goes back.")
        if r.alert(code, says, remedy, anchor="told"):
            r.void_round(says)


def _ruling(r: "RoundState", event: "Signal") -> None:
    """A supervisor has decided: find what about, and carry it through."""
    choice = event.choice or ""
    name = meant(r, event)
    if choice == "void":
        r.plans.pop(name, None)
        r.void_round("a supervisor declared the round void")
        return
    plan = r.plans.get(name)
    if choice == "return-bet":
        boxes = [event.box] if event.box else list(r.alerts[name].remedy.boxes) if name in r.alerts else []
        for box in boxes:
            r.invalidate(box)
    if choice == "uphold" and name in r.alerts and r.alerts[name].remedy.outcome == "void":
        r.void_round("a supervisor upheld the alert")
        return
    if plan is not None:
        plan.waits = False
        if plan.rule is not None:
            plan.rule(choice, event.box)


def meant(r: "RoundState", event: "Signal") -> str:
    """Give the alert a ruling is about: by id, by code, else the last that waits."""
    if event.alert is not None:
        return event.alert
    if event.code is not None:
        found = [name for name, alert in r.alerts.items() if alert.code == event.code]
    else:
        found = [name for name in r.plans if name in r.alerts] or list(r.alerts)
    return found[-1] if found else ""


def _dropped(r: "RoundState", event: "Signal") -> None:
    says = "Found, and its place in the sequence known, it goes where it was due; else it is missing."
    remedy = r.error_remedy((), says=says)
    name = r.alert(
        "card-dropped",
        "A card left the table on its way from the shoe.",
        remedy,
        anchor=event.card or f"e{r.n}",
        box=event.box,
        evidence=(event.card,) if event.card else (),
    )
    r.plan(name)
    r.cancel(name)


def gone(r: "RoundState", seen: "CardSeen") -> None:
    """A card left the layout while the first cards were dealt; nothing in the game does that."""
    name = r.alert(
        "card-dropped",
        f"The {spoken(seen.card)} of {seen.zone.text} left the table while the first cards were dealt.",
        r.error_remedy((), says=f"Found, it goes back to {seen.zone.text}; else it is missing."),
        anchor=seen.id,
        box=seen.zone.box or None,
        evidence=(seen.id,),
        t=seen.gone_at,
    )
    if name:
        r.dropped[seen.id] = r.plan(name)
        r.cancel(name)


def _seated(r: "RoundState", event: "Signal") -> None:
    if event.player is not None and event.box is not None:
        bets.seat_taken(r, event.player, event.box)
        r.seated.setdefault(event.player, set()).add(event.box)


def _left(r: "RoundState", event: "Signal") -> None:
    if event.player is not None:
        r.seats.pop(event.player, None)
        r.seated.pop(event.player, None)


SIGNALLED = {
    "no-more-bets": _closing,
    "walked-away": _walked,
    "foreign-card": _foreign,
    "card-count": _count,
    "shoe-exhausted": _exhausted,
    "not-shuffled": _unshuffled,
    "technical-interruption": _interrupted,
    "ruling": _ruling,
    "card-dropped": _dropped,
    "seated": _seated,
    "left-seat": _left,
}


# ---- cards ----------------------------------------------------------------------------------------------------------


def outside(r: "RoundState", seen: "CardSeen") -> None:
    r.alert(
        "card-outside-box",
        f"The {spoken(seen.card)} lies outside every box.",
        Remedy("continue", r.faultclause("card-outside-box"), says="Place it where it belongs."),
        anchor=seen.id,
        evidence=(seen.id,),
    )


def misread(r: "RoundState", seen: "CardSeen", sure: float) -> None:
    r.alert(
        "misread-suspect",
        f"The card on {seen.zone.text} cannot be read with confidence ({sure:.2f}); show it clearly.",
        Remedy("continue", r.faultclause("misread-suspect"), says="Show it clearly; nothing is concluded from it."),
        anchor=seen.id,
        box=seen.zone.box or None,
        evidence=(seen.id,),
    )


def drawn(r: "RoundState", seen: "CardSeen", event: "Dealt") -> None:
    """Look at a card as it leaves the shoe: is it of the set, were they shuffled, is the table clear."""
    if seen.zone == SHOE and seen.up:
        r.alert(
            "boxed-card",
            f"The {spoken(seen.card)} lies face up in the shoe; it is used as the next card.",
            Remedy("continue", r.faultclause("boxed-card"), says="Use it as the next card."),
            anchor=seen.id,
            evidence=(seen.id,),
        )
    if seen.zone.box is not None:
        r.drawn += 1
        if r.drawn == 1:
            first(r)
    if r.shoe.burn:
        _burnt(r, seen)
    if event.zone == SHOE:
        return
    opens(r, seen, seen.card)
    if seen.card is not None:
        counted(r, seen, seen.card)


def opens(r: "RoundState", seen: "CardSeen", card: Card | None) -> None:
    """Look at the first cards after a shuffle, in the order they left the shoe."""
    why = r.shoe.opens(card)
    if why:
        name = r.alert(
            "unshuffled-suspect",
            f"The first cards look unshuffled: {why}.",
            Remedy("void", r.faultclause("unshuffled-suspect"), ("uphold", "dismiss"), says="Upheld: void."),
            anchor="order",
            evidence=(seen.id,),
        )
        r.plan(name)


def first(r: "RoundState") -> None:
    """The first card of a round: nothing of the last one may lie about."""
    if r.stale:
        zones = list(dict.fromkeys(zone.text for zone in r.stale.values()))
        several = len(r.stale) > 1
        what, them, does = ("Cards", "them; they belong", "lie") if several else ("A card", "it; it belongs", "lies")
        r.alert(
            "stale-card",
            f"{what} of the last round still {does} on {', '.join(zones)}.",
            Remedy("continue", r.faultclause("stale-card"), says=f"Before dealing remove {them} to no hand."),
            anchor=next(iter(r.stale)),
            box=next(iter(r.stale.values())).box or None,
            evidence=tuple(r.stale),
        )
    bets.lone_side_bets(r)


def _burnt(r: "RoundState", seen: "CardSeen") -> None:
    if seen.zone.part == "discard":
        r.shoe.burn -= 1
        return
    r.shoe.burn = 0
    r.alert(
        "burn-card-dealt",
        f"The {spoken(seen.card)} came into play although a card was to be burnt after the shuffle.",
        Remedy("continue", r.faultclause("burn-card-dealt"), says="Log only."),
        anchor=seen.id,
        box=seen.zone.box or None,
        evidence=(seen.id,),
    )


def counted(r: "RoundState", seen: "CardSeen", card: Card) -> None:
    copies = r.shoe.count(card)
    if copies <= r.book.decks:
        return
    code = "duplicate-card" if r.book.family == "si-ki-pi" else "excess-identical-card"
    said = "a second time in one deck" if r.book.decks == 1 else f"for the {copies}th time with {r.book.decks} decks"
    void(
        r,
        code,
        f"The {spoken(card)} has come {said}; look again before the round is declared void.",
        seen.id,
        box=seen.zone.box or None,
        evidence=(seen.id,),
    )
