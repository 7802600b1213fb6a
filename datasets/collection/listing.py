"""`python -m feltwatch.datasets decks`: every deck with its split, its family, its licence, and whether it is here."""

import sys
from collections import Counter
from collections.abc import Iterator

from feltwatch.datasets.common.errors import Arguments
from feltwatch.datasets.sources.manifest import SPLITS, Manifest, names_of, read


def main(arguments: list[str]) -> int:
    parser = Arguments("python -m feltwatch.datasets decks", description=__doc__)
    parser.add_argument("--split", choices=SPLITS, help="only this side")
    parser.add_argument("--backs", action="store_true", help="the backs, not the decks")
    options = parser.parse_args(arguments)
    manifest = read()
    lines = back_lines(manifest) if options.backs else deck_lines(manifest)
    chosen = [line for line in lines if options.split in (None, line.split(maxsplit=1)[0])]
    sys.stdout.writelines(f"{line}\n" for line in [*chosen, "", *counts(manifest)])
    return 0


def deck_lines(manifest: Manifest) -> Iterator[str]:
    """Give a line a deck, by split and family; a star marks what lies here."""
    families, splits = manifest.families(), manifest.deck_splits()
    sources = {one.name: one for one in manifest.source}
    origin = {one.name: sources[one.source] for one in manifest.design}
    origin |= {one.name: sources[manifest.design_of(one).source] for one in manifest.recipe}
    drawn = {one.name for one in manifest.recipe}
    here = {name for split in SPLITS for name in names_of("decks", split)}
    for name in sorted(splits, key=lambda one: (SPLITS.index(splits[one]), families[one], one)):
        how = "drawn on" if name in drawn else "from"
        star = "*" if name in here else " "
        yield f"{splits[name]:8} {star} {name:24} {families[name]:14} {how} {origin[name].name}, {origin[name].licence}"
    own = sorted(set(names_of("decks", "train")) - set(splits))
    yield from (f"train    * {name:24} {'(own)':14} from this machine's cache" for name in own)


def back_lines(manifest: Manifest) -> Iterator[str]:
    splits = manifest.back_splits()
    origin = {one.name: one.source for one in manifest.back}
    here = {name for split in SPLITS for name in names_of("backs", split)}
    for name in sorted(splits, key=lambda one: (SPLITS.index(splits[one]), one)):
        yield f"{splits[name]:8} {'*' if name in here else ' '} {name:24} {origin.get(name, 'drawn')}"


def counts(manifest: Manifest) -> Iterator[str]:
    splits, families = manifest.deck_splits(), manifest.families()
    backs = Counter(manifest.back_splits().values())
    for split in SPLITS:
        names = [name for name in splits if splits[name] == split]
        kinds = {families[name] for name in names}
        yield f"{split}: {len(names)} decks of {len(kinds)} families, {backs[split]} backs"
