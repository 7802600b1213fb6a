"""What the report rests on: what was doubtful, how the table was set, and the digests of all that was used."""

from collections.abc import Iterable, Mapping, Sequence

from feltwatch.edge.report.cards import said_of
from feltwatch.edge.report.html import Markup, join, tag
from feltwatch.edge.report.story import Story
from feltwatch.edge.report.words import ENDS, count, place
from feltwatch.edge.wording import clock
from feltwatch.engine.books import BOOKS

FEW = 12  # lines of a list that are shown without asking


def doubts(noted: Iterable[tuple[float, str]], told: Sequence[Story]) -> Markup:
    """List what was not seen well, and what was seen otherwise at first."""
    found = doubted(noted, told)
    rows = [tag("li", tag("span", clock(t), class_="when"), " ", _round(number), text) for t, number, text in found]
    if not rows:
        return tag("p", "Nothing: every card was read, and nothing was taken back." if told else "Nothing was noted.")
    first = tag("ul", *rows[:FEW], class_="doubts")
    if len(rows) <= FEW:
        return first
    more = tag("summary", f"{len(rows) - FEW} more")
    return join([first, tag("details", more, tag("ul", *rows[FEW:], class_="doubts"), class_="more")])


def doubted(noted: Iterable[tuple[float, str]], told: Sequence[Story]) -> list[tuple[float, int, str]]:
    """Give all that is in doubt, as the page lists it: when, in which round (0: in none), and what."""
    return sorted([*((t, 0, text) for t, text in noted), *(one for story in told for one in _doubtful(story))])


def _round(number: int) -> Markup | None:
    return join([tag("a", f"round {number}", href=f"#round-{number}"), ": "]) if number else None


def _doubtful(story: Story) -> list[tuple[float, int, str]]:
    """Give what a round itself leaves in doubt: when, which round, and what."""
    found = []
    if story.result in ("unresolved", "open"):
        why = story.why or "the footage ends before the round does"
        found.append((story.start if story.end is None else story.end, f"{ENDS[story.result]}: {why}"))
    for lay in story.cards.values():
        if lay.face is None and lay.up:
            found.append((lay.t, f"{place(lay.zone)}: a card was never read"))
        for t, face in lay.reads:
            found.append((t, f"{place(lay.zone)}: {said_of(face)} at first, {said_of(lay.face)} after all"))
    return [(t, story.number, text) for t, text in found]


def settings(given: Mapping[str, str], book: str) -> Markup:
    """List a table's settings, and beside those that are not its book's own what the book says."""
    if not given:
        return tag("p", "The book's own.")
    own = BOOKS[book].switches.to_dict() if book in BOOKS else {}
    rows = [
        tag(
            "tr",
            tag("th", name, scope="row"),
            tag("td", value if str(own.get(name, value)) == value else tag("strong", value)),
            tag("td", None if str(own.get(name, value)) == value else f"the book's own: {own[name]}", class_="when"),
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
    """Say how well the camera's points fit the felt."""
    if not each_mm:
        return tag("p", "How well its points fit the felt is not known.")
    worst = max(range(len(each_mm)), key=lambda number: each_mm[number])
    said = (
        f"Its {count(len(each_mm), 'point')} lie {sum(each_mm) / len(each_mm):.1f} mm from their places on the felt "
        f"on average; point {worst + 1} is the worst, with {each_mm[worst]:.1f} mm."
    )
    each = ", ".join(f"{residual:.1f}" for residual in each_mm)
    return join([tag("p", said), tag("p", f"Each in millimetres: {each}.", class_="fine")])
