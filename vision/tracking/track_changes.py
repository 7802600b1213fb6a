"""What becomes known of a card: it came, it was turned, it is gone."""

from dataclasses import dataclass

from feltwatch.vision.tracking.track import CardTrack


@dataclass(frozen=True, slots=True)
class TrackAdded:
    card: CardTrack


@dataclass(frozen=True, slots=True)
class TrackFlipped:
    card: CardTrack


@dataclass(frozen=True, slots=True)
class TrackLost:
    card: CardTrack


TrackChange = TrackAdded | TrackFlipped | TrackLost
