"""The codebook's charts and tables: what pulls at one encoding, and the networks as they train."""

import math

import numpy as np

from lessons.chapters.in_the_wild.codebook.net import CODES
from lessons.chapters.in_the_wild.codebook.single_point import NAMES, PARTS
from lessons.contract.figure import Figure, Table
from lessons.contract.history import History
from lessons.contract.parameters import Values
from lessons.contract.result import Array, Result
from lessons.contract.roles import ROLES
from lessons.kit.chart_pieces import Trace, axes, cells, dragged, mark
from lessons.kit.findings import brief
from lessons.kit.line_names import label
from lessons.text import number
from lessons.training.step_charts import arms_table, crowd, of, over_steps, reach, step_axes

LABELS = {
    "true_gradient": "nothing stopped",
    "trick_gradient": "autograd",
    "intended_gradient": "in the paper",
}
_ROLE = {"trick": "trick_gradient", "paper": "intended_gradient"}
_SHORT = {"trick": "yours", "paper": "paper’s"}
_MEASURES = {
    "error": ("Reconstruction error", "squared error", "How well the points are reconstructed"),
    "apart": ("‖z − e‖²", "squared distance", "How far encodings are from their codes"),
}
HEIGHT = 400
"""Pixels."""
SHARE = 0.4
"""Of a gradient: so long is its arrow. Two that pull at each other do not cover each other then."""


def figures(history: History, values: Values) -> list[Figure]:
    """One seed's encodings and codes, then distance and error over the steps."""
    return [
        _plane(history),
        _over(history, "apart"),
        _over(history, "error"),
    ]


def table(history: History, values: Values) -> Table:
    """Means over the seeds, lowest and highest seed, of both arms."""
    measures = {"error": "reconstruction error", "apart": "‖z − e‖²", "used": "codes in use"}
    return arms_table(history, measures, _ROLE, {"trick": "yours", "paper": "as in the paper"})


def _plane(history: History) -> Figure:
    """One seed's encodings as points, its codes as diamonds, those in no use as crosses."""
    picture = history.latest.picture
    z, codes, used = picture["encodings"], picture["codes"], picture["used"] > 0.5
    side = reach(np.concatenate([z, codes], 1), 0.5)
    layout = axes((-side, side), (-side, side), "first number", "second number")
    layout["yaxis"] |= {"scaleanchor": "x", "scaleratio": 1}
    seed, count = int(picture["seed"][0]), int(used.sum())
    diamonds = crowd(
        "code in use", codes[0, used], codes[1, used], "role:trick_gradient", "diamond", 11
    )
    crosses = crowd(
        "code in no use", codes[0, ~used], codes[1, ~used], "ink:text", "x-thin-open", 10
    )
    crosses["marker"] |= {"line": {"width": 2}}
    return Figure(
        "plane",
        f"Seed {seed}: {count} of {CODES} codes in use",
        f"Seed {seed}. Blue points: what the encoder makes of the data. Diamonds: codes that are "
        "the nearest of some point. Crosses: codes of no point; they get no gradient.",
        f"The plane of encodings of seed {seed} after step {history.done}, to ±{side:g}: {count} "
        f"of {CODES} codes are in use.",
        [crowd("encoding", z[0], z[1], "role:forward", "circle", 5), diamonds, crosses],
        layout,
        height=HEIGHT,
        subject="Encodings and codes",
    )


def _over(history: History, what: str) -> Figure:
    """A measure of both arms over the steps, on an axis of powers of ten."""
    subject, axis, hidden = _MEASURES[what]
    facts = history.facts
    layout = step_axes(history, _decades(history, what), axis)
    layout |= {"yaxis": layout["yaxis"] | {"type": "log", "dtick": 1, "tickformat": "~g"}}
    found = ", ".join(
        f"{number(of(facts, f'{arm}_{what}'), 2)} {word}" for arm, word in _SHORT.items()
    )
    return Figure(
        what,
        f"{subject}: {found}",
        "Mean over the seeds; areas: 5 to 95 % of them. Both begin with the same numbers.",
        f"{hidden}, over the steps, on a logarithmic axis. After step {history.done}: {found}.",
        over_steps(history, _lines(what), layout, HEIGHT),
        layout,
        height=HEIGHT,
        subject=hidden,
    )


def _lines(what: str) -> dict[str, tuple[str, str]]:
    return {f"{arm}_{what}": (role, _SHORT[arm]) for arm, role in _ROLE.items()}


def _decades(history: History, what: str) -> tuple[float, float]:
    """Whole powers of ten around both arms' numbers so far."""
    bands = [history.series(f"{arm}_{what}", role) for arm, role in _ROLE.items()]
    known = np.concatenate(
        [one for band in bands for one in (band.low, band.high) if one is not None]
    )
    known = known[np.isfinite(known) & (known > 0)]
    low, high = np.log10([known.min(), known.max()]) if len(known) else (-2.0, 0.0)
    return float(max(math.floor(low), -12)), float(min(math.ceil(high + 1e-9), 30))


def static_figures(result: Result, values: Values) -> list[Figure]:
    """What pulls at one encoding and its code."""
    return [_pulls(result, values)]


def static_table(result: Result, values: Values) -> Table:
    """One row a component: its value, what each loss sends it, and the sums by role."""
    by_part = {f"{part}_trick_gradient": part for part in PARTS}
    curves = {one.name: one for one in result.curves}
    columns: list[tuple[str, str | None]] = [("part", None), ("value", "forward")]
    columns += [(word, "trick_gradient") for word in ("error", "codebook", "commit.")]
    columns += [("none stopped", "true_gradient"), ("sum", "trick_gradient")]
    columns += [("paper’s", "intended_gradient")]
    rows = []
    for place, name in enumerate(NAMES):
        sent = (number(float(curves[one].y[place]), 4) for one in by_part)
        value = number(float(result["forward"].y[place]), 4)
        rows.append((name, value, *sent, *cells(result, LABELS, place, 4)))
    return Table("One encoding: what each loss sends to each part", tuple(columns), tuple(rows))


def _pulls(result: Result, values: Values) -> Figure:
    """The encoding, the codes, and where a step downhill takes the encoding and its code."""
    z, code = result["forward"].y[:2], result["forward"].y[2:4]
    codes = result.planes["codes"]
    side = 1.2 * reach(np.concatenate([codes.ravel(), z]), 1.0)
    layout = axes((-side, side), (-side, side), "first number", "second number")
    layout["yaxis"] |= {"scaleanchor": "x", "scaleratio": 1}
    pull = -result["trick_gradient"].y
    drawn = SHARE * pull
    traces: list[Trace] = [
        crowd("code", codes[:, 0], codes[:, 1], "ink:muted", "diamond", 9),
        {
            "type": "scatter",
            "mode": "lines",
            "x": np.array([z[0], code[0]]),
            "y": np.array([z[1], code[1]]),
            "line": {"color": "ink:axis", "width": 1, "dash": "dash"},
            "hoverinfo": "skip",
        },
        _arrow(z, drawn[:2]),
        _arrow(code, drawn[2:4]),
        dragged(_spot(z, "forward"), "tip", z1="x", z2="y"),
        _spot(code, "forward", "diamond"),
    ]
    off = 0.07 * side
    traces += [
        label("forward", "z", float(z[0]), float(z[1]) + off, "top center"),
        label("forward", "nearest code", float(code[0]), float(code[1]) - off, "bottom center"),
    ]
    known = bool(np.isfinite(pull[:4]).all())
    found = f"z {_moved(pull[:2], code - z)}, its code {_moved(pull[2:4], z - code)}"
    return Figure(
        "pulls",
        found if known else PULLS,
        f"Diamonds: codes. Arrows: {SHARE:g} of the gradient, downhill: so a step moves the "
        "encoding z and its code. Title: the lengths of the two gradients. Drag z.",
        f"The encoding is at ({number(z[0], 3)}, {number(z[1], 3)}), its nearest code at "
        f"({number(code[0], 3)}, {number(code[1], 3)}). " + f"{found}.",
        traces,
        layout,
        height=HEIGHT,
        subject=PULLS,
    )


PULLS = "An encoding and its nearest code"


def _moved(by: Array, towards: Array) -> str:
    """Whether a step brings one to the other, and how long the gradient is."""
    away = by @ towards < -1e-6 * np.hypot(*by) * np.hypot(*towards)
    return f"{'pushed' if away else 'pulled'} by {brief(float(np.hypot(*by)), 1.0)}"


def _arrow(start: Array, by: Array) -> Trace:
    """From a place along a vector, its tip marked; nothing but a ring where the vector is 0."""
    there = np.isfinite(by).all()
    end = start + by if there else start
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": "pull",
        "x": np.array([start[0], end[0]]),
        "y": np.array([start[1], end[1]]),
        "line": {"color": "role:trick_gradient", "width": 3},
        "marker": {
            "color": "role:trick_gradient",
            "symbol": "arrow",
            "size": [0, 13],
            "opacity": 1,
            "angleref": "previous",
        },
        "visible": bool(there and by.any()),
        "hoverinfo": "skip",
    }


def _spot(place: Array, role: str, symbol: str = "") -> Trace:
    marker = mark(ROLES[role]) | {"size": 11}
    return {
        "type": "scatter",
        "mode": "markers",
        "x": place[:1],
        "y": place[1:],
        "marker": marker | ({"symbol": symbol} if symbol else {}),
        "showlegend": False,
        "hoverinfo": "skip",
    }
