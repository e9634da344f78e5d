"""The charts and the table of a learned step size."""

import math
from dataclasses import replace

import numpy as np

from lessons.contract.figure import TALL, Figure, Table
from lessons.contract.result import Result, Series
from lessons.contract.roles import ROLES
from lessons.contract.settings import Settings
from lessons.contract.words import Words
from lessons.gradient_tricks.text import number
from lessons.kit.chart_pieces import Trace, axes, cells, curve, dragged, fitted, mark, scatter, thin
from lessons.kit.components import MOST_NAMED, component_figure
from lessons.kit.line_names import NAMES, named
from lessons.kit.titles import brief

WORDS = Words(__file__)

LABELS = {
    "true_gradient": WORDS("plain_round"),
    "trick_gradient": NAMES["trick_gradient"],
    "intended_gradient": WORDS("lsq_formula"),
}
SLOPES = {"true_gradient": WORDS("plain"), "trick_gradient": NAMES["trick_gradient"]}
"""The short names of the two slopes in the first chart."""


def table(result: Result, settings: Settings) -> Table:
    """One row a weight, and the sums."""
    columns = [(WORDS("weight_x"), None), (WORDS("quantised"), "forward")]
    columns += [(label, role) for role, label in LABELS.items()]
    names = ["forward", *LABELS]
    rows = [
        (number(float(x), 5), *cells(result, names, place, 5))
        for place, x in enumerate(result["forward"].x)
    ]
    sums = (number(_sum(result, name), 5) for name in names)
    return Table(WORDS("table"), tuple(columns), (*rows, (WORDS("sum"), *sums)))


def _sum(result: Result, role: str) -> float:
    return result.number(f"sum_{role.partition('_')[0]}")


def _slopes(result: Result, settings: Settings) -> Figure:
    """One quantised weight over s, and through its point a line for each gradient."""
    tooth = result.curves[0]
    s, x, y = result.numbers("s", "x", "forward")
    end = float(np.nanmax(tooth.x))
    largest = float(np.nanmax(np.abs(tooth.y), initial=0.0))
    seen = [tooth.y, np.array([x if abs(x) <= 3 * largest else 0.0])]
    low, high = fitted(seen)
    low, high = min(low, -0.15 * high), max(high, -0.15 * low)  # room for the names of the lines
    layout = axes(
        (0.0, end), (1.1 * low, 1.1 * high), WORDS("step_size"), WORDS("quantised_weight")
    )
    slopes = {role: result.number(role) for role in SLOPES}
    across, nothing = np.array([0.0, s, end]), np.full(3, np.nan)
    tangents = [
        Series(role, role, across, y + slope * (across - s) if math.isfinite(slope) else nothing)
        for role, slope in slopes.items()
    ]
    point: Trace = scatter("markers", np.array([s]), np.array([y])) | {
        "marker": mark(ROLES["forward"]),
        "showlegend": False,
        "hovertemplate": WORDS("slopes_hover"),
    }
    weight = thin(np.array([0.0, end]), np.array([x, x]), WORDS("weight_itself"))
    ends = [(one.role, SLOPES[one.role], one.y) for one in tangents]
    ends.append(("noise", "x", np.array([x if low <= x <= high else np.nan])))
    found = ", ".join(f"{SLOPES[role]} {brief(one, 1.0)}" for role, one in slopes.items())
    return WORDS.chart(
        "slopes",
        [
            weight,
            *(
                curve(one) | {"hovertemplate": WORDS("slope_hover", name=LABELS[one.role])}
                for one in tangents
            ),
            curve(tooth, exact=True) | {"name": WORDS("quantised")},
            dragged(point, "place", s="x"),
            *named(ends, layout, TALL),
        ],
        layout,
        TALL,
        x=brief(x),
        y=number(y, 4),
        s=number(s, 3),
        found=found,
    )


def _weights(result: Result, settings: Settings) -> Figure:
    """The chart of each weight's gradient for the step size."""
    count = len(result["forward"].x)
    places = np.arange(1.0, count + 1)
    numbered = replace(result, series=tuple(replace(one, x=places) for one in result.series))
    names = [number(float(x), 3) for x in result["forward"].x]
    summed = ("trick_gradient", "true_gradient")
    sums = ", ".join(f"{LABELS[role]} {brief(_sum(result, role), 1.0)}" for role in summed)
    y = WORDS("gradient_of_s")
    chart = component_figure(WORDS, "weights", numbered, LABELS, names, y=y, sums=sums)
    x = WORDS("weight_x") if count <= MOST_NAMED else WORDS("weight_place")
    chart.layout["xaxis"]["title"]["text"] = x
    for trace in chart.data:
        if "markers" in trace["mode"]:
            trace["customdata"] = np.repeat(places, 3).astype(int).tolist()
    return replace(chart, selects="point")


CHARTS = (_slopes, _weights)
