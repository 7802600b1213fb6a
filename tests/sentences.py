"""tests/rounds/sentences.txt: every sentence the golden rounds make the engine say, to be read and kept.

`python -m tests.pages` writes it; a test refuses a stale one.
"""

from pathlib import Path

from feltwatch.engine.model.verdicts import Alert, Ended, Remedied, Remedy, Verdict, Withdrawn
from feltwatch.engine.transcript.parse import parse
from tests.transcripts import Run

ROUNDS = Path(__file__).parent / "rounds"
FILE = ROUNDS / "sentences.txt"


def page() -> str:
    """Give the sentences of every golden round under the first book it names."""
    lines: list[str] = []
    for path in sorted(ROUNDS.rglob("*.round")):
        for scenario in parse(path.read_text(encoding="utf-8")):
            book = scenario.books[0]
            said = [line for verdict in Run(scenario, book).play() for line in _said(verdict)]
            lines += [f"{path.stem}: {scenario.title} [{book}]", *(f"  {line}" for line in said), ""]
    return "\n".join(lines)


def _said(verdict: Verdict) -> list[str]:
    if isinstance(verdict, Alert):
        where = f" box {verdict.box}" if verdict.box else ""
        where += f" hand {verdict.hand}" if verdict.hand else ""
        head = f"{verdict.severity} {verdict.code} ({verdict.clause}){where} [{' '.join(verdict.evidence)}]"
        return [f"{head}: {verdict.says}", *_remedy(verdict.remedy)]
    if isinstance(verdict, Remedied):
        return [f"now of {verdict.alert}:", *_remedy(verdict.remedy)]
    if isinstance(verdict, Withdrawn):
        return [f"withdrawn {verdict.alert}: {verdict.why}"]
    return [f"{verdict.result}: {verdict.why}"] if isinstance(verdict, Ended) else []


def _remedy(remedy: Remedy) -> list[str]:
    choice = f" {' or '.join(remedy.options)}" if remedy.options else ""
    boxes = f" (boxes {' '.join(map(str, remedy.boxes))})" if remedy.boxes else ""
    found = [f"    {remedy.outcome} ({remedy.clause}){choice}{boxes}: {remedy.says}"]
    hands = " | ".join(f"{zone}={','.join(card or '??' for card in cards)}" for zone, cards in remedy.hands.items())
    moves = ", ".join(f"{move.card} {move.source}>{move.target}" for move in remedy.moves)
    for name, text in (("hands", hands), ("moves", moves), ("ask", ", ".join(remedy.ask))):
        if text:
            found.append(f"    {name}: {text}")
    return found
