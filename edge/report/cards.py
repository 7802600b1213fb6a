"""Cards as SVG: each face once on a page, and used for every card that has it. No font of suits is needed."""

from collections.abc import Iterable

from feltwatch.edge.report.html import Markup, join, tag
from feltwatch.engine.model.cards import CARDS, spoken

DOWN, UNREAD = "down", "unread"
RED, BLACK = "#b3121d", "#16181c"
SUITS = {  # within 20 by 20
    "h": "M10 18C4 13 1 10 1 6.2 1 3.4 3.2 1.5 5.6 1.5 7.5 1.5 9.2 2.5 10 4.3 10.8 2.5 12.5 1.5 14.4 1.5"
    " 16.8 1.5 19 3.4 19 6.2 19 10 16 13 10 18Z",
    "d": "M10 .8 17.2 10 10 19.2 2.8 10Z",
    "s": "M10 .8C15.5 5.8 18.8 8.6 18.8 12 18.8 14.4 16.9 15.9 14.8 15.9 13.2 15.9 11.9 15.1 11.2"
    " 13.9 11.3 16.2 12 18 13.6 19.2H6.4C8 18 8.7 16.2 8.8 13.9 8.1 15.1 6.8 15.9 5.2 15.9 3.1 15.9"
    " 1.2 14.4 1.2 12 1.2 8.6 4.5 5.8 10 .8Z",
    "c": "M10 1C12.4 1 14.2 2.8 14.2 5.1 14.2 6.5 13.5 7.7 12.5 8.5 13.1 8.2 13.9 8 14.7 8 17.1 8 19 9.8 19"
    " 12.1 19 14.4 17.1 16.2 14.7 16.2 13.2 16.2 11.9 15.4 11.2 14.2 11.3 16.4 12 18 13.6 19.2H6.4C8 18"
    " 8.7 16.4 8.8 14.2 8.1 15.4 6.8 16.2 5.3 16.2 2.9 16.2 1 14.4 1 12.1 1 9.8 2.9 8 5.3 8 6.1 8 6.9"
    " 8.2 7.5 8.5 6.5 7.7 5.8 6.5 5.8 5.1 5.8 2.8 7.6 1 10 1Z",
}


def card_svg(face: str | None, *, up: bool = True, taken: str = "") -> Markup:
    """Draw a card; `taken` is when it was taken away, which makes it pale."""
    known = face if face in CARDS else None
    name = known if known and up else DOWN if not up else UNREAD
    text = card_text(face, up=up) + (f", taken away at {taken}" if taken else "")
    use = tag("use", href=f"#card-{name}")
    return tag(
        "svg",
        tag("title", text),
        use,
        class_="card taken" if taken else "card",
        viewBox="0 0 50 70",
        role="img",
        aria_label=text,
    )


def card_text(face: str | None, *, up: bool = True) -> str:
    """Name a card as a dealer would, and say whether it lies face down."""
    known = CARDS.get(face) if face else None
    if not up:
        return f"face down, the {spoken(known)}" if known else "face down"
    return spoken(known) if known else "unread card"


def card_symbols(faces: Iterable[str]) -> Markup:
    """Give the SVG symbols of the cards that a page uses, hidden, each once."""
    used = sorted({face for face in faces if face in CARDS})
    suits = [tag("symbol", tag("path", d=path), id=f"suit-{suit}", viewBox="0 0 20 20") for suit, path in SUITS.items()]
    return tag(
        "svg",
        join([*suits, *(_front(face) for face in used), _back(), _unread()]),
        class_="sheet",
        width=0,
        height=0,
        aria_hidden="true",
        focusable="false",
    )


def _front(face: str) -> Markup:
    rank = "10" if face[0] == "T" else face[0]
    ink = RED if face[1] in "hd" else BLACK
    return tag(
        "symbol",
        _paper("#fff", "#8a8f98"),
        tag("text", rank, x=25, y=30, class_="rank", fill=ink, text_anchor="middle"),
        tag("use", href=f"#suit-{face[1]}", x=13, y=37, width=24, height=24, fill=ink),
        id=f"card-{face}",
        viewBox="0 0 50 70",
    )


def _paper(fill: str, stroke: str, dashes: str | None = None) -> Markup:
    return tag(
        "rect",
        x=1,
        y=1,
        width=48,
        height=68,
        rx=6,
        fill=fill,
        stroke=stroke,
        stroke_width=1.5,
        stroke_dasharray=dashes,
    )


def _back() -> Markup:
    lines = "".join(f"M{x} 7 {x + 28} 63M{x + 28} 7 {x} 63" for x in range(11, 12))
    lattice = "".join(f"M7 {y}H43" for y in range(14, 63, 7)) + "".join(f"M{x} 7V63" for x in range(14, 43, 7))
    return tag(
        "symbol",
        _paper("#fff", "#35588f"),
        tag("rect", x=6, y=6, width=38, height=58, rx=3, fill="#3e66a8"),
        tag("path", d=lattice + lines, stroke="#fff", stroke_width=1.2, fill="none", opacity=0.75),
        id=f"card-{DOWN}",
        viewBox="0 0 50 70",
    )


def _unread() -> Markup:
    return tag(
        "symbol",
        _paper("#fff7e0", "#a864", "5 3"),
        tag("text", "?", x=25, y=48, class_="rank", fill="#a864", text_anchor="middle"),
        id=f"card-{UNREAD}",
        viewBox="0 0 50 70",
    )
