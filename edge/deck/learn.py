"""A deck from recorded videos of its table: whole cards that were read for certain, over several looks."""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Final

from feltwatch.edge.config.table_file import TableFile
from feltwatch.edge.deck.faults import DeckFaultsError
from feltwatch.edge.pipeline.camera_fusion import CameraFusion
from feltwatch.edge.replay.film import merged
from feltwatch.edge.replay.run import recordings_of
from feltwatch.edge.video.decoder import Decoding
from feltwatch.edge.video.video_file import open_video
from feltwatch.vision.detection.deck_learner import LOOKS, DeckLearner
from feltwatch.vision.detection.deck_use import DeckInUse, DeckTrust
from feltwatch.vision.detection.known_deck import FACES, DeckOrigin, KnownDeck
from feltwatch.vision.detection.still_reader import StillReader

EVERY: Final = 50  # frames between two looks at whether the deck is complete

Say = Callable[[str], None]


def learnt_from(
    videos: list[str], table: TableFile, eyes: StillReader, origin: DeckOrigin, say: Say = lambda _: None
) -> KnownDeck:
    """Watch videos until every face is clean, or raise what is missing at their end."""
    learner = DeckLearner()
    watching = replace(eyes, deck=DeckInUse(eyes.reader.classes, None, DeckTrust(), learner))
    for films in recordings_of(videos, table):
        fusion = CameraFusion(table, watching)
        with ExitStack() as stack:
            names = [camera.name for camera in table.cameras]
            frames = {
                name: iter(stack.enter_context(Decoding(open_video(path), small=True)))
                for name, path in zip(names, films, strict=True)
            }
            for number, (camera, frame) in enumerate(merged(frames)):
                fusion.step(camera, frame.t, frame.picture, frame.small)
                if number % EVERY == 0 and (deck := learner.learnt(origin)) is not None:
                    return deck
        say(f"{films[0]}: {len(FACES) - len(learner.missing)} of 52 faces")
    deck = learner.learnt(origin)
    if deck is None:
        raise DeckFaultsError([_too_few(learner, videos)])
    return deck


def _too_few(learner: DeckLearner, videos: list[str]) -> str:
    missing = learner.missing
    many = f"{len(videos)} video{'' if len(videos) == 1 else 's'}"
    return (
        f"{Path(videos[-1]).name}: expected {LOOKS} clear looks at each of 52 faces in {many}, found "
        f"{len(FACES) - len(missing)} faces; missing: {' '.join(missing)}; add footage"
    )
