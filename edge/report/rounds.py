"""One round on the page: the hands as they fell, what was decided, what each bet came to, and its alerts."""

from collections.abc import Mapping, Sequence
from decimal import Decimal

from feltwatch.edge.report.alerts import Exhibit, alert, badge
from feltwatch.edge.report.cards import drawn
from feltwatch.edge.report.html import Content, Markup, join, tag
from feltwatch.edge.report.story import Lay, Row, Story, seconds, whole
from feltwatch.edge.report.words import ENDS, RANK, count, moment, money, place
from feltwatch.edge.wording import clock
from feltwatch.engine.blackjack.hands import LIMIT, total
from feltwatch.engine.model.cards import CARDS
from feltwatch.engine.sikipi.ranking import GONG, hand_sum

FEW = 12  # rounds that are all shown open


def section(story: Story, exhibits: Sequence[Exhibit], family: str, *, opened: bool) -> Markup:
    notable = bool(story.standing) or story.result in ("void", "unresolved")
    worst = next(iter(_severities(story)), "correct")
    body = [
        _hands(story, family),
        tag("p", f"{story.why[:1].upper()}{story.why[1:]}.", class_="why") if story.why else None,
        *(alert(exhibit) for exhibit in exhibits),
    ]
    return tag(
        "details",
        tag("summary", _summary(story)),
        tag("div", *body, class_="body"),
        id=f"round-{story.number}",
        class_=f"round notable {worst}" if notable else "round",
        open=opened,
    )


def _summary(story: Story) -> Markup:
    end = "the end of the footage" if story.end is None else moment(story.end)
    gone = len(story.alerts) - len(story.standing)
    parts: list[Content] = [
        tag("span", f"Round {story.number}", class_="no"),
        tag("span", f"{moment(story.start)} to {end}", class_="when"),
        tag("span", ENDS.get(story.result, story.result), class_=f"result {story.result}"),
        *(badge(name) for name in _severities(story)),
        tag("span", ", ".join(str(one.said["code"]) for one in story.standing), class_="codes")
        if story.standing
        else None,
        tag("span", f"{gone} withdrawn", class_="when") if gone else None,
        _net(story),
    ]
    return join(parts, " ")


def _severities(story: Story) -> list[str]:
    """Give those of the alerts that stand, the gravest first."""
    return sorted({str(one.said["severity"]) for one in story.standing} & set(RANK), key=lambda name: RANK[name])


def _net(story: Story) -> Markup | None:
    """Say what all bets of the round came to for the Players, where all is known."""
    nets = [row.get("net") for row in story.settlements.values()]
    if not nets or None in nets:
        return None
    whole_net = sum((Decimal(str(net)) for net in nets), Decimal())
    return tag("span", f"Players {money(_number(whole_net), signed=True)}", class_="net")


def _number(amount: Decimal) -> float:
    return int(amount) if amount == int(amount) else float(amount)


def _hands(story: Story, family: str) -> Markup:
    """Draw the hands, the dealer's first, then box by box."""
    zones = {lay.zone for lay in story.cards.values()}
    told: set[tuple[int, int]] = set()
    rows = []
    for zone in sorted(zones, key=_order):
        cards = [lay for lay in story.cards.values() if lay.zone == zone]
        box, hand = _box(zone)
        first = box > 0 and (box, hand) not in told
        told.add((box, hand))
        rows.append(_hand(place(zone), cards, family, _done(story, box, hand) if first else []))
    bets = {(box, hand) for box, hand, _ in story.settlements} - told
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


def _hand(name: str, cards: Sequence[Lay], family: str, done: Sequence[Markup]) -> Markup:
    pictures = [drawn(lay.face, up=lay.up, taken=clock(lay.gone) if lay.early and lay.gone else "") for lay in cards]
    worth = _worth([lay for lay in cards if not lay.early], family)
    return tag(
        "div",
        tag("h4", name),
        tag("div", *pictures, tag("span", worth, class_="total") if worth else None, class_="cards"),
        tag("ul", *(tag("li", one) for one in done)) if done else None,
        class_="hand",
    )


def _worth(cards: Sequence[Lay], family: str) -> str:
    """Say what a hand counts, where every face of it is known."""
    faces = [CARDS[lay.face] for lay in cards if lay.face in CARDS and lay.up]
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


def _done(story: Story, box: int, hand: int) -> list[Markup]:
    """Say what was decided on a hand, then what its bets came to."""
    decided = [row for row in story.decisions if (row.get("box"), row.get("hand", 1)) == (box, hand)]
    found = [tag("span", "; ".join(_decision(row) for row in decided), class_="decided")] if decided else []
    lines = [row for (b, h, _), row in sorted(story.settlements.items()) if (b, h) == (box, hand)]
    return [*found, *(_settled(row) for row in lines)]


def _decision(row: Row) -> str:
    who = f"{row['player']}: " if row.get("player") else ""
    amount = f" {money(row['amount'])}" if row.get("amount") is not None else ""
    inferred = ", inferred" if row.get("inferred") else ""
    return f"{who}{row['action']}{amount} at {clock(seconds(row))}{inferred}"


def _settled(row: Row) -> Markup:
    stake, net, units = row.get("stake"), row.get("net"), row.get("units")
    laid = money(stake) if stake is not None else count(whole(row, "units"), "chip") if units is not None else ""
    odds = f" at {row['odds']}" if row.get("odds") else ""
    result = str(row["result"])
    return join(
        [
            tag("span", str(row["bet"]), class_="bet"),
            f" {laid}: " if laid else " ",
            tag("strong", result, class_=f"paid {result}"),
            odds,
            tag("span", f" {money(net, signed=True)}", class_="net") if net is not None else None,
            tag("span", f" clause {row['clause']}", class_="when"),
            tag("span", f", changed at {clock(seconds(row))}", class_="why") if row.get("revises") else None,
        ]
    )


def rounds(told: Sequence[Story], exhibits: Mapping[int, Sequence[Exhibit]], family: str) -> Markup:
    """Give all rounds; where they are many, only those with something to look at stand open."""
    notable = [story for story in told if story.standing]
    parts = [
        section(
            story,
            exhibits.get(story.number, ()),
            family,
            opened=len(told) <= FEW or (bool(story.standing) and len(notable) <= FEW),
        )
        for story in told
    ]
    unknown = any(row.get("stake") is None for story in told for row in story.settlements.values())
    note = tag("p", "Where the value of a bet was not seen, its result stands without amounts.", class_="fine")
    return join([note if unknown else None, *parts], "\n")
