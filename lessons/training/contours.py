"""Boundary lines: where a function on a grid crosses 0, as polylines a chart can draw."""

import numpy as np

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
    pieces, places = _pieces(marks, values)
    if not len(pieces):
        return _NAN, _NAN
    parts: list[Array] = []
    for line in _chained(pieces):
        parts += [np.array([places[edge] for edge in line]), np.array([[np.nan, np.nan]])]
    joined = np.concatenate(parts)
    return joined[:, 0], joined[:, 1]


def _pieces(marks: Array, values: Array) -> tuple[list[tuple[int, int]], dict[int, Array]]:
    """Each cell's piece of the line as the two edges it joins, and where it crosses each edge.

    An edge has one number in the whole grid, whichever of its two cells names it.
    """
    n = len(marks)
    # The four edges of a cell in a ring: below, right, above, left.
    corners = (values[:-1, :-1], values[:-1, 1:], values[1:, 1:], values[1:, :-1])
    x0, y0 = np.meshgrid(marks[:-1], marks[:-1])
    x1, y1 = np.meshgrid(marks[1:], marks[1:])
    at = ((x0, y0), (x1, y0), (x1, y1), (x0, y1))
    corner_number = np.arange(n * n).reshape(n, n)
    level, upright = corner_number, corner_number + n * n
    numbers = np.stack(
        [level[:-1, :-1], upright[:-1, 1:], level[1:, :-1], upright[:-1, :-1]], axis=-1
    )
    above = [corner > 0 for corner in corners]
    crossed = np.stack([above[i] != above[(i + 1) % 4] for i in range(4)], -1)
    crossed &= np.isfinite(sum(corners))[..., None]
    ring = []
    with np.errstate(divide="ignore", invalid="ignore"):
        for i in range(4):
            j = (i + 1) % 4
            share = corners[i] / (corners[i] - corners[j])
            ring.append(
                np.stack([at[i][k] + share * (at[j][k] - at[i][k]) for k in range(2)], axis=-1)
            )
    where = np.stack(ring, axis=-2)[crossed]
    names = numbers[crossed].tolist()  # cell by cell: two of each, or four where it is a saddle
    pieces = list(zip(names[::2], names[1::2], strict=True))
    return pieces, dict(zip(names, where, strict=True))


def _chained(pieces: list[tuple[int, int]]) -> list[list[int]]:
    """Pieces that share an edge joined into lines."""
    at: dict[int, list[int]] = {}
    for index, pair in enumerate(pieces):
        for edge in pair:
            at.setdefault(edge, []).append(index)
    left = set(range(len(pieces)))

    def follow(tip: int) -> list[int]:
        found: list[int] = []
        while True:
            following = next((index for index in at[tip] if index in left), None)
            if following is None:
                return found
            left.discard(following)
            one, other = pieces[following]
            tip = other if one == tip else one
            found.append(tip)

    lines = []
    while left:
        start, end = pieces[left.pop()]
        onward = follow(end)
        lines.append([*reversed(follow(start)), start, end, *onward])
    return lines
