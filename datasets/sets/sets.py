"""Training sets in ultralytics' own formats, written so that they can be stopped, resumed and checked."""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from itertools import islice
from pathlib import Path

import cv2
import numpy as np

from feltwatch.datasets.common.cache import write_picture, write_whole
from feltwatch.datasets.common.errors import DataError
from feltwatch.datasets.common.parallel import ordered
from feltwatch.datasets.photos.real import Photograph, crops_of
from feltwatch.datasets.scene.scene_sampler import NOTHING, Own, cast
from feltwatch.datasets.sets.labels import CLASSES, Labelling, blanked, lines, tiles
from feltwatch.datasets.sources.card_codes import FACES
from feltwatch.datasets.truth import Truth, truth_of
from feltwatch.vision.arrays import Pixels

READS = (*FACES, "back", "none")
SPLITS = ("train", "val", "test")
LAW = 4  # counts up when the same seed no longer gives the same set
SPREAD = 1_000_000  # seeds of one set lie this close together, so that two sets share none
BLOCK = 252  # crops that one seed gives before the next seed is taken
QUALITY = 92


@dataclass(frozen=True, slots=True)
class Item:
    """One picture of a set with its truth, and the names of the art or the photograph it is made of."""

    image: Pixels
    truth: Truth
    made_of: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CropSample:
    """One crop of a set: the card alone, and what it shows."""

    image: Pixels
    face: str
    deck: str


@dataclass(frozen=True, slots=True)
class SetPlan:
    """What a set is to be."""

    count: int
    seed: int
    split: str = "train"
    jobs: int = 1
    labelling: Labelling = field(default_factory=Labelling)
    tile: int = 0  # the side of the squares a picture is cut into; 0: it stays whole
    own: Own = NOTHING  # a casino's own; nothing: all art of the split

    def recipe(self) -> dict[str, object]:
        """Give all that decides what one index of the set holds."""
        return {
            "law": LAW,
            "seed": self.seed,
            "tile": self.tile,
            "labelling": asdict(self.labelling),
            "decks": list(self.own.decks),
            "chips": self.own.chips,
            "layout": self.own.layout.name if self.own.layout else None,
        }


@dataclass(frozen=True, slots=True)
class RenderedTables:
    """index -> a rendered table; picklable, so that workers can be given it."""

    split: str
    seed: int
    own: Own = NOTHING

    def __call__(self, index: int) -> Item:
        from feltwatch.datasets.render.compose import render  # noqa: PLC0415  as above

        scene = cast(self.split, self.seed * SPREAD + index, own=self.own)
        drawn = render(scene)
        made_of = {"deck": scene.deck, "back": scene.back, "felt": scene.felt, "chips": scene.chips}
        return Item(drawn.image, drawn.truth, made_of)


@dataclass(frozen=True, slots=True)
class Strewn:
    """index -> a picture of cards strewn anywhere; picklable too."""

    split: str
    seed: int
    grounds: tuple[Path, ...] = ()

    def __call__(self, index: int) -> Item:
        from feltwatch.datasets.render.strewn import strewn  # noqa: PLC0415  as above

        drawn, made_of = strewn(self.split, self.seed * SPREAD + index, self.grounds)
        return Item(drawn.image, drawn.truth, made_of)


@dataclass(frozen=True, slots=True)
class Blocks:
    """index -> a block of rendered crops."""

    split: str
    seed: int
    decks: tuple[str, ...] = ()

    def __call__(self, index: int) -> list[CropSample]:
        from feltwatch.datasets.render.crops import crops  # noqa: PLC0415  art is loaded only by those who draw

        found = crops(self.split, self.seed * SPREAD + index, self.decks)
        return [CropSample(crop.image, crop.face, crop.deck) for crop in islice(found, BLOCK)]


def tables(split: str, seed: int, count: int, jobs: int = 1) -> Iterator[tuple[Pixels, Truth]]:
    """Stream rendered tables to a trainer, without a disk between."""
    for item in ordered(RenderedTables(split, seed), range(count), jobs):
        yield item.image, item.truth


def crop_batches(split: str, seed: int, count: int, jobs: int = 1) -> Iterator[list[CropSample]]:
    """Stream blocks of rendered crops to a trainer."""
    yield from ordered(Blocks(split, seed), range(count), jobs)


def write_tables(folder: Path, make: Callable[[int], Item], plan: SetPlan, what: str = "tables") -> int:
    """Write the pictures 0 to count - 1 of a set, those that lack; give how many were written."""
    _begin(folder, what, plan)
    _write_data_yaml(folder)
    lacking = [index for index in range(plan.count) if not _note(folder, plan, f"{index:07d}").is_file()]
    for index, item in zip(lacking, ordered(make, lacking, plan.jobs), strict=True):
        _write_item(folder, f"{index:07d}", item, plan)
    _end(folder, plan)
    return len(lacking)


def write_crops(folder: Path, make: Callable[[int], list[CropSample]], plan: SetPlan) -> int:
    """Write the first `count` crops of a set, by whole blocks, those that lack; give how many were written."""
    _begin(folder, "crops", plan)
    for face in READS:
        (folder / plan.split / face).mkdir(parents=True, exist_ok=True)
    blocks = range(-(-plan.count // BLOCK))
    lacking = [block for block in blocks if not _note(folder, plan, f"{block:07d}").is_file()]
    written = 0
    for block, reads in zip(lacking, ordered(make, lacking, plan.jobs), strict=True):
        written += len(reads)
        for number, read in enumerate(reads):
            _write_read(folder, f"{block:07d}-{number:03d}", read, plan)
        used = Counter(read.deck for read in reads)
        _write_json(_note(folder, plan, f"{block:07d}"), {"made_of": {"deck": dict(used)}, "count": len(reads)})
    _end(folder, plan)
    return written


def add_photographs(folder: Path, found: Iterator[Photograph], plan: SetPlan, what: str) -> int:
    """Add the photographs of the plan's split that have a licence; give how many pictures or crops came of them."""
    added = 0
    for photo in found:
        if photo.split != plan.split or not photo.source.usable:
            continue
        stem = f"{photo.source.name}-{Path(photo.name).stem}"
        if what == "tables":
            added += _write_item(folder, stem, _item_of(photo), plan)
        else:
            reads = list(_reads_of(photo))
            for number, read in enumerate(reads):
                _write_read(folder, f"{stem}-{number}", read, plan)
            made_of = {"deck": {photo.source.name: len(reads)}}
            _write_json(_note(folder, plan, stem), {"made_of": made_of, "count": len(reads), **_credit(photo)})
            added += len(reads)
    _end(folder, plan)
    return added


def _credit(photo: Photograph) -> dict[str, str]:
    return {"source": photo.source.name, "licence": photo.source.licence, "note": photo.source.note}


def _item_of(photo: Photograph) -> Item:
    return Item(photo.load(), photo.truth, {"deck": photo.source.name, **_credit(photo)})


def _reads_of(photo: Photograph) -> Iterator[CropSample]:
    for card, image in crops_of(photo):
        face = card.face if card.up else "back"
        if face is not None:
            yield CropSample(image, face, photo.source.name)


def _begin(folder: Path, what: str, plan: SetPlan) -> None:
    """Refuse a folder that holds something else: two recipes mixed could never be checked for leaks."""
    path = folder / "recipe.json"
    found = _recipe(path)
    wanted = {"what": what, "classes": list(READS if what == "crops" else CLASSES)}
    for key, value in wanted.items():
        if found and found.get(key) != value:
            raise DataError(f"{path}: holds {found.get('what')}, not {what}; name another folder")
    splits = _splits(found)
    old = splits.get(plan.split, {})
    said, asked = old.get("recipe"), plan.recipe()
    if isinstance(said, dict) and said != asked:
        differing = ", ".join(f"{key} {said.get(key)}" for key in asked if said.get(key) != asked[key])
        raise DataError(f"{path}: {plan.split} was begun with {differing}; go on with that, or name another folder")
    _write_json(path, {**wanted, "splits": {**splits, plan.split: {**old, "recipe": asked}}})


def _end(folder: Path, plan: SetPlan) -> None:
    """Write down what the set is made of, counted from the notes of its pictures."""
    path = folder / "recipe.json"
    recipe = _recipe(path)
    used: dict[str, Counter[str]] = {}
    credited: dict[str, dict[str, str]] = {}
    count = 0
    for note in sorted((folder / "notes" / plan.split).glob("*.json")):
        try:
            found = json.loads(note.read_text("utf-8"))
            count += found["count"]
            for kind, names in found["made_of"].items():
                used.setdefault(kind, Counter()).update(names)
            if "source" in found:
                credited[found["source"]] = {"licence": found["licence"], "note": found["note"]}
        except (ValueError, KeyError, TypeError, AttributeError) as fault:
            raise DataError(f"{note}: not the note of a picture: {fault}; delete it and it is made again") from fault
    splits = _splits(recipe)
    splits[plan.split] = splits[plan.split] | {
        "count": count,
        "versions": {"numpy": np.__version__, "opencv": cv2.__version__},
        **{
            kind if kind.endswith("s") else f"{kind}s": dict(sorted(names.items()))
            for kind, names in sorted(used.items())
        },
        "photographs": credited,
    }
    _write_json(path, {**recipe, "splits": splits})


def _splits(recipe: Mapping[str, object]) -> dict[str, dict[str, object]]:
    found = recipe.get("splits", {})
    return {str(split): dict(said) for split, said in found.items()} if isinstance(found, dict) else {}


def _recipe(path: Path) -> dict[str, object]:
    if not path.exists():
        if path.parent.is_dir() and any(path.parent.iterdir()):
            raise DataError(f"{path.parent}: holds files but no recipe.json, so it is no set of ours; name another")
        return {}
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as fault:
        raise DataError(f"{path}: not a recipe: {fault}; name another folder") from fault
    if not isinstance(found, dict) or not found:
        raise DataError(f"{path}: not a recipe: expected an object, found {str(found)[:60]}; name another folder")
    splits = found.get("splits", {})
    if not isinstance(splits, dict) or not all(isinstance(said, dict) for said in splits.values()):
        raise DataError(f"{path}: expected an object for each split, found {str(splits)[:60]}; name another folder")
    return found


def _write_item(folder: Path, stem: str, item: Item, plan: SetPlan) -> int:
    """Write a picture or its tiles; the note comes last, so that what has a note is whole."""
    image, truth = item.image, item.truth
    if any(card.label != "card" for card in truth.cards):
        image, truth = blanked(image, truth) if plan.labelling.blank else (image, Truth(0, 0))
    parts = list(tiles(image, truth, plan.tile)) if plan.tile and truth.width else [(image, truth)]
    written = []
    for number, (picture, true) in enumerate(parts):
        if true.width == 0:
            continue
        name = f"{stem}-{number:02d}" if plan.tile else stem
        write_picture(folder / "images" / plan.split / f"{name}.jpg", picture, QUALITY)
        text = "".join(f"{line}\n" for line in lines(true, plan.labelling))
        write_whole(folder / "labels" / plan.split / f"{name}.txt", text.encode())
        written.append({"name": name, "truth": true.to_dict()})
    credit = {key: item.made_of[key] for key in ("source", "licence", "note") if key in item.made_of}
    made_of = {kind: {name: len(written)} for kind, name in item.made_of.items() if kind not in credit}
    note = {"made_of": made_of if written else {}, "count": len(written), "pictures": written}
    _write_json(_note(folder, plan, stem), {**note, **(credit if written else {})})
    return len(written)


def _write_read(folder: Path, stem: str, read: CropSample, plan: SetPlan) -> None:
    if read.face not in READS:
        raise DataError(f"crop {stem}: {read.face!r} is no class of a reader; expected 9h …, back or none")
    write_picture(folder / plan.split / read.face / f"{stem}.jpg", read.image, QUALITY)


def _write_data_yaml(folder: Path) -> None:
    """Name no path: ultralytics then starts from where the file lies, and the set may be moved."""
    names = "".join(f"  {number}: {name}\n" for number, name in enumerate(CLASSES))
    places = "".join(f"{split}: images/{split}\n" for split in SPLITS[:2])
    write_whole(folder / "data.yaml", f"{places}names:\n{names}".encode())


def _write_json(path: Path, found: Mapping[str, object]) -> None:
    write_whole(path, (json.dumps(found, sort_keys=True, separators=(",", ":")) + "\n").encode())


def _note(folder: Path, plan: SetPlan, stem: str) -> Path:
    return folder / "notes" / plan.split / f"{stem}.json"


def written_truths(folder: Path, split: str) -> Iterator[tuple[Path, Truth]]:
    """Give every picture of a written set of tables with its whole truth."""
    for note in sorted((folder / "notes" / split).glob("*.json")):
        for found in json.loads(note.read_text("utf-8")).get("pictures", []):
            yield folder / "images" / split / f"{found['name']}.jpg", truth_of(found["truth"])
