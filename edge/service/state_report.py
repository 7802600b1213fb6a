"""What a table reports of its rounds: messages about rounds that ended, and the state of the table now."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec import Raw

from feltwatch.edge.messaging import schema
from feltwatch.edge.pipeline.round_story import AlertStory, RoundStory
from feltwatch.engine.blackjack.round import BlackjackRound
from feltwatch.engine.history.round_record import Life
from feltwatch.engine.model.money import plain
from feltwatch.engine.model.spots import hand_zone
from feltwatch.engine.model.verdicts import Settlement, Started, Verdict, encode
from feltwatch.engine.round.base import CardSeen, Round
from feltwatch.engine.sikipi.round import SikipiRound
from feltwatch.engine.table import Table

RECENT: Final = 3  # rounds: the engine may still change the current one and the one before
HandsByZone = dict[str, list[schema.LayoutCard]]
TAKEN_UP: Final = ("discard", "shoe", "float")  # a card there is no longer on the layout


class RecentRounds:
    """The rounds that the engine may still change, by number.

    It reads verdicts and nothing else: given those of a journal, it is as it was when they were written.
    """

    def __init__(self) -> None:
        self.stories: dict[int, RoundStory] = {}
        self._rounds: dict[int, Round] = {}  # as the table had them when they were last looked at

    def take(self, verdicts: Sequence[Verdict], rounds: Iterable[Life] = ()) -> list[schema.RoundSummary]:
        """Take what one event brought; give the messages about rounds that it ended or changed.

        Call it after every event, also where that brought nothing: a table may forget a round as it ends. A round whose
        start was not seen gives no message.
        """
        before = {number for number, story in self.stories.items() if story.end is not None}
        changed: dict[int, None] = {}
        for verdict in verdicts:
            if isinstance(verdict, Started):
                before.discard(verdict.round)
            if self._story(verdict).take(verdict):
                changed[verdict.round] = None
        self._look(rounds)
        return [*self._messages(changed, before)]

    def _look(self, rounds: Iterable[Life]) -> None:
        self._rounds |= {life.number: life.round for life in rounds}
        for number in self._rounds.keys() - self.stories.keys():
            del self._rounds[number]

    def _story(self, verdict: Verdict) -> RoundStory:
        starts = isinstance(verdict, Started)
        if starts or verdict.round not in self.stories:
            self.stories.pop(verdict.round, None)
            self.stories[verdict.round] = RoundStory(verdict.round, verdict.t, has_start=starts)
            while len(self.stories) > RECENT:
                del self.stories[next(iter(self.stories))]
        return self.stories[verdict.round]

    def _messages(self, changed: Iterable[int], before: set[int]) -> Iterable[schema.RoundSummary]:
        for number in changed:
            story = self.stories.get(number)
            if story is not None and story.has_start and story.end is not None:
                yield round_message(story, self._rounds.get(number), revises=number in before)


def round_message(story: RoundStory, done: Round | None, *, revises: bool) -> schema.RoundSummary:
    """Give the message about a round that ended; `done` is the round as the engine has it, where it does."""
    assert story.end is not None  # noqa: S101  the caller checked
    return schema.RoundSummary(
        round=story.number,
        result=story.end.result,  # type: ignore[arg-type]  # the engine's
        why=story.end.why,
        inferred=story.end.inferred,
        began=story.start,
        ended=story.end.t if story.ended is None else story.ended,
        hands=None if done is None else counted(done),
        settlements=_settlements(story.settlements.values()),
        alerts=[_raised(one) for one in story.alerts.values()],
        revises=revises,
    )


def state(table: Table, rounds: RecentRounds, doubts: Sequence[str], trouble: Mapping[str, str]) -> schema.State:
    """Give the state of the table now, with what cannot be seen. The same table always gives the same state."""
    life = table.life
    numbers = [one.number for one in (table.last, life) if one is not None]
    stories = [rounds.stories[number] for number in numbers if number in rounds.stories]
    now = rounds.stories.get(life.number) if life is not None else None
    return schema.State(
        round=None if life is None else life.number,
        since=None if life is None else life.began,
        hands=lying(table),
        bets=bets(table),
        alerts=[_raised(one) for story in stories for one in story.standing],
        settlements=[] if now is None else _settlements(now.settlements.values()),
        doubts=[*doubts],
        cameras=dict(sorted(trouble.items())),
    )


def _settlements(found: Iterable[Settlement]) -> list[Raw]:
    return [Raw(encode(one).encode()) for one in found]


def _raised(one: AlertStory) -> schema.Raised:
    alert = one.alert
    return schema.Raised(
        id=alert.id,
        round=alert.round,
        t=alert.t,
        code=alert.code,
        clause=alert.clause,
        severity=alert.severity,  # type: ignore[arg-type]  # the engine's
        box=alert.box,
        hand=alert.hand,
        says=alert.says,
        withdrawn=None if one.withdrawn is None else one.withdrawn.why,
    )


def lying(table: Table) -> HandsByZone:
    """Give the cards on the layout now, by zone."""
    life = table.life
    if life is not None:
        there = (seen for seen in life.round.seen.values() if not seen.gone and seen.zone.part not in TAKEN_UP)
        return _by_zone((seen.zone.text, seen) for seen in there)
    seen = {} if table.last is None else table.last.round.seen
    left = ((name, zone) for name, zone in table.stale.items() if name in seen and zone.part not in TAKEN_UP)
    return _by_zone((zone.text, seen[name]) for name, zone in left)


def bets(table: Table) -> dict[str, schema.Bet]:
    """Give the chips on the layout now, by spot."""
    if table.life is None:
        found = {
            spot: schema.Bet(amount=plain(amount), chips=None, stacks=None)
            for spot, (_, amount, _) in table.lying.items()
        }
    else:
        found = {
            spot: schema.Bet(amount=plain(one.now.amount), chips=one.now.units, stacks=one.now.piles)
            for spot, one in table.life.round.stacks.items()
            if one.now.present
        }
    return dict(sorted(found.items()))


def counted(done: Round) -> HandsByZone:
    """Give the cards that counted in a round, by hand: as they lay, or as a ruling placed them."""
    return _by_zone(_counted(done))


def _counted(done: Round) -> Iterable[tuple[str, CardSeen]]:
    if isinstance(done, BlackjackRound):
        for hand in (done.dealer, *done.all_hands()):
            yield from ((hand_zone(hand.box, hand.number).text, seen) for seen in hand.cards)
    elif isinstance(done, SikipiRound):
        for four in done.hands.values():
            low, high = four.placed or ((), ())
            parts = {seen.id: part for part, cards in (("low", low), ("high", high)) for seen in cards}
            place = f"box{four.box}" if four.box else "dealer"
            yield from ((f"{place}.{parts.get(seen.id, 'cards')}", seen) for seen in four.cards)


def _by_zone(cards: Iterable[tuple[str, CardSeen]]) -> HandsByZone:
    found: HandsByZone = {}
    for zone, seen in sorted(cards, key=lambda one: (not one[0].startswith("dealer"), one[0], one[1].n)):
        face = seen.card.text if seen.card else None
        found.setdefault(zone, []).append(schema.LayoutCard(id=seen.id, card=face, face="up" if seen.up else "down"))
    return found
