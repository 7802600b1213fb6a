"""The file of a known deck: the same bytes for the same deck, and one line for whatever is wrong with it."""

import io
import json
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pytest

from feltwatch.vision.detection.known_deck import (
    BACK,
    FACES,
    HEADER,
    DeckFileError,
    KnownDeck,
    deck_bytes,
    read_deck,
    write_deck,
)
from tests.vision.toy_deck import ORIGIN, house

Entries = dict[str, bytes]


def test_a_deck_comes_back_from_its_file(tmp_path: Path) -> None:
    path = tmp_path / "house.deck"
    write_deck(path, house())
    found = read_deck(path)
    assert found.origin == ORIGIN
    assert all(np.array_equal(found.pictures[name], picture) for name, picture in house().pictures.items())
    assert found.digest == house().digest
    assert deck_bytes(found) == path.read_bytes()
    assert ORIGIN.maker in found.named
    assert found.digest[:12] in found.named


def test_the_digest_covers_words_and_pixels() -> None:
    deck = house()
    renamed = KnownDeck(replace(ORIGIN, maker="B"), deck.faces, deck.back)
    other = deck.faces["9h"].copy()
    other[0, 0, 0] ^= 1
    repainted = KnownDeck(ORIGIN, MappingProxyType({**deck.faces, "9h": other}), deck.back)
    assert len({one.digest for one in (deck, renamed, repainted, KnownDeck(ORIGIN, deck.faces))}) == 4


def test_a_deck_has_52_faces_of_one_size() -> None:
    some = {face: house().faces[face] for face in FACES[1:]}
    with pytest.raises(ValueError, match="expected 52 faces, found 51; missing: 2s"):
        KnownDeck(ORIGIN, some)
    with pytest.raises(ValueError, match="expected pictures of"):
        KnownDeck(ORIGIN, house().faces, house().faces["9h"][:90].copy())


def changed(change: Callable[[Entries], None]) -> bytes:
    with zipfile.ZipFile(io.BytesIO(deck_bytes(house()))) as file:
        entries = {name: file.read(name) for name in file.namelist()}
    change(entries)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        for name, data in entries.items():
            file.writestr(name, data)
    return out.getvalue()


def header(**new: object) -> Callable[[Entries], None]:
    def change(entries: Entries) -> None:
        found = json.loads(entries[HEADER])
        found |= new
        entries[HEADER] = json.dumps(found).encode()

    return change


FAULTS: list[tuple[str, Callable[[Entries], object], str]] = [
    ("one is gone", lambda entries: entries.pop("9h.png"), "expected 9h.png in it, found none"),
    ("51", header(pictures=[*FACES[1:], BACK]), "expected 52 faces, found 51; missing: 2s"),
    ("exchanged", lambda entries: entries.update({"9h.png": entries["8h.png"]}), "expected the deck that was learnt"),
    ("renamed", header(maker="Somebody else"), "expected the deck that was learnt"),
    ("no picture", lambda entries: entries.update({"9h.png": b"GIF8"}), "9h.png: expected a picture of 126 x 176"),
    ("large", lambda entries: entries.update({"9h.png": bytes(300_000)}), "9h.png: expected at most 200,000 bytes"),
    ("newer", header(version=2), "deck.json: expected version 1, found 2"),
    ("another format", header(format="x"), "deck.json: expected the format 'feltwatch deck', found another"),
    ("no JSON", lambda entries: entries.update({HEADER: b"{"}), "deck.json: expected JSON"),
    ("a path", header(pictures=["../9h"]), "deck.json: pictures: expected as"),
    ("a number", header(maker=7), "deck.json: maker: expected as"),
    ("no header", lambda entries: entries.pop(HEADER), "expected deck.json in it, found none"),
]


@pytest.mark.parametrize(("change", "says"), [one[1:] for one in FAULTS], ids=[one[0] for one in FAULTS])
def test_what_is_wrong_with_a_file_is_one_line(change: Callable[[Entries], None], says: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.deck"
    path.write_bytes(changed(change))
    with pytest.raises(DeckFileError) as caught:
        read_deck(path)
    assert str(caught.value).startswith(f"{path}: {says}")
    assert "\n" not in str(caught.value)


def test_a_file_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(DeckFileError, match="expected a deck file, found none that can be read"):
        read_deck(tmp_path / "none.deck")
    path = tmp_path / "text.deck"
    path.write_text("9h")
    with pytest.raises(DeckFileError, match="expected a file that `feltwatch deck` wrote, found another kind"):
        read_deck(path)
    path.write_bytes(deck_bytes(house())[:-4000])
    with pytest.raises(DeckFileError, match="found another kind"):
        read_deck(path)
    path.write_bytes(bytes(16_000_001))
    with pytest.raises(DeckFileError, match="of at most 16,000,000 bytes, found 16,000,001"):
        read_deck(path)


def test_a_flipped_bit_is_found(tmp_path: Path) -> None:
    data = bytearray(deck_bytes(house()))
    at = data.index(b"IDAT") + 40
    data[at] ^= 4
    path = tmp_path / "flipped.deck"
    path.write_bytes(data)
    with pytest.raises(DeckFileError, match=r"2s\.png: expected a whole entry, found a damaged one"):
        read_deck(path)
