"""What a replay leaves for an investigator: one self-contained page, `report.html`."""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

from feltwatch.edge.errors import UsageError
from feltwatch.edge.report.alerts import Exhibit, index
from feltwatch.edge.report.cards import sheet
from feltwatch.edge.report.html import Content, Markup, join, tag
from feltwatch.edge.report.pictures import Shown, digests_of, shown
from feltwatch.edge.report.provenance import digests, doubts, residuals, settings
from feltwatch.edge.report.rounds import rounds as drawn_rounds
from feltwatch.edge.report.story import Raised, Row, Story, stories
from feltwatch.edge.report.timeline import timeline
from feltwatch.edge.report.words import ENDS, MARKS, RANK, count, listed, moment
from feltwatch.engine.books import BOOKS
from feltwatch.models.files import write_whole

DIGESTED = ("events.jsonl", "verdicts.jsonl")


@dataclass(frozen=True, slots=True)
class Video:
    """The footage that was watched."""

    name: str
    sha256: str
    frames: int
    seconds: float
    width: int
    height: int
    fps: float
    damaged: str | None = None  # what is wrong with the file, as a sentence


@dataclass(frozen=True, slots=True)
class TableFacts:
    """The table that it was watched for, as its file gives it."""

    id: str
    site: str
    book: str  # id of the book
    title: str  # of the book
    decks: int
    minimum: str | None  # amounts as texts: "25"
    maximum: str | None
    settings: Mapping[str, str]
    sha256: str  # of the table's file


@dataclass(frozen=True, slots=True)
class Facts:
    """All that the report says, and nothing that changes from one run to the next: no clock, no path."""

    video: Video
    table: TableFacts
    models: Mapping[str, str]  # name -> sha256
    version: str  # of feltwatch
    residuals_mm: Sequence[float]  # of the camera's points, in their order
    doubts: Sequence[tuple[float, str]] = ()  # when, and the sentence
    events: Sequence[Row] = ()  # as events.jsonl holds them
    verdicts: Sequence[Row] = ()  # as verdicts.jsonl holds them
    evidence: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # alert id -> {"still": .., "clip": ..}


def write_report(folder: Path, facts: Facts) -> None:
    """Write `report.html` into the folder that holds the evidence; the same facts give the same bytes."""
    path = folder / "report.html"
    try:
        write_whole(path, page(folder, facts).encode())
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {(error.strerror or str(error)).lower()}") from error


def page(folder: Path, facts: Facts) -> str:
    """Give the page."""
    told = stories(facts.events, facts.verdicts)
    pictures = shown(folder, facts.evidence)
    alerts = [raised for story in told for raised in story.alerts]
    exhibits = {id(raised): _exhibit(raised, number, pictures) for number, raised in enumerate(alerts, 1)}
    by_round = {story.number: [exhibits[id(raised)] for raised in story.alerts] for story in told}
    anchors = {key: exhibit.anchor for key, exhibit in exhibits.items()}
    family = BOOKS[facts.table.book].family if facts.table.book in BOOKS else ""
    numbers = {exhibit.anchor: number for number, row in by_round.items() for exhibit in row}
    body = [
        sheet(_faces(told, alerts)),
        tag("header", *_top(facts, told)),
        tag(
            "main",
            _part("The footage", timeline(told, facts.video.seconds, anchors), _key(alerts)) if told else None,
            _part("Alerts", index([exhibits[id(raised)] for raised in alerts], numbers)) if alerts else None,
            _part("What was doubtful", doubts(facts.doubts, told)),
            _part("Rounds", _tools(len(told)), drawn_rounds(told, by_round, family)) if told else None,
            _part("What this report rests on", _ground(folder, facts, pictures)),
        ),
        tag("footer", f"Written by feltwatch {facts.version}. It advises; it decides nothing."),
    ]
    return _document(f"{facts.video.name}: {_counted(told)}", join(body, "\n"))


def _exhibit(raised: Raised, number: int, pictures: Mapping[tuple[str, str], Shown]) -> Exhibit:
    return Exhibit(raised, f"alert-{number}", pictures.get((raised.id, "still")), pictures.get((raised.id, "clip")))


def _faces(told: Sequence[Story], alerts: Sequence[Raised]) -> list[str]:
    found = [lay.face for story in told for lay in story.cards.values()]
    for raised in alerts:
        hands, moves = raised.remedy.get("hands"), raised.remedy.get("moves")
        found += [face for faces in (hands.values() if isinstance(hands, Mapping) else ()) for face in faces]
        found += [move["card"] for move in (moves if isinstance(moves, Sequence) else ())]
    return [face for face in found if face is not None]


def _document(title: str, body: Markup) -> str:
    """Set the page into its frame: it may load nothing, and runs no script but its own."""
    pages = files("feltwatch.edge").joinpath("pages")
    style, script = (pages.joinpath(name).read_text("utf-8") for name in ("report.css", "report.js"))
    policy = (
        f"default-src 'none'; img-src data:; media-src data: 'self'; style-src {_hash(style)}; "
        f"script-src {_hash(script)}; base-uri 'none'; form-action 'none'"
    )
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", title),
        tag("style", Markup(style)),
    )
    whole = tag("html", head, tag("body", body, "\n", tag("script", Markup(script))), lang="en")
    return f"<!doctype html>\n{whole}\n"


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode('ascii')}'"


def _part(title: str, *content: Content) -> Markup:
    return tag("section", tag("h2", title), *content)


def _top(facts: Facts, told: Sequence[Story]) -> list[Markup]:
    video, table = facts.video, facts.table
    limits = f", bets {table.minimum or 'any'} to {table.maximum or 'any'}" if table.minimum or table.maximum else ""
    watched = [
        ("Footage", video.name),
        (
            "Length",
            f"{moment(video.seconds)}, {video.frames:,} frames, {video.width} x {video.height}, {video.fps:g} a second",
        ),
        ("Table", f"{table.id}, {table.site}"),
        ("Rules", f"{table.title} ({table.book}), {count(table.decks, 'deck')}{limits}"),
    ]
    rows = [join([tag("dt", name), tag("dd", value)]) for name, value in watched]
    found = [tag("h1", "Replay of a table"), tag("p", *_verdict(facts, told), class_=f"verdict {_worst(told)}")]
    if video.damaged:
        found.append(tag("p", tag("strong", "The footage is damaged: "), video.damaged, class_="damaged"))
    return [*found, tag("dl", *rows, class_="facts")]


def _worst(told: Sequence[Story]) -> str:
    found = sorted(
        (str(one.said["severity"]) for story in told for one in story.standing), key=lambda s: RANK.get(s, 9)
    )
    doubtful = not told or any(story.result == "unresolved" for story in told)
    return found[0] if found else "unresolved" if doubtful else "clean"


def _counted(told: Sequence[Story]) -> str:
    standing = sum(len(story.standing) for story in told)
    return f"{count(len(told), 'round')}, {count(standing, 'alert')}"


def _verdict(facts: Facts, told: Sequence[Story]) -> list[Content]:
    """Say in one line what came of it."""
    if not told:
        return [f"No round was seen in {moment(facts.video.seconds)} of footage."]
    standing = [raised for story in told for raised in story.standing]
    found: list[Content] = [_counted(told).capitalize()]
    if len(standing) <= 3:
        said = [f"{raised.said['code']} at {moment(raised.t)}" for raised in standing]
        found.append(f": {listed(said)}" if said else "")
    else:
        by = {name: sum(raised.said["severity"] == name for raised in standing) for name in RANK}
        found.append(": " + listed([f"{number} {MARKS[name]}" for name, number in by.items() if number]))
    ends = {name: sum(story.result == name for story in told) for name in ("void", "unresolved", "open")}
    said = [f"{count(number, 'round')} {ENDS[name]}" for name, number in ends.items() if number]
    gone = sum(len(story.alerts) - len(story.standing) for story in told)
    said += [f"{count(gone, 'alert')} withdrawn"] if gone else []
    return [*found, f". {listed(said).capitalize()}." if said else "."]


def _key(alerts: Sequence[Raised]) -> Markup | None:
    severities = sorted({str(raised.said["severity"]) for raised in alerts}, key=lambda name: RANK.get(name, 9))
    if not severities:
        return None
    means = {
        "void": "square: void the round",
        "stop": "triangle: stop the game",
        "correct": "diamond: put right at once and go on",
        "advise": "circle: a note",
    }
    said = [means.get(name, name) for name in severities]
    if any(raised.withdrawn for raised in alerts):
        said.append("hollow: withdrawn")
    return tag("p", "Marks: ", "; ".join(said), ".", class_="fine")


def _tools(number: int) -> Markup | None:
    """Give buttons that a script brings to life; without it none is shown."""
    if number < 2:
        return None
    names = (("open", "Open all"), ("close", "Close all"), ("notable", "Only rounds to look at"))
    return tag(
        "p", *(tag("button", said, type="button", data_do=name) for name, said in names), class_="tools", hidden=True
    )


def _ground(folder: Path, facts: Facts, pictures: Mapping[tuple[str, str], Shown]) -> Markup:
    found = [
        (facts.video.name, facts.video.sha256),
        ("the table's file", facts.table.sha256),
        *((f"model {name}", digest) for name, digest in sorted(facts.models.items())),
        *digests_of(folder, DIGESTED),
        *sorted({(one.path, one.sha256) for one in pictures.values()}),
    ]
    return join(
        [
            tag("h3", "Settings of the table"),
            settings(facts.table.settings, facts.table.book),
            tag("h3", "Camera"),
            residuals(facts.residuals_mm),
            tag("h3", "Digests (SHA-256)"),
            tag("p", "A file is the one that was used, unaltered, while ", tag("code", "sha256sum"), " says the same."),
            digests(found),
        ]
    )
