"""The manifest: every source of art with its licence, every design with its family and its side of the split."""

import difflib
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, dataclass, fields
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar, get_type_hints

from feltwatch.datasets.common.cache import BUNDLED, cache_dir
from feltwatch.datasets.common.errors import DataError
from feltwatch.datasets.sources.designs import BackRecipe, DeckRecipe

PATH = Path(__file__).with_name("manifest.toml")

SPLITS = ("train", "val", "test", "reserved")
KINDS = ("decks", "backs", "hands", "cloth", "fonts", "photographs", "cardless", "weights")
REGISTRIES = ("debian", "npm", "pypi", "drawn", "folder")

ManifestRow = TypeVar("ManifestRow")


@dataclass(frozen=True, slots=True)
class ArtSource:
    """A package of a registry; or what we draw, or what a user has in a folder."""

    name: str
    kind: str
    registry: str
    licence: str
    package: str = ""
    version: str = ""
    file: str = ""
    sha256: str = ""
    split: str = ""  # of photographs, which are one session each, and of cardless pictures
    note: str = ""


@dataclass(frozen=True, slots=True)
class Design:
    """One deck in a package: a sheet whose parts have names, or a folder of pictures."""

    name: str
    source: str
    family: str  # decks on the same court drawings, however coloured
    split: str
    sheet: str = ""
    folder: str = ""
    card: str = ""  # pattern of a part's or a file's name
    court: str = ""  # the same for court cards, where they differ
    courts_only: bool = False  # its indices are of another language; its court pictures serve our own decks
    four_colour: bool = False
    large_index: bool = False
    four_corner: bool = False


@dataclass(frozen=True, slots=True)
class Courts:
    """Court pictures to draw decks with: where they lie on the cards of a design, in parts of width and height."""

    name: str
    design: str
    box: tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Back:
    name: str
    source: str
    split: str
    path: str
    part: str = ""


@dataclass(frozen=True, slots=True)
class Art:
    """A file taken as it is: a cloth, a font, a mesh."""

    name: str  # in the cache, with its folder: cloth/billard.png
    source: str
    path: str


@dataclass(frozen=True, slots=True)
class CardlessPictures:
    """Pictures of a package that hold no cards and no chips; also those in an archive inside it, as a.jar/b.jpg."""

    name: str  # its source's
    take: tuple[str, ...]  # patterns of their names
    leave: tuple[str, ...] = ()  # and of those which are seen again elsewhere, are no picture, or do hold cards

    @property
    def source(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Manifest:
    source: tuple[ArtSource, ...]
    design: tuple[Design, ...]
    courts: tuple[Courts, ...]
    recipe: tuple[DeckRecipe, ...]
    back: tuple[Back, ...]
    back_recipe: tuple[BackRecipe, ...]
    art: tuple[Art, ...]
    cardless: tuple[CardlessPictures, ...]

    def deck_splits(self) -> dict[str, str]:
        """Give every deck there can be, fetched or drawn, with its side of the split."""
        fetched = {one.name: one.split for one in self.design if not one.courts_only}
        return fetched | {one.name: self.design_of(one).split for one in self.recipe}

    def families(self) -> dict[str, str]:
        """Give the family of every deck, fetched or drawn."""
        fetched = {one.name: one.family for one in self.design if not one.courts_only}
        return fetched | {one.name: self.design_of(one).family for one in self.recipe}

    def back_splits(self) -> dict[str, str]:
        fetched = {one.name: one.split for one in self.back}
        return fetched | {one.name: one.split for one in self.back_recipe}

    def design_of(self, recipe: DeckRecipe) -> Design:
        """Give the design whose court pictures a recipe uses."""
        design = next(one.design for one in self.courts if one.name == recipe.courts)
        return next(one for one in self.design if one.name == design)


SECTIONS: Mapping[str, type[Any]] = MappingProxyType(
    {
        "source": ArtSource,
        "design": Design,
        "courts": Courts,
        "recipe": DeckRecipe,
        "back": Back,
        "back_recipe": BackRecipe,
        "art": Art,
        "cardless": CardlessPictures,
    }
)


def read(path: Path = PATH) -> Manifest:
    """Give the manifest, checked; report its first fault in one line."""
    try:
        text = path.read_text("utf-8")
    except OSError as fault:
        raise DataError(f"{path}: cannot be read: {fault.strerror}") from fault
    return parse(text, str(path))


@lru_cache(maxsize=4)
def parse(text: str, where: str) -> Manifest:
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as fault:
        raise DataError(f"{where}: {fault}") from fault
    _known(found, SECTIONS, where)
    rows = {
        section: tuple(_row(kind, row, f"{where}: {section} {number}") for number, row in _numbered(found, section))
        for section, kind in SECTIONS.items()
    }
    manifest = Manifest(**rows)
    _check(manifest, where)
    return manifest


def split_of(name: str, manifest: Manifest | None = None) -> str:
    """Give the split of a deck; one the manifest does not know is a customer's own, to train with."""
    return (manifest or read()).deck_splits().get(name, "train")


def names_of(kind: str, split: str) -> tuple[str, ...]:
    """Give the names of the decks or backs of a split that lie here, bundled, fetched or drawn; sorted."""
    manifest = read()
    splits = {"decks": manifest.deck_splits, "backs": manifest.back_splits}[kind]()
    here = {path.stem for root in (BUNDLED, cache_dir()) for path in (root / kind).glob("[!.]*")}
    foreign = {one.name for one in manifest.design if one.courts_only}
    return tuple(sorted(name for name in here - foreign if splits.get(name, "train") == split))


def _numbered(found: Mapping[str, Any], section: str) -> Iterable[tuple[str, Any]]:
    for number, row in enumerate(found.get(section, ()), 1):
        named = row.get("name") if isinstance(row, dict) else None
        yield repr(named) if isinstance(named, str) else str(number), row


def _known(keys: Iterable[str], known: Iterable[str], where: str) -> None:
    for key in keys:
        if key not in (known := tuple(known)):
            near = difflib.get_close_matches(key, known, 1, 0.4)
            raise DataError(f"{where}: unknown key {key!r}" + (f"; did you mean {near[0]!r}?" if near else ""))


def _row(kind: type[ManifestRow], row: object, where: str) -> ManifestRow:
    if not isinstance(row, dict):
        raise DataError(f"{where}: a table of keys expected, found {row!r}")
    hints = get_type_hints(kind)
    _known(row, hints, where)
    for field in fields(kind):  # type: ignore[arg-type]  # every section is a dataclass
        if field.name not in row and field.default is MISSING:
            raise DataError(f"{where}: {field.name!r} is missing")
    return kind(**{key: _value(value, hints[key], f"{where}: {key}") for key, value in row.items()})


def _value(value: object, hint: object, where: str) -> object:
    if hint is float and isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    if hint in (str, bool, int) and type(value) is hint:
        return value
    if isinstance(value, list) and len(value) == 4 and all(isinstance(one, int | float) for one in value):
        return tuple(float(one) for one in value)
    if hint == tuple[str, ...] and isinstance(value, list) and all(isinstance(one, str) for one in value):
        return tuple(value)
    expected = hint.__name__ if isinstance(hint, type) else "four numbers"
    raise DataError(f"{where}: {expected} expected, found {value!r}")


def _check(manifest: Manifest, where: str) -> None:
    for section in SECTIONS:
        _once(getattr(manifest, section), f"{where}: {section}")
    _once((*(one for one in manifest.design if not one.courts_only), *manifest.recipe), f"{where}: deck")
    sources = {one.name: one for one in manifest.source}
    for one in manifest.source:
        _check_source(one, f"{where}: source {one.name!r}")
    things: list[Design | Back | Art | CardlessPictures] = [
        *manifest.design,
        *manifest.back,
        *manifest.art,
        *manifest.cardless,
    ]
    for thing in things:
        _among(thing.source, sources, f"{where}: {thing.name!r}: source")
    sided: list[Design | Back | BackRecipe] = [*manifest.design, *manifest.back, *manifest.back_recipe]
    for one_side in sided:
        _among(one_side.split, SPLITS, f"{where}: {one_side.name!r}: split")
    designs = {one.name for one in manifest.design}
    for courts in manifest.courts:
        _among(courts.design, designs, f"{where}: courts {courts.name!r}: design")
    fonts = {one.name for one in manifest.art if one.name.startswith("fonts/")}
    for recipe in manifest.recipe:
        _among(recipe.courts, {one.name for one in manifest.courts}, f"{where}: recipe {recipe.name!r}: courts")
        _among(f"fonts/{recipe.font}", fonts, f"{where}: recipe {recipe.name!r}: font")
    _whole_families(manifest, where)
    _whole_packages(manifest, where)


def _check_source(source: ArtSource, where: str) -> None:
    _among(source.kind, KINDS, f"{where}: kind")
    _among(source.registry, REGISTRIES, f"{where}: registry")
    if source.split or source.kind == "cardless":
        _among(source.split, SPLITS, f"{where}: split")
    if source.registry in ("drawn", "folder"):
        return
    for key in ("package", "version", "file"):
        if not getattr(source, key):
            raise DataError(f"{where}: {key!r} is missing")
    if len(source.sha256) != 64:
        raise DataError(f"{where}: sha256: 64 hexadecimal digits expected, found {source.sha256!r}")


def _whole_families(manifest: Manifest, where: str) -> None:
    """A family lies on one side; a reserved member leaves the others on the side of the tests."""
    sides: dict[str, tuple[str, str]] = {}
    for design in manifest.design:
        side = "test" if design.split == "reserved" else design.split
        first, by = sides.setdefault(design.family, (side, design.name))
        if first != side:
            raise DataError(
                f"{where}: family {design.family!r} is split: {by!r} is {first}, {design.name!r} is {design.split}"
            )


def _whole_packages(manifest: Manifest, where: str) -> None:
    """A package of cardless pictures lies on one side, whatever its version."""
    sides: dict[str, ArtSource] = {}
    for source in manifest.source:
        if source.kind == "cardless":
            first = sides.setdefault(f"{source.registry} {source.package}", source)
            if first.split != source.split:
                raise DataError(
                    f"{where}: package {source.package!r} is split: "
                    f"{first.name!r} is {first.split}, {source.name!r} is {source.split}"
                )


def _once(rows: Iterable[Any], where: str) -> None:
    seen = set()
    for row in rows:
        if row.name in seen:
            raise DataError(f"{where} {row.name!r}: there are two of that name")
        seen.add(row.name)


def _among(found: str, allowed: Iterable[str], where: str) -> None:
    if found not in (allowed := tuple(allowed)):
        near = difflib.get_close_matches(found, allowed, 1, 0.4)
        hint = f"did you mean {near[0]!r}?" if near else f"there are: {', '.join(allowed)}"
        raise DataError(f"{where}: no {found!r}; {hint}")
