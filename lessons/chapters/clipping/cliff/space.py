"""The cliff lab's surface in space, with the paths on it."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from lessons.chapters.clipping.cliff.looks import (
    FLATTEST,
    HEIGHT,
    LOOKS,
    STEEPNESS,
    in_words,
    powers_of_ten,
)
from lessons.chapters.clipping.cliff.recurrent import ARMS, COUNT, Window
from lessons.contract.figure import Figure
from lessons.contract.result import Result
from lessons.kit.chart_pieces import Trace
from lessons.text import number

_COARSE = 2
"""The surface in space takes every second point: it goes to the browser with every picture."""


def in_space(result: Result, window: Window, hidden: frozenset[str]) -> Figure:
    """The error as a surface over w and b, shaded by its steepness."""
    error = result.planes["error"]
    (w_low, w_high), (b_low, b_high) = window
    axis = {
        "gridcolor": "ink:grid",
        "zerolinecolor": "ink:axis",
        "backgroundcolor": "ink:paper",
        "color": "ink:muted",
        "showspikes": False,
        "nticks": 5,
    }
    titles = (("xaxis", "w", window[0]), ("yaxis", "b", window[1]), ("zaxis", "error", None))
    scene: dict[str, Any] = {
        name: axis
        | {"title": {"text": text}}
        | ({"range": list(ends)} if ends else {"range": [0.0, float(np.nanmax(error))]})
        for name, text, ends in titles
    }
    scene |= {
        "camera": {
            "eye": {"x": 1.2, "y": -1.85, "z": 0.85},
            "center": {"x": 0.0, "y": 0.0, "z": -0.12},
        },
        "aspectmode": "manual",
        "aspectratio": {"x": 1.15, "y": 1.15, "z": 0.75},
        "dragmode": "turntable",
    }
    coarse = slice(None, None, _COARSE)
    sheet: Trace = {
        "type": "surface",
        "x": np.linspace(w_low, w_high, COUNT)[coarse],
        "y": np.linspace(b_low, b_high, COUNT)[coarse],
        "z": error[coarse, coarse],
        "surfacecolor": powers_of_ten(result.planes["norm"][coarse, coarse], FLATTEST),
        "colorscale": STEEPNESS,
        "showscale": False,
        "opacity": 1.0,
        "hovertemplate": "w %{x:.3g}, b %{y:.3g}<br>error %{z:.3g}<extra></extra>",
    }
    layout = {
        "scene": scene,
        "margin": {"l": 0, "r": 0, "t": 0, "b": 0},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "font": {"color": "ink:text", "size": 12},
        "showlegend": False,
        "uirevision": "keep",
    }
    return Figure(
        "surface",
        f"Error from {number(float(np.nanmin(error)), 2)} to {number(float(np.nanmax(error)), 2)}",
        "The stronger the shade, the steeper. Drag to turn it.",
        f"The error over w and b as a surface with a cliff. {in_words(result, hidden)}",
        [sheet, *_lines_in_space(result, window, hidden)],
        layout,
        height=HEIGHT,
    )


def _lines_in_space(result: Result, window: Window, hidden: frozenset[str]) -> Iterator[Trace]:
    """The paths on the surface, as far as they are inside the window."""
    ends = np.array(window)
    for index, arm in enumerate(ARMS):
        places = result.planes["places"][:, :, index]
        inside = np.all((places >= ends[:, 0]) & (places <= ends[:, 1]), axis=1, keepdims=True)
        w, b = np.where(inside, places, np.nan).T
        role, name = LOOKS[arm]
        yield {
            "type": "scatter3d",
            "mode": "lines",
            "name": name,
            "x": w,
            "y": b,
            "z": result.planes["errors"][:, index] + 0.004,
            "line": {"color": f"role:{role}", "width": 5},
            "visible": role not in hidden,
            "hoverinfo": "skip",
        }
