"""The report of a replay: puts the parts together into one self-contained page, `report.html`."""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

from feltwatch.edge.errors import UsageError
from feltwatch.edge.pipeline.round_story import AlertStory
from feltwatch.edge.report.alerts import Exhibit, index
from feltwatch.edge.report.cards import card_symbols
from feltwatch.edge.report.html import Content, Markup, join, tag
from feltwatch.edge.report.pictures import ShownFile, digests_of, shown
from feltwatch.edge.report.provenance import digests, doubt_list, residuals, settings
from feltwatch.edge.report.rounds import rounds as round_list
from feltwatch.edge.report.story import PlayedRound, played_rounds
from feltwatch.edge.report.timeline import timeline
from feltwatch.edge.report.words import ENDS, MARKS, RANK, count, joined, moment
from feltwatch.engine.books import BOOKS
from feltwatch.engine.model.events import Event
from feltwatch.engine.model.verdicts import Verdict
from feltwatch.models.files import write_whole

DIGESTED = ("events.jsonl", "verdicts.jsonl")


@dataclass(frozen=True, slots=True)
class VideoFacts:
    """The video that was analysed."""

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
    """The table, as its file describes it."""

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
    """Everything in the report, and nothing that differs from run to run: no clock, no path."""

    video: VideoFacts
    table: TableFacts
    models: Mapping[str, str]  # name -> sha256
    version: str  # of feltwatch
    residuals_mm: Sequence[float]  # of the camera's points, in their order
    doubts: Sequence[tuple[float, str]] = ()  # when, and the sentence
    events: Sequence[Event] = ()
    verdicts: Sequence[Verdict] = ()
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
    rounds = played_rounds(facts.events, facts.verdicts)
    pictures = shown(folder, facts.evidence)
    alerts = [one for story in rounds for one in story.alerts.values()]
    numbered = enumerate(((story, one) for story in rounds for one in story.alerts.values()), 1)
    exhibits = {one.alert.id: _exhibit(story, one, number, pictures) for number, (story, one) in numbered}
    by_round = {story.number: [exhibits[name] for name in story.alerts] for story in rounds}
    anchors = {name: exhibit.anchor for name, exhibit in exhibits.items()}
    family = BOOKS[facts.table.book].family if facts.table.book in BOOKS else ""
    numbers = {exhibit.anchor: number for number, row in by_round.items() for exhibit in row}
    body = [
        card_symbols(_faces(rounds, alerts)),
        tag("header", *_top(facts, rounds)),
        tag(
            "main",
            _part("The video", timeline(rounds, facts.video.seconds, anchors), _key(alerts)) if rounds else None,
            _part("Alerts", index([*exhibits.values()], numbers)) if alerts else None,
            _part("What was doubtful", doubt_list(facts.doubts, rounds)),
            _part("Rounds", _tools(len(rounds)), round_list(rounds, by_round, family)) if rounds else None,
            _part("What this report rests on", _ground(folder, facts, pictures)),
        ),
        tag("footer", f"Written by feltwatch {facts.version}. It advises; people decide."),
    ]
    return _document(f"{facts.video.name}: {_counted(rounds)}", join(body, "\n"))


def _exhibit(
    round_: PlayedRound, one: AlertStory, number: int, pictures: Mapping[tuple[str, str], ShownFile]
) -> Exhibit:
    name = one.alert.id
    still, clip = (pictures.get((name, what)) for what in ("still", "clip"))
    return Exhibit(one, round_.hands[name], f"alert-{number}", still, clip)


def _faces(rounds: Sequence[PlayedRound], alerts: Sequence[AlertStory]) -> list[str]:
    found = [card.face for story in rounds for card in story.cards.values()]
    for one in alerts:
        found += [face for faces in one.remedy.hands.values() for face in faces]
        found += [move.face for move in one.remedy.moves]
    return [face for face in found if face is not None]


def _document(title: str, body: Markup) -> str:
    """Wrap the page in a document that loads nothing and runs no script but its own."""
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


def _top(facts: Facts, rounds: Sequence[PlayedRound]) -> list[Markup]:
    video, table = facts.video, facts.table
    limits = f", bets {table.minimum or 'any'} to {table.maximum or 'any'}" if table.minimum or table.maximum else ""
    watched = [
        ("Video", video.name),
        (
            "Length",
            f"{moment(video.seconds)}, {video.frames:,} frames, {video.width} x {video.height}, {video.fps:g} a second",
        ),
        ("Table", f"{table.id}, {table.site}"),
        ("Rules", f"{table.title} ({table.book}), {count(table.decks, 'deck')}{limits}"),
    ]
    rows = [join([tag("dt", name), tag("dd", value)]) for name, value in watched]
    found = [tag("h1", "Replay of a table"), tag("p", *_verdict(facts, rounds), class_=f"verdict {_worst(rounds)}")]
    if video.damaged:
        found.append(tag("p", tag("strong", "The video is damaged: "), video.damaged, class_="damaged"))
    return [*found, tag("dl", *rows, class_="facts")]


def _worst(rounds: Sequence[PlayedRound]) -> str:
    found = sorted((one.alert.severity for story in rounds for one in story.standing), key=lambda s: RANK.get(s, 9))
    doubtful = not rounds or any(story.result == "unresolved" for story in rounds)
    return found[0] if found else "unresolved" if doubtful else "clean"


def _counted(rounds: Sequence[PlayedRound]) -> str:
    standing = sum(len(story.standing) for story in rounds)
    return f"{count(len(rounds), 'round')}, {count(standing, 'alert')}"


def _verdict(facts: Facts, rounds: Sequence[PlayedRound]) -> list[Content]:
    """Give the result in one line."""
    if not rounds:
        return [f"No round was seen in {moment(facts.video.seconds)} of video."]
    standing = [one.alert for story in rounds for one in story.standing]
    found: list[Content] = [_counted(rounds).capitalize()]
    if len(standing) <= 3:
        said = [f"{alert.code} at {moment(alert.t)}" for alert in standing]
        found.append(f": {joined(said)}" if said else "")
    else:
        by = {name: sum(alert.severity == name for alert in standing) for name in RANK}
        found.append(": " + joined([f"{number} {MARKS[name]}" for name, number in by.items() if number]))
    ends = {name: sum(story.result == name for story in rounds) for name in ("void", "unresolved", "open")}
    said = [f"{count(number, 'round')} {ENDS[name]}" for name, number in ends.items() if number]
    gone = sum(len(story.alerts) - len(story.standing) for story in rounds)
    said += [f"{count(gone, 'alert')} withdrawn"] if gone else []
    return [*found, f". {joined(said).capitalize()}." if said else "."]


def _key(alerts: Sequence[AlertStory]) -> Markup | None:
    severities = sorted({one.alert.severity for one in alerts}, key=lambda name: RANK.get(name, 9))
    if not severities:
        return None
    means = {
        "void": "square: void the round",
        "stop": "triangle: stop the game",
        "correct": "diamond: put right at once and go on",
        "advise": "circle: a note",
    }
    said = [means.get(name, name) for name in severities]
    if any(one.withdrawn for one in alerts):
        said.append("hollow: withdrawn")
    return tag("p", "Marks: ", "; ".join(said), ".", class_="fine")


def _tools(number: int) -> Markup | None:
    """Give buttons, hidden unless the script runs."""
    if number < 2:
        return None
    names = (("open", "Open all"), ("close", "Close all"), ("notable", "Only rounds to look at"))
    return tag(
        "p", *(tag("button", said, type="button", data_do=name) for name, said in names), class_="tools", hidden=True
    )


def _ground(folder: Path, facts: Facts, pictures: Mapping[tuple[str, str], ShownFile]) -> Markup:
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
            tag("p", "A file is unaltered if ", tag("code", "sha256sum"), " prints the same digest."),
            digests(found),
        ]
    )
