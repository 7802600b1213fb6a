"""One line of a round, as a dealer would tell it, to the table events it stands for."""

import re
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal


class TranscriptError(ValueError):
    """A line that says nothing we know; the text names the line."""


class Teller:
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


def _bets(teller: Teller, words: Words) -> Told:
    for word in (words["list"] or "").split():
        where, _, amount = word.partition(":")
        box, _, spot = where.partition(".")
        yield teller.put(f"box{box}.{spot or 'main'}", Decimal(amount), "player")


def _stacks(teller: Teller, words: Words) -> Told:
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


def _card(teller: Teller, words: Words) -> Told:
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
    """Read "hidden 2 dealer": hidden places."""
    found = re.search(r"hidden ([0-9a-z ]+)", text)
    return [_place(f"box {one}" if one.isdigit() else one)[0] for one in found[1].split()] if found else None


def _fours(teller: Teller, words: Words) -> Told:
    """Deal cards face down: one to each (`backs to 1 2 dealer`), four one at a time (`fours`), or in packets."""
    names = (words["names"] or "").split()
    order = names * (4 if words["how"] == "fours" else 1)
    if words["how"] == "packets":
        order = [name for name in names for _ in range(4)]
    for name in order:
        yield from _card(teller, {"card": "back", "place": name if name == "dealer" else f"box {name}", "extra": ""})


def _sets(teller: Teller, words: Words) -> Told:
    """Lay the first two cards of a hand as its Low Hand, the next two as its High Hand."""
    place = words["place"] or ""
    for card, part in zip(teller.lying[place], ("low", "low", "high", "high"), strict=False):
        yield from _move(teller, {"id": card, "place": f"{place} {part}", "by": words["by"]})


def _shows(teller: Teller, words: Words) -> Told:
    """Turn up the cards of a hand, in the order they were dealt."""
    for card, face in zip(teller.lying[words["place"] or ""], (words["faces"] or "").split(), strict=False):
        yield from _turn(teller, {"id": card, "card": face, "by": words["by"]})


def _deal(teller: Teller, words: Words) -> Told:
    """Deal the first cards of every hand in the order of the book: `deal 1 Tc 2d, 2 9s 9d, dealer 6h`."""
    hands = [part.split() for part in (words["hands"] or "").split(",")]
    for number in (1, 2):
        for name, *faces in hands:
            if number <= len(faces):
                place = name if name == "dealer" else f"box {name}"
                yield from _card(teller, {"card": faces[number - 1], "place": place, "extra": ""})


def _turn(teller: Teller, words: Words) -> Told:
    card = words["card"]
    yield teller.event("turn", id=words["id"], face="up", card=card, by=words["by"])


def _move(teller: Teller, words: Words) -> Told:
    zone, hand = _place(words["place"] or "")
    teller.puts(words["id"] or "", words["place"] or "")
    yield teller.event("move", id=words["id"], zone=zone, hand=hand, by=words["by"])


def _leaves(teller: Teller, words: Words) -> Told:
    teller.puts(words["id"] or "", "off the table")
    yield teller.event("remove", id=words["id"])


def _correct(teller: Teller, words: Words) -> Told:
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


def _decide(teller: Teller, words: Words) -> Told:
    amount = words["amount"]
    yield teller.event(
        "decision",
        box=int(words["box"] or 0),
        hand=int(words["hand"] or 1),
        action=ACTIONS[words["action"] or ""],
        amount=_number(Decimal(amount)) if amount else None,
    )


def _chips(teller: Teller, words: Words) -> Told:
    spot, change = words["spot"] or "", Decimal(words["amount"] or 0)
    before = teller.chips.get(spot, Decimal(0))
    after = before + change if words["verb"] in ("adds", "pays") else max(before - change, Decimal(0))
    yield teller.put(spot, after, None if words["by"] == "someone" else words["by"])


def _lies(teller: Teller, words: Words) -> Told:
    found = teller.event("chips", spot=words["spot"], by=words["by"])
    amount = words["amount"]
    found["amount"] = None if amount == "unknown" else _number(Decimal(amount or 0))
    if words["count"]:
        found["stacks"] = [{"top": 25, "count": int(words["count"])}]
    if words["stacks"]:
        found["stacks"] = _standing(words["stacks"])
    if words["changed"]:
        found["changed"] = True
    if words["player"]:
        found["player"] = words["player"]
    if words["since"]:
        found["since"] = _number(Decimal(words["since"]))
    yield found


def _signal(teller: Teller, words: Words) -> Told:
    more: dict[str, object] = {}
    rest = (words["rest"] or "").split()
    for key, value in zip(rest[::2], rest[1::2], strict=True):
        more["id" if key == "card" else key] = int(value) if key in ("box", "seat", "count") else value
    yield teller.event("signal", name=words["name"], **more)


def _ruling(teller: Teller, words: Words) -> Told:
    box = words["box"]
    yield teller.event(
        "signal", name="ruling", choice=words["choice"], code=words["code"], box=int(box) if box else None
    )


def _wait(teller: Teller, words: Words) -> Told:
    teller.t += float(words["s"] or 0)
    if words["word"] == "wait":
        yield teller.event("tick", hidden=_hidden(words["extra"] or ""))


def _plain(kind: str, **more: object) -> Callable[[Teller, Words], Told]:
    def act(teller: Teller, _: Words) -> Told:
        yield teller.event(kind, **more)

    return act


_CARD = r"(?P<card>[2-9TJQKA][shdc]|\?\?|back)"
_ACTION = "|".join(ACTIONS)
_BY = r"(?: by (?P<by>player|dealer))?"
_SPOT = r"(?P<spot>box[0-9]\.[a-z0-9/-]+|outside)"
LINES: list[tuple[re.Pattern[str], Callable[[Teller, Words], Told]]] = [
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
            + r" (?P<amount>unknown|[0-9.]+)"
            + r"(?: count (?P<count>[0-9]+)| stacks (?P<stacks>[0-9]+)(?P<changed> changed)?)?"
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
