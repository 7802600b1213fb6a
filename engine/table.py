"""A table: one book, rounds one after another, and second thoughts when a fact comes late."""

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING

from feltwatch.engine.blackjack.round import BlackjackRound
from feltwatch.engine.books import Book
from feltwatch.engine.history import occluded_order, outage
from feltwatch.engine.history.round_record import Life, Lying, as_known, changes, is_next, placed_anew, put_before_close
from feltwatch.engine.model.events import Chips, Clear, Correct, Dealt, Decision, Event, Gap, Remove, Signal, Turn
from feltwatch.engine.model.money import ZERO
from feltwatch.engine.model.shoe import Shoe
from feltwatch.engine.model.verdicts import Alert, Remark, Started, Verdict
from feltwatch.engine.round import camera_only, payments
from feltwatch.engine.round.base import Round
from feltwatch.engine.sikipi.round import SikipiRound

if TYPE_CHECKING:
    from feltwatch.engine.model.spots import Zone


class Table:
    """Takes events in the order they come and gives the verdicts each of them brings.

    It holds the round being played and the one before; the log of events is the truth, and a fact that comes
    late (a corrected card, a dismissed alert, a decision reported after its inference) makes it replay the round.
    """

    def __init__(self, book: Book) -> None:
        self.book = book
        self.shoe = Shoe(burn=int(book.switches.burn))
        self.number = 0
        self.events = 0
        self.life: Life | None = None
        self.last: Life | None = None
        self.stale: dict[str, Zone] = {}
        self.lying: dict[str, Lying] = {}
        self.seats: dict[str, set[int]] = {}  # as `seated` reports them
        self.heard = False  # whether anybody tells this table anything
        self.fresh_shoe: int | None = None  # shuffled while a round was on: the cards to burn then
        self.held: occluded_order.Log = []  # a card that is wrong only if none came unseen, and what came after it
        self.unseen: outage.Unseen | None = None  # a gap whose events are still coming
        self.after: Gap | None = None  # the bets of the round that is on, or of the next, were not all seen placed
        self.blind = False  # cards of an unknown round are there: until they are gone nothing is judged

    def apply(self, event: Event) -> list[Verdict]:
        """Take one event, give the verdicts it brings. Never raises, whatever the order of events."""
        self.events += 1
        if self.unseen is not None and self.unseen.takes(self.events, event):
            return []
        kind = type(event)
        self.heard = self.heard or kind in (Signal, Decision)
        out = self._reveals() if self.unseen is not None or kind in (Signal, Decision, Clear) else []
        if kind is Gap:
            self._gap(event, out)  # type: ignore[arg-type]  # a Gap
        elif kind is Signal and (remark := self._remark(event)) is not None:  # type: ignore[arg-type]  # a Signal
            out.append(remark)
        elif self.blind and self._overlooks(event):
            pass
        elif kind is Signal and event.name in ("place-bets", "shuffled"):  # type: ignore[union-attr]  # a Signal
            self._between(event, out)  # type: ignore[arg-type]  # a Signal
        elif kind is Clear:
            self._clear(event.t, out)
        elif kind is Correct:
            self._correct(event, out)  # type: ignore[arg-type]  # a Correct
        elif self.held:
            self._release(occluded_order.released(self.held, (self.events, event)), out)
        else:
            self._release([(self.events, event)], out)
        return out

    @property
    def rounds(self) -> tuple[Life, ...]:
        """The round before, if it can still change, and the round that is on."""
        return tuple(life for life in (self.last, self.life) if life is not None)

    def finish(self) -> list[Verdict]:
        """Give what waits still: nothing comes any more."""
        out = self._reveals()
        if self.life is not None and not self.life.round.void:
            self.life.round.n = self.events
            self.life.round.nothing_follows()
            self._drain(self.life.round, out)
        return out

    def _reveals(self) -> list[Verdict]:
        """Live through what waits for a hidden place, as if that showed nothing more."""
        out: list[Verdict] = []
        self._closes(out)
        self._release([(n, occluded_order.seen(one, ())) for n, one in self.held], out)
        return out

    def _release(self, entries: occluded_order.Log, out: list[Verdict]) -> None:
        """Live through what came, up to a card that had better wait."""
        self.held = []
        for entry in entries:
            if self.held or self._waits(entry):
                self.held.append(entry)
            else:
                self._live(entry, out)

    def _waits(self, entry: occluded_order.Entry) -> bool:
        life = self.life
        return life is not None and occluded_order.in_doubt(
            life.log, entry, life.round, lambda log: self._lived(life, log)
        )

    # ---- rounds begin and end -----------------------------------------------------------------------------------

    def _between(self, event: Signal, out: list[Verdict]) -> None:
        if event.name == "shuffled":
            self._shuffled(int(self.book.switches.burn) if event.number is None else event.number)
            return
        if self.life is not None and not (self.life.log or self.life.round.drawn):
            return
        if self.life is not None:
            self._end(self.life, event.t, out, announced=True)
        elif self.last is not None:
            self._forgotten(event.t, out)
        self._begin(event.t, out)

    def _shuffled(self, burn: int) -> None:
        """A fresh shoe: from the next round on, where cards of this one have been drawn."""
        life = self.life
        if life is not None and life.round.drawn:
            self.fresh_shoe = burn
            return
        self.shoe.shuffled(burn)
        if life is not None:
            life.shoe, life.round.shoe = self.shoe.copy(), self.shoe.copy()

    def _begin(self, t: float, out: list[Verdict]) -> Life:
        self.number += 1
        if self.last is not None and self.last.round.only_seen and not self.heard:
            self.shoe.shuffled(0)  # a camera does not see whether these are still the same cards
        life = Life(self.number, t, self.shoe.copy(), self.stale.copy(), self.lying.copy(), self.seats, self.heard)
        life.round = self._fresh(life)
        self.life = life
        out.append(Started(t, self.number))
        return life

    def _fresh(self, life: Life) -> Round:
        kind = BlackjackRound if self.book.family == "blackjack" else SikipiRound
        found: Round = kind(self.book, life.number, life.shoe.copy(), life.dismissed)
        found.stale = life.stale.copy()
        found.heard = life.heard
        found.seats = {player: boxes.copy() for player, boxes in life.seats.items()}
        found.seated = {player: boxes.copy() for player, boxes in life.seats.items()}
        for spot, amount, left in life.held.values():
            found.hold(spot, amount, left=left)
        return found

    def _end(self, life: Life, t: float, out: list[Verdict], *, announced: bool) -> None:
        life.over = (t, announced)
        life.round.finish(t, announced=announced)
        self._drain(life.round, out)
        self.shoe = life.round.shoe.copy()
        if self.fresh_shoe is not None:
            self.shoe.shuffled(self.fresh_shoe)
            self.fresh_shoe = None
        if self._bets_unsure(life.round):
            self.after = None
        self.seats = life.round.seats_kept()
        self.stale = life.round.stale.copy()
        left = [seen for seen in life.round.seen.values() if not seen.gone and seen.zone.box is not None]
        self.stale.update({seen.id: seen.zone for seen in left})
        placed = placed_anew(life.round)
        lie = {text: stack for text, stack in life.round.stacks.items() if stack.now.present}
        new = lie if life.round.gap else placed
        self.lying = {text: (stack.spot, stack.now.amount, text not in new) for text, stack in lie.items()}
        self.last, self.life = life, None

    def _clear(self, t: float, out: list[Verdict]) -> None:
        life = self.life
        if life is not None and not life.round.drawn and (life.round.stale or self.stale):
            life.round.stale.clear()
            life.stale.clear()
        elif life is not None:
            self._end(life, t, out, announced=False)
        self.stale = {}

    def _forgotten(self, t: float, out: list[Verdict]) -> None:
        """The announcement comes and a bet of the round before, decided, still lies (3.25)."""
        life = self.last
        if life is None or life.round.void:
            return
        done = life.round
        done.t, done.n = t, self.events
        done.forgotten(self.lying)
        self._drain(done, out)

    def _remark(self, event: Signal) -> Remark | None:
        """Say why a ruling changes nothing: its round is over, or no such alert stands."""
        if event.name != "ruling":
            return None
        life, last, name = self.life, self.last, event.alert
        if life is not None and name is None:
            codes = {alert.code for alert in life.round.alerts.values()}
            before = [one for one in last.round.alerts.values() if one.code == event.code] if last else []
            if event.code is None or event.code in codes or not before:
                return None
            name = before[-1].id
        elif life is not None and name in life.round.alerts:
            return None
        if name is None:
            says = "no round is being played: the ruling came too late, or too early"
        elif last is not None and name in last.round.alerts:
            says = f"round {last.number} is over: the ruling on {name} was due before it ended"
        else:
            says = f"no alert {name} stands: it was withdrawn or dismissed, or its round is long over"
        return Remark(event.t, max(self.number, 1), event.choice or "", name, says)

    # ---- gaps in watching ---------------------------------------------------------------------------------------

    def _gap(self, event: Gap, out: list[Verdict]) -> None:
        """What came before is over, but for a round that goes on; what waited for a hidden place may have come then."""
        if event.lost:
            self._lose(event, out)
            return
        self.after = event
        self.unseen, self.held = outage.Unseen(self.events, event, self.held), []
        if self.life is None:
            self._forget()

    def _closes(self, out: list[Verdict]) -> None:
        """All unseen events are in: go on with them in the order that breaks least rules, or with what comes next."""
        unseen, life, self.unseen = self.unseen, self.life, None
        if unseen is None:
            return
        if life is None:
            self.blind = self.blind or unseen.begins
            for entry in unseen.entries:
                if not (self.blind and self._overlooks(entry[1])):
                    self._live(entry, out)
            return
        try:
            found = outage.explained(unseen, life.log, lambda log: self._lived(life, log))
        except outage.Lost as lost:
            self._lose(unseen.gap._replace(why=str(lost)), out)
            found = []
            for _, event in unseen.entries:
                self._overlooks(event)
        for entry in found:
            self._goes_on(life, entry, out)

    def _lose(self, gap: Gap, out: list[Verdict]) -> None:
        """What happened is unknown: the round ends, and nothing is judged until its cards are gone."""
        if self.life is not None:
            self.life.round.lost = gap.says
            self._end(self.life, max(gap.t, self.life.round.t), out, announced=False)
        self.after = gap
        self.held, self.stale, self.blind = [], {}, True
        self._forget()

    def _forget(self) -> None:
        """The round before is closed, the shoe unknown; chips that are there may be new."""
        self.lying = {text: (spot, amount, False) for text, (spot, amount, _) in self.lying.items()}
        self.last = self.fresh_shoe = None
        self.shoe.shuffled(0)

    def _bets_unsure(self, round_: Round) -> bool:
        """Tell whether a part of the betting was unseen: then the boxes due to cards are uncertain."""
        return self.after is not None and round_.drawn > 0 and round_.closed_at >= self.after.since

    def _overlooks(self, event: Event) -> bool:
        """Tell whether an event belongs to an unknown round; count its chips, since those left are bets."""
        if isinstance(event, Clear) or (isinstance(event, Signal) and event.name in ("place-bets", "shuffled")):
            self.blind = isinstance(event, Signal) and event.name == "shuffled"
            return False
        if isinstance(event, Chips) and event.spot is not None:
            self.lying[event.spot.text] = (event.spot, event.amount, False)
            if event.amount == 0:
                del self.lying[event.spot.text]
        return True

    # ---- events of a round --------------------------------------------------------------------------------------

    def _live(self, entry: occluded_order.Entry, out: list[Verdict]) -> None:
        life, event = self.life, entry[1]
        if life is not None and life.round.only_seen and is_next(life.round, event):
            self._end(life, event.t, out, announced=False)
            life = None
        if life is None:
            if self.last is not None and isinstance(event, Chips):
                camera_only.settled_before(self.last.round, event)
                self._drain(self.last.round, out)
            if not self._opens(event):
                return
            life = self._begin(event.t, out)
        kind = type(event)
        if kind is Dealt and event.id in self.stale and event.id not in life.round.seen:  # type: ignore[union-attr]
            self.stale.pop(event.id, None)  # type: ignore[union-attr]  # a Dealt
            life.stale.pop(event.id, None)  # type: ignore[union-attr]  # a Dealt
            life.round.stale.pop(event.id, None)  # type: ignore[union-attr]  # a Dealt
        place = occluded_order.place(life.log, entry, lambda log: self._lived(life, log))
        if place is not None:
            life.doubt = life.doubt or occluded_order.doubt(life.log[place:], event)
            life.log.insert(place, occluded_order.dated(entry, life.log[place]))
            self._again(life, out)
            return
        self._goes_on(life, entry, out)

    def _goes_on(self, life: Life, entry: occluded_order.Entry, out: list[Verdict]) -> None:
        life.log.append(entry)
        if self._rethinks(life, entry[1]):
            self._again(life, out)
            return
        life.round.apply(entry[1], entry[0])
        self._drain(life.round, out)

    def _opens(self, event: Event) -> bool:
        """Tell whether an event between two rounds begins the next; keep book of what lies if not."""
        if isinstance(event, Dealt):
            return event.zone.box is not None
        if isinstance(event, Chips) and event.spot is not None:
            _, before, left = self.lying.get(event.spot.text, (event.spot, ZERO, True))
            less = event.spot.text in self.lying
            if event.amount is not None and before is not None:
                less = event.amount < before or (event.amount == before and (event.by != "player" or not before))
            if not (less or event.by == "dealer" or self._late(event, before)):
                return True
            self.lying[event.spot.text] = (event.spot, event.amount, left)
            if event.amount == 0:
                del self.lying[event.spot.text]
        elif isinstance(event, Signal):
            return event.name == "no-more-bets"
        elif isinstance(event, Remove):
            self.stale.pop(event.id, None)
        return False

    def _late(self, event: Chips, before: Decimal | None) -> bool:
        """Tell whether a hand that was not seen pays just what the last round still owes on a bet that lies."""
        if self.last is None or event.by is not None or event.spot is None or event.amount is None or not before:
            return False
        done = self.last.round
        stack = done.stacks.get(event.spot.text)
        if stack is None or done.void or event.amount - before != payments.due(done, stack).wins - stack.settled.paid:
            return False
        stack.settled.paid += event.amount - before
        return True

    def _drain(self, round_: Round, out: list[Verdict]) -> None:
        found, round_.out[:] = [*round_.out], []
        self._say(found, out)

    def _say(self, found: Sequence[Verdict], out: list[Verdict]) -> None:
        """Publish a finding; about a misplaced card only if all bets are known, else the round is lost."""
        gap, life = self.after, self.life
        alerts = [one for one in found if isinstance(one, Alert) and one.code in outage.BETS_SAY]
        if gap and life and self._bets_unsure(life.round) and any(one.round == life.number for one in alerts):
            out += [one for one in found if not isinstance(one, Alert)]
            self.after = None
            self._lose(gap._replace(why="what was bet is not sure"), out)
        else:
            out += found

    # ---- second thoughts ----------------------------------------------------------------------------------------

    def _rethinks(self, life: Life, event: Event) -> bool:
        """Tell whether an event changes what earlier events meant; make the change in the log."""
        if isinstance(event, Turn) and event.card is not None:
            seen = life.round.seen.get(event.id)
            if seen is not None and seen.card != event.card and life.round.rejudges(seen):
                life.faces[event.id] = event.card
                return True
        elif isinstance(event, Chips):
            return camera_only.lay_at_close(life.round, event) and put_before_close(life)
        elif isinstance(event, Decision):
            at = life.round.late(event)
            if at is not None:
                entry = life.log.pop()
                place = next(i for i, (n, _) in enumerate(life.log) if n == at)
                life.log.insert(place, entry)
                return True
        elif isinstance(event, Signal) and event.choice == "dismiss":
            name = life.round.meant(event)
            if name in life.round.alerts:
                life.dismissed |= {name}
                return True
        return False

    def _correct(self, event: Correct, out: list[Verdict]) -> None:
        self.held = [(n, as_known(one, {event.id: event.card})) for n, one in self.held]
        for life in (self.life, self.last):
            if life is not None and event.id in life.round.seen:
                if life.round.seen[event.id].card != event.card or event.id in life.faces:
                    life.faces[event.id] = event.card
                    self._again(life, out, event.t)
                return

    def _lived(self, life: Life, log: Sequence[occluded_order.Entry]) -> Round:
        """Give a round as it is after these events, with the faces that are known by now."""
        found = self._fresh(life)
        found.doubt = life.doubt
        for n, event in log:
            found.apply(as_known(event, life.faces), n)
        return found

    def _again(self, life: Life, out: list[Verdict], t: float | None = None) -> None:
        """Live the round again with what is known now; say what that changes."""
        old = life.round
        new = self._lived(life, life.log)
        now = new.t if t is None else t
        if life.over is None:  # what stops a round stops it when it is published
            new.raised = {name: old.raised.get(name, self.events) for name in new.raised}
        if life.over is not None:
            new.finish(life.over[0], announced=life.over[1])
        new.t, new.n = now, self.events
        said = [*changes(old, new, now)]
        if life.over is not None:
            ends = [one for one in (old.ended, new.ended) if one is not None]
            if len(ends) == 2 and (ends[0].result, ends[0].why) != (ends[1].result, ends[1].why):
                said.append(replace(ends[1], t=now))
        new.out.clear()
        life.round = new
        self._say(said, out)
        if life is self.last and self.life is None:
            self.shoe = new.shoe.copy()
