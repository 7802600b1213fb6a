"""The generated pages of docs/: `python -m tests.pages` writes them; a test refuses stale ones."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from feltwatch.engine.blackjack.phases import NEXT as BLACKJACK_PHASES
from feltwatch.engine.books import BOOKS
from feltwatch.engine.books.alert_texts import MEANINGS
from feltwatch.engine.books.error_catalogue import CODES
from feltwatch.engine.books.settings import ALLOWED, WHY
from feltwatch.engine.round.phase import Phase, Transitions, Trigger
from feltwatch.engine.sikipi.phases import NEXT as SIKIPI_PHASES
from feltwatch.models.evaluation.report import lines
from feltwatch.models.shipped.registry import HERE, models, written
from tests import compliance, mqtt_page, sentences, table_page

DOCS = Path(__file__).parent.parent / "docs"
FIGURES = HERE.parent / "figures"
SIDES = {"feltwatch": "photographs", "plain": "plain"}
NETWORK_FIGURES = {
    "detector": {
        "cards found %": ("tables", "cards found", "all, 8% and more", "found %"),
        "whole cards found %": ("tables", "cards found", "visible 98% to 100%", "found %"),
        "stacks within 4 mm %": ("tables", "stacks", "visible 8% and more", "found %"),
        "false cards on pictures without": ("cardless", "reported cards"),
    },
    "fitter": {
        "corner error of whole cards, 90th percentile, % of the height": (
            "ladder",
            "corner error, % of the height",
            "visible 98% to 100%",
            "fitted, 90th",
        ),
        "false cards a table": ("ladder", "false cards a table", "in all"),
    },
    "reader": {
        "whole cards right %": ("tables", "faces", "whole, 60 px and more", "right %"),
        "whole cards wrong %": ("tables", "faces", "whole, 60 px and more", "wrong %"),
        "photographed from overhead, right %": ("photographs", "faces", "overhead", "right %"),
        "photographed in fans, right %": ("photographs", "faces", "fans", "right %"),
        "photographed in fans, wrong %": ("photographs", "faces", "fans", "wrong %"),
        "calibration error %": ("crops", "calibration error %", "all"),
    },
}
# Figures that were measured before the networks that ship; their pages say so.
EARLIER = frozenset({"rounds", "disturbed", "sweeps", "parity"})
MOST_ROWS = 12  # of a list, on a page
SHORT = {
    "blackjack-rws-v4": "v4",
    "blackjack-rws-v5": "v5",
    "rws-blackjack-2024": "2024",
    "live-blackjack": "live",
    "si-ki-pi-v3": "Si Ki Pi",
}


def alerts() -> str:
    """Every alert: how grave, what it means, and its clause in each book."""
    lines = [
        "# Alerts",
        "",
        "For operators: every alert, with the clause of each book that it cites. Severity: *void* (the round is void),",
        "*stop* (stop the game: reconstruct, offer options, call the supervisor), *correct* (put it right and go on),",
        "*advise* (log). Generated from the books by `python -m tests.pages`.",
        "",
        f"| code | severity | what happened | {' | '.join(SHORT.values())} |",
        f"| --- | --- | --- | {' | '.join('---' for _ in SHORT)} |",
    ]
    for code in CODES:
        faults = [BOOKS[book].faults.get(code) for book in SHORT]
        severity = next(fault.severity for fault in faults if fault)
        clauses = " | ".join(fault.clause if fault else "" for fault in faults)
        lines.append(f"| `{code}` | {severity} | {MEANINGS[code][0].upper()}{MEANINGS[code][1:]} | {clauses} |")
    return "\n".join(lines) + "\n"


def settings() -> str:
    """Every setting: what it decides, what it may be, and what each book takes by default."""
    lines = [
        "# Settings of the books",
        "",
        "For installers: where the text of a book can be read in two ways, or leaves a choice to the house, a setting",
        "decides. `feltwatch judge` takes settings as `--set NAME=VALUE`, and a table's file has them in",
        "[`[table.settings]`](table-file.md#tablesettings). Bold: the default; a book with another default is named.",
        "`python -m tests.pages` generates the page from the books.",
        "",
        "| setting | values | decides |",
        "| --- | --- | --- |",
    ]
    for name, (family, why) in WHY.items():
        books = [book for book in BOOKS.values() if family in ("", book.family)]
        values = {book.id: getattr(book.switches, name) for book in books}
        usual = max(values.values(), key=list(values.values()).count)
        others = ", ".join(f"{SHORT[book]}: `{value}`" for book, value in values.items() if value != usual)
        allowed = ALLOWED[name]
        choice = (usual,) if isinstance(allowed, str) else allowed
        shown = ", ".join(f"**`{value}`**" if value == usual else f"`{value}`" for value in choice)
        kind = f"{shown} ({allowed})" if isinstance(allowed, str) else shown
        lines.append(f"| `{name}` | {kind}{f' ({others})' if others else ''} | {why} |")
    return "\n".join(lines) + "\n"


def phases() -> str:
    """The phases of each game's round: a diagram, what happens in each phase, and what leads to the next."""
    lines = [
        "# Phases of a round",
        "",
        "For contributors: the phases of a round, and what leads from one to the next. The engine changes the phase in",
        "one function, `RoundState.change_phase`, which looks in these tables; what they do not name changes no phase.",
        "Tests check that each transition happens in some golden round, and no other in any stream of events.",
        "`python -m tests.pages` generates the page from `engine/blackjack/phases.py` and `engine/sikipi/phases.py`.",
        *_phases_of("Blackjack", BLACKJACK_PHASES),
        "",
        "Whose turn it is and whether the bets are decided are no phases: both follow from the hands. A dealer's card",
        "that falls too early can complete the dealer's hand while first cards are still due.",
        *_phases_of("Si Ki Pi", SIKIPI_PHASES),
        "",
        "That the deal is over is no phase: it follows from the cards. Whether they fell in order is `DealOrder`.",
        "",
        "A void round goes on from phase to phase, since its cards and chips are still followed.",
    ]
    return "\n".join(lines) + "\n"


def _phases_of(game: str, table: Transitions) -> Iterator[str]:
    known = [phase for phase in Phase if phase in {*table.values(), Phase.BETTING}]
    triggers = [one for one in Trigger if one in {trigger for _, trigger in table}]
    yield from ("", f"## {game}", "", "```mermaid", "stateDiagram-v2", f"    [*] --> {Phase.BETTING.name}")
    yield from (f"    {phase.name} --> {to.name}: {trigger.name}" for (phase, trigger), to in table.items())
    yield from (f"    {Phase.ENDED.name} --> [*]", "```", "", "| phase | what happens |", "| --- | --- |")
    yield from (f"| `{phase.name}` | {phase.value} |" for phase in known)
    yield from ("", "| trigger | at the table | leads |", "| --- | --- | --- |")
    for one in triggers:
        ways: dict[Phase, list[str]] = {}
        for (phase, trigger), to in table.items():
            if trigger is one:
                ways.setdefault(to, []).append(f"`{phase.name}`")
        leads = "; ".join(f"from {', '.join(before)} to `{to.name}`" for to, before in ways.items())
        yield f"| `{one.name}` | {one.value} | {leads} |"


def _shortened(found: dict[str, object]) -> dict[str, object]:
    """Give figures whose lists show their first rows only."""
    return {
        key: value[:MOST_ROWS] if isinstance(value, list) else _shortened(value) if isinstance(value, dict) else value
        for key, value in found.items()
    }


def measured(name: str) -> str:
    """Give the page with each table under a mark renewed from the figures of that name."""

    def figures(found: re.Match[str]) -> str:
        kept = json.loads((FIGURES / f"{found[1]}.json").read_text("utf-8"))
        shown = "\n".join(lines(_shortened(kept["figures"]))).strip("\n")
        with_others = f"measured with earlier networks: {_named(kept['models'])}\n" if found[1] in EARLIER else ""
        return f"<!-- figures: {found[1]} -->\n```text\n{with_others}{shown}\n```\n"

    page = (DOCS / name).read_text("utf-8")
    page = re.sub(r"<!-- figures: (\w+) -->\n```text\n.*?```\n", figures, page, flags=re.DOTALL)
    side_by_side = "<!-- compared -->\n```text\n{}\n```\n"
    return re.sub(
        r"<!-- compared -->\n```text\n.*?```\n", lambda _: side_by_side.format(compared()), page, flags=re.DOTALL
    )


def _named(digests: dict[str, str]) -> str:
    return ", ".join(f"{name} {digest[:8]}" for name, digest in digests.items())


def compared() -> str:
    """The photographs as our networks and the plain detector read them, side by side."""
    both = {name: json.loads((FIGURES / f"{file}.json").read_text("utf-8"))["figures"] for name, file in SIDES.items()}
    rows = next(iter(both.values()))["faces"]
    return "\n".join(lines({f"{row}: {name}": one["faces"][row] for row in rows for name, one in both.items()}))


def networks() -> str:
    """The manifest of the networks, with what was measured."""
    listed = models()
    changed = [replace(one, figures=dict(_figures(name))) for name, one in listed.items()]
    return written(changed)


def _figures(network: str) -> Iterator[tuple[str, float]]:
    for name, (file, *way) in NETWORK_FIGURES[network].items():
        found = json.loads((FIGURES / f"{file}.json").read_text("utf-8"))["figures"]
        for step in way:
            found = found[step]
        yield name, found


PAGES: dict[str, Callable[[], str]] = {
    "alerts.md": alerts,
    "settings.md": settings,
    "table-file.md": table_page.page,
    "../edge/schemas/table.schema.json": table_page.schema,
    "phases.md": phases,
    "compliance.md": compliance.page,
    "mqtt.md": mqtt_page.page,
    "asyncapi.json": mqtt_page.asyncapi,
    "../models/shipped/manifest.toml": networks,
    **{name: partial(measured, name) for name in ("accuracy.md", "watching.md", "../models/shipped/reader.md")},
}


if __name__ == "__main__":
    for file, page in PAGES.items():
        (DOCS / file).write_text(page(), encoding="utf-8")
    sentences.FILE.write_text(sentences.page(), encoding="utf-8")
