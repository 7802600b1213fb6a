"""How a scene is lit, and what the camera's sensor makes of it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Blob:
    """A soft round patch of light: its middle and radius as parts of the picture's width, and its strength."""

    x: float
    y: float
    radius: float
    strength: float


@dataclass(frozen=True, slots=True)
class LightChange:
    """How the light changes while a film runs: each a part of the whole light."""

    drift: float = 0.0  # it grows and fades by so much
    drift_s: float = 40.0  # from bright to bright
    flicker: float = 0.0  # as lamps beat against the camera
    flicker_hz: float = 3.0
    shade: float = 0.0  # what a person who leans over the table takes at the most
    shade_s: float = 15.0  # from one time to the next
    shade_at: tuple[float, float, float] = (0.5, 0.0, 0.3)  # middle and radius, as those of a Blob


@dataclass(frozen=True, slots=True)
class Light:
    """How a table is lit."""

    level: float = 1.0
    colour: tuple[float, float, float] = (1.0, 1.0, 1.0)  # blue, green, red
    lamps: tuple[Blob, ...] = ()
    glare: tuple[Blob, ...] = ()
    vignette: float = 0.15
    shadow: tuple[float, float] = (0.3, 0.2)  # millimetres a shadow moves in x and y for one of height
    soft: float = 2.5  # millimetres over which a shadow fades
    dark: float = 0.5  # how dark a shadow is
    gloss: float = 0.1  # how strongly cards mirror the lamps
    slope: float = 0.02  # by what part a card is lighter at one edge than at its middle
    change: LightChange = LightChange()


@dataclass(frozen=True, slots=True)
class Sensor:
    """What the camera makes of the light."""

    blur_px: float = 0.6
    noise: float = 2.0  # standard deviation of a grey level
    sharpen: float = 0.0
    contrast: float = 1.0
    black: float = 0.0
    gamma: float = 1.0
    jpeg: int = 90  # 0: no compression
