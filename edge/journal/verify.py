"""`feltwatch verify`: proves that a journal is whole and unaltered, or names the first bad entry."""

import argparse
import json
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from feltwatch.edge.errors import UsageError
from feltwatch.edge.journal.signing import signed
from feltwatch.edge.journal.store import About, BrokenError, ChainHead, Entry, about, entries
from feltwatch.models.files import digest

KEY_LENGTH: Final = 44  # letters of a public key in base64


@dataclass(slots=True)
class _Proof:
    """What the check found, from the first entry to the last."""

    count: int = 0
    first: str = ""
    last: Entry | None = None
    heads: int = 0  # signed, in the journal
    pruned: set[int] = field(default_factory=set)  # entries up to which the journal records a removal
    files: dict[str, str] = field(default_factory=dict)  # of evidence, each with its digest


def verify(options: argparse.Namespace) -> int:
    """Give 0 where every entry is as it was written, else 1."""
    path = _journal(Path(options.journal))
    whose, key = about(path), _key(options.key)
    known = _known(options.head, options.heads, whose, key)
    proof = _Proof()
    try:
        for entry in _as_known(entries(path), known):
            _note(proof, entry, whose, key)
        _check_base(proof, whose)
        for name, made in sorted(proof.files.items()) if options.evidence else ():
            _check_file(path.parent / name, made)
    except BrokenError as fault:
        sys.stdout.write(f"{path}: {fault}; the {proof.count} entries before it are unaltered\n")
        return 1
    sys.stdout.write(f"{path}: {_summary(proof, whose, len(known), files=options.evidence)}\n")
    return 0


def _journal(path: Path) -> Path:
    """Give the journal that is meant: the file itself, or the only one in a folder."""
    if path.is_dir():
        found = sorted(path.glob("*.journal"))
        if len(found) != 1:
            names = f"found {', '.join(one.name for one in found)}; name one" if found else "found none"
            raise UsageError(f"{path}: expected a folder with one journal in it, {names}")
        return found[0]
    if not path.exists():
        raise UsageError(f"{path}: expected a journal of `feltwatch run`, found no such file")
    return path


def _summary(proof: _Proof, whose: About, known: int, *, files: bool) -> str:
    parts = [f"whole: {proof.count} entries"]
    if whose.base[0]:
        parts.append(f"entries before {whose.base[0] + 1} removed on record")
    if known:
        parts.append(f"{known} known head{'s' * (known > 1)} in it")
    if proof.heads:
        parts.append(f"{proof.heads} signed head{'s' * (proof.heads > 1)}")
    if files:
        parts.append(f"{len(proof.files)} files of evidence")
    if proof.last is not None:
        last = proof.last
        parts.append(f"{proof.first} to {last.at}; head {last.seq}:{last.hash.hex()}")
    return ", ".join(parts)


def _as_known(found: Iterator[Entry], known: Mapping[int, str]) -> Iterator[Entry]:
    """Give the entries of a journal; raises BrokenError where a known head is not among them."""
    seq, most = 0, max(known, default=0)
    for entry in found:
        if known.get(entry.seq, entry.hash.hex()) != entry.hash.hex():
            raise BrokenError(f"entry {entry.seq} does not match the given head: the journal was rewritten")
        seq = entry.seq
        yield entry
    if most > seq:
        raise BrokenError(f"entry {seq + 1} is missing: the journal went to entry {most} and was cut off")


def _note(proof: _Proof, entry: Entry, whose: About, key: str | None) -> None:
    proof.first = proof.first or entry.at
    if entry.kind == "head":
        _check_head(entry, whose, key)
        proof.heads += 1
    elif entry.kind == "evidence":
        _note_files(proof, json.loads(entry.body))
    elif entry.kind == "note":
        body = json.loads(entry.body)
        if body.get("kind") == "pruned":
            proof.pruned.add(int(body["upto"]))
    proof.last, proof.count = entry, proof.count + 1


def _note_files(proof: _Proof, body: Mapping[str, object]) -> None:
    files = body.get("files")
    for one in files if isinstance(files, list) else ():
        if body.get("dropped"):
            proof.files.pop(one["name"], None)
        else:
            proof.files[one["name"]] = one["sha256"]


def _check_head(entry: Entry, whose: About, key: str | None) -> None:
    body = json.loads(entry.body)
    head = ChainHead(whose.journal, int(body["seq"]), bytes.fromhex(body["hash"]))
    if not signed(head, body["signature"], key or body["key"]):
        whom = "with the given key" if key else "with the key it names"
        raise BrokenError(f"entry {entry.seq} is a head that was not signed {whom}")


def _check_base(proof: _Proof, whose: About) -> None:
    """Check that a later entry records the removal of what is missing at the start."""
    if whose.base[0] and not any(upto >= whose.base[0] for upto in proof.pruned):
        raise BrokenError(f"entries 1 to {whose.base[0]} are missing, and no later entry records their removal")


def _check_file(path: Path, made: str) -> None:
    try:
        found = digest(path)
    except OSError as error:
        raise BrokenError(
            f"{path}: this evidence file is missing ({(error.strerror or str(error)).lower()})"
        ) from error
    if found != made:
        raise BrokenError(f"{path}: this evidence file was altered")


def _known(head: str | None, heads: str | None, whose: About, key: str | None) -> dict[int, str]:
    """Give the hashes of entries known from outside the journal."""
    known = {}
    if head is not None:
        found = re.fullmatch(r"(\d+):([0-9a-f]{64})", head)
        if found is None:
            raise UsageError(f"--head {head!r}: expected N:HASH as `feltwatch verify` prints it")
        known[int(found[1])] = found[2]
    if heads is not None:
        known |= dict(_heads_of(Path(heads), whose, key))
    return known


def _heads_of(path: Path, whose: About, key: str | None) -> Iterator[tuple[int, str]]:
    """Give the heads of this journal from a file of MQTT messages, one a line."""
    if key is None:
        raise UsageError("--heads: expected --key too: a forger could sign messages with another key")
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: expected MQTT messages, one a line: {error}") from error
    for number, line in enumerate(lines, 1):
        try:
            message = json.loads(line)
            body = message["head"]
            head = ChainHead(whose.journal, int(body["seq"]), bytes.fromhex(body["hash"]))
            mine, good = str(message["id"]).startswith(whose.journal[:12]), signed(head, body["signature"], key)
        except (ValueError, TypeError, KeyError) as error:
            raise UsageError(
                f"{path}:{number}: expected a message from a table's topic `head`, found other text"
            ) from error
        if mine and not good:
            raise UsageError(f"{path}:{number}: expected a head signed with the given key, found another signature")
        if mine:
            yield head.seq, head.hash.hex()


def _key(text: str | None) -> str | None:
    """Give a public key, or the one in a file."""
    if text is None or len(text) == KEY_LENGTH:
        return text
    try:
        return Path(text).read_text("ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"--key {text!r}: expected a public key as the `status` message has it, or a file with one"
        ) from error
