"""What becomes known of a card: it came, it was turned, it is gone."""

from dataclasses import dataclass

from feltwatch.vision.tracking.track import Card


@dataclass(frozen=True, slots=True)
class New:
    card: Card


@dataclass(frozen=True, slots=True)
class Turned:
    card: Card


@dataclass(frozen=True, slots=True)
class Gone:
    card: Card


Fact = New | Turned | Gone
