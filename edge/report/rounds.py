"""The list of rounds on the page: for each the hands as they fell, decisions, what each bet came to, alerts."""

from collections.abc import Mapping, Sequence
from decimal import Decimal

from feltwatch.edge.report.alerts import Exhibit, article, badge
from feltwatch.edge.report.cards import card_svg
from feltwatch.edge.report.html import Content, Markup, join, tag
from feltwatch.edge.report.story import CardStory, PlayedRound
from feltwatch.edge.report.words import ENDS, RANK, count, moment, money, place
from feltwatch.edge.wording import clock
from feltwatch.engine.blackjack.hands import LIMIT, total
from feltwatch.engine.model.cards import CARDS
from feltwatch.engine.model.events import Decision
from feltwatch.engine.model.money import plain
from feltwatch.engine.model.verdicts import Decided, Settlement
from feltwatch.engine.sikipi.ranking import GONG, hand_sum

FEW = 12  # rounds that are all shown open


def section(story: PlayedRound, exhibits: Sequence[Exhibit], family: str, *, opened: bool) -> Markup:
    notable = bool(story.standing) or story.result in ("void", "unresolved")
    worst = next(iter(_severities(story)), "correct")
    body = [
        _hands(story, family),
        tag("p", f"{story.why[:1].upper()}{story.why[1:]}.", class_="why") if story.why else None,
        *(article(exhibit) for exhibit in exhibits),
    ]
    return tag(
        "details",
        tag("summary", _summary(story)),
        tag("div", *body, class_="body"),
        id=f"round-{story.number}",
        class_=f"round notable {worst}" if notable else "round",
        open=opened,
    )


def _summary(story: PlayedRound) -> Markup:
    end = "the end of the video" if story.end is None else moment(story.end.t)
    gone = len(story.alerts) - len(story.standing)
    parts: list[Content] = [
        tag("span", f"Round {story.number}", class_="no"),
        tag("span", f"{moment(story.start)} to {end}", class_="when"),
        tag("span", ENDS.get(story.result, story.result), class_=f"result {story.result}"),
        *(badge(name) for name in _severities(story)),
        tag("span", ", ".join(one.alert.code for one in story.standing), class_="codes") if story.standing else None,
        tag("span", f"{gone} withdrawn", class_="when") if gone else None,
        _net(story),
    ]
    return join(parts, " ")


def _severities(story: PlayedRound) -> list[str]:
    """Give the severities of the alerts that were not withdrawn, the gravest first."""
    return sorted({one.alert.severity for one in story.standing} & set(RANK), key=lambda name: RANK[name])


def _net(story: PlayedRound) -> Markup | None:
    """Give the net result of all bets for the Players, where every one is known."""
    nets = [one.net for one in story.settlements.values()]
    known = [net for net in nets if net is not None]
    if not nets or len(known) < len(nets):
        return None
    return tag("span", f"Players {money(plain(sum(known, Decimal())), signed=True)}", class_="net")


def _hands(story: PlayedRound, family: str) -> Markup:
    """Draw the hands, the dealer's first, then box by box."""
    zones = {card.zone for card in story.cards.values()}
    done: set[tuple[int, int]] = set()
    rows = []
    for zone in sorted(zones, key=_order):
        cards = [card for card in story.cards.values() if card.zone == zone]
        box, hand = _box(zone)
        first = box > 0 and (box, hand) not in done
        done.add((box, hand))
        rows.append(_hand(place(zone), cards, family, _done(story, box, hand) if first else []))
    bets = {(box, hand) for box, hand, _ in story.settlements} - done
    rows += [_hand(f"Box {box}", [], family, _done(story, box, hand)) for box, hand in sorted(bets)]
    if not rows:
        return tag("p", "No card was seen.", class_="none")
    return tag("div", *rows, class_="hands")


def _order(zone: str) -> tuple[int, int, str]:
    box, hand = _box(zone)
    part = zone.partition(".")[2]
    return box, hand, {"cards": "0", "low": "1", "high": "2"}.get(part, part)


def _box(zone: str) -> tuple[int, int]:
    """Give the box and hand of a zone; the dealer is 0, what is no hand stands last."""
    where, _, part = zone.partition(".")
    if where == "dealer":
        return 0, 1
    if not (where.startswith("box") and where[3:].isdigit()):
        return 99, 1
    return int(where[3:]), int(part[4:]) if part.startswith("hand") and part[4:].isdigit() else 1


def _hand(name: str, cards: Sequence[CardStory], family: str, done: Sequence[Markup]) -> Markup:
    pictures = [
        card_svg(card.face, up=card.up, taken=clock(card.gone) if card.is_early and card.gone else "") for card in cards
    ]
    worth = _worth([card for card in cards if not card.is_early], family)
    return tag(
        "div",
        tag("h4", name),
        tag("div", *pictures, tag("span", worth, class_="total") if worth else None, class_="cards"),
        tag("ul", *(tag("li", one) for one in done)) if done else None,
        class_="hand",
    )


def _worth(cards: Sequence[CardStory], family: str) -> str:
    """Give what a hand counts, where every face of it is known."""
    faces = [CARDS[card.face] for card in cards if card.face in CARDS and card.up]
    if not faces or len(faces) < len(cards):
        return ""
    if family == "blackjack":
        found = total(faces)
        points = found.points if found else 0
        return f"{'soft ' if found and found.soft else ''}{points}{', bust' if points > LIMIT else ''}"
    if len(faces) != 2:
        return ""
    points = hand_sum((faces[0], faces[1]))
    return f"{points} point{'' if points == 1 else 's'}" if points < GONG else "Gong" if points == GONG else "Pair"


def _done(story: PlayedRound, box: int, hand: int) -> list[Markup]:
    """List what was decided on a hand, then what its bets came to."""
    decided = [one for one in story.decisions if (one.box, one.hand) == (box, hand)]
    found = [tag("span", "; ".join(map(_decision, decided)), class_="decided")] if decided else []
    lines = [one for _, one in sorted(story.settlements.items()) if (one.box, one.hand) == (box, hand)]
    return [*found, *map(_settled, lines)]


def _decision(one: Decided | Decision) -> str:
    if isinstance(one, Decided):
        return f"{one.action} at {clock(one.t)}{', inferred' if one.inferred else ''}"
    who = f"{one.who}: " if one.who else ""
    amount = f" {money(plain(one.amount))}" if one.amount is not None else ""
    return f"{who}{one.action}{amount} at {clock(one.t)}"


def _settled(one: Settlement) -> Markup:
    laid = money(plain(one.stake)) if one.stake is not None else ""
    if one.stake is None and one.units is not None:
        laid = count(one.units, "chip")
    return join(
        [
            tag("span", one.bet, class_="bet"),
            f" {laid}: " if laid else " ",
            tag("strong", one.result, class_=f"paid {one.result}"),
            f" at {one.odds}" if one.odds else "",
            tag("span", f" {money(plain(one.net), signed=True)}", class_="net") if one.net is not None else None,
            tag("span", f" clause {one.clause}", class_="when"),
            tag("span", f", changed at {clock(one.t)}", class_="why") if one.revises else None,
        ]
    )


def rounds(played: Sequence[PlayedRound], exhibits: Mapping[int, Sequence[Exhibit]], family: str) -> Markup:
    """Give all rounds; where there are many, only those with an alert are open."""
    notable = [story for story in played if story.standing]
    parts = [
        section(
            story,
            exhibits.get(story.number, ()),
            family,
            opened=len(played) <= FEW or (bool(story.standing) and len(notable) <= FEW),
        )
        for story in played
    ]
    lines = [one for story in played for one in story.settlements.values()]
    unknown = any(one.stake is None for one in lines)
    note = tag("p", "Where the value of a bet was not seen, its result stands without amounts.", class_="fine")
    return join([note if unknown else None, *parts], "\n")
