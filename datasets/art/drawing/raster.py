"""A small software rasteriser: triangles seen straight from above, nearest wins, attributes in between."""

import numpy as np

from feltwatch.vision.arrays import Floats, Floats32, Indices

FAR = -1e9


def normals_of(points: Floats, faces: Indices) -> Floats:
    """Give smooth normals: each point's is the mean of its faces', larger faces counting more."""
    a, b, c = (points[faces[:, n]] for n in range(3))
    flat = np.cross(b - a, c - a)
    found = np.zeros_like(points)
    for n in range(3):
        np.add.at(found, faces[:, n], flat)
    return np.asarray(found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-9))


def raster(
    pixels: Floats, depth: Floats, faces: Indices, values: Floats, shape: tuple[int, int]
) -> tuple[Floats32, Floats32]:
    """Draw triangles: `pixels` N x 2, `depth` N (higher is nearer), `values` N x K. Give heights and values."""
    heights = np.full(shape, FAR, dtype=np.float32)
    found = np.zeros((*shape, values.shape[1]), dtype=np.float32)
    corners = pixels[faces]
    low = np.maximum(np.ceil(corners.min(axis=1)).astype(int), 0)
    high = np.minimum(np.floor(corners.max(axis=1)).astype(int), [shape[1] - 1, shape[0] - 1])
    edge1, edge2 = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    areas = edge1[:, 0] * edge2[:, 1] - edge1[:, 1] * edge2[:, 0]
    for n in np.flatnonzero((high >= low).all(axis=1) & (np.abs(areas) > 1e-9)):
        x = np.arange(low[n, 0], high[n, 0] + 1) - corners[n, 0, 0]
        y = (np.arange(low[n, 1], high[n, 1] + 1) - corners[n, 0, 1])[:, None]
        v = (x * edge2[n, 1] - y * edge2[n, 0]) / areas[n]
        w = (y * edge1[n, 0] - x * edge1[n, 1]) / areas[n]
        u = 1 - v - w
        window = (slice(low[n, 1], high[n, 1] + 1), slice(low[n, 0], high[n, 0] + 1))
        i, j, k = faces[n]
        tall = u * depth[i] + v * depth[j] + w * depth[k]
        shown = (u >= 0) & (v >= 0) & (w >= 0) & (tall > heights[window])
        if shown.any():
            heights[window][shown] = tall[shown]
            mixed = u[shown][:, None] * values[i] + v[shown][:, None] * values[j] + w[shown][:, None] * values[k]
            found[window][shown] = mixed
    return heights, found
