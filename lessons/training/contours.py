"""Boundary lines: where a function on a grid crosses 0, as polylines a chart can draw."""

import numpy as np
from contourpy import LineType, contour_generator

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
    kind = LineType.ChunkCombinedNan
    known = values if np.isfinite(values).all() else np.ma.masked_invalid(values)
    found = contour_generator(marks, marks, known, line_type=kind)
    places = found.lines(0.0)[0][0]  # a NaN between two lines; None where there is none
    if places is None:
        return _NAN, _NAN
    return np.append(places[:, 0], np.nan), np.append(places[:, 1], np.nan)
