"""Where photographs come from: the split and licence of each source, one session each, and its pictures' shape."""

from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

from feltwatch.datasets.sources import manifest

LOOK_ONLY = "none stated"
SHAPES = MappingProxyType(  # width / height before pictures were pressed into squares, the usual one first; measured
    {
        "ahaann_cards": (9 / 16, 16 / 9),
        "cadyze_phone_table": (3 / 4, 4 / 3),
        "cadyze_black_deck": (3 / 4, 4 / 3),
        "teogop_real": (16 / 9, 9 / 16),
        "cadyze_webcam_table": (16 / 9,),
    }
)


OVERHEAD, OBLIQUE, FANS = "overhead", "oblique", "fans"
VIEWS = MappingProxyType(  # how the cards of a source are seen: a camera above a table sees them from overhead
    {
        "ahaann_cards": OVERHEAD,
        "edje_6rank": OBLIQUE,
        "cadyze_phone_table": FANS,
        "cadyze_black_deck": FANS,
        "maslana_redtable": OVERHEAD,
        "teogop_real": OBLIQUE,
        "cadyze_webcam_table": FANS,
    }
)


@dataclass(frozen=True, slots=True)
class PhotoSource:
    name: str
    split: str  # train, val or test; one source is never on two sides
    licence: str
    note: str = ""
    shapes: tuple[float, ...] = ()  # empty: its pictures are as they were taken

    @property
    def view(self) -> str:
        return VIEWS.get(self.name, OVERHEAD)

    @property
    def usable(self) -> bool:
        """Whether its pictures may be written into a set: not without a licence."""
        return self.licence != LOOK_ONLY


@lru_cache(maxsize=1)
def _listed() -> MappingProxyType[str, PhotoSource]:
    found = (source for source in manifest.read().source if source.kind == "photographs")
    return MappingProxyType(
        {one.name: PhotoSource(one.name, one.split, one.licence, one.note, SHAPES.get(one.name, ())) for one in found}
    )


def source_named(name: str) -> PhotoSource:
    """Give a listed source, or a user's own: all of one folder trains, under a licence that is his to state."""
    return _listed().get(name) or PhotoSource(name, "train", "the user's own")
