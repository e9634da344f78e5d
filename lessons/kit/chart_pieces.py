"""Pieces of Plotly figures in role colours, as plain dictionaries: quick to build and to send.

Colours are tokens (``role:forward``, ``ink:grid``) that ``themed`` or the browser resolves, so one
figure serves both themes. Tests check each figure against Plotly's own validators.
"""

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from lessons.contract.figure import Figure
from lessons.contract.result import Array, Result, Series
from lessons.contract.roles import ROLES, Theme, colour
from lessons.text import number

Trace = dict[str, Any]

_GAP = np.array([np.nan])


def curve(series: Series, visible: bool = True, width: float = 2.5, exact: bool = False) -> Trace:
    """The series as a line; ``exact`` keeps corners that Plotly may otherwise round off."""
    role = ROLES[series.role]
    return {
        "type": "scatter",
        "mode": "lines",
        "name": role.label,
        "x": series.x,
        "y": series.y,
        "line": {"color": f"role:{role.name}", "dash": role.dash, "width": width}
        | ({"simplify": False} if exact else {}),
        "visible": visible,
        "hovertemplate": "x = %{x:.4g}<br>%{y:.5g}<extra>" + role.label + "</extra>",
    }


def band(series: Series, visible: bool = True) -> Trace:
    """From the 5th to the 95th percentile, as a see-through area with gaps where x has none."""
    if series.low is None or series.high is None:
        raise ValueError(f"series {series.name} has no band")
    x, y = _outline(series.x, series.low, series.high)
    return {
        "type": "scatter",
        "mode": "lines",
        "x": x,
        "y": y,
        "line": {"width": 0},
        "fill": "toself",
        "fillcolor": f"role:{series.role}/0.22",
        "hoverinfo": "skip",
        "showlegend": False,
        "visible": visible,
    }


def points(series: Series, visible: bool = True, size: float = 10) -> Trace:
    """The learner's points; each carries its number, 1 for the first, for clicks."""
    role = ROLES[series.role]
    return {
        "type": "scatter",
        "mode": "markers",
        "name": role.label,
        "x": series.x,
        "y": series.y,
        "customdata": list(range(1, len(series.x) + 1)),
        "marker": {
            "color": f"role:{role.name}",
            "symbol": role.marker,
            "size": size,
            "line": {"color": "ink:paper", "width": 1.5},
        },
        "showlegend": False,
        "visible": visible,
        "hovertemplate": "x = %{x}<br>%{y:.6g}<extra>this draw: " + role.label + "</extra>",
    }


def gradient_points(result: Result, hidden: frozenset[str], trick: float = 11) -> list[Trace]:
    """The three gradients at the same points, one over the other, each smaller than what it is on.

    Args:
        result: with a series of each role's name.
        hidden: the roles still covered.
        trick: the size of the gradient that autograd gives.
    """
    sizes = {"true_gradient": 8, "trick_gradient": trick, "intended_gradient": 6}
    return [points(result[role], role not in hidden, size) for role, size in sizes.items()]


def axes(x: tuple[float, float], y: tuple[float, float], x_title: str, y_title: str) -> Trace:
    """A layout with fixed ranges, so that nothing jumps while the learner drags."""
    shared = {
        "gridcolor": "ink:grid",
        "zerolinecolor": "ink:axis",
        "zerolinewidth": 1,
        "linecolor": "ink:axis",
        "tickcolor": "ink:axis",
        "tickfont": {"color": "ink:muted", "size": 12},
        "fixedrange": False,
    }
    return {
        "xaxis": {**shared, "range": list(x), "title": _title(x_title)},
        "yaxis": {**shared, "range": list(y), "title": _title(y_title)},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"color": "ink:text", "size": 13},
        "margin": {"l": 52, "r": 12, "t": 8, "b": 44},
        "hovermode": "closest",
        "showlegend": False,
        "uirevision": "keep",
    }


def round_up(values: list[Array], least: float) -> float:
    """A round number no finite value exceeds in size, one of 1, 1.5, 2, 3, 5, 7.5 times 10ⁿ.

    Values beyond 1e307 are left out of sight: the ends of an axis must not overflow.

    >>> round_up([np.array([-2.3, np.nan])], least=1.0)
    3.0
    """
    sizes = np.abs(np.concatenate([np.ravel(value) for value in values if value is not None]))
    sizes = sizes[np.isfinite(sizes)]
    top = min(max(float(sizes.max()) if len(sizes) else least, least), 1e307) * 1.05
    power = 10.0 ** math.floor(math.log10(top))
    return next(
        (float(f"{f * power:.3g}") for f in (1, 1.5, 2, 3, 5, 7.5) if f * power >= top), 10 * power
    )


def span(series: Series) -> tuple[float, float]:
    """The first and the last x of a curve: what its axis shows."""
    return float(series.x[0]), float(series.x[-1])


def spoken(result: Result, names: Sequence[str]) -> str:
    """These series in words, for screen readers: the first eight inputs."""
    xs = result["forward"].x[:8]
    parts = [
        f"x = {number(float(x))}: "
        + ", ".join(
            f"{ROLES[result[n].role].label} {number(float(result[n].y[i]), 4)}" for n in names
        )
        for i, x in enumerate(xs)
    ]
    return "; ".join(parts) + "."


def cells(
    result: Result, names: Iterable[str], index: int, hidden: frozenset[str], digits: int
) -> list[str]:
    """These series at one input as cells of a table; a question mark for what is covered yet.

    Args:
        result: with a series of each name.
        names: of the series, in order.
        index: which input, 0 for the first.
        hidden: the names still covered.
        digits: significant ones.
    """
    return ["?" if n in hidden else number(float(result[n].y[index]), digits) for n in names]


def themed(figure: Figure, theme: Theme) -> dict[str, Any]:
    """Data and layout with every token resolved: what ``plotly.graph_objects.Figure`` takes."""
    return {"data": _resolve(figure.data, theme), "layout": _resolve(figure.layout, theme)}


def _outline(x: Array, low: Array, high: Array) -> tuple[Array, Array]:
    """Each unbroken stretch as a closed outline, along the low edge and back along the high one."""
    there = np.isfinite(low) & np.isfinite(high)
    breaks = np.flatnonzero(np.diff(there.astype(np.int8))) + 1
    xs: list[Array] = []
    ys: list[Array] = []
    for part in np.split(np.arange(len(x)), breaks):
        if len(part) and there[part[0]]:
            xs += [x[part], x[part][::-1], x[part[:1]], _GAP]
            ys += [low[part], high[part][::-1], low[part[:1]], _GAP]
    return (np.concatenate(xs), np.concatenate(ys)) if xs else (_GAP, _GAP)


def _resolve(part: Any, theme: Theme) -> Any:
    if isinstance(part, dict):
        return {name: _resolve(value, theme) for name, value in part.items()}
    if isinstance(part, list):
        return [_resolve(value, theme) for value in part]
    if isinstance(part, str) and part.startswith(("role:", "ink:")):
        return colour(part, theme)
    return part


def _title(text: str) -> Trace:
    return {"text": text, "font": {"color": "ink:muted", "size": 13}, "standoff": 6}
