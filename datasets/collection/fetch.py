"""`python -m feltwatch.datasets fetch`: packages brought, checked and unpacked; what is asked of them kept.

What is whole in the cache is not made again, and nothing is ever half there.
"""

import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from feltwatch.datasets.art.cards import drawn, drawn_backs, sheets
from feltwatch.datasets.common.cache import (
    BUNDLED,
    cache_dir,
    picture_of,
    read_picture,
    write_picture,
    write_whole,
)
from feltwatch.datasets.common.errors import Arguments, DataError
from feltwatch.datasets.render import cardless
from feltwatch.datasets.sources.card_codes import COURTS, FACES, in_pattern
from feltwatch.datasets.sources.designs import BackRecipe, DeckRecipe
from feltwatch.datasets.sources.manifest import Art, ArtSource, Back, CardlessPictures, Design, Manifest, read
from feltwatch.datasets.sources.registries import obtain
from feltwatch.datasets.sources.unpack import Package
from feltwatch.vision.arrays import Pixels

Fetched = Design | Back | Art | CardlessPictures
Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What was asked for, with all it is made of."""

    fetched: tuple[Fetched, ...]
    recipes: tuple[DeckRecipe, ...]
    backs: tuple[BackRecipe, ...]


def main(arguments: list[str]) -> int:
    parser = Arguments("python -m feltwatch.datasets fetch", description=__doc__)
    parser.add_argument("names", nargs="*", help="decks, backs, families, sources, kinds or splits; all but reserved")
    parser.add_argument("--cache", type=Path, default=None, help="where to keep it, else $FELTWATCH_CACHE")
    parser.add_argument("--photographs", type=Path, nargs="+", metavar="FOLDER", help="folders of real photographs")
    options = parser.parse_args(arguments)
    if options.photographs:
        from feltwatch.datasets.photos import real  # noqa: PLC0415  photographs need nothing of the rest

        return max(int(real.main([str(folder)])) for folder in options.photographs)
    manifest = read()
    return fetch(manifest, wanted(manifest, options.names), options.cache or cache_dir(), _say)


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def wanted(manifest: Manifest, names: Iterable[str]) -> Wanted:
    """Choose by name of a thing, family, source, kind or split; nothing chosen is all but what is reserved."""
    asked = set(names)
    things = _choice(manifest, asked)
    known = {word for _, words in _worded(manifest) for word in words}
    for name in sorted(asked - known):
        raise DataError(f"fetch: no {name!r} in the manifest; `python -m feltwatch.datasets decks` lists what there is")
    recipes = tuple(one for one in things if isinstance(one, DeckRecipe))
    fetched = {one.name: one for one in things if isinstance(one, Fetched)}
    for recipe in recipes:
        if recipe.name not in _bundled("decks"):
            design = manifest.design_of(recipe)
            font = next(one for one in manifest.art if one.name == f"fonts/{recipe.font}")
            fetched |= {design.name: design, font.name: font}
    return Wanted(tuple(fetched.values()), recipes, tuple(one for one in things if isinstance(one, BackRecipe)))


def _choice(manifest: Manifest, asked: set[str]) -> list[Fetched | DeckRecipe | BackRecipe]:
    if asked:
        return [thing for thing, words in _worded(manifest) if asked & words]
    return [thing for thing, words in _worded(manifest) if "reserved" not in words]


def _worded(manifest: Manifest) -> Iterator[tuple[Fetched | DeckRecipe | BackRecipe, set[str]]]:
    for design in manifest.design:
        kind = set() if design.courts_only else {"decks"}
        yield design, {design.name, design.family, design.source, design.split} | kind
    for recipe in manifest.recipe:
        design = manifest.design_of(recipe)
        yield recipe, {recipe.name, design.family, design.split, "decks", "drawn"}
    for back in manifest.back:
        yield back, {back.name, back.source, back.split, "backs"}
    for row in manifest.back_recipe:
        yield row, {row.name, row.split, "backs", "drawn"}
    for art in manifest.art:
        yield art, {art.name, art.source, art.name.partition("/")[0]}
    splits = {one.name: one.split for one in manifest.source}
    for pictures in manifest.cardless:
        yield pictures, {pictures.name, splits[pictures.name], "cardless"}


def fetch(manifest: Manifest, asked: Wanted, cache: Path, say: Say) -> int:
    """Make what is incomplete in the cache; report a failure in one line, and go on with the rest."""
    failed = 0
    sources = {one.name: one for one in manifest.source}
    missing = [one for one in asked.fetched if not _whole(one, sources[one.source], cache)]
    for name in dict.fromkeys(one.source for one in missing):
        failed += _from_source(sources[name], [one for one in missing if one.source == name], cache, say)
    for recipe in asked.recipes:
        if recipe.name not in _bundled("decks") and not _whole_deck(cache / "decks" / recipe.name):
            failed += _attempt(partial(_draw, manifest, recipe, cache), f"drawn {recipe.name}", say)
    for row in asked.backs:
        path = cache / "backs" / f"{row.name}.png"
        if row.name not in _bundled("backs") and not path.is_file():
            failed += _attempt(partial(_draw_back, row, path), f"drawn {row.name}", say)
    count = len(asked.fetched) + len(asked.recipes) + len(asked.backs)
    say(f"fetch: {count - failed} of {count} whole in {cache}" + (f"; {failed} failed" if failed else ""))
    return 1 if failed else 0


def _bundled(kind: str) -> set[str]:
    return {path.stem for path in (BUNDLED / kind).glob("*")}


def _attempt(work: Callable[[], None], done: str, say: Say) -> int:
    try:
        work()
    except DataError as fault:
        say(f"fetch: {fault}")
        return 1
    say(done)
    return 0


def _from_source(source: ArtSource, things: list[Fetched], cache: Path, say: Say) -> int:
    say(f"{source.name}: {source.package} {source.version} ({source.registry}, {source.licence})")
    try:
        package = Package(obtain(source, cache / "packages"))
    except DataError as fault:
        say(f"fetch: {fault}")
        return len(things)
    return sum(_attempt(partial(_take, one, source, package, cache), f"    {one.name}", say) for one in things)


def _take(thing: Fetched, source: ArtSource, package: Package, cache: Path) -> None:
    if isinstance(thing, Design):
        _write_deck(cache / "decks" / thing.name, dict(_faces(thing, package)))
    elif isinstance(thing, Back):
        write_picture(cache / "backs" / f"{thing.name}.png", _back(thing, package))
    elif isinstance(thing, CardlessPictures):
        cardless.write(thing, source, package, cache)
    else:
        write_whole(cache / thing.name, package.read(thing.path))


def _faces(design: Design, package: Package) -> Iterator[tuple[str, Pixels]]:
    drawing = sheets.plain(package.read_svg(design.sheet)) if design.sheet else ""
    for face in FACES:
        part = in_pattern(design.court if design.court and face in COURTS else design.card, face)
        if design.sheet:
            yield face, sheets.cut_out(drawing, f"{package.path.name}: {design.sheet}", part)
        else:
            yield face, _picture(package, design.folder + part)


def _back(back: Back, package: Package) -> Pixels:
    if not back.part:
        return _picture(package, back.path)
    drawing = sheets.plain(package.read_svg(back.path))
    return sheets.cut_out(drawing, f"{package.path.name}: {back.path}", back.part)


def _picture(package: Package, name: str) -> Pixels:
    where = f"{package.path.name}: {name}"
    if not name.endswith(".svg"):
        return picture_of(package.read(name), where)
    drawing = package.read_svg(name)
    return sheets.cropped(sheets.render(drawing, where, sheets.FULL_PX), where)


def _draw(manifest: Manifest, recipe: DeckRecipe, cache: Path) -> None:
    courts = next(one for one in manifest.courts if one.name == recipe.courts)
    folder = cache / "decks" / courts.design
    pictures = {face: drawn.court_picture(read_picture(folder / f"{face}.png"), courts.box) for face in COURTS}
    _write_deck(cache / "decks" / recipe.name, drawn.draw_deck(recipe, pictures, cache / "fonts" / recipe.font))


def _draw_back(row: BackRecipe, path: Path) -> None:
    write_picture(path, drawn_backs.draw_back(row))


def _write_deck(folder: Path, faces: Mapping[str, Pixels]) -> None:
    """Write a deck beside its place and move it there whole."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".part-") as part:
        for face, picture in faces.items():
            write_picture(Path(part) / "deck" / f"{face}.png", picture)
        shutil.rmtree(folder, ignore_errors=True)
        (Path(part) / "deck").rename(folder)


def _whole(thing: Fetched, source: ArtSource, cache: Path) -> bool:
    if isinstance(thing, Design):
        return _whole_deck(cache / "decks" / thing.name)
    if isinstance(thing, CardlessPictures):
        return cardless.whole(thing, source, cache)
    name = f"backs/{thing.name}.png" if isinstance(thing, Back) else thing.name
    return (cache / name).is_file()


def _whole_deck(folder: Path) -> bool:
    return all((folder / f"{face}.png").is_file() for face in FACES)
