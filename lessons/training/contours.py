"""Boundary lines: where a function on a grid crosses 0, as polylines a chart can draw."""

import numpy as np
from contourpy import FillType, LineType, SerialContourGenerator, ZInterp

from lessons.contract.result import Array

_NAN = np.array([np.nan])


def grid(low: float, high: float, count: int) -> tuple[Array, Array]:
    """The marks of a square grid along one side, and its points, shape [2, count²], x first."""
    marks = np.linspace(low, high, count)
    xs, ys = np.meshgrid(marks, marks)
    return marks, np.stack([xs.ravel(), ys.ravel()])


def crossing(marks: Array, values: Array) -> tuple[Array, Array]:
    """The lines on which a function is 0: x and y, a NaN behind each line.

    Args:
        marks: the grid's marks along either side, shape [n].
        values: the function at them, shape [n, n], rows by y; cells with a NaN are left out.
    """
    # Not by contour_generator: its way through masked arrays takes longer than the lines.
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
    places = found.lines(0.0)[0][0]  # a NaN between two lines; None where there is none
    if places is None:
        return _NAN, _NAN
    return np.append(places[:, 0], np.nan), np.append(places[:, 1], np.nan)
