"""Boundary lines: where a function on a grid crosses 0, as polylines a chart can draw."""

import numpy as np

from lessons.result import Array

_NAN = np.array([np.nan])


def grid(low: float, high: float, count: int) -> tuple[Array, Array]:
    """The marks of a square grid along one side, and its points, shape [2, count²], x first."""
    marks = np.linspace(low, high, count)
    xs, ys = np.meshgrid(marks, marks)
    return marks, np.stack([xs.ravel(), ys.ravel()])


def crossing(marks: Array, values: Array) -> tuple[Array, Array]:
    """The lines on which a function is 0: x and y, a NaN between two lines.

    Args:
        marks: the grid's marks along either side, shape [n].
        values: the function at them, shape [n, n], rows by y; cells with a NaN are left out.
    """
    segments = _segments(marks, values)
    if not len(segments):
        return _NAN, _NAN
    lines = _chained(segments)
    parts = [np.concatenate([np.array(line), _NAN[:, None].repeat(2, 1)]) for line in lines]
    joined = np.concatenate(parts)
    return joined[:, 0], joined[:, 1]


def _segments(marks: Array, values: Array) -> Array:
    """Each cell's piece of the line, shape [pieces, 2, 2]; two pieces where a cell is a saddle."""
    # The four edges of a cell in a ring: below, right, above, left.
    corners = (values[:-1, :-1], values[:-1, 1:], values[1:, 1:], values[1:, :-1])
    x0, y0 = np.meshgrid(marks[:-1], marks[:-1])
    x1, y1 = np.meshgrid(marks[1:], marks[1:])
    places = ((x0, y0), (x1, y0), (x1, y1), (x0, y1))
    above = [corner > 0 for corner in corners]
    crossed = np.stack([above[i] != above[(i + 1) % 4] for i in range(4)], -1)
    points = []
    for i in range(4):
        a, b = corners[i], corners[(i + 1) % 4]
        with np.errstate(divide="ignore", invalid="ignore"):
            share = a / (a - b)
            (ax, ay), (bx, by) = places[i], places[(i + 1) % 4]
            points.append(np.stack([ax + share * (bx - ax), ay + share * (by - ay)], -1))
    edges = np.stack(points, -2)  # [n-1, n-1, 4, 2]
    whole = np.isfinite(sum(corners))
    count = crossed.sum(-1)
    found = []
    plain = whole & (count == 2)
    if plain.any():
        found.append(edges[plain][crossed[plain]].reshape(-1, 2, 2))
    saddle = whole & (count == 4)
    if saddle.any():
        found.append(edges[saddle].reshape(-1, 2, 2))
    return np.concatenate(found) if found else np.empty((0, 2, 2))


def _chained(segments: Array) -> list[list[tuple[float, float]]]:
    """Pieces that share an end joined into lines."""
    ends: dict[tuple[float, float], list[int]] = {}
    keys = np.round(segments, 9)
    pairs = [((float(a[0]), float(a[1])), (float(b[0]), float(b[1]))) for a, b in keys]
    for index, pair in enumerate(pairs):
        for end in pair:
            ends.setdefault(end, []).append(index)
    left = set(range(len(pairs)))
    lines = []
    while left:
        index = left.pop()
        line = list(pairs[index])
        for forward in (True, False):
            while True:
                tip = line[-1] if forward else line[0]
                following = next((i for i in ends[tip] if i in left), None)
                if following is None:
                    break
                left.discard(following)
                a, b = pairs[following]
                other = b if a == tip else a
                if forward:
                    line.append(other)
                else:
                    line.insert(0, other)
        lines.append(line)
    return lines
