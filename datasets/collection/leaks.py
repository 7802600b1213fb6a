"""`python -m feltwatch.datasets leaks [FOLDER…]`: looks for what is of val, test or reserve in what is trained on.

By name: what a written set says it is made of, against the manifest, the felts and the sources of photographs.
By looks: decks and backs in the cache, or in folders, against the committed fingerprints of all that is held back.
"""

import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from feltwatch.datasets.art.cards.decks import PICTURES, load_back, load_deck, load_folder, texture
from feltwatch.datasets.art.cards.fingerprints import (
    PATH,
    Print,
    Prints,
    distance,
    print_of_back,
    print_of_deck,
    read_prints,
    written,
)
from feltwatch.datasets.art.felts import felt_styles
from feltwatch.datasets.common.cache import read_picture, write_whole
from feltwatch.datasets.common.errors import Arguments, DataError
from feltwatch.datasets.sources.manifest import Manifest, names_of, read

# Measured on all decks listed: nearest of train and held back 14.3 bits (two magnum decks of ours); the same deck
# recoloured at most 2.0, scaled and compressed 8.0, cut askew 8.5.
SAME_DECK = 11.0
SAME_BACK = 3.0  # only nearly the same: see fingerprints.py


def main(arguments: list[str]) -> int:
    parser = Arguments("python -m feltwatch.datasets leaks", description=__doc__)
    parser.add_argument("folders", type=Path, nargs="*", help="written sets, or folders of decks or backs to train on")
    parser.add_argument("--nearest", action="store_true", help="list the nearest pairs of train and test")
    parser.add_argument(
        "--write", action="store_true", help="hash what the cache holds into datasets/art/cards/fingerprints.txt"
    )
    options = parser.parse_args(arguments)
    if options.write:
        write_whole(PATH, written(prints_here(read())).encode())
    manifest, prints = read(), read_prints()
    if options.nearest:
        sys.stdout.writelines(f"{line}\n" for line in nearest(manifest, prints))
    if options.folders:
        found = [line for folder in options.folders for line in leaks_of_folder(folder, manifest, prints)]
    else:
        found = leaks(training_prints(manifest), manifest, prints)
    sys.stdout.writelines(f"leak: {line}\n" for line in found)
    sys.stdout.write(f"leaks: {len(found)} found\n")
    return 1 if found else 0


def prints_here(manifest: Manifest) -> Prints:
    """Give the fingerprints of everything the manifest lists; all of it must have been fetched."""
    decks = {name: print_of_deck(load_deck(name).faces) for name in manifest.deck_splits()}
    backs = {name: print_of_back(load_back(name)) for name in manifest.back_splits()}
    return Prints(decks, backs)


def training_prints(manifest: Manifest) -> Prints:
    """Give the fingerprints of what would be trained on here: the customer's own decks and backs too."""
    del manifest  # names_of reads it; what it does not know trains
    decks = {name: print_of_deck(load_deck(name).faces) for name in names_of("decks", "train")}
    backs = {name: print_of_back(load_back(name)) for name in names_of("backs", "train")}
    return Prints(decks, backs)


def held_back(manifest: Manifest, prints: Prints) -> Prints:
    """Give the fingerprints of val, test and reserve."""
    decks, backs = manifest.deck_splits(), manifest.back_splits()
    return Prints(
        {name: one for name, one in prints.decks.items() if decks.get(name) != "train"},
        {name: one for name, one in prints.backs.items() if backs.get(name) != "train"},
    )


def leaks(training: Prints, manifest: Manifest, prints: Prints) -> list[str]:
    """Say which decks and backs to train on are held back, by name or because they look like one that is."""
    held = held_back(manifest, prints)
    found = []
    for kind, mine, theirs, limit in (
        ("deck", training.decks, held.decks, SAME_DECK),
        ("back", training.backs, held.backs, SAME_BACK),
    ):
        splits = manifest.deck_splits() if kind == "deck" else manifest.back_splits()
        for name, one in mine.items():
            if (split := splits.get(name, "train")) != "train":
                found.append(f"{kind} {name!r} is of the split {split}")
            elif (near := _nearest(one, theirs)) and near[0] <= limit:
                found.append(
                    f"{kind} {name!r} looks like {near[1]!r} of {splits[near[1]]}: {near[0]:.1f} of 64 bits differ"
                )
    return found


def leaks_by_name(made_of: Mapping[str, Iterable[str]], split: str, manifest: Manifest) -> list[str]:
    """Say which decks, backs, felts, grounds or photographs a set of that split is made of and should not be."""
    photographs = {one.name: one.split for one in manifest.source if one.kind == "photographs"}
    sides = {
        "decks": manifest.deck_splits() | photographs,
        "backs": manifest.back_splits(),
        "felts": {name: side for side, names in felt_styles.FELTS.items() for name in names},
        "grounds": {one.name: one.split for one in manifest.source if one.kind == "cardless"},
        "photographs": photographs,
    }
    return [
        f"{kind[:-1]} {name!r} is of the split {sides[kind][name]} and lies in {split}"
        for kind in sides
        for name in made_of.get(kind, ())
        if sides[kind].get(name, "train") != split
        if name in sides[kind] or split != "train"
    ]


def leaks_of_folder(folder: Path, manifest: Manifest, prints: Prints) -> list[str]:
    """Check a written set by its recipe; or a folder of decks, of one deck, or of backs by their looks."""
    if not folder.is_dir():
        raise DataError(f"{folder}: no such folder")
    recipe = folder / "recipe.json"
    if recipe.is_file():
        return [f"{folder}: {line}" for line in _leaks_of_recipe(recipe, manifest)]
    decks, backs = dict(_decks_in(folder)), dict(_backs_in(folder))
    if not decks and not backs:
        raise DataError(f"{folder}: neither a written set (recipe.json) nor pictures of decks or backs")
    return [f"{folder}: {line}" for line in leaks(Prints(decks, backs), manifest, prints)]


def _leaks_of_recipe(path: Path, manifest: Manifest) -> Iterator[str]:
    try:
        splits: dict[str, dict[str, Any]] = json.loads(path.read_text("utf-8"))["splits"]
        for split in ("train", "val"):
            yield from leaks_by_name(splits.get(split, {}), split, manifest)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as fault:
        raise DataError(f"{path}: not the recipe of a written set: {fault}") from fault


def _decks_in(folder: Path) -> Iterator[tuple[str, Print]]:
    for one in (folder, *sorted(path for path in folder.iterdir() if path.is_dir())):
        if any((one / f"Ks{suffix}").is_file() for suffix in PICTURES):
            yield one.name, print_of_deck(load_folder(one, small=True).faces)


def _backs_in(folder: Path) -> Iterator[tuple[str, Print]]:
    for path in sorted(folder.glob("*back*")):
        if path.suffix.lower() in PICTURES:
            yield path.stem, print_of_back(texture(read_picture(path), path, small=True))


def _nearest(one: Print, others: Mapping[str, Print]) -> tuple[float, str] | None:
    return min(((distance(one, other), name) for name, other in others.items()), default=None)


def nearest(manifest: Manifest, prints: Prints, count: int = 12) -> list[str]:
    """List the pairs of train and held back that look most alike, decks and backs."""
    held = held_back(manifest, prints)
    lines = []
    for kind, all_, theirs in (("deck", prints.decks, held.decks), ("back", prints.backs, held.backs)):
        mine = {name: one for name, one in all_.items() if name not in theirs}
        pairs = sorted((distance(one, other), a, b) for a, one in mine.items() for b, other in theirs.items())
        lines += [f"{kind} {far:5.1f}  {a} (train)  {b}" for far, a, b in pairs[:count]]
    return lines
