"""One alert on the page: what it says, its clause, the remedy, the still and the clip."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from feltwatch.edge.pipeline.round_story import AlertStory
from feltwatch.edge.report.cards import card_svg
from feltwatch.edge.report.html import Markup, join, tag
from feltwatch.edge.report.pictures import ShownFile
from feltwatch.edge.report.story import CardStory
from feltwatch.edge.report.words import MARKS, count, joined, place
from feltwatch.edge.wording import clock
from feltwatch.engine.books import BOOKS
from feltwatch.engine.books.alert_texts import MEANINGS
from feltwatch.engine.books.clauses import clauses
from feltwatch.engine.model.verdicts import Alert, CardMove, Remedy

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
    """One alert with everything the page shows of it."""

    story: AlertStory
    hands: Mapping[str, Sequence[CardStory]]  # of the remedy, as they lay when it was given
    anchor: str
    still: ShownFile | None
    clip: ShownFile | None

    @property
    def alert(self) -> Alert:
        return self.story.alert


def article(exhibit: Exhibit) -> Markup:
    alert = exhibit.alert
    parts = [
        _head(exhibit.story, exhibit.anchor),
        tag("p", alert.says, class_="says"),
        clause(alert.book, alert.clause),
        _remedy(alert, exhibit.story.remedy, exhibit.hands),
        _pictures(exhibit),
        _small_print(alert),
    ]
    state = "alert withdrawn" if exhibit.story.withdrawn else "alert"
    return tag("article", *parts, id=exhibit.anchor, class_=f"{state} {alert.severity}", tabindex="-1")


def _head(story: AlertStory, anchor: str) -> Markup:
    alert = story.alert
    where = [f"Box {alert.box}" if alert.box else "", f"hand {alert.hand}" if alert.hand else ""]
    meaning = MEANINGS.get(alert.code)
    title = tag(
        "h4",
        badge(alert.severity),
        " ",
        tag("a", alert.code, href=f"#{anchor}"),
        tag("span", clock(alert.t), *(f", {word}" for word in where if word), class_="when"),
    )
    parts = [title]
    if story.withdrawn:
        head = f"Withdrawn at {clock(story.withdrawn.t)}: "
        parts.append(tag("p", tag("strong", head), story.withdrawn.why + ".", class_="why"))
    if alert.replaces:
        parts.append(tag("p", "Takes the place of ", tag("code", alert.replaces), ".", class_="why"))
    if meaning:
        parts.append(tag("p", meaning[:1].upper() + meaning[1:], class_="meaning"))
    return join(parts)


def badge(severity: str) -> Markup:
    return tag("span", MARKS.get(severity, severity), class_=f"badge {severity if severity in MARKS else 'advise'}")


def clause(book: str, name: str) -> Markup:
    """Give the text of a clause, with its number in the book."""
    found = clauses(book).get(name) if book in BOOKS else None
    text = found.says if found else "The text of this clause is not at hand."
    return tag("blockquote", tag("cite", f"{book}, clause {name}"), tag("span", text), class_="clause")


def _remedy(alert: Alert, remedy: Remedy, lying: Mapping[str, Sequence[CardStory]]) -> Markup:
    parts = [
        tag("h5", f"Remedy: {OUTCOMES.get(remedy.outcome, remedy.outcome)}"),
        tag("p", remedy.says) if remedy.says else None,
    ]
    if remedy.options:
        boxes = [str(box) for box in remedy.boxes]
        who = f"Players of box {joined(boxes)}" if boxes else "Players"
        parts.append(tag("p", f"{who} may choose: {' or '.join(remedy.options)}."))
    parts += [tag("p", f"To be asked again: {one}.") for one in remedy.ask]
    parts.append(_moves(remedy.moves))
    parts.append(_hands(remedy.hands, lying))
    if remedy.clause:
        parts.append(clause(alert.book, remedy.clause))
    return tag("section", *parts, class_="remedy")


def _moves(moves: Sequence[CardMove]) -> Markup | None:
    if not moves:
        return None
    rows = [tag("li", card_svg(move.face), f" from {place(move.source)} to {place(move.target)}") for move in moves]
    return tag("ul", *rows, class_="moves")


def _hands(hands: Mapping[str, Sequence[str | None]], lying: Mapping[str, Sequence[CardStory]]) -> Markup | None:
    """Draw the hands as they lay when the remedy was given, beside how they should lie."""
    if not hands:
        return None
    rows = []
    for zone, faces in hands.items():
        before = [card_svg(one.face, up=one.up) for one in lying.get(zone, ())]
        due = [card_svg(face) for face in faces]
        cells = [tag("div", *(cards or [_none()]), class_="cards") for cards in (before, due)]
        rows.append(tag("tr", tag("th", place(zone), scope="row"), *(tag("td", cell) for cell in cells)))
    head = tag("tr", tag("td"), tag("th", "as it lay", scope="col"), tag("th", "as it should lie", scope="col"))
    return tag("table", tag("thead", head), tag("tbody", *rows), class_="lie")


def _none() -> Markup:
    return tag("span", "no card", class_="none")


def _pictures(exhibit: Exhibit) -> Markup | None:
    """Show the still and the clip, or say where they are."""
    parts: list[Markup] = []
    code = exhibit.alert.code
    still, clip = exhibit.still, exhibit.clip
    if still is not None:
        link = tag("a", "the still in full size", href=still.path)
        if still.data:
            said = f"The table at {clock(exhibit.alert.t)}, what {code} rests on in red"
            parts += [
                tag("img", src=still.data, alt=said),
                tag("figcaption", "In red what the alert rests on: ", link),
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


def _small_print(alert: Alert) -> Markup:
    rests = ", ".join(alert.evidence) or "nothing"
    return tag("p", "Alert ", tag("code", alert.id), f" rests on {rests}.", class_="fine")


def index(exhibits: Sequence[Exhibit], rounds: Mapping[str, int]) -> Markup | None:
    """List the alerts, each with a link to it."""
    if not exhibits:
        return None
    rows = []
    for exhibit in exhibits:
        alert = exhibit.alert
        code = tag("a", alert.code, href=f"#{exhibit.anchor}")
        gone = exhibit.story.withdrawn is not None
        rows.append(
            tag(
                "tr",
                tag("td", clock(exhibit.alert.t)),
                tag("td", badge(alert.severity)),
                tag("td", tag("s", code) if gone else code, " (withdrawn)" if gone else None),
                tag("td", f"round {rounds[exhibit.anchor]}"),
                tag("td", alert.says, class_="says"),
                class_="withdrawn" if gone else None,
            )
        )
    table = tag("table", tag("tbody", *rows), class_="index")
    if len(rows) <= 12:
        return table
    return tag("details", tag("summary", f"All {count(len(rows), 'alert')} in a list"), table, class_="more")
