"""A deck from 52 photographs, one of each card, and one of the back if there is one."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple

import cv2
import numpy as np

from feltwatch.datasets.art.cards.decks import PICTURES
from feltwatch.datasets.common.errors import DataError
from feltwatch.datasets.photos.scan import scan_card
from feltwatch.datasets.sources.card_codes import card_named
from feltwatch.edge.deck.faults import DeckFaultsError, unfit
from feltwatch.vision.arrays import Pixels
from feltwatch.vision.detection.deck_checks import BLURRED_PX, doubles
from feltwatch.vision.detection.known_deck import BACK, FACES, PICTURE_PX, DeckOrigin, KnownDeck
from feltwatch.vision.detection.reader import Reader
from feltwatch.vision.image_file import PictureError, read_picture, spelled

CERTAIN: Final = 0.99  # a picture that is read so surely as another card is misnamed
WHOLE: Final = np.array([[(0, 0), (1, 0), (1, 1), (0, 1)]]) * np.array(PICTURE_PX) - 0.5


class Named(NamedTuple):
    """The pictures of a folder by the card that they are named after, and what is wrong with their names."""

    pictures: Mapping[str, Path]
    faults: list[str]


def photographed(given: tuple[Path, Path | None], origin: DeckOrigin, reader: Reader) -> KnownDeck:
    """Make a deck of a folder's pictures, and one of the back, or raise all that is wrong with them."""
    folder, back = given
    paths, faults = named(folder)
    if back is not None:
        paths = {**paths, BACK: back}
    cards: dict[str, Pixels] = {}
    for name, path in paths.items():
        try:
            cards[name] = flat(path)
        except (PictureError, DataError) as error:
            faults.append(str(error))
    for name, card in cards.items():
        if name != BACK:
            faults += unfit(spelled(paths[name]), card, BLURRED_PX) or misnamed(paths[name], name, card, reader)
    faults += [
        f"{spelled(paths[one])} and {paths[other].name}: expected two cards, found the same picture; photograph both"
        for one, other in doubles({face: card for face, card in cards.items() if face != BACK})
    ]
    if faults:
        raise DeckFaultsError(faults)
    faces = MappingProxyType({face: cards[face] for face in FACES})
    return KnownDeck(origin, faces, cards.get(BACK))


def named(folder: Path) -> Named:
    """Find the pictures of a folder by their names: `9h.jpg`, `ace_of_spades.png`, `back.jpg`; jokers are left out."""
    if not folder.is_dir():
        return Named({}, [f"{spelled(folder)}: expected a folder with 52 pictures, found none"])
    found: dict[str, Path] = {}
    faults = []
    for path in sorted(folder.iterdir()):
        stem = path.stem.lower()
        if path.suffix.lower() not in PICTURES or stem.startswith((".", "joker")):
            continue
        name = BACK if stem.startswith("back") else card_named(stem)
        if name is None:
            faults.append(f"{spelled(path)}: expected a name such as 9h.jpg, found {path.name!r}; rename it")
        elif name in found:
            faults.append(f"{spelled(path)}: expected one picture of {name}, found a second beside {found[name].name}")
        else:
            found[name] = path
    missing = [face for face in FACES if face not in found]
    if missing:
        count = len(FACES) - len(missing)
        faults.append(f"{spelled(folder)}: expected 52 pictures, found {count}; missing: {' '.join(missing)}")
    return Named(found, faults)


def flat(path: Path) -> Pixels:
    """Give the card of a photograph, laid flat."""
    card = scan_card(read_picture(path), spelled(path))
    return np.asarray(cv2.resize(card, PICTURE_PX, interpolation=cv2.INTER_AREA), np.uint8)


def misnamed(path: Path, name: str, card: Pixels, reader: Reader) -> list[str]:
    """Say if the reader is certain that a picture shows another card than its name says."""
    (read,) = reader.read(card, WHOLE)
    if read.face in FACES and read.face != name and read.likely >= CERTAIN:
        return [f"{spelled(path)}: expected the {name}, found a picture of the {read.face}; rename or replace it"]
    return []
