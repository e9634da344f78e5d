"""The cliff lab's surface in space, with the paths on it, as lines on paper.

Each line is the error along w at one b. They are drawn from the farthest to the nearest, each with
what is below it, so that it covers what lies behind. A browser without a graphics card draws that
as quickly as any other chart; a surface of Plotly's takes it up to a second.
"""

from collections.abc import Iterator

import numpy as np

from lessons.chapters.clipping.cliff.looks import HEIGHT, LOOKS, in_words
from lessons.chapters.clipping.cliff.recurrent import ARMS, Window
from lessons.contract.figure import Figure
from lessons.contract.parameters import Values
from lessons.contract.result import Array, Result
from lessons.kit.chart_pieces import Trace, dragged
from lessons.text import number

TURNS = (-45.0, 45.0)
"""Degrees that the surface is turned about its middle, at most."""
_LINES, _EVERY = 30, 2
"""Lines, and every which point of the grid they take."""
_TILT, _TALL = 0.5, 0.62
"""How far a unit to the back, and the highest error, lift a place on the paper."""


def in_space(result: Result, values: Values, window: Window, hidden: frozenset[str]) -> Figure:
    """The error as a surface over w and b."""
    error = result.planes["error"]
    lowest, highest = float(np.nanmin(error)), float(np.nanmax(error))
    paper = _Paper(window, float(values["turn"]), highest)
    return Figure(
        "surface",
        f"Error from {number(lowest, 2)} to {number(highest, 2)}",
        "A line for each b; along it w grows. Drag to turn it.",
        f"The error over w and b as a surface with a cliff. {in_words(result, hidden)}",
        [*_surface(error, window, paper), *_paths(result, window, paper, hidden)],
        {
            "xaxis": {"visible": False, "range": list(TURNS), "fixedrange": True},
            "yaxis": {"visible": False, "range": [-0.72, 1.0], "fixedrange": True},
            "showlegend": False,
            "margin": {"l": 4, "r": 4, "t": 4, "b": 4},
        },
        height=HEIGHT,
    )


class _Paper:
    """Where a place in space lies on the paper: across in degrees of a turn, as it is dragged."""

    def __init__(self, window: Window, turn: float, highest: float) -> None:
        ends = np.array(window)
        self._middle, self._half = ends.mean(1), (ends[:, 1] - ends[:, 0]) / 2
        self._sin, self._cos = np.sin(np.radians(turn)), np.cos(np.radians(turn))
        self._highest = highest

    def __call__(self, w: Array, b: Array, error: Array) -> tuple[Array, Array]:
        """Across and up."""
        right = (w - self._middle[0]) / self._half[0]
        back = (b - self._middle[1]) / self._half[1]
        across = right * self._cos - back * self._sin
        depth = right * self._sin + back * self._cos
        return across * TURNS[1] / 1.42, depth * _TILT + error / self._highest * _TALL


def _surface(error: Array, window: Window, paper: _Paper) -> Iterator[Trace]:
    count = len(error)
    w, b = (np.linspace(*ends, count) for ends in window)
    rows = np.linspace(count - 1, 0, _LINES).round().astype(int)
    w = w[::_EVERY]
    for place, row in enumerate(rows):
        x, y = paper(w, np.full_like(w, b[row]), error[row, ::_EVERY])
        ground = paper(w[[-1, 0]], np.full(2, b[row]), np.zeros(2))
        below: Trace = {
            "type": "scatter",
            "mode": "lines",
            "x": np.concatenate([x, ground[0]]),
            "y": np.concatenate([y, ground[1]]),
            "fill": "toself",
            "fillcolor": "ink:paper",
            "line": {"width": 0},
            "hoverinfo": "skip",
        }
        yield dragged(below, "place", turn="x") if place == 0 else below
        yield {
            "type": "scatter",
            "mode": "lines",
            "x": x,
            "y": y,
            "line": {"color": "role:forward", "width": 1},
            "hoverinfo": "skip",
        }


def _paths(
    result: Result, window: Window, paper: _Paper, hidden: frozenset[str]
) -> Iterator[Trace]:
    """The paths on the surface, as far as they are inside the window."""
    ends = np.array(window)
    for index, arm in enumerate(ARMS):
        places = result.planes["places"][:, :, index]
        inside = np.all((places >= ends[:, 0]) & (places <= ends[:, 1]), axis=1)
        x, y = paper(places[:, 0], places[:, 1], result.planes["errors"][:, index])
        role, name = LOOKS[arm]
        yield {
            "type": "scatter",
            "mode": "lines",
            "name": name,
            "x": np.where(inside, x, np.nan),
            "y": np.where(inside, y, np.nan),
            "line": {"color": f"role:{role}", "width": 2, "simplify": False},
            "visible": role not in hidden,
            "hoverinfo": "skip",
        }
