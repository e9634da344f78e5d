"""The cliff lab's error as a landscape that is seen at an angle, with the paths on it.

The landscape is one map of shades, drawn here point by point: Plotly's own surface needs a script
four times as large, and a browser without a graphics card takes up to a second to draw it.
"""

from collections.abc import Iterator
from functools import lru_cache

import numpy as np
import torch

from lessons.chapters.clipping.cliff.recurrent import (
    ARMS,
    VALLEY,
    WINDOWS,
    Settings,
    Window,
    errors_at,
    inside,
)
from lessons.contract.figure import Figure
from lessons.contract.result import Array, Result
from lessons.contract.roles import ROLES
from lessons.contract.words import Words
from lessons.kit.chart_pieces import Trace, scatter
from lessons.kit.line_names import label
from lessons.text import number
from lessons.training.step_charts import HEIGHT

WORDS = Words(__file__)

# Each arm's role, and its name; drawn in this order. The roles are those of lesson 1.
LOOKS = {
    "none": ("true_gradient", WORDS("none")),
    "value": ("trick_gradient", WORDS("by_value")),
    "norm": ("intended_gradient", WORDS("by_norm")),
}

START = {"color": "ink:text", "size": 12, "line": {"color": "ink:paper", "width": 2}}
"""The mark where training starts."""

ROLE_OF = {arm: role for arm, (role, _) in LOOKS.items()}

_STROKES = {"dot": "┈┈", "solid": "━━", "dash": "╍╍"}

_TURN = np.radians(205.0)
_SIN, _COS = float(np.sin(_TURN)), float(np.cos(_TURN))
_REACH = abs(_SIN) + abs(_COS)
"""The distance from the turned window's middle to its corners, in halves of a side."""
_TILT, _TALL = 0.5, 1.2
"""The lift on the paper of a unit to the back, and of an error of 1."""
_COLUMNS, _ROWS, _DEEP = 300, 180, 240
_LIGHT = np.array([-0.45, 0.35, 0.8]) / np.linalg.norm([-0.45, 0.35, 0.8])
"""The light's direction: from the left, behind the wall, above. So the wall lies in the shade."""
_SIDES = 0.35
"""The shade of the block's sides, below the landscape."""
_ACROSS = (-_REACH - 0.34, _REACH + 0.16)
_UP = (-_REACH * _TILT - 0.2, _REACH * _TILT + 0.6)

# Shades from 0 to 1, from 1 to 2 the same in the valley.
_SHADES = [
    [0.0, "ink:muted"],
    [0.5, "ink:grid"],
    [0.5, "role:forward"],
    [1.0, "role:forward/0.7"],
]


def stroked(arm: str) -> str:
    """The name of a descent, after a piece of its line."""
    role, name = LOOKS[arm]
    return f"{_STROKES[ROLES[role].dash]} {name}"


def stroke(arm: str) -> Trace:
    """The line of a descent."""
    role, _ = LOOKS[arm]
    return {"color": f"role:{role}", "dash": ROLES[role].dash, "width": 2, "simplify": False}


def spanned(window: Window) -> str:
    """The window in words."""
    w_low, w_high, b_low, b_high = (number(end) for ends in window for end in ends)
    return WORDS("window", w_low=w_low, w_high=w_high, b_low=b_low, b_high=b_high)


def in_words(result: Result) -> str:
    """The three paths in words."""
    parts = []
    for arm, (_, name) in LOOKS.items():
        update = result.facts[f"{arm}_left_at"]
        went = WORDS("leaves", update=update) if update else WORDS("stays")
        parts.append(
            WORDS("path", name=name, went=went, error=number(result.number(f"{arm}_error"), 3))
        )
    w, b = (number(float(v), 4) for v in result.planes["places"][0, :, 0])
    return WORDS("paths", w=w, b=b, paths="; ".join(parts))


def landscape(result: Result, settings: Settings) -> Figure:
    """The error over w and b, seen at an angle."""
    window = WINDOWS[settings.window]
    thrown = [
        WORDS("thrown_at", name=name, update=result.facts[f"{arm}_left_at"])
        for arm, (_, name) in LOOKS.items()
        if result.facts[f"{arm}_left_at"]
    ]
    hidden = {"visible": False, "fixedrange": True}
    return WORDS.chart(
        "surface",
        [_landscape(window), _edges(window), *_paths(result, window), _start(result, window)],
        {
            "xaxis": hidden | {"range": list(_ACROSS)},
            "yaxis": hidden | {"range": list(_UP)},
            "showlegend": False,
            "margin": {"l": 4, "r": 4, "t": 4, "b": 4},
        },
        HEIGHT,
        thrown=", ".join(thrown) or WORDS("no_path"),
        window=spanned(window),
        paths=in_words(result),
    )


def on_paper(window: Window, w: Array, b: Array, error: Array) -> tuple[Array, Array]:
    """The place on the paper of a place in the landscape: across and up."""
    (w_low, w_high), (b_low, b_high) = window
    right = (2 * w - w_low - w_high) / (w_high - w_low)
    back = (2 * b - b_low - b_high) / (b_high - b_low)
    return right * _COS - back * _SIN, (right * _SIN + back * _COS) * _TILT + error * _TALL


def _landscape(window: Window) -> Trace:
    return {
        "type": "heatmap",
        "x0": -_REACH,
        "dx": 2 * _REACH / (_COLUMNS - 1),
        "y0": _UP[0],
        "dy": (_UP[1] - _UP[0]) / (_ROWS - 1),
        "z": shades(window),
        "zmin": 0.0,
        "zmax": 2.0,
        "colorscale": _SHADES,
        "showscale": False,
        "hoverinfo": "skip",
    }


@lru_cache(maxsize=2)
def shades(window: Window) -> Array:
    """The landscape as it is seen: [rows, columns], from the lowest row; NaN where the paper is.

    Each column of the paper looks along one line over the plane, from the nearest place to the
    farthest. In each row it sees the first place that reaches up to it.
    """
    across = np.linspace(-_REACH, _REACH, _COLUMNS)
    depth = np.linspace(-_REACH, _REACH, _DEEP)
    aside, away = np.meshgrid(across, depth)
    right, back = aside * _COS + away * _SIN, away * _COS - aside * _SIN
    plane = np.maximum(np.abs(right), np.abs(back)) <= 1
    (w_low, w_high), (b_low, b_high) = window
    w = w_low + (right + 1) / 2 * (w_high - w_low)
    b = b_low + (back + 1) / 2 * (b_high - b_low)
    error = errors_at(torch.from_numpy(w), torch.from_numpy(b)).numpy()
    shade = np.where(error < VALLEY, 2.0, 1.0) - 1 + _lit(error * _TALL, across, depth)
    horizon = np.maximum.accumulate(np.where(plane, away * _TILT + error * _TALL, -np.inf), 0)
    first = plane.argmax(0)
    seen = np.full((_ROWS, _COLUMNS), np.nan)
    rows = np.linspace(*_UP, _ROWS)
    for column in np.flatnonzero(plane.any(0)):
        at = np.searchsorted(horizon[:, column], rows)
        there = (at < _DEEP) & (rows >= depth[first[column]] * _TILT)
        below = at == first[column]  # the block's side, from the ground to the landscape's edge
        found = np.where(below, _SIDES, shade[np.minimum(at, _DEEP - 1), column])
        seen[there, column] = found[there]
    return np.round(64 * seen) / 64  # few different numbers travel packed


def _lit(height: Array, across: Array, depth: Array) -> Array:
    """The light at each place, 0 to 1."""
    by_across = np.gradient(height, across, axis=1)
    by_depth = np.diff(height, axis=0, prepend=height[:1]) / (depth[1] - depth[0])
    upright = np.stack([-by_across, -by_depth, np.ones_like(height)])
    facing = np.tensordot(_LIGHT, upright / np.linalg.norm(upright, axis=0), 1)
    return np.clip(facing, 0.0, 0.99)


def _edges(window: Window) -> Trace:
    """The names and ends of w and b and the valley's, along the two near edges of the block."""
    (w_low, w_high), (b_low, b_high) = window
    along = torch.linspace(w_low, w_high, _COLUMNS, dtype=torch.float64)
    valley = float(along[errors_at(along, torch.full_like(along, b_high)).argmin()])
    words = (
        (w_high, b_high, f"w {number(w_high)}, b {number(b_high)}", "bottom center"),
        ((w_low + w_high) / 2, b_high, "← w", "bottom right"),
        (w_low, b_high, f"w {number(w_low)}", "bottom center"),
        (w_high, (b_low + b_high) / 2, "b →", "bottom left"),
        (w_high, b_low, f"b {number(b_low)}", "middle left"),
        (valley, b_high, WORDS("valley"), "bottom center"),
    )
    w, b, text, sides = (list(one) for one in zip(*words, strict=True))
    x, y = on_paper(window, np.array(w), np.array(b), np.zeros(len(words)))
    return scatter("text", x, y) | {
        "text": text,
        "textposition": sides,
        "textfont": {"color": ["ink:muted"] * (len(words) - 1) + ["role:forward"], "size": 14},
        "hoverinfo": "skip",
        "cliponaxis": False,
    }


def _paths(result: Result, window: Window) -> Iterator[Trace]:
    """Each path to the first place outside of the window, a dot for each update, and its name.

    The names stand above the landscape, at its right: among the paths they could not be read.
    """
    for index, arm in enumerate(ARMS):
        role, name = LOOKS[arm]
        places, errors = result.planes["places"][:, :, index], result.planes["errors"][:, index]
        out = ~inside(places[:, 0], places[:, 1], window)
        last = int(out.argmax()) if out.any() else len(places) - 1
        w, b = places[: last + 1].T
        x, y = on_paper(window, w, b, errors[: last + 1])
        yield scatter("lines+markers", x, y, name) | {
            "line": stroke(arm),
            "marker": {"color": f"role:{role}", "size": 4},
            "hovertemplate": f"{name}<extra></extra>",
        }
        at = _UP[1] - (0.5 + index) * (_UP[1] - _UP[0]) / 14
        yield label(role, stroked(arm), _ACROSS[1], at, "middle left")


def _start(result: Result, window: Window) -> Trace:
    w, b = result.planes["places"][0, :, 0]
    x, y = on_paper(window, w, b, result.planes["errors"][0, 0])
    return scatter("markers+text", [float(x)], [float(y)]) | {
        "text": [WORDS("start") + "\u00a0\u00a0"],
        "textposition": "middle left",
        "textfont": {"color": "ink:text", "size": 14, "shadow": "auto"},
        "marker": START,
        "hoverinfo": "skip",
        "cliponaxis": False,
    }
