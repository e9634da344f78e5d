"""Pieces of Plotly figures in role colours, as plain dictionaries: quick to build and to send.

Colours are tokens (``role:forward``, ``ink:grid``) that the browser resolves, so one figure serves
both themes. Tests check each figure against Plotly's own validators.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from lessons.contract.result import Array, Result, Series
from lessons.contract.roles import GRADIENTS, ROLES, Role
from lessons.contract.words import Words
from lessons.gradient_tricks.text import number

WORDS = Words(__file__)

Trace = dict[str, Any]

Measure = Literal["x", "y", "size", "largest", "length", "angle", "power_of_two"]

_GAP = np.array([np.nan])


# Overlapping points stay distinct by shape: an open square around a diamond, a cross beyond both.
_POINTS = {"true_gradient": ("square-open", 14.0), "intended_gradient": ("x-thin-open", 17.0)}
_BEADS = "3px,7px", 5
"""Dash and width of a dotted curve: dots that stand out from a line below them."""
_TICKS = 24
"""Ticks along a curve, about."""


def scatter(mode: str, x: Any, y: Any, name: str = "") -> Trace:
    """Start a Plotly trace over x and y; ``|`` adds its other settings."""
    return {"type": "scatter", "mode": mode, "x": x, "y": y} | ({"name": name} if name else {})


def curve(series: Series, exact: bool = False) -> Trace:
    """The series as a line; ``exact`` keeps corners that Plotly may otherwise round off."""
    role = ROLES[series.role]
    dash, width = _BEADS if role.dash == "dot" else (role.dash, 3)
    return scatter("lines", series.x, series.y, role.label) | {
        "line": {"color": f"role:{role.name}", "dash": dash, "width": width}
        | ({"simplify": False} if exact else {}),
        "hovertemplate": WORDS("curve_hover", name=role.label),
    }


def ticks(series: Series) -> Trace:
    """The series as thin ticks, which are seen on a line as well as on paper: a target."""
    role = ROLES[series.role]
    every = max(1, len(series.x) // _TICKS)
    return scatter("markers", series.x[::every], series.y[::every], role.label) | {
        "marker": {
            "color": f"role:{role.name}",
            "symbol": "line-ns-open",
            "size": 8,
            "line": {"color": f"role:{role.name}", "width": 1.5},
        },
        "hovertemplate": WORDS("curve_hover", name=role.label),
    }


def gradient_curves(curves: Mapping[str, Series]) -> list[Trace]:
    """Draw the gradients that exist: the result solid, the truth dotted, the target as ticks."""
    found = []
    for name in GRADIENTS:
        if name in curves:
            ticked = ROLES[name].ticked
            found.append(ticks(curves[name]) if ticked else curve(curves[name], exact=True))
    return found


def band(series: Series) -> Trace:
    """From the 5th to the 95th percentile, as a see-through area with gaps where x has none."""
    if series.low is None or series.high is None:
        raise ValueError(f"series {series.name} has no band")
    x, y = _outline(series.x, series.low, series.high)
    return scatter("lines", x, y) | {
        "line": {"width": 0},
        "fill": "toself",
        "fillcolor": f"role:{series.role}/0.22",
        "hoverinfo": "skip",
        "showlegend": False,
    }


def edges(series: Series) -> Trace:
    """Both ends of a band as dotted lines: seen on another's area."""
    if series.low is None or series.high is None:
        raise ValueError(f"series {series.name} has no band")
    role = ROLES[series.role]
    return scatter(
        "lines",
        np.concatenate([series.x, _GAP, series.x]),
        np.concatenate([series.low, _GAP, series.high]),
        role.label,
    ) | {
        "line": {"color": f"role:{role.name}", "dash": "dot", "width": 2},
        "hoverinfo": "skip",
    }


def points(series: Series) -> Trace:
    """The learner's points; each carries its number, 1 for the first, for clicks."""
    role = ROLES[series.role]
    return scatter("markers", series.x, series.y, role.label) | {
        "customdata": list(range(1, len(series.x) + 1)),
        "marker": mark(role),
        "showlegend": False,
        "hovertemplate": WORDS("point_hover", name=role.label),
    }


def dragged(
    trace: Trace, part: Literal["points", "tip", "line", "place"], **sets: Measure
) -> Trace:
    """The same trace, and a hand that drags it sets parameters.

    Args:
        trace: on linear axes.
        part: any of its points, the last one, the line through them, or any place of the chart.
        sets: for each parameter what of the place under the hand it becomes: x, y, the size of y,
            the larger size of both, the length of both, their angle in degrees, or two to the
            power of x. A list of numbers is set where its entry has the number of the point.
    """
    return trace | {"meta": {"part": part, "sets": sets}}


def covered_with(trace: Trace, *roles: str) -> Trace:
    """The trace, hidden while one of these roles is, though it has none of their colours."""
    return trace | {"hides": roles}


def along_x(series: Series) -> Trace:
    """The learner's points, each dragged along x."""
    return dragged(points(series), "points", x="x")


def thin(x: Any, y: Any, name: str, dash: str = "dash", width: float = 1) -> Trace:
    """A thin line in the colour of the axes: it marks a place, and is no data."""
    return scatter("lines", x, y, name) | {
        "line": {"color": "ink:axis", "width": width, "dash": dash},
        "hoverinfo": "skip",
    }


def stepped(edges: Array, heights: Array, ground: float, role: str, name: str) -> Trace:
    """A histogram as one area in steps above its ground: quicker to move than many bars."""
    return scatter(
        "lines",
        np.repeat(edges, 2),
        np.concatenate([[ground], ground + np.repeat(heights, 2), [ground]]),
        name,
    ) | {
        "fill": "toself",
        "fillcolor": f"role:{role}/0.4",
        "line": {"color": f"role:{role}", "width": 1},
        "hoverinfo": "skip",
    }


def limits(
    limit: float, ends: tuple[float, float], name: str, sides: Sequence[int] = (1, -1)
) -> Trace:
    """Thin lines at a limit above and below 0, or above alone, which set that parameter."""
    x = np.array([*ends, np.nan] * len(sides))[:-1]
    line = thin(x, np.repeat([side * limit for side in sides], 3)[:-1], name)
    size: Measure = "size"
    return dragged(line, "line", **{name: size})


def mark(role: Role) -> Trace:
    """A point in this role."""
    symbol, size = _POINTS.get(role.name, (role.marker, 9.0))
    width = 2 if symbol.endswith("-open") else 1
    colour = f"role:{role.name}"
    return {"color": colour, "symbol": symbol, "size": size} | {
        "line": {"color": colour if width == 2 else "ink:paper", "width": width}
    }


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
        "xaxis": {**shared, "range": list(x), "title": axis_title(x_title)},
        "yaxis": {**shared, "range": list(y), "title": axis_title(y_title)},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"color": "ink:text", "size": 13},
        "margin": {"l": 58, "r": 12, "t": 8, "b": 44},
        "hovermode": "closest",
        "showlegend": False,
        "uirevision": "keep",
    }


def plane(x: tuple[float, float], y: tuple[float, float], x_title: str, y_title: str) -> Trace:
    """A layout as ``axes`` makes it, with one scale for both: an angle looks as large as it is."""
    layout = axes(x, y, x_title, y_title)
    layout["yaxis"] |= {"scaleanchor": "x", "scaleratio": 1}
    return layout


def circle(radius: float, name: str) -> Trace:
    """A thin circle around the origin of a plane."""
    around = np.linspace(0.0, 2 * math.pi, 121)
    return thin(radius * np.cos(around), radius * np.sin(around), name, "solid")


def marked(axis: Trace, places: Sequence[float], names: Sequence[str] | None = None) -> None:
    """Mark these places of an axis, by these names or else by their numbers."""
    axis |= {"tickmode": "array", "tickvals": places}
    if names is not None:
        axis["ticktext"] = names


ABOVE = "y2"
"""The y axis of the upper row of a chart with two, as a trace names it."""


def two_rows(
    x: tuple[float, float],
    upper: tuple[float, float],
    lower: tuple[float, float],
    titles: tuple[str, str],
) -> Trace:
    """A layout with two rows over one x axis; traces of the upper row have the y axis ``ABOVE``.

    Args:
        x, upper, lower: the ends of the axes.
        titles: of the upper and of the lower y axis.
    """
    layout = axes(x, lower, "x", titles[1])
    layout["yaxis"] |= {"domain": [0.0, 0.58]}
    row = {"domain": [0.68, 1.0], "range": [*upper], "nticks": 5, "title": axis_title(titles[0])}
    return layout | {"yaxis2": layout["yaxis"] | row}


def round_up(values: list[Array], least: float) -> float:
    """A round number no finite value exceeds in size, one of 1, 1.5, 2, 3, 5, 7.5 times 10ⁿ.

    Values beyond 1e307 are left out of sight: the ends of an axis must not overflow.

    >>> round_up([np.array([-2.3, np.nan])], least=1.0)
    3.0
    """
    sizes = np.abs(np.concatenate([np.ravel(value) for value in values if value is not None]))
    sizes = sizes[np.isfinite(sizes)]
    return _rounded(max(float(sizes.max()) if len(sizes) else least, least))


def _rounded(size: float) -> float:
    top = min(size, 1e307) * 1.05
    power = 10.0 ** math.floor(math.log10(top))
    return next(
        (float(f"{f * power:.3g}") for f in (1, 1.5, 2, 3, 5, 7.5) if f * power >= top), 10 * power
    )


def fitted(values: Iterable[Array | None], least: float = 1e-300) -> tuple[float, float]:
    """A range for these numbers: from 0, to a round number on each side on which something is.

    The sides are rounded each by itself, outward: few different ends, so that an axis seldom moves
    while one drags, and none of it stays empty.

    >>> fitted([np.array([-0.2, 2.3])])
    (-0.3, 3.0)
    """
    parts = [np.ravel(value) for value in values if value is not None]
    y = np.concatenate(parts) if parts else np.zeros(0)
    y = y[np.isfinite(y)]
    sides = -float(y.min(initial=0.0)), float(y.max(initial=0.0))
    top = _rounded(max(*sides, least))
    if not any(sides):
        return -1.0, 1.0
    ends = [
        max(_rounded(max(side, 1e-300)), 0.05 * top) if side > 1e-9 * top else 0.05 * top
        for side in sides
    ]
    return -ends[0], ends[1]


def span(series: Series) -> tuple[float, float]:
    """The first and the last x of a curve: what its axis shows."""
    return float(series.x[0]), float(series.x[-1])


def spoken(result: Result | Mapping[str, Series], names: Sequence[str], called: str = "x") -> str:
    """These series in words, for screen readers: the first eight inputs."""
    inputs = [f"{called} = {number(float(x))}" for x in result[names[0]].x[:8]]
    return in_words(result, {name: ROLES[name].label for name in names}, inputs)


def in_words(
    result: Result | Mapping[str, Series], labels: Mapping[str, str], names: Sequence[str]
) -> str:
    """The first eight entries of some series in words, for screen readers.

    Args:
        labels: what each series is called.
        names: what each entry is called.
    """
    parts = [
        f"{name}: "
        + ", ".join(
            f"{label} {number(float(result[role].y[place]), 4)}" for role, label in labels.items()
        )
        for place, name in enumerate(names[:8])
    ]
    return "; ".join(parts) + "."


def cells(result: Result, names: Iterable[str], index: int, digits: int) -> list[str]:
    """These series at one input as cells of a table.

    Args:
        index: which input, 0 for the first.
    """
    return [number(float(result[n].y[index]), digits) for n in names]


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


def annotation(x: float, y: float, text: str, **where: Any) -> Trace:
    """Words at a place of a chart, for its layout's ``annotations``."""
    return {"x": x, "y": y, "text": text, "showarrow": False} | {
        "font": {"color": "ink:muted", "size": 12},
        **where,
    }


def axis_title(text: str) -> Trace:
    """The title of an axis."""
    return {"text": text, "font": {"color": "ink:muted", "size": 13}, "standoff": 6}
