"""One alert on the page: what was seen, what the clause demands, the still, the clip, and how to put it right."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from feltwatch.edge.report.cards import drawn
from feltwatch.edge.report.html import Markup, join, tag
from feltwatch.edge.report.pictures import Shown
from feltwatch.edge.report.story import Lay, Raised, Row
from feltwatch.edge.report.words import MARKS, count, listed, place
from feltwatch.edge.wording import clock
from feltwatch.engine.books import BOOKS
from feltwatch.engine.books.alert_texts import MEANINGS
from feltwatch.engine.books.clauses import clauses

OUTCOMES = {
    "discard": "Discard the card",
    "reconstruct": "Put the cards where they belong",
    "void": "Void the round",
    "options": "The Players choose",
    "continue": "Play on",
    "correct-payment": "Correct the payment",
    "reject-bet": "Give the bet back",
    "hand-removed": "Take the hand out of play",
}


@dataclass(frozen=True, slots=True)
class Exhibit:
    """One alert with all that belongs to it."""

    raised: Raised
    anchor: str
    still: Shown | None
    clip: Shown | None


def alert(exhibit: Exhibit) -> Markup:
    said = exhibit.raised.said
    severity = str(said["severity"])
    parts = [
        _head(exhibit.raised, exhibit.anchor),
        tag("p", str(said["says"]), class_="says"),
        clause(str(said["book"]), str(said["clause"])),
        _remedy(exhibit.raised),
        _pictures(exhibit),
        _small_print(said),
    ]
    state = "alert withdrawn" if exhibit.raised.withdrawn else "alert"
    return tag("article", *parts, id=exhibit.anchor, class_=f"{state} {severity}", tabindex="-1")


def _head(raised: Raised, anchor: str) -> Markup:
    said = raised.said
    where = [f"Box {said['box']}" if said.get("box") else "", f"hand {said['hand']}" if said.get("hand") else ""]
    meaning = MEANINGS.get(str(said["code"]))
    head = tag(
        "h4",
        badge(str(said["severity"])),
        " ",
        tag("a", str(said["code"]), href=f"#{anchor}"),
        tag("span", clock(raised.t), *(f", {word}" for word in where if word), class_="when"),
    )
    parts = [head]
    if raised.withdrawn:
        t, why = raised.withdrawn
        parts.append(tag("p", tag("strong", f"Withdrawn at {clock(t)}: "), why + ".", class_="why"))
    if said.get("replaces"):
        parts.append(tag("p", "Takes the place of ", tag("code", str(said["replaces"])), ".", class_="why"))
    if meaning:
        parts.append(tag("p", meaning[:1].upper() + meaning[1:], class_="meaning"))
    return join(parts)


def badge(severity: str) -> Markup:
    return tag("span", MARKS.get(severity, severity), class_=f"badge {severity if severity in MARKS else 'advise'}")


def clause(book: str, name: str) -> Markup:
    """Say what a clause says, in the book's own number."""
    found = clauses(book).get(name) if book in BOOKS else None
    text = found.says if found else "The text of this clause is not at hand."
    return tag("blockquote", tag("cite", f"{book}, clause {name}"), tag("span", text), class_="clause")


def _remedy(raised: Raised) -> Markup:
    remedy = raised.remedy
    outcome = str(remedy["outcome"])
    options = cast("Sequence[str]", remedy.get("options") or ())
    boxes = [str(box) for box in cast("Sequence[int]", remedy.get("boxes") or ())]
    asked = cast("Sequence[str]", remedy.get("ask") or ())
    says = str(remedy.get("says") or "")
    parts = [tag("h5", f"Remedy: {OUTCOMES.get(outcome, outcome)}"), tag("p", says) if says else None]
    if options:
        who = f"Players of box {listed(boxes)}" if boxes else "Players"
        parts.append(tag("p", f"{who} may choose: {' or '.join(options)}."))
    parts += [tag("p", f"To be asked again: {one}.") for one in asked]
    parts.append(_moves(cast("Sequence[Row]", remedy.get("moves") or ())))
    parts.append(_hands(cast("Mapping[str, Sequence[str | None]]", remedy.get("hands") or {}), raised.lay))
    if remedy.get("clause"):
        parts.append(clause(str(raised.said["book"]), str(remedy["clause"])))
    return tag("section", *parts, class_="remedy")


def _moves(moves: Sequence[Row]) -> Markup | None:
    if not moves:
        return None
    rows = [
        tag(
            "li",
            drawn(None if move["card"] is None else str(move["card"])),
            f" from {place(str(move['from']))} to {place(str(move['to']))}",
        )
        for move in moves
    ]
    return tag("ul", *rows, class_="moves")


def _hands(hands: Mapping[str, Sequence[str | None]], lay: Mapping[str, Sequence[Lay]]) -> Markup | None:
    """Draw the hands as they lay when it was said, beside how they should lie."""
    if not hands:
        return None
    rows = []
    for zone, faces in hands.items():
        before = [drawn(one.face, up=one.up) for one in lay.get(zone, ())]
        due = [drawn(face) for face in faces]
        cells = [tag("div", *(cards or [_none()]), class_="cards") for cards in (before, due)]
        rows.append(tag("tr", tag("th", place(zone), scope="row"), *(tag("td", cell) for cell in cells)))
    head = tag("tr", tag("td"), tag("th", "as it lay", scope="col"), tag("th", "as it should lie", scope="col"))
    return tag("table", tag("thead", head), tag("tbody", *rows), class_="lie")


def _none() -> Markup:
    return tag("span", "no card", class_="none")


def _pictures(exhibit: Exhibit) -> Markup | None:
    """Show the still and the clip, or say where they are."""
    parts: list[Markup] = []
    code = str(exhibit.raised.said["code"])
    still, clip = exhibit.still, exhibit.clip
    if still is not None:
        link = tag("a", "the still in full size", href=still.path)
        if still.data:
            said = f"The table at {clock(exhibit.raised.t)}, what {code} rests on in bold"
            parts += [
                tag("img", src=still.data, alt=said),
                tag("figcaption", "In bold what the alert rests on: ", link),
            ]
        else:
            parts.append(tag("figcaption", "Kept beside this page: ", link))
    if clip is not None:
        film = clip.kind.startswith("video/")
        if film:
            parts.append(
                tag(
                    "video", controls=True, preload="metadata", src=clip.data or clip.path, aria_label=f"Clip of {code}"
                )
            )
        elif clip.data:
            parts.append(tag("img", src=clip.data, alt=f"Clip of {code}", class_="clip"))
        held = "kept on this page and" if clip.data else "kept"
        parts.append(
            tag(
                "figcaption",
                "The clip, from 4 s before to 3 s after, ",
                held,
                " in ",
                tag("a", clip.path, href=clip.path),
            )
        )
    return tag("figure", *parts) if parts else None


def _small_print(said: Row) -> Markup:
    rests = cast("Sequence[str]", said.get("evidence") or ())
    return tag(
        "p", "Alert ", tag("code", str(said["id"])), f" rests on {', '.join(rests) or 'nothing'}.", class_="fine"
    )


def index(exhibits: Sequence[Exhibit], rounds: Mapping[str, int]) -> Markup | None:
    """List the alerts, so that one sees at a glance where to look."""
    if not exhibits:
        return None
    rows = []
    for exhibit in exhibits:
        said = exhibit.raised.said
        code = tag("a", str(said["code"]), href=f"#{exhibit.anchor}")
        gone = exhibit.raised.withdrawn is not None
        rows.append(
            tag(
                "tr",
                tag("td", clock(exhibit.raised.t)),
                tag("td", badge(str(said["severity"]))),
                tag("td", tag("s", code) if gone else code, " (withdrawn)" if gone else None),
                tag("td", f"round {rounds[exhibit.anchor]}"),
                tag("td", str(said["says"]), class_="says"),
                class_="withdrawn" if gone else None,
            )
        )
    table = tag("table", tag("tbody", *rows), class_="index")
    if len(rows) <= 12:
        return table
    return tag("details", tag("summary", f"All {count(len(rows), 'alert')} in a list"), table, class_="more")
