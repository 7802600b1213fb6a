"""`python -m feltwatch.datasets set`: write a training set."""

import argparse
import os
import sys
from pathlib import Path

from feltwatch.datasets.common.errors import Arguments, DataError
from feltwatch.datasets.photos.real import photographs
from feltwatch.datasets.render.cardless import cardless
from feltwatch.datasets.scene.scene_sampler import Own
from feltwatch.datasets.sets.labels import Labelling
from feltwatch.datasets.sets.sets import (
    SPLITS,
    Blocks,
    RenderedTables,
    SetPlan,
    Strewn,
    add_photographs,
    write_crops,
    write_tables,
)
from feltwatch.datasets.sources.manifest import names_of, split_of
from feltwatch.vision.layout.zones import Layout, LayoutError, load_layout

SMALLEST_TILE = 64


def main(arguments: list[str]) -> int:
    options = _parser().parse_args(arguments)
    _check(options)
    labelling = Labelling(options.visible, options.inside, options.blank)
    here = names_of("backs", options.split)
    backs = tuple(back for back in (f"{name}-back" for name in options.deck) if back in here)
    own = Own(tuple(options.deck), backs, options.chips, _layout(options.layout))
    plan = SetPlan(options.count, options.seed, options.split, options.jobs, labelling, options.tile, own)
    shown = list(photographs(options.photographs, (plan.split,))) if options.photographs else []
    if options.what == "tables":
        written = write_tables(options.o, RenderedTables(plan.split, plan.seed, own), plan)
    elif options.what == "strewn":
        written = write_tables(options.o, Strewn(plan.split, plan.seed, cardless(plan.split)), plan, "strewn")
    else:
        written = write_crops(options.o, Blocks(plan.split, plan.seed, own.decks), plan)
    added = (
        add_photographs(options.o, iter(shown), plan, "crops" if options.what == "crops" else "tables") if shown else 0
    )
    sys.stdout.write(f"{options.o}: {plan.split}: {written} rendered {options.what} written, {added} of photographs\n")
    return 0


def _check(options: argparse.Namespace) -> None:
    for flag, least in (("count", 1), ("jobs", 1), ("seed", 0)):
        if getattr(options, flag) < least:
            raise DataError(f"--{flag} {getattr(options, flag)}: expected {least} or more")
    if options.tile and options.tile < SMALLEST_TILE:
        raise DataError(f"--tile {options.tile}: expected {SMALLEST_TILE} pixels or more, or 0 for whole pictures")
    for flag in ("visible", "inside"):
        if not 0 <= getattr(options, flag) <= 1:
            raise DataError(f"--{flag} {getattr(options, flag)}: expected a part, from 0 to 1")
    if options.what == "strewn" and (options.deck or options.chips or options.layout):
        raise DataError("strewn: cards of every deck on any ground; --deck, --chips and --layout are for tables")
    for name in options.deck:
        if name not in names_of("decks", split_of(name)):
            raise DataError(f"deck {name!r}: not here; `python -m feltwatch.datasets decks` lists what there is")
        if split_of(name) != options.split:
            raise DataError(f"deck {name!r} is of the split {split_of(name)}: it must not go into {options.split}")


def _layout(name: str | None) -> Layout | None:
    try:
        return load_layout(name) if name else None
    except LayoutError as error:
        raise DataError(str(error)) from error


def _parser() -> Arguments:
    parser = Arguments(prog="python -m feltwatch.datasets set", description="Write a training set, or go on with it.")
    parser.add_argument("what", choices=("tables", "strewn", "crops"))
    parser.add_argument("-o", type=Path, required=True, metavar="DIR")
    parser.add_argument("--count", type=int, required=True, help="pictures, or crops (in whole blocks)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--split", choices=SPLITS, default="train", help="write `val` into the same DIR for a whole set"
    )
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--deck", action="append", default=[], metavar="NAME", help="only this design; may be repeated")
    parser.add_argument("--chips", metavar="NAME", help="only this set of chips")
    parser.add_argument("--layout", metavar="FILE", help="only this table: a preset's name or a layout file")
    parser.add_argument("--tile", type=int, default=0, metavar="PX", help="cut tables into squares at native scale")
    parser.add_argument(
        "--visible", type=float, default=0.08, help="least part of a thing that is seen, to be labelled"
    )
    parser.add_argument("--inside", type=float, default=0.25, help="least part of a thing that lies in the picture")
    parser.add_argument("--photographs", type=Path, metavar="FOLDER", help="add those of the split that have a licence")
    parser.add_argument("--blank", action="store_true", help="grey out cards of photographs with unknown corners")
    return parser
