"""The table as it stands: what lies where, what it came to, what stands against it."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from feltwatch.edge.messaging import schema
from feltwatch.engine.blackjack.round import BlackjackRound
from feltwatch.engine.model.money import plain
from feltwatch.engine.model.spots import hand_zone
from feltwatch.engine.round.base import Round, Seen
from feltwatch.engine.sikipi.round import SikipiRound
from feltwatch.engine.table import Table

if TYPE_CHECKING:
    from feltwatch.edge.service.round_fold import RoundFold

Hands = dict[str, list[schema.Card]]
TAKEN_UP: Final = ("discard", "shoe", "float")  # a card there lies on the layout no more


def state(table: Table, fold: "RoundFold", doubts: Sequence[str], trouble: Mapping[str, str]) -> schema.State:
    """Give the round as it stands, and what nobody can see now. Nothing is kept: the same table gives the same."""
    life = table.life
    numbers = [one.number for one in (table.last, life) if one is not None]
    stories = [fold.stories[number] for number in numbers if number in fold.stories]
    now = fold.stories.get(life.number) if life is not None else None
    return schema.State(
        round=None if life is None else life.number,
        since=None if life is None else life.began,
        hands=lying(table),
        bets=bets(table),
        alerts=[alert for story in stories for alert in story.standing],
        settlements=[] if now is None else [*now.settlements.values()],
        doubts=[*doubts],
        cameras=dict(sorted(trouble.items())),
    )


def lying(table: Table) -> Hands:
    """Give the cards that lie on the layout now, by zone."""
    life = table.life
    if life is not None:
        there = (seen for seen in life.round.seen.values() if not seen.gone and seen.zone.part not in TAKEN_UP)
        return _by_zone((seen.zone.text, seen) for seen in there)
    seen = {} if table.last is None else table.last.round.seen
    left = ((name, zone) for name, zone in table.stale.items() if name in seen and zone.part not in TAKEN_UP)
    return _by_zone((zone.text, seen[name]) for name, zone in left)


def bets(table: Table) -> dict[str, schema.Bet]:
    """Give the chips that lie on the layout now, by spot."""
    if table.life is None:
        found = {
            spot: schema.Bet(amount=plain(amount), chips=None, stacks=None)
            for spot, (_, amount, _) in table.lying.items()
        }
    else:
        found = {
            spot: schema.Bet(amount=plain(one.now), chips=one.units, stacks=one.piles)
            for spot, one in table.life.round.stacks.items()
            if one.present
        }
    return dict(sorted(found.items()))


def counted(done: Round) -> Hands:
    """Give the cards that counted in a round, by hand: as they lay, or as a ruling put them."""
    return _by_zone(_counted(done))


def _counted(done: Round) -> Iterable[tuple[str, Seen]]:
    if isinstance(done, BlackjackRound):
        for hand in (done.dealer, *done.all_hands()):
            yield from ((hand_zone(hand.box, hand.number).text, seen) for seen in hand.cards)
    elif isinstance(done, SikipiRound):
        for four in done.hands.values():
            low, high = four.placed or ((), ())
            parts = {seen.id: part for part, cards in (("low", low), ("high", high)) for seen in cards}
            place = f"box{four.box}" if four.box else "dealer"
            yield from ((f"{place}.{parts.get(seen.id, 'cards')}", seen) for seen in four.cards)


def _by_zone(cards: Iterable[tuple[str, Seen]]) -> Hands:
    found: Hands = {}
    for zone, seen in sorted(cards, key=lambda one: (not one[0].startswith("dealer"), one[0], one[1].n)):
        face = seen.card.text if seen.card else None
        found.setdefault(zone, []).append(schema.Card(id=seen.id, card=face, face="up" if seen.up else "down"))
    return found
