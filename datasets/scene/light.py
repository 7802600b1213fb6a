"""Light and lens: what turns a drawn table into what a camera would have written down."""

from dataclasses import dataclass
from functools import lru_cache
from math import pi, sin

import cv2
import numpy as np

from feltwatch.datasets.lighting import Blob, Light, LightChange, Sensor
from feltwatch.vision.arrays import AnyFloats, Pixels

ONE = 128  # the gain map's value for "as it is"
COARSE = 16  # light changes so slowly that one value for so many pixels will do
GRAIN = 24.0  # grey levels of one standard deviation in the grain fields
GRAIN_SIZE = (1200, 2100)
GRAIN_PLAY = (120, 180)  # a field is moved at random by up to so many rows and columns
GRAINS = 4
LEAST_SHADE = 0.01
SMALL_PX = 600  # a smaller picture takes its grain from anywhere in a field


@dataclass(frozen=True)
class Shade:
    """The light on a picture: by how much each pixel is multiplied, and what lamps mirrored in the felt add."""

    gain: Pixels
    glare: Pixels | None


def shade_of(light: Light, width: int, height: int) -> Shade:
    """Work the light out coarsely and spread it over the picture."""
    columns, rows = -(-width // COARSE), -(-height // COARSE)
    x, y = np.meshgrid(
        (np.arange(columns, dtype=np.float32) + 0.5) / columns,
        (np.arange(rows, dtype=np.float32) + 0.5) / columns,
    )
    middle = np.float32(rows / columns / 2)
    far = (x - 0.5) ** 2 + (y - middle) ** 2
    gain = np.float32(light.level) * (1 - np.float32(light.vignette) * far / (0.25 + middle**2))
    for lamp in light.lamps:
        gain = gain * (1 + _blob(lamp, x, y))
    colours = gain[..., None] * np.array(light.colour, np.float32)
    coarse = np.clip(np.rint(colours * ONE), 0, 255).astype(np.uint8)
    size = (columns * COARSE, rows * COARSE)
    full = cv2.resize(coarse, size, interpolation=cv2.INTER_LINEAR)[:height, :width]
    glare = None
    if light.glare:
        total = sum((_blob(blob, x, y) for blob in light.glare), start=np.zeros_like(x))
        bright = np.clip(np.rint(total * 255), 0, 255).astype(np.uint8)
        spread = cv2.resize(bright, size, interpolation=cv2.INTER_LINEAR)[:height, :width]
        glare = cv2.cvtColor(spread, cv2.COLOR_GRAY2BGR).astype(np.uint8, copy=False)
    return Shade(full.astype(np.uint8, copy=False), glare)


def _blob(blob: Blob, x: AnyFloats, y: AnyFloats) -> AnyFloats:
    square = ((x - blob.x) ** 2 + (y - blob.y) ** 2) / blob.radius**2
    return np.asarray(blob.strength * np.exp(-square))


@lru_cache(maxsize=GRAINS)
def _grain(number: int) -> Pixels:
    """Give a field of sensor grain: mostly of brightness, partly of colour, a little smeared as a sensor's is."""
    dice = np.random.default_rng(1000 + number)
    rows, columns = GRAIN_SIZE
    luma = dice.standard_normal((rows, columns, 1), dtype=np.float32)
    chroma = dice.standard_normal((rows, columns, 3), dtype=np.float32)
    field = np.float32(0.85) * luma + np.float32(0.8) * cv2.GaussianBlur(chroma, (0, 0), 0.8)
    field = cv2.GaussianBlur(field, (0, 0), 0.35 + 0.15 * number)
    found = np.clip(np.rint(field / field.std() * GRAIN + ONE), 0, 255)
    return np.asarray(found, dtype=np.uint8)


def add_grain(image: Pixels, sigma: float, dice: np.random.Generator) -> Pixels:
    """Add sensor noise of `sigma` grey levels."""
    if sigma <= 0:
        return image
    number = int(dice.integers(GRAINS))
    size = (image.shape[0], image.shape[1])
    play = GRAIN_PLAY if size[0] > SMALL_PX else (GRAIN_SIZE[0] - size[0], GRAIN_SIZE[1] - SMALL_PX)
    field = _window(_grain(number), (int(dice.integers(play[0])), int(dice.integers(play[1]))), size)
    share = sigma / GRAIN
    return cv2.addWeighted(image, 1.0, field, share, -ONE * share).astype(np.uint8, copy=False)


def _window(field: Pixels, at: tuple[int, int], size: tuple[int, int]) -> Pixels:
    bottom, right = at[0] + size[0], at[1] + size[1]
    if bottom > field.shape[0] or right > field.shape[1]:
        field = np.tile(field, (-(-bottom // field.shape[0]), -(-right // field.shape[1]), 1))
    return field[at[0] : bottom, at[1] : right]


def apply_shade(image: Pixels, shade: Shade) -> Pixels:
    lit = cv2.multiply(image, shade.gain, scale=1 / ONE)
    return (lit if shade.glare is None else cv2.add(lit, shade.glare)).astype(np.uint8, copy=False)


def change_light(image: Pixels, change: LightChange, t: float) -> Pixels:
    """Give a picture as the light of its moment shows it."""
    gain = 1 + change.drift * sin(2 * pi * t / change.drift_s) + change.flicker * sin(2 * pi * t * change.flicker_hz)
    dark = change.shade * max(sin(2 * pi * t / change.shade_s), 0.0) ** 2
    if dark > LEAST_SHADE:
        x, y, radius = change.shade_at
        lean = Blob(x + radius * 0.3 * sin(t / 2), y, radius, -dark)
        return apply_shade(image, shade_of(Light(gain, lamps=(lean,), vignette=0.0), image.shape[1], image.shape[0]))
    return image if gain == 1 else cv2.convertScaleAbs(image, alpha=gain).astype(np.uint8, copy=False)


def develop(image: Pixels, sensor: Sensor) -> Pixels:
    """Blur, tone and sharpen: everything between the light and the noise."""
    found = image
    if sensor.blur_px > 0.2:
        found = cv2.GaussianBlur(found, (0, 0), sensor.blur_px).astype(np.uint8, copy=False)
    if (sensor.contrast, sensor.black, sensor.gamma) != (1.0, 0.0, 1.0):
        found = cv2.LUT(found, tone(sensor)).astype(np.uint8, copy=False)
    if sensor.sharpen > 0:
        soft = cv2.GaussianBlur(found, (0, 0), 1.2)
        found = cv2.addWeighted(found, 1 + sensor.sharpen, soft, -sensor.sharpen, 0).astype(np.uint8, copy=False)
    return found


def tone(sensor: Sensor) -> Pixels:
    """Give the curve from light to grey level."""
    level = np.linspace(0, 1, 256) ** sensor.gamma
    curve = (level - 0.5) * sensor.contrast + 0.5
    return np.clip(np.rint(sensor.black + curve * (255 - sensor.black)), 0, 255).astype(np.uint8)


def squeeze(image: Pixels, quality: int) -> Pixels:
    """Compress and decompress, as a camera's stream does."""
    if quality <= 0:
        return image
    _, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])
    return cv2.imdecode(data, cv2.IMREAD_COLOR).astype(np.uint8, copy=False)  # type: ignore[union-attr]  # just encoded


def expose(image: Pixels, shade: Shade, sensor: Sensor, dice: np.random.Generator) -> Pixels:
    """Take the picture of a drawn table."""
    found = develop(apply_shade(image, shade), sensor)
    return squeeze(add_grain(found, sensor.noise, dice), sensor.jpeg)
