"""`python -m feltwatch.models evaluate`: what the shipped networks can do, measured on what they never saw."""

import argparse
import json
import sys
from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType

from feltwatch.datasets.common.cache import cache_dir, check_writable, write_whole
from feltwatch.datasets.common.errors import Arguments, DataError, number_from
from feltwatch.models.evaluation.looking import Looker
from feltwatch.models.evaluation.report import Figures, lines
from feltwatch.models.shipped.registry import HERE, MANIFEST, NETWORKS, change, models

SPLITS = ("val", "test")


def main(arguments: list[str]) -> int:
    """Measure one thing; give 1 where two networks that should agree do not."""
    options = _parser().parse_args(arguments)
    manifest = options.models / MANIFEST.name
    if options.o:
        check_writable(options.o)  # better now than after an hour
    listed = {name: one.sha256 for name, one in models(manifest).items() if name in USED.get(options.what, NETWORKS)}
    found = PARTS[options.what](options, manifest)
    if options.what == "plain":
        listed = {"plain": sha256(options.weights.read_bytes()).hexdigest()}
    sys.stdout.writelines(f"{line}\n" for line in lines(found, options.what))
    if options.o:
        kept = {"command": _said(options), "models": listed, "figures": found}
        write_whole(options.o, (json.dumps(kept, indent=1) + "\n").encode())
    return 1 if found.get("agrees") is False else 0


def _said(options: argparse.Namespace) -> str:
    """Give the command without the places of this machine."""
    plain = ((name, value) for name, value in vars(options).items() if isinstance(value, int | str) and name != "what")
    flags = [f"--{name} {value}" for name, value in plain if name not in ("jobs", "threads", "write")]
    return " ".join(["python -m feltwatch.models evaluate", options.what, *flags])


def _tables(options: argparse.Namespace, manifest: Path) -> Figures:
    from feltwatch.models.evaluation.tables import TableLooks, measure  # noqa: PLC0415  art is loaded by those who draw

    run = TableLooks(Looker(manifest, options.threads), options.split, options.seed)
    return measure(run, options.count, options.jobs, options.show)


def _ladder(options: argparse.Namespace, manifest: Path) -> Figures:
    from feltwatch.models.evaluation.ladder import Ladder, measure, thresholds  # noqa: PLC0415  as above

    found = measure(Ladder(manifest, options.split, options.seed, options.threads), options.count, options.jobs)
    if options.write:
        if options.split != "val":
            raise DataError("--write: what ships is measured on val; say --split val")
        _write_settings(manifest, thresholds(found))
    return found


def _photographs(options: argparse.Namespace, manifest: Path) -> Figures:
    from feltwatch.models.evaluation.photographs import Photographs, measure  # noqa: PLC0415  as above

    run = Photographs(Looker(manifest, options.threads))
    return measure(run, options.folder, options.split, options.jobs, options.show)


def _plain(options: argparse.Namespace, manifest: Path) -> Figures:
    del manifest
    from feltwatch.models.evaluation.photographs import Photographs, measure  # noqa: PLC0415  as above
    from feltwatch.models.training.plain import Plain, check  # noqa: PLC0415  with it comes torch

    check(options.weights)
    run = Photographs(Plain(options.weights), upright=True)
    return measure(run, options.folder, options.split, options.jobs, options.show)


def _crops(options: argparse.Namespace, manifest: Path) -> Figures:
    from feltwatch.models.evaluation.reader.crops import CropReader, figures, read  # noqa: PLC0415  as above

    settings = models(manifest)["reader"].settings
    reads = read(
        CropReader(manifest, options.split, options.seed, threads=options.threads), options.count, options.jobs
    )
    return figures(reads, settings["temperature"], settings["sure"], settings["sure_hard"])


def _votes(options: argparse.Namespace, manifest: Path) -> Figures:
    from feltwatch.models.evaluation.reader.votes import Voter, measure  # noqa: PLC0415  as above

    return measure(Voter(manifest, options.split, options.seed, options.threads), options.count, options.jobs)


def _deck(options: argparse.Namespace, manifest: Path) -> Figures:
    from feltwatch.models.evaluation.enrolled import Enrolled, measure  # noqa: PLC0415  as above

    return measure(Enrolled(manifest, options.split, options.seed, options.threads), options.count, options.jobs)


def _sweeps(options: argparse.Namespace, manifest: Path) -> Figures:
    from feltwatch.models.evaluation.sweeps import Sweep, measure  # noqa: PLC0415  as above

    return measure(Sweep(manifest, options.split, options.seed, options.threads), options.count, options.jobs)


def _cardless(options: argparse.Namespace, manifest: Path) -> Figures:
    from feltwatch.datasets.render.cardless import cardless  # noqa: PLC0415  as above
    from feltwatch.models.evaluation.cardless import measure  # noqa: PLC0415  as above

    paths = cardless(options.split)[: options.count or None]
    if not paths:
        raise DataError(
            f"no cardless pictures of {options.split} here; `python -m feltwatch.datasets fetch cardless` brings them"
        )
    return measure(Looker(manifest, options.threads), paths, options.jobs, options.show)


def _parity(options: argparse.Namespace, manifest: Path) -> Figures:
    from feltwatch.models.training.parity import measure  # noqa: PLC0415  as above

    kinds = [options.kind] if options.kind else NETWORKS
    folder = options.checkpoints or cache_dir() / "models"
    cooled = {kind: folder / kind / "cooldown" / "last.pt" for kind in kinds}  # what ships ends a cooldown
    checkpoints = {kind: path if path.is_file() else folder / kind / "last.pt" for kind, path in cooled.items()}
    return measure(checkpoints, manifest, options.count, options.seed, options.threads)


def _calibrate(options: argparse.Namespace, manifest: Path) -> Figures:
    from feltwatch.models.evaluation.reader.calibrate import measure  # noqa: PLC0415  as above

    found = measure(manifest, options.photographs, options.count, options.seed, options.jobs)
    if options.write:
        _write_settings(manifest, {"temperature": found["temperature"]})
    return found


def _write_settings(manifest: Path, settings: Mapping[str, object]) -> None:
    change(manifest, "reader", settings={**models(manifest)["reader"].settings, **settings})


PARTS: MappingProxyType[str, Callable[[argparse.Namespace, Path], Figures]] = MappingProxyType(
    {
        "tables": _tables,
        "ladder": _ladder,
        "photographs": _photographs,
        "plain": _plain,
        "crops": _crops,
        "votes": _votes,
        "deck": _deck,
        "sweeps": _sweeps,
        "cardless": _cardless,
        "parity": _parity,
        "calibrate": _calibrate,
    }
)
USED = MappingProxyType(dict.fromkeys(("crops", "votes", "calibrate"), ("reader",)))  # where not all networks are
HELP = MappingProxyType(
    {
        "tables": ("rendered tables: cards, faces, stacks, false cards", 500),
        "ladder": ("the same tables: which stage loses which cards, and how exactly they are placed", 100),
        "photographs": ("real photographs, from the picture to the face", 0),
        "plain": ("the same photographs, reported by what `train plain` made", 0),
        "crops": ("the reader alone: accuracy, calibration, confusions", 20_000),
        "votes": ("several looks at a card that lies still: what is reported from which likelihood on", 2_000),
        "deck": ("cards read within their true corners, without and with the table's own deck", 100),
        "sweeps": ("one card, one thing made harder step by step; so many cards a step", 104),
        "cardless": ("pictures without cards: all of them, or the first so many", 0),
        "parity": ("torch against ONNX", 200),
        "calibrate": ("the reader's temperature, on val alone", 40_000),
    }
)


def _parser() -> argparse.ArgumentParser:
    parser = Arguments(prog="python -m feltwatch.models evaluate", description=__doc__)
    parts = parser.add_subparsers(dest="what", required=True, metavar="WHAT")
    for name, (says, count) in HELP.items():
        part = parts.add_parser(name, help=says, description=says)
        part.add_argument("--models", type=Path, default=HERE, metavar="DIR", help="where manifest.toml lies")
        part.add_argument("-o", type=Path, metavar="FILE", help="write the figures there, as JSON")
        part.add_argument("--seed", type=number_from(0), default=1)
        part.add_argument("--jobs", type=number_from(1), default=1, help="processes")
        part.add_argument("--threads", type=number_from(1), default=1, help="of the networks, in each process")
        if count or name == "cardless":
            part.add_argument("--count", type=number_from(1 if count else 0), default=count, metavar="N")
        if name not in ("parity", "calibrate"):
            part.add_argument("--split", choices=SPLITS, default="test")
        if name in ("tables", "photographs", "plain", "cardless"):
            part.add_argument("--show", type=Path, metavar="DIR", help="write the worst hundred there, to be looked at")
    kinds = parts.choices
    kinds["photographs"].add_argument("folder", type=Path, help="a source, or a folder of sources")
    kinds["plain"].add_argument("folder", type=Path, help="likewise")
    kinds["plain"].add_argument("weights", type=Path, help="its last.pt")
    kinds["calibrate"].add_argument(
        "--photographs", type=Path, metavar="FOLDER", help="photographs; those of val count"
    )
    kinds["calibrate"].add_argument("--write", action="store_true", help="into the manifest")
    kinds["ladder"].add_argument("--write", action="store_true", help="write from when on a face is reported, on val")
    kinds["parity"].add_argument("--kind", choices=NETWORKS, help="only this network")
    kinds["parity"].add_argument(
        "--checkpoints", type=Path, metavar="DIR", help="holds KIND/last.pt; the cache, if not said"
    )
    return parser
