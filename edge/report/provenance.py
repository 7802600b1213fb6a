"""What the report rests on: doubts, the settings of the table, the camera, and the digests of all files."""

from collections.abc import Iterable, Mapping, Sequence

from feltwatch.edge.report.cards import card_text
from feltwatch.edge.report.html import Markup, join, tag
from feltwatch.edge.report.story import PlayedRound
from feltwatch.edge.report.words import ENDS, count, place
from feltwatch.edge.wording import clock
from feltwatch.engine.books import BOOKS

FEW = 12  # lines of a list that are shown without asking


def doubt_list(noted: Iterable[tuple[float, str]], rounds: Sequence[PlayedRound]) -> Markup:
    """List what was not seen well, and what was read differently at first."""
    found = all_doubts(noted, rounds)
    rows = [tag("li", tag("span", clock(t), class_="when"), " ", _round(number), text) for t, number, text in found]
    if not rows:
        return tag("p", "Nothing: every card was read, and no reading was changed." if rounds else "Nothing.")
    first = tag("ul", *rows[:FEW], class_="doubt_list")
    if len(rows) <= FEW:
        return first
    more = tag("summary", f"{len(rows) - FEW} more")
    return join([first, tag("details", more, tag("ul", *rows[FEW:], class_="doubt_list"), class_="more")])


def all_doubts(noted: Iterable[tuple[float, str]], rounds: Sequence[PlayedRound]) -> list[tuple[float, int, str]]:
    """Give all doubts, as the page lists them: when, in which round (0: in none), and what."""
    return sorted([*((t, 0, text) for t, text in noted), *(one for story in rounds for one in _doubtful(story))])


def _round(number: int) -> Markup | None:
    return join([tag("a", f"round {number}", href=f"#round-{number}"), ": "]) if number else None


def _doubtful(story: PlayedRound) -> list[tuple[float, int, str]]:
    """Give the doubts of a round: when, which round, and what."""
    found = []
    if story.result in ("unresolved", "open"):
        why = story.why or "the video ends before the round does"
        found.append((story.start if story.end is None else story.end.t, f"{ENDS[story.result]}: {why}"))
    for card in story.cards.values():
        if card.face is None and card.up:
            found.append((card.t, f"{place(card.zone)}: a card was never read"))
        for t, face in card.reads:
            found.append((t, f"{place(card.zone)}: {card_text(face)} at first, {card_text(card.face)} later"))
    return [(t, story.number, text) for t, text in found]


def settings(given: Mapping[str, str], book: str) -> Markup:
    """List a table's settings; where one differs from its book's default, show that too."""
    if not given:
        return tag("p", "The defaults of the book.")
    own = BOOKS[book].switches.to_dict() if book in BOOKS else {}
    rows = [
        tag(
            "tr",
            tag("th", name, scope="row"),
            tag("td", value if str(own.get(name, value)) == value else tag("strong", value)),
            tag("td", None if str(own.get(name, value)) == value else f"default: {own[name]}", class_="when"),
        )
        for name, value in sorted(given.items())
    ]
    return tag("table", tag("tbody", *rows), class_="settings")


def digests(found: Sequence[tuple[str, str]]) -> Markup:
    """List files with their SHA-256."""
    rows = [tag("tr", tag("th", name, scope="row"), tag("td", tag("code", digest))) for name, digest in found]
    table = tag("table", tag("tbody", *rows), class_="digests")
    if len(rows) <= 2 * FEW:
        return table
    return tag("details", tag("summary", f"All {len(rows)} digests"), table, class_="more")


def residuals(each_mm: Sequence[float]) -> Markup:
    """Describe how well the camera's points fit the felt."""
    if not each_mm:
        return tag("p", "It is not known how well its points fit the felt.")
    worst = max(range(len(each_mm)), key=lambda number: each_mm[number])
    said = (
        f"Its {count(len(each_mm), 'point')} lie {sum(each_mm) / len(each_mm):.1f} mm from their places on the felt "
        f"on average; point {worst + 1} is the worst, with {each_mm[worst]:.1f} mm."
    )
    each = ", ".join(f"{residual:.1f}" for residual in each_mm)
    return join([tag("p", said), tag("p", f"Each in millimetres: {each}.", class_="fine")])
