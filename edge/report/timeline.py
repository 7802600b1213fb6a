"""The time line of the video: rounds as bars, alerts as marks, each a link to its place on the page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from feltwatch.edge.pipeline.round_story import AlertStory
from feltwatch.edge.report.html import Markup, join, tag
from feltwatch.edge.report.story import PlayedRound
from feltwatch.edge.report.words import MARKS, RANK, count, moment
from feltwatch.edge.wording import clock

ROW, TOP, BAR = 58, 22, 18  # pixels: of a row, over its bars, of a bar
LINE = TOP + BAR
FEW = 40  # rounds
SIDE = 12  # free at both ends
SHAPES = {  # about the origin; distinct without colour too
    "void": "M-6 -6H6V6H-6Z",
    "stop": "M0 -8 7 5H-7Z",
    "correct": "M0 -7 7 0 0 7 -7 0Z",
    "advise": "M-5 0A5 5 0 1 0 5 0 5 5 0 1 0 -5 0Z",
}


@dataclass(frozen=True, slots=True)
class _Scale:
    """Seconds to pixels of one row."""

    start: float
    end: float
    width: int

    def x(self, t: float) -> float:
        part = (min(max(t, self.start), self.end) - self.start) / (self.end - self.start)
        return round(SIDE + part * (self.width - 2 * SIDE), 2)


def timeline(rounds: Sequence[PlayedRound], seconds: float, anchors: Mapping[str, str]) -> Markup:
    """Draw it twice: for a wide page, and for a narrow one where fewer rounds fit into a row."""
    return join(
        [_drawn(rounds, seconds, anchors, 960, 40, "wide"), _drawn(rounds, seconds, anchors, 400, 14, "narrow")]
    )


def _drawn(
    rounds: Sequence[PlayedRound], seconds: float, anchors: Mapping[str, str], width: int, most: int, kind: str
) -> Markup:
    end = max([seconds, *map(_last, rounds), 0.1])
    rows = max(1, -(-len(rounds) // most))
    scales = [_Scale(end * row / rows, end * (row + 1) / rows, width) for row in range(rows)]
    parts = [
        tag("g", _row(rounds, scale, anchors), transform=f"translate(0 {number * ROW})")
        for number, scale in enumerate(scales)
    ]
    return tag(
        "svg",
        *parts,
        class_=f"timeline {kind}",
        viewBox=f"0 0 {width} {rows * ROW}",
        role="group",
        aria_label=f"Time line: {count(len(rounds), 'round')} in {moment(end)}",
    )


def _row(rounds: Sequence[PlayedRound], scale: _Scale, anchors: Mapping[str, str]) -> Markup:
    line = tag("line", x1=SIDE, x2=scale.width - SIDE, y1=LINE, y2=LINE, class_="axis")
    times = [
        tag("text", moment(t), x=scale.x(t), y=LINE + 14, class_="tick", text_anchor=anchor)
        for t, anchor in ((scale.start, "start"), ((scale.start + scale.end) / 2, "middle"), (scale.end, "end"))
    ]
    reached = 0 if len(rounds) <= FEW else -1  # by the tabulator: of many rounds only the alerts
    bars = [
        _bar(story, scale, reached) for story in rounds if story.start < scale.end and _end(story, scale) > scale.start
    ]
    marks = [
        _mark(one, scale, anchors[one.alert.id])
        for story in rounds
        for one in sorted(story.alerts.values(), key=lambda one: -RANK.get(one.alert.severity, 9))
        if scale.start <= one.alert.t < scale.end
    ]
    return join([line, *times, *bars, *marks])


def _last(story: PlayedRound) -> float:
    ended = story.start if story.end is None else story.end.t
    return max([ended, *(one.alert.t + 0.1 for one in story.alerts.values())])


def _end(story: PlayedRound, scale: _Scale) -> float:
    return scale.end if story.end is None else max(story.end.t, story.start + 0.001)


def _bar(story: PlayedRound, scale: _Scale, reached: int) -> Markup:
    left, right = scale.x(story.start), scale.x(_end(story, scale))
    said = f"Round {story.number}, {moment(story.start)}, {story.result}, {count(len(story.standing), 'alert')}"
    number = None
    if right - left > 9 * len(str(story.number)) + 4 and story.start >= scale.start:
        number = tag("text", str(story.number), x=(left + right) / 2, y=LINE - 5, class_="number", text_anchor="middle")
    bar = tag("rect", x=left, y=TOP, width=round(max(2.5, right - left - 1), 2), height=BAR, rx=2)
    kind = story.result if story.result in ("completed", "void", "unresolved") else "open"
    return tag(
        "a", tag("title", said), bar, number, href=f"#round-{story.number}", class_=f"bar {kind}", tabindex=reached
    )


def _mark(story: AlertStory, scale: _Scale, anchor: str) -> Markup:
    alert, severity = story.alert, story.alert.severity
    state = "withdrawn" if story.withdrawn else "standing"
    kind = MARKS.get(severity, severity) + (", withdrawn" if story.withdrawn else "")
    said = f"{alert.code} at {clock(alert.t)} ({kind})"
    shape = tag("path", d=SHAPES.get(severity, SHAPES["advise"]), transform=f"translate({scale.x(alert.t)} {TOP - 10})")
    return tag("a", tag("title", said), shape, href=f"#{anchor}", class_=f"mark {severity} {state}")
