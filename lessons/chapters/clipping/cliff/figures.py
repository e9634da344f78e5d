"""The cliff lab's own charts and table: the map, its steepness, and the error along the paths."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from lessons.chapters.clipping.cliff.looks import (
    FLATTEST,
    HEIGHT,
    LOOKS,
    ROLE_OF,
    STEEPNESS,
    powers_of_ten,
    said,
)
from lessons.chapters.clipping.cliff.recurrent import ARMS, CLOSER, COUNT, VALLEY, WHOLE, Window
from lessons.chapters.clipping.cliff.space import in_space
from lessons.contract.figure import Figure, Table
from lessons.contract.parameters import Values
from lessons.contract.result import Array, Result
from lessons.contract.roles import ROLES
from lessons.kit.chart_pieces import Trace, axes, cells
from lessons.text import number

# Strong where the error is small, and the first shades close together: the valley is looked for.
_DEPTHS = [
    [0.0, "role:forward"],
    [0.01, "role:forward/0.75"],
    [0.1, "role:forward/0.45"],
    [0.3, "role:forward/0.2"],
    [1.0, "ink:panel"],
]


def window_of(values: Values) -> Window:
    """The part of the plane that is drawn."""
    return CLOSER if values["window"] == "closer" else WHOLE


def figures(result: Result, values: Values, hidden: frozenset[str]) -> list[Figure]:
    """The map, the surface, the gradient's norm, and the error along the paths."""
    window = window_of(values)
    return [
        _map(result, window, hidden),
        in_space(result, window, hidden),
        _norms(result, window, hidden),
        _along(result, values, hidden),
    ]


def table(result: Result, values: Values, hidden: frozenset[str]) -> Table:
    """The gradient at the start by component, then how each path goes."""
    columns = [("measure", None), *((name, role) for role, name in LOOKS.values())]
    rows = [
        (
            f"gradient at the start: {name}",
            *cells(result, ROLE_OF.values(), index, hidden, 4),
        )
        for index, name in enumerate("wb")
    ]
    updates = len(result.planes["errors"]) - 1
    for label, fact in (
        ("longest step", "longest"),
        ("first leaves the window at update", "left_at"),
        (f"error after {updates} updates", "error"),
    ):
        told = []
        for arm, role in ROLE_OF.items():
            value = float(result.facts[f"{arm}_{fact}"])
            never = fact == "left_at" and not value
            told.append(_cell("never" if never else value, role, hidden))
        rows.append((label, *told))
    return Table("Three descents from one start", tuple(columns), tuple(rows))


def _cell(value: float | str, role: str, hidden: frozenset[str]) -> str:
    if role in hidden:
        return "?"
    return value if isinstance(value, str) else number(value, 4)


def _map(result: Result, window: Window, hidden: frozenset[str]) -> Figure:
    error = result.planes["error"]
    return Figure(
        "map",
        "The error from above",
        "The bluer, the smaller. Dotted: no clipping. Solid: by value. Dashed: by norm. Click or "
        "drag to set the start.",
        f"The error over w and b as a map, and three paths. {said(result, hidden)}",
        [
            _heat(error, window, _DEPTHS, (0.0, float(np.nanmax(error))), "error %{z:.3g}"),
            *_lines(result, hidden),
            _mark(result),
        ],
        _plane_axes(window),
        height=HEIGHT,
        selects=("w", "b"),
    )


def _norms(result: Result, window: Window, hidden: frozenset[str]) -> Figure:
    powers = powers_of_ten(result.planes["norm"], FLATTEST)
    top = float(np.ceil(np.nanmax(powers)))
    heat = _heat(powers, window, STEEPNESS, (FLATTEST, top), "norm 10^%{z:.2f}")
    places = list(range(int(FLATTEST), int(top) + 1))
    heat |= {
        "showscale": True,
        "colorbar": {
            "tickmode": "array",
            "tickvals": places,
            "ticktext": [f"10<sup>{power}</sup>".replace("-", "−") for power in places],
            "thickness": 10,
            "outlinewidth": 0,
            "tickfont": {"color": "ink:muted", "size": 12},
        },
    }
    layout = _plane_axes(window)
    layout["margin"] = {"l": 52, "r": 4, "t": 8, "b": 44}
    return Figure(
        "norm",
        "The gradient's norm, powers of ten",
        "The stronger the shade, the steeper. Nearly flat nearly everywhere, and one wall.",
        f"The norm of the gradient over w and b on {COUNT} by {COUNT} points: median "
        f"{number(float(np.median(result.planes['norm'])), 3)}, at most "
        f"{number(float(result.planes['norm'].max()), 4)}.",
        [heat],
        layout,
        height=HEIGHT,
    )


def _along(result: Result, values: Values, hidden: frozenset[str]) -> Figure:
    last = float(values["path"])
    powers = powers_of_ten(result.planes["errors"], -8.0)
    update = np.arange(float(len(powers)))
    data = [
        _line(arm, update, powers[:, index], hidden, "update %{x}: 10^%{y:.2f}")
        for index, arm in enumerate(ARMS)
    ]
    valley = float(np.log10(VALLEY))
    floor: Trace = {
        "type": "scatter",
        "mode": "lines",
        "x": [0.0, last],
        "y": [valley, valley],
        "line": {"color": "ink:axis", "width": 1},
        "hoverinfo": "skip",
    }
    return Figure(
        "along",
        "The error along the three paths, powers of ten",
        "Below the thin line: in the valley.",
        f"The error over the updates of the three paths. {said(result, hidden)}",
        [floor, *data],
        axes((0.0, last), (-6.0, 0.0), "update", "log₁₀ error"),
        height=HEIGHT,
    )


def _lines(result: Result, hidden: frozenset[str]) -> Iterator[Trace]:
    """The paths on the map, to the window's edge and a little beyond it."""
    for index, arm in enumerate(ARMS):
        w, b = _shown(result.planes["places"][:, :, index])
        yield _line(arm, w, b, hidden, "w %{x:.4g}, b %{y:.4g}")


def _shown(places: Array) -> tuple[Array, Array]:
    """A path as a line: what leaves the window is drawn a window's width beyond it, and no more."""
    ends = np.array(WHOLE)
    size = ends[:, 1] - ends[:, 0]
    finite = np.where(np.isfinite(places), places, 1e9)
    w, b = np.clip(finite, ends[:, 0] - size, ends[:, 1] + size).T
    return w, b


def _line(arm: str, x: Array, y: Array, hidden: frozenset[str], hover: str) -> Trace:
    role, name = LOOKS[arm]
    return {
        "type": "scatter",
        "mode": "lines",
        "name": name,
        "x": x,
        "y": y,
        "line": {
            "color": f"role:{role}",
            "dash": ROLES[role].dash,
            "width": 1.8,
            "simplify": False,
        },
        "visible": role not in hidden,
        "hovertemplate": f"{hover}<extra>{name}</extra>",
    }


def _mark(result: Result) -> Trace:
    """The start."""
    w, b = result.planes["places"][0, :, 0]
    return {
        "type": "scatter",
        "mode": "markers",
        "name": "start",
        "x": [float(w)],
        "y": [float(b)],
        "marker": {
            "color": "ink:text",
            "symbol": "circle",
            "size": 12,
            "line": {"color": "ink:paper", "width": 2},
        },
        "hovertemplate": "start: w %{x:.4g}, b %{y:.4g}<extra></extra>",
    }


def _heat(
    z: Array, window: Window, scale: list[list[Any]], ends: tuple[float, float], hover: str
) -> Trace:
    """A map. Where it lies is said by its corner and its steps, so that all of it is style."""
    (w_low, w_high), (b_low, b_high) = window
    return {
        "type": "heatmap",
        "x0": w_low,
        "dx": (w_high - w_low) / (COUNT - 1),
        "y0": b_low,
        "dy": (b_high - b_low) / (COUNT - 1),
        "z": z,
        "zmin": ends[0],
        "zmax": ends[1],
        "colorscale": scale,
        "showscale": False,
        "hovertemplate": f"w %{{x:.3g}}, b %{{y:.3g}}<br>{hover}<extra></extra>",
    }


def _plane_axes(window: Window) -> Trace:
    layout = axes(*window, "w", "b")
    for name in ("xaxis", "yaxis"):
        layout[name] |= {"showgrid": False, "zeroline": False, "nticks": 6}
    return layout
