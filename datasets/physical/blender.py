"""The one place that speaks to Blender: solids, lamps and a view in, light out. Lengths come in millimetres."""

import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import cv2
import numpy as np

from feltwatch.datasets.common.errors import DataError
from feltwatch.datasets.physical.mesh import Grain, Paint, Solid
from feltwatch.datasets.physical.view import PinholeView
from feltwatch.vision.arrays import AnyArray, Floats, Floats32, Pixels
from feltwatch.vision.geometry.camera import Camera

MM = 0.001
BRIGHTEST = 4.0  # the light that the file with the picture can hold, of what white paper gives back
SENSOR_MM = 36.0
PICTURES = 400  # kept in Blender from one picture to the next


@dataclass(frozen=True, slots=True)
class Lamp:
    """A round lamp: where it hangs, what it looks at, how wide it is, and the red, green and blue light there."""

    at: tuple[float, float, float]
    aim: tuple[float, float, float]
    wide_mm: float
    light: tuple[float, float, float]
    spread_deg: float = 180.0


@dataclass(frozen=True, slots=True)
class RenderSetup:
    """What is rendered and how."""

    solids: Sequence[Solid]
    lamps: Sequence[Lamp]
    sky: tuple[float, float, float]  # the light from all round; red, green, blue
    camera: Camera
    view: PinholeView
    samples: int
    seed: int


def blender() -> ModuleType:
    """Load Blender. It asks for an older numpy than ours but does not use it where we do: pip must not heed that."""
    try:
        with silenced():
            import bpy  # noqa: PLC0415 - an extra that few need
    except ImportError as fault:
        raise DataError("physical needs Blender: pip install --no-deps bpy==5.0.1") from fault
    return bpy  # type: ignore[no-any-return]


@contextmanager
def silenced() -> Iterator[None]:
    """Keep Blender's own words off the terminal; it writes past Python's streams."""
    sys.stdout.flush()
    sys.stderr.flush()
    kept = [os.dup(n) for n in (1, 2)]
    with Path(os.devnull).open("wb") as nowhere:
        for n in (1, 2):
            os.dup2(nowhere.fileno(), n)
        try:
            yield
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            for n, old in zip((1, 2), kept, strict=True):
                os.dup2(old, n)
                os.close(old)


def photograph(setup: RenderSetup) -> Floats32:
    """Render the view: linear light, blue green red, 1 for white paper in the lamps' full light."""
    bpy = blender()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "view.png"
        with silenced():
            _clear(bpy)
            _settings(bpy, setup, path)
            for solid in setup.solids:
                _add(bpy, solid)
            for lamp in setup.lamps:
                _hang(bpy, lamp)
            _sky(bpy, setup.sky)
            _camera(bpy, setup.camera, setup.view)
            bpy.ops.render.render(write_still=True)
        found = cv2.imread(str(path), cv2.IMREAD_UNCHANGED)
    if found is None or found.dtype != np.uint16:
        raise DataError("Blender gave no picture")
    return linear(found[..., :3].astype(np.float32) / 65535) * np.float32(BRIGHTEST)


def linear(level: AnyArray) -> Floats32:
    """Give the light of sRGB values, both 0 to 1."""
    return np.where(level <= 0.04045, level / 12.92, ((level + 0.055) / 1.055) ** 2.4).astype(np.float32)


def _clear(bpy: Any) -> None:  # noqa: ANN401 - bpy has no types
    """Empty the session, but keep pictures: the next table may show the same cards."""
    if not bpy.data.worlds.get("sky"):
        bpy.ops.wm.read_factory_settings(use_empty=True)
        bpy.data.worlds.new("sky")
    for kind in (bpy.data.objects, bpy.data.meshes, bpy.data.lights, bpy.data.cameras, bpy.data.materials):
        bpy.data.batch_remove(list(kind))
    if len(bpy.data.images) > PICTURES:
        bpy.data.batch_remove(list(bpy.data.images))


def _settings(bpy: Any, setup: RenderSetup, path: Path) -> None:  # noqa: ANN401
    scene = bpy.context.scene
    render, cycles = scene.render, scene.cycles
    render.engine = "CYCLES"
    cycles.device = "CPU"
    cycles.samples, cycles.seed = setup.samples, setup.seed % (1 << 31)
    cycles.use_adaptive_sampling = False
    cycles.use_denoising, cycles.denoiser = True, "OPENIMAGEDENOISE"
    cycles.denoising_input_passes, cycles.denoising_prefilter = "RGB_ALBEDO_NORMAL", "FAST"
    cycles.denoising_quality, cycles.use_light_tree = "FAST", False
    cycles.max_bounces, cycles.diffuse_bounces, cycles.glossy_bounces = 2, 1, 1
    cycles.transmission_bounces, cycles.transparent_max_bounces = 1, 6
    cycles.caustics_reflective = cycles.caustics_refractive = False
    cycles.sample_clamp_indirect, cycles.blur_glossy = 4.0, 0.5
    cycles.pixel_filter_type, cycles.filter_width = "BLACKMAN_HARRIS", 1.2
    render.resolution_x, render.resolution_y, render.resolution_percentage = setup.view.width, setup.view.height, 100
    render.film_transparent = False
    render.use_persistent_data = False
    render.image_settings.file_format, render.image_settings.color_mode = "PNG", "RGB"
    render.image_settings.color_depth, render.image_settings.compression = "16", 0
    scene.view_settings.view_transform, scene.view_settings.look = "Standard", "None"
    scene.view_settings.exposure = -float(np.log2(BRIGHTEST))
    render.dither_intensity = 0.0
    render.filepath = str(path)


def _add(bpy: Any, solid: Solid) -> None:  # noqa: ANN401
    mesh = bpy.data.meshes.new(solid.name)
    mesh.vertices.add(len(solid.points))
    mesh.vertices.foreach_set("co", (solid.points * MM).astype(np.float32).ravel())
    mesh.loops.add(len(solid.sides))
    mesh.loops.foreach_set("vertex_index", solid.sides.astype(np.int32))
    mesh.polygons.add(len(solid.counts))
    starts = np.concatenate([[0], np.cumsum(solid.counts)[:-1]]).astype(np.int32)
    mesh.polygons.foreach_set("loop_start", starts)
    mesh.polygons.foreach_set("material_index", solid.stuff.astype(np.int32))
    mesh.polygons.foreach_set("use_smooth", solid.smooth)
    mesh.uv_layers.new(name="uv").data.foreach_set("uv", solid.uv.astype(np.float32).ravel())
    if solid.gains is not None:
        gains = mesh.attributes.new("gain", "FLOAT", "POINT")
        gains.data.foreach_set("value", solid.gains.astype(np.float32))
    mesh.update(calc_edges=True)
    for paint in solid.paints:
        mesh.materials.append(_material(bpy, paint, gained=solid.gains is not None))
    for n in range(max(1, len(solid.places))):
        thing = bpy.data.objects.new(f"{solid.name} {n}", mesh)
        if solid.places:
            place = solid.places[n]
            thing.location = (place.x * MM, place.y * MM, place.z * MM)
            thing.rotation_euler = (0.0, 0.0, place.turn)
            thing.scale = (place.scale,) * 3
        bpy.context.scene.collection.objects.link(thing)


def _image(bpy: Any, key: str, picture: Pixels, *, data: bool = False) -> Any:  # noqa: ANN401
    found = bpy.data.images.get(key[-60:])
    if found is not None and found.get("key") == key:
        return found
    height, width = picture.shape[:2]
    found = bpy.data.images.new(key[-60:], width, height)
    found["key"] = key
    if data:
        found.colorspace_settings.name = "Non-Color"
    full = np.empty((height, width, 4), np.float32)
    colours = picture if picture.ndim == 3 else np.repeat(picture[..., None], 3, axis=2)
    full[..., :3] = colours[::-1, :, 2::-1] / np.float32(255)
    full[..., 3] = 1
    found.pixels.foreach_set(full.ravel())
    found.update()
    return found


def _material(bpy: Any, paint: Paint, *, gained: bool) -> Any:  # noqa: ANN401
    key = paint.key[-60:]
    found = bpy.data.materials.get(key)
    if found is not None and found.get("key") == paint.key:
        return found
    found = bpy.data.materials.new(key)
    found["key"] = paint.key
    tree = found.node_tree
    surface = tree.nodes["Principled BSDF"]
    _set_surface(surface, paint)
    colour = None
    if paint.picture is not None:
        colour = _texture(tree, _image(bpy, paint.key, paint.picture))
        if gained:
            gain = tree.nodes.new("ShaderNodeAttribute")
            gain.attribute_name = "gain"
            colour = _scaled(tree, colour, gain.outputs["Fac"])
    if paint.grain is not None:
        colour = _grained(bpy, surface, paint.grain, colour)
    if colour is not None:
        tree.links.new(colour, surface.inputs["Base Color"])
    return found


def _set_surface(surface: Any, paint: Paint) -> None:  # noqa: ANN401
    rgb = linear(np.array(paint.colour[::-1], np.float32) / 255)
    values = {
        "Base Color": (*(float(c) for c in rgb), 1.0),
        "Roughness": paint.rough,
        "Specular IOR Level": paint.shine,
        "Coat Weight": paint.coat,
        "Coat Roughness": 0.12,
        "Sheen Weight": paint.sheen,
        "Sheen Roughness": 0.5,
        "Subsurface Weight": paint.flesh,
        "Subsurface Radius": (1.0, 0.35, 0.2),
        "Subsurface Scale": 0.006,
        "Alpha": paint.alpha,
    }
    for name, value in values.items():
        surface.inputs[name].default_value = value


def _texture(tree: Any, image: Any, *, mapped: Any = None) -> Any:  # noqa: ANN401
    node = tree.nodes.new("ShaderNodeTexImage")
    node.image, node.interpolation, node.extension = image, "Linear", "REPEAT" if mapped else "EXTEND"
    if mapped is not None:
        tree.links.new(mapped, node.inputs["Vector"])
    elif image.get("key", "").startswith(("floor", "chip")):
        node.extension = "REPEAT"
    return node.outputs["Color"]


def _scaled(tree: Any, colour: Any, gain: Any) -> Any:  # noqa: ANN401
    node = tree.nodes.new("ShaderNodeVectorMath")
    node.operation = "SCALE"
    tree.links.new(colour, node.inputs[0])
    tree.links.new(gain, node.inputs["Scale"])
    return node.outputs["Vector"]


def _grained(bpy: Any, surface: Any, grain: Grain, colour: Any) -> Any:  # noqa: ANN401
    tree = surface.id_data
    place = tree.nodes.new("ShaderNodeTexCoord")
    scale = tree.nodes.new("ShaderNodeVectorMath")
    scale.operation = "SCALE"
    scale.inputs["Scale"].default_value = 1 / (grain.wide_mm * MM)
    tree.links.new(place.outputs["Object"], scale.inputs[0])
    if grain.deep > 0:
        hills = _texture(
            tree, _image(bpy, f"slopes {grain.key}", grain.slopes(), data=True), mapped=scale.outputs["Vector"]
        )
        slope = tree.nodes.new("ShaderNodeNormalMap")
        slope.space = "OBJECT"
        tree.links.new(hills, slope.inputs["Color"])
        tree.links.new(slope.outputs["Normal"], surface.inputs["Normal"])
    tile = _texture(tree, _image(bpy, grain.key, grain.tile, data=True), mapped=scale.outputs["Vector"])
    tint = tree.nodes.new("ShaderNodeMapRange")
    tint.inputs["To Min"].default_value, tint.inputs["To Max"].default_value = 1 - grain.tint, 1 + grain.tint
    tree.links.new(tile, tint.inputs["Value"])
    if colour is None:
        flat = tree.nodes.new("ShaderNodeRGB")
        flat.outputs[0].default_value = surface.inputs["Base Color"].default_value
        colour = flat.outputs[0]
    return _scaled(tree, colour, tint.outputs["Result"])


def _hang(bpy: Any, lamp: Lamp) -> None:  # noqa: ANN401
    """Hang a lamp so strong that its light falls where it aims, on what faces it squarely."""
    light = bpy.data.lights.new("lamp", "AREA")
    light.shape, light.size = "DISK", lamp.wide_mm * MM
    light.spread = float(np.deg2rad(lamp.spread_deg))
    at, aim = np.array(lamp.at), np.array(lamp.aim)
    away = float(np.linalg.norm(at - aim)) * MM
    light.energy = float(np.pi**2 * away**2)
    light.color = lamp.light
    thing = bpy.data.objects.new("lamp", light)
    thing.matrix_world = _matrix(_facing(at, aim), at)
    thing.visible_camera = False
    bpy.context.scene.collection.objects.link(thing)


def _facing(at: Floats, aim: Floats) -> Floats:
    """Give the turn that lets a thing at `at` look along its -z at `aim`."""
    back = (at - aim) / np.linalg.norm(at - aim)
    across = np.cross([0.0, 1.0, 0.0], back)
    across /= np.linalg.norm(across)
    return np.column_stack([across, np.cross(back, across), back])


def _matrix(turn: Floats, at: Floats) -> list[list[float]]:
    """Give a turn and a place as Blender takes them: column after column."""
    whole = np.eye(4)
    whole[:3, :3], whole[:3, 3] = turn, at * MM
    return [[float(v) for v in column] for column in whole.T]


def _sky(bpy: Any, colour: tuple[float, float, float]) -> None:  # noqa: ANN401
    world = bpy.data.worlds["sky"]
    bpy.context.scene.world = world
    world.cycles.sampling_method = "NONE"  # it is the same from everywhere: rays find it without being sent there
    world.node_tree.nodes["Background"].inputs["Color"].default_value = (*colour, 1.0)


def _camera(bpy: Any, camera: Camera, view: PinholeView) -> None:  # noqa: ANN401
    lens = bpy.data.cameras.new("camera")
    lens.sensor_fit, lens.sensor_width = "HORIZONTAL", SENSOR_MM
    lens.lens = view.focal * SENSOR_MM / view.width
    lens.shift_x = ((view.width - 1) / 2 - view.middle[0]) / view.width
    lens.shift_y = (view.middle[1] - (view.height - 1) / 2) / view.width
    lens.clip_start, lens.clip_end = 0.01, 100.0
    thing = bpy.data.objects.new("camera", lens)
    thing.matrix_world = _matrix(camera.r.T * [1, -1, -1], camera.eye)
    bpy.context.scene.collection.objects.link(thing)
    bpy.context.scene.camera = thing
