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
    in_words,
    powers_of_ten,
)
from lessons.chapters.clipping.cliff.recurrent import ARMS, CLOSER, COUNT, VALLEY, WHOLE, Window
from lessons.chapters.clipping.cliff.space import in_space
from lessons.contract.figure import Figure, Table
from lessons.contract.parameters import Values
from lessons.contract.result import Array, Result
from lessons.contract.roles import ROLES
from lessons.kit.chart_pieces import Trace, axes, axis_title, cells, dragged
from lessons.kit.findings import brief
from lessons.kit.line_names import label
from lessons.text import number

# Strong where the error is small, and the first shades close together: the valley is looked for.
_DEPTHS = [
    [0.0, "role:forward"],
    [0.01, "role:forward/0.75"],
    [0.1, "role:forward/0.45"],
    [0.3, "role:forward/0.2"],
    [1.0, "ink:panel"],
]


_STROKES = {"dot": "┈┈", "solid": "━━", "dash": "╍╍"}

ERRORS = (-6.0, 1.5)
"""Powers of ten of the error along the paths."""


def window_of(values: Values) -> Window:
    """The part of the plane that is drawn."""
    return CLOSER if values["window"] == "closer" else WHOLE


def figures(result: Result, values: Values, hidden: frozenset[str]) -> list[Figure]:
    """The map, the surface, the gradient's norm, and the error along the paths."""
    window = window_of(values)
    return [
        _map(result, window, hidden),
        in_space(result, values, window, hidden),
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
    for measure, fact in (
        ("longest step", "longest"),
        ("first leaves the window at update", "left_at"),
        (f"error after {updates} updates", "error"),
    ):
        entries = []
        for arm, role in ROLE_OF.items():
            value = float(result.facts[f"{arm}_{fact}"])
            never = fact == "left_at" and not value
            entries.append(_cell("never" if never else value, role, hidden))
        rows.append((measure, *entries))
    return Table("Three descents from one start", tuple(columns), tuple(rows))


def _cell(value: float | str, role: str, hidden: frozenset[str]) -> str:
    if role in hidden:
        return "?"
    return value if isinstance(value, str) else number(value, 4)


def _map(result: Result, window: Window, hidden: frozenset[str]) -> Figure:
    error = result.planes["error"]
    heat = _heat(error, window, _DEPTHS, (0.0, float(np.nanmax(error))), "error %{z:.3g}")
    return Figure(
        "map",
        "The error from above" if hidden else _arrived(result),
        "The bluer, the smaller. Click or drag to set the start.",
        f"The error over w and b as a map, and three paths. {in_words(result, hidden)}",
        [
            dragged(heat, "place", w="x", b="y"),
            *_lines(result, hidden),
            _mark(result),
            *_above(window, hidden),
        ],
        _plane_axes(window) | {"margin": {"l": 52, "r": 12, "t": 26, "b": 44}},
        height=HEIGHT,
    )


def _arrived(result: Result) -> str:
    """Which paths end in the valley."""
    names = [name for arm, (_, name) in LOOKS.items() if result.facts[f"{arm}_in_valley"]]
    return f"In the valley at the end: {', '.join(names) or 'no path'}"


def _norms(result: Result, window: Window, hidden: frozenset[str]) -> Figure:
    norm = result.planes["norm"]
    middle, most = float(np.median(norm)), float(norm.max())
    powers = powers_of_ten(norm, FLATTEST)
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
        f"Gradient’s norm: median {brief(middle)}, at most {brief(most)}",
        "The stronger the shade, the steeper. Most of it is nearly flat; there is one wall.",
        f"The norm of the gradient over w and b on {COUNT} by {COUNT} points: median "
        f"{number(middle, 3)}, at most {number(most, 4)}.",
        [heat],
        layout,
        height=HEIGHT,
    )


def _along(result: Result, values: Values, hidden: frozenset[str]) -> Figure:
    last = float(values["path"])
    powers = powers_of_ten(result.planes["errors"], -8.0)
    update = np.arange(float(len(powers)))
    layout = axes((0.0, last), ERRORS, "update", "")
    plain, data = layout["yaxis"], []
    for index, arm in enumerate(ARMS):
        role, name = LOOKS[arm]
        axis = str(3 - index) if index < 2 else ""
        low = (2 - index) / 3
        layout[f"yaxis{axis}"] = plain | {
            "domain": [low, low + 0.28],
            "nticks": 3,
            "title": axis_title("log₁₀ error" if index == 1 else ""),
        }
        error = powers[:, index]
        best = np.fmin.accumulate(error)
        thin = _line(arm, update, error, hidden, "update %{x}: 10^%{y:.2f}")
        thin["line"] |= {"width": 1, "dash": "solid", "color": f"role:{role}/0.4"}
        traces = [
            _floor(last),
            thin,
            _line(arm, update, best, hidden, "lowest until %{x}: 10^%{y:.2f}") | {"name": name},
            label(role, name, last, ERRORS[1], role not in hidden, "bottom left"),
        ]
        data += [trace | {"yaxis": f"y{axis}"} for trace in traces]
    return Figure(
        "along",
        "The error along the three paths" if hidden else _lowest(result),
        "Thick: the lowest so far. Below the grey line: in the valley.",
        f"The error over the updates of the three paths. {in_words(result, hidden)}",
        data,
        layout,
        height=HEIGHT,
    )


def _lowest(result: Result) -> str:
    """The lowest error that each path has seen."""
    errors = result.planes["errors"]
    short = {"none": "no clip", "value": "value", "norm": "norm"}
    lowest = [
        f"{short[arm]} {number(float(np.nanmin(errors[:, index])), 1)}"
        for index, arm in enumerate(ARMS)
    ]
    return f"Lowest: {', '.join(lowest)}"


def _floor(last: float) -> Trace:
    """Below it lies the valley."""
    valley = float(np.log10(VALLEY))
    return {
        "type": "scatter",
        "mode": "lines",
        "x": [0.0, last],
        "y": [valley, valley],
        "line": {"color": "ink:axis", "width": 1},
        "hoverinfo": "skip",
    }


def _lines(result: Result, hidden: frozenset[str]) -> Iterator[Trace]:
    """The paths on the map, to the window's edge and a little beyond it."""
    for index, arm in enumerate(ARMS):
        w, b = _shown(result.planes["places"][:, :, index])
        yield _line(arm, w, b, hidden, "w %{x:.4g}, b %{y:.4g}", 1.2)


def _above(window: Window, hidden: frozenset[str]) -> list[Trace]:
    """How each path is drawn, above the map: on it a name would be lost among the paths."""
    (low, high), (_, top) = window
    return [
        label(
            role,
            f"{_STROKES[ROLES[role].dash]} {name}",
            low + (0.5 + index) / len(LOOKS) * (high - low),
            top,
            role not in hidden,
            "top center",
        )
        for index, (role, name) in enumerate(LOOKS.values())
    ]


def _shown(places: Array) -> tuple[Array, Array]:
    """A path as a line: what leaves the window is drawn a window's width beyond it, and no more."""
    ends = np.array(WHOLE)
    size = ends[:, 1] - ends[:, 0]
    finite = np.where(np.isfinite(places), places, 1e9)
    w, b = np.clip(finite, ends[:, 0] - size, ends[:, 1] + size).T
    return w, b


def _line(
    arm: str, x: Array, y: Array, hidden: frozenset[str], hover: str, width: float = 2
) -> Trace:
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
            "width": width,
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
