"""Outlines of where a function on a grid is above 0, as polygons that a chart can fill."""

import numpy as np
from contourpy import FillType, LineType, SerialContourGenerator, ZInterp

from lessons.contract.result import Array

_NAN = np.array([np.nan])


def grid(low: float, high: float, count: int) -> tuple[Array, Array]:
    """The marks of a square grid along one side, and its points, shape [2, count²], x first."""
    marks = np.linspace(low, high, count)
    xs, ys = np.meshgrid(marks, marks)
    return marks, np.stack([xs.ravel(), ys.ravel()])


def above(marks: Array, values: Array) -> tuple[Array, Array]:
    """The outlines of where a function is above 0: x and y, a NaN behind each.

    Args:
        marks: the grid's marks along either side, shape [n].
        values: the function at them, shape [n, n], rows by y; cells with a NaN are left out.
    """
    # Not by contour_generator: its way through masked arrays takes longer than the outlines.
    found = SerialContourGenerator(
        *np.meshgrid(marks, marks),
        values,
        ~np.isfinite(values),
        corner_mask=True,
        line_type=LineType.ChunkCombinedNan,
        fill_type=FillType.OuterOffset,
        quad_as_tri=False,
        z_interp=ZInterp.Linear,
    )
    polygons = zip(*found.filled(0.0, np.inf), strict=True)
    rings = [ring for points, ends in polygons for ring in np.split(points, ends[1:-1])]
    if not rings:
        return _NAN, _NAN
    x, y = np.concatenate([part for ring in rings for part in (ring, [[np.nan, np.nan]])]).T
    return x, y
