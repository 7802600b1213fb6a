"""`feltwatch books`: what the books say, how a table may set them, and where each clause is checked."""

import argparse
import json
import sys
from difflib import get_close_matches

from feltwatch.edge.errors import UsageError
from feltwatch.engine.books import BOOKS, Book, BookError, find_book
from feltwatch.engine.books.clauses import Clause, clauses
from feltwatch.engine.books.settings import ALLOWED, WHY


def books(options: argparse.Namespace) -> int:
    """Print the list of books, one book, or one clause."""
    if options.book is None:
        found: object = [_summary(book) for book in BOOKS.values()]
        text = _list()
    else:
        try:
            book = find_book(options.book)
        except BookError as error:
            raise UsageError(str(error)) from error
        if options.clause is None:
            found, text = _book(book), _book_text(book)
        else:
            clause = _clause(book, options.clause)
            found, text = _clause_facts(clause), _clause_text(clause)
    sys.stdout.write((json.dumps(found, indent=2, ensure_ascii=False) if options.as_json else text) + "\n")
    return 0


def _summary(book: Book) -> dict[str, object]:
    return {"id": book.id, "title": book.title, "decks": list(book.decks_allowed), "clauses": len(clauses(book.id))}


def _decks(book: Book) -> str:
    least, most = book.decks_allowed
    return f"{least} deck{'s' if least > 1 else ''}" if least == most else f"{least} to {most} decks"


def _list() -> str:
    width = max(len(name) for name in BOOKS)
    return "\n".join(
        f"{book.id:{width}}  {book.title}, {_decks(book)}, {len(clauses(book.id))} clauses" for book in BOOKS.values()
    )


def _settings(book: Book) -> list[dict[str, object]]:
    values = book.switches.to_dict()
    return [
        {"name": name, "value": values[name], "allowed": ALLOWED[name], "decides": why}
        for name, (family, why) in WHY.items()
        if family in ("", book.family)
    ]


def _book(book: Book) -> dict[str, object]:
    return {
        **_summary(book),
        "bets": sorted(book.bets),
        "pays": {name: str(odds) for name, odds in book.pays.items()},
        "settings": _settings(book),
        "alerts": {code: fault.clause for code, fault in book.faults.items()},
        "clauses": {clause.id: clause.says for clause in clauses(book.id).values()},
    }


def _book_text(book: Book) -> str:
    lines = [f"{book.title} ({book.id}), {_decks(book)}", "", "Pays"]
    lines += [f"  {name:16} {odds}" for name, odds in book.pays.items()]
    lines += ["", "Settings (feltwatch judge --set NAME=VALUE)"]
    for setting in _settings(book):
        allowed = setting["allowed"]
        choice = allowed if isinstance(allowed, str) else " | ".join(allowed)  # type: ignore[arg-type]  # texts
        lines.append(f"  {setting['name']:18} {setting['value']}   [{choice}]")
        lines.append(f"  {'':18} {setting['decides']}")
    lines += ["", "Clauses"]
    lines += [f"  {clause.id:20} {clause.says}" for clause in clauses(book.id).values()]
    return "\n".join(lines)


def _clause(book: Book, name: str) -> Clause:
    found = clauses(book.id)
    if name not in found:
        near = get_close_matches(name, found, 3, 0.5)
        hint = f"; near it are {', '.join(near)}" if near else ""
        raise UsageError(f"{book.id} has no clause {name!r}{hint}")
    return found[name]


def _alerts(clause: Clause) -> list[str]:
    return [fault.code for fault in BOOKS[clause.book].faults.values() if fault.clause == clause.id]


def _clause_facts(clause: Clause) -> dict[str, object]:
    return {
        "book": clause.book,
        "clause": clause.id,
        "says": clause.says,
        "engine": clause.engine,
        "code": list(clause.code),
        "alerts": _alerts(clause),
    }


def _clause_text(clause: Clause) -> str:
    lines = [f"{clause.book} {clause.id}", f"  {clause.says}"]
    if clause.engine:
        lines += [f"  The engine {clause.engine}.", f"  Checked in {', '.join(clause.code)}."]
    else:
        lines.append("  Nothing for software to do.")
    alerts = _alerts(clause)
    if alerts:
        lines.append(f"  Alerts: {', '.join(alerts)}.")
    return "\n".join(lines)
