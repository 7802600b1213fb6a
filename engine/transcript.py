"""Rounds written down as a dealer would tell them: the golden-file format (`*.round`), read into table events.

docs/rounds.md describes it. A scenario begins with `round "title"`; a line that ends with `!! code` must raise just
those alerts, and indented lines below it say what else must then be true.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal

SHORT = {
    "v4": "blackjack-rws-v4",
    "v5": "blackjack-rws-v5",
    "2024": "rws-blackjack-2024",
    "live": "live-blackjack",
    "skp": "si-ki-pi-v3",
}


class TranscriptError(ValueError):
    """A line that says nothing we know; the text names the line."""


@dataclass(slots=True)
class Step:
    """One line: the events it stands for, and what must come of them."""

    number: int
    text: str
    events: list[dict[str, object]]
    alerts: list[str] = field(default_factory=list)
    withdrawn: list[str] = field(default_factory=list)
    checks: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Scenario:
    """One round (or a few) told, with the book it is judged by and the clauses it proves."""

    title: str
    number: int
    books: list[str] = field(default_factory=list)
    settings: dict[str, str] = field(default_factory=dict)
    decks: int | None = None
    limits: tuple[Decimal, Decimal] | None = None
    cites: list[tuple[str, str]] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)

    def events(self) -> Iterator[dict[str, object]]:
        for step in self.steps:
            yield from step.events


class _Teller:
    """Turns the lines of one scenario into events: counts cards and chips, and lets a second pass a line."""

    def __init__(self) -> None:
        self.t = 0.0
        self.cards = 0
        self.chips: dict[str, Decimal] = {}
        self.lying: dict[str, list[str]] = {}  # the cards dealt to each box, by the words for it

    def tell(self, line: str) -> list[dict[str, object]]:
        for pattern, act in LINES:
            match = pattern.fullmatch(line)
            if match is not None:
                return list(act(self, match.groupdict()))
        raise TranscriptError(f"expected an event such as '9h to box 3', found {line!r}")

    def event(self, kind: str, **more: object) -> dict[str, object]:
        found: dict[str, object] = {"t": round(self.t, 3), "event": kind}
        found.update({key: value for key, value in more.items() if value is not None})
        self.t += 1.0
        return found

    def puts(self, card: str, place: str) -> None:
        """Take note of whose hand a card lies in."""
        whose = place.removesuffix(" low").removesuffix(" high")
        if card not in self.lying.setdefault(whose, []):
            for cards in self.lying.values():
                if card in cards:
                    cards.remove(card)
            self.lying[whose].append(card)

    def put(self, spot: str, amount: Decimal, by: str | None) -> dict[str, object]:
        self.chips[spot] = amount
        return self.event("chips", spot=spot, amount=_number(amount), by=by)


def _number(amount: Decimal) -> object:
    return int(amount) if amount == amount.to_integral_value() else amount


Words = Mapping[str, str | None]
Told = Iterator[dict[str, object]]


def _bets(teller: _Teller, words: Words) -> Told:
    for word in (words["list"] or "").split():
        where, _, amount = word.partition(":")
        box, _, spot = where.partition(".")
        yield teller.put(f"box{box}.{spot or 'main'}", Decimal(amount), "player")


def _stacks(teller: _Teller, words: Words) -> Told:
    """One stack each, as a camera sees a bet."""
    for where in (words["list"] or "").split():
        box, _, spot = where.partition(".")
        found = teller.event("chips", spot=f"box{box}.{spot or 'main'}", by="player", stacks=_standing("1"))
        yield {**found, "amount": None}


def _standing(count: str) -> list[dict[str, object]]:
    return [{"top": None, "count": None} for _ in range(int(count))]


def _place(text: str) -> tuple[str, int | None]:
    """Read "box 3 hand 2", "box 3 low", "dealer", "dealer high", "shoe"."""
    words = text.split()
    if words[0] == "box":
        part = words[2] if len(words) > 2 else "cards"
        if part == "hand":
            return f"box{words[1]}.cards" if words[3] == "1" else f"box{words[1]}.hand{words[3]}", int(words[3])
        return f"box{words[1]}.{part}", None
    if words[0] == "dealer":
        return f"dealer.{words[1] if len(words) > 1 else 'cards'}", None
    return words[0], None


def _card(teller: _Teller, words: Words) -> Told:
    face = words["card"] or ""
    zone, hand = _place(words["place"] or "")
    extra = words["extra"] or ""
    teller.cards += 1
    if "together" in extra:
        teller.t -= 1.0
    sure = re.search(r"confidence ([0-9.]+)", extra)
    since = re.search(r"since ([0-9.]+)", extra)
    found = teller.event(
        "card",
        id=f"c{teller.cards}",
        zone=zone,
        hand=hand,
        face="down" if face == "back" or "face down" in extra else "up",
        crosswise=True if "crosswise" in extra else None,
        confidence=Decimal(sure[1]) if sure else None,
        since=Decimal(since[1]) if since else None,
        hidden=_hidden(extra),
    )
    found["card"] = None if face in ("back", "??") else face
    teller.puts(f"c{teller.cards}", words["place"] or "")
    yield found


def _hidden(text: str) -> list[str] | None:
    """Read "hidden 2 dealer": places that nobody can see."""
    found = re.search(r"hidden ([0-9a-z ]+)", text)
    return [_place(f"box {one}" if one.isdigit() else one)[0] for one in found[1].split()] if found else None


def _fours(teller: _Teller, words: Words) -> Told:
    """Deal cards face down: one to each (`backs to 1 2 dealer`), four one at a time (`fours`), or in packets."""
    names = (words["names"] or "").split()
    order = names * (4 if words["how"] == "fours" else 1)
    if words["how"] == "packets":
        order = [name for name in names for _ in range(4)]
    for name in order:
        yield from _card(teller, {"card": "back", "place": name if name == "dealer" else f"box {name}", "extra": ""})


def _sets(teller: _Teller, words: Words) -> Told:
    """Lay the first two cards of a hand as its Low Hand, the next two as its High Hand."""
    place = words["place"] or ""
    for card, part in zip(teller.lying[place], ("low", "low", "high", "high"), strict=False):
        yield from _move(teller, {"id": card, "place": f"{place} {part}", "by": words["by"]})


def _shows(teller: _Teller, words: Words) -> Told:
    """Turn up the cards of a hand, in the order they were dealt."""
    for card, face in zip(teller.lying[words["place"] or ""], (words["faces"] or "").split(), strict=False):
        yield from _turn(teller, {"id": card, "card": face, "by": words["by"]})


def _deal(teller: _Teller, words: Words) -> Told:
    """Deal the first cards of every hand in the order of the book: `deal 1 Tc 2d, 2 9s 9d, dealer 6h`."""
    hands = [part.split() for part in (words["hands"] or "").split(",")]
    for number in (1, 2):
        for name, *faces in hands:
            if number <= len(faces):
                place = name if name == "dealer" else f"box {name}"
                yield from _card(teller, {"card": faces[number - 1], "place": place, "extra": ""})


def _turn(teller: _Teller, words: Words) -> Told:
    card = words["card"]
    yield teller.event("turn", id=words["id"], face="up", card=card, by=words["by"])


def _move(teller: _Teller, words: Words) -> Told:
    zone, hand = _place(words["place"] or "")
    teller.puts(words["id"] or "", words["place"] or "")
    yield teller.event("move", id=words["id"], zone=zone, hand=hand, by=words["by"])


def _leaves(teller: _Teller, words: Words) -> Told:
    teller.puts(words["id"] or "", "off the table")
    yield teller.event("remove", id=words["id"])


def _correct(teller: _Teller, words: Words) -> Told:
    found = teller.event("correct", id=words["id"])
    found["card"] = None if words["card"] == "unread" else words["card"]
    yield found


ACTIONS = {
    "hits": "hit",
    "stands": "stand",
    "doubles": "double",
    "splits": "split",
    "surrenders": "surrender",
    "takes even money": "even-money",
    "insures": "insurance",
}


def _decide(teller: _Teller, words: Words) -> Told:
    amount = words["amount"]
    yield teller.event(
        "decision",
        box=int(words["box"] or 0),
        hand=int(words["hand"] or 1),
        action=ACTIONS[words["action"] or ""],
        amount=_number(Decimal(amount)) if amount else None,
    )


def _chips(teller: _Teller, words: Words) -> Told:
    spot, change = words["spot"] or "", Decimal(words["amount"] or 0)
    before = teller.chips.get(spot, Decimal(0))
    after = before + change if words["verb"] in ("adds", "pays") else max(before - change, Decimal(0))
    yield teller.put(spot, after, None if words["by"] == "someone" else words["by"])


def _lies(teller: _Teller, words: Words) -> Told:
    found = teller.event("chips", spot=words["spot"], by=words["by"])
    amount = words["amount"]
    found["amount"] = None if amount == "unknown" else _number(Decimal(amount or 0))
    if words["count"]:
        found["stacks"] = [{"top": 25, "count": int(words["count"])}]
    if words["stacks"]:
        found["stacks"] = _standing(words["stacks"])
    if words["player"]:
        found["player"] = words["player"]
    if words["since"]:
        found["since"] = _number(Decimal(words["since"]))
    yield found


def _signal(teller: _Teller, words: Words) -> Told:
    more: dict[str, object] = {}
    rest = (words["rest"] or "").split()
    for key, value in zip(rest[::2], rest[1::2], strict=True):
        more["id" if key == "card" else key] = int(value) if key in ("box", "seat", "count") else value
    yield teller.event("signal", name=words["name"], **more)


def _ruling(teller: _Teller, words: Words) -> Told:
    box = words["box"]
    yield teller.event(
        "signal", name="ruling", choice=words["choice"], code=words["code"], box=int(box) if box else None
    )


def _wait(teller: _Teller, words: Words) -> Told:
    teller.t += float(words["s"] or 0)
    if words["word"] == "wait":
        yield teller.event("tick", hidden=_hidden(words["extra"] or ""))


def _plain(kind: str, **more: object) -> Callable[[_Teller, Words], Told]:
    def act(teller: _Teller, _: Words) -> Told:
        yield teller.event(kind, **more)

    return act


_CARD = r"(?P<card>[2-9TJQKA][shdc]|\?\?|back)"
_ACTION = "|".join(ACTIONS)
_BY = r"(?: by (?P<by>player|dealer))?"
_SPOT = r"(?P<spot>box[0-9]\.[a-z0-9/-]+|outside)"
LINES: list[tuple[re.Pattern[str], Callable[[_Teller, Words], Told]]] = [
    (re.compile(pattern), act)
    for pattern, act in (
        (r"place bets", _plain("signal", name="place-bets")),
        (r"no more bets", _plain("signal", name="no-more-bets")),
        (r"clear", _plain("clear")),
        (r"bets (?P<list>.+)", _bets),
        (r"stacks (?P<list>.+)", _stacks),
        (r"deal (?P<hands>.+)", _deal),
        (r"(?P<how>backs|fours|packets) to (?P<names>[0-9a-z ]+)", _fours),
        (r"(?P<place>box [0-9]|dealer) is set" + _BY, _sets),
        (r"(?P<place>box [0-9]|dealer) shows (?P<faces>(?:[2-9TJQKA][shdc] ?)+?)" + _BY, _shows),
        (_CARD + r" to (?P<place>[a-z0-9 ]+?)(?P<extra>(?:, [a-z0-9. ]+)*)", _card),
        (r"(?P<id>c[0-9]+) turns " + _CARD + _BY, _turn),
        (r"(?P<id>c[0-9]+) turns up(?P<card>)" + _BY, lambda t, w: _turn(t, {**w, "card": None})),
        (r"(?P<id>c[0-9]+) moves to (?P<place>[a-z0-9 ]+?)" + _BY, _move),
        (r"(?P<id>c[0-9]+) leaves", _leaves),
        (r"(?P<id>c[0-9]+) is (?P<card>unread|[2-9TJQKA][shdc])", _correct),
        (
            rf"box (?P<box>[1-9])(?: hand (?P<hand>[1-4]))? (?P<action>{_ACTION})(?: (?P<amount>[0-9.]+))?",
            _decide,
        ),
        (
            r"(?P<by>player|dealer|someone) (?P<verb>adds|pays|takes) (?P<amount>[0-9.]+) (?:on|to|from) " + _SPOT,
            _chips,
        ),
        (
            r"chips on "
            + _SPOT
            + r" (?P<amount>unknown|[0-9.]+)(?: count (?P<count>[0-9]+)| stacks (?P<stacks>[0-9]+))?"
            + r"(?: of (?P<player>[a-z0-9]+))?"
            + _BY
            + r"(?: since (?P<since>[0-9.]+))?",
            _lies,
        ),
        (r"signal (?P<name>[a-z-]+)(?P<rest>(?: [a-z]+ [a-z0-9-]+)*)", _signal),
        (r"ruling (?P<choice>[a-z-]+)(?: on (?P<code>[a-z0-9-]+))?(?: box (?P<box>[1-9]))?", _ruling),
        (r"(?P<word>wait|pause) (?P<s>[0-9.]+)(?P<extra>, hidden [0-9a-z ]+)?", _wait),
    )
]


def _header(scenario: Scenario, word: str, rest: str) -> bool:
    """Take a line that comes before the events; say whether it was one."""
    if word == "book":
        scenario.books = [SHORT.get(name, name) for name in rest.split()]
    elif word == "decks":
        scenario.decks = int(rest)
    elif word == "limits":
        low, high = rest.split()
        scenario.limits = Decimal(low), Decimal(high)
    elif word == "set":
        scenario.settings.update(dict(pair.split("=", 1) for pair in rest.split()))
    elif word == "cites":
        for part in rest.split(";"):
            name, *clauses = part.split()
            scenario.cites += [(SHORT[name], clause.strip(",")) for clause in clauses]
    else:
        return False
    return True


_COMMENT = re.compile(r"(?:^|\s)#")  # not the # of a clause such as 4.2#1


def parse(text: str) -> list[Scenario]:
    r"""Read the scenarios of a transcript.

    >>> scenario = parse('round "one card"\nbook v5\nbets 1:100\n9h to box 1')[0]
    >>> [event["event"] for event in scenario.events()]
    ['chips', 'card']
    """
    found: list[Scenario] = []
    teller = _Teller()
    for number, raw in enumerate(text.split("\n"), 1):
        line = _COMMENT.split(raw, maxsplit=1)[0].rstrip()
        if not line.strip():
            continue
        word, _, rest = line.strip().partition(" ")
        if word == "round":
            found.append(Scenario(rest.strip('"'), number))
            teller = _Teller()
        elif not found:
            raise TranscriptError(f'line {number}: expected round "title", found {line!r}')
        elif raw[0] in " \t" and found[-1].steps:
            found[-1].steps[-1].checks.append(line.strip())
        else:
            _line(found[-1], teller, number, line.strip())
    return found


def _line(scenario: Scenario, teller: _Teller, number: int, line: str) -> None:
    word, _, rest = line.partition(" ")
    try:
        if scenario.steps or not _header(scenario, word, rest.strip()):
            scenario.steps.append(_step(teller, number, line))
    except KeyError as error:
        raise TranscriptError(f"line {number}: unknown word {error}") from error
    except (ValueError, ArithmeticError) as error:
        raise TranscriptError(f"line {number}: {error}") from error


def _step(teller: _Teller, number: int, line: str) -> Step:
    body, _, fallen = line.partition("~~")
    body, _, raised = body.partition("!!")
    return Step(number, body.strip(), teller.tell(body.strip()), raised.split(), fallen.split())
