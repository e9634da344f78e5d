"""The charts of two estimators: the draws of each, and the variance over the baseline."""

import math

import numpy as np

from lessons.contract.figure import SHORT, TALL, Figure, Table
from lessons.contract.result import Histogram, Result
from lessons.contract.roles import ROLES
from lessons.contract.settings import Settings
from lessons.contract.words import Words
from lessons.gradient_tricks.text import number
from lessons.kit.chart_pieces import (
    Trace,
    axes,
    cells,
    curve,
    dragged,
    fitted,
    mark,
    marked,
    scatter,
    stepped,
    thin,
)
from lessons.kit.line_names import label, named
from lessons.kit.titles import brief

WORDS = Words(__file__)

FIRST = 5
"""Draws that the table lists."""

NAMES = {
    "intended_gradient": WORDS("path"),
    "noise": WORDS("score"),
    "trick_gradient": WORDS("yours"),
    "true_gradient": WORDS("exact"),
}

ROWS = {"intended_gradient": 2, "noise": 1, "trick_gradient": 0}
"""The row of each estimator's histogram, counted from the bottom."""


def table(result: Result, settings: Settings) -> Table:
    """The first draws, then the mean of all and the exact variance."""
    columns: list[tuple[str, str | None]] = [(WORDS("draw"), None), (WORDS("sample"), None)]
    columns += [(WORDS("adds"), "forward")]
    columns += [(name, role) for role, name in NAMES.items()]
    rows = []
    for place, x in enumerate(result.planes["samples"]):
        own = cells(result, ["forward", *NAMES], place, 5)
        rows.append((str(place + 1), number(float(x), 5), *own))
    means = [number(result.number(f"{role}_mean"), 4) for role in ROWS]
    variances = [
        number(result.number(f"{name}_variance"), 4) for name in ("path", "score", "trick")
    ]
    for name, found, last in (
        (WORDS("mean_of", draws=result.facts["draws"]), means, number(result.number("exact"), 4)),
        (WORDS("exact_variance"), variances, "0"),
    ):
        rows.append((name, "", "", *found, last))
    return Table(WORDS("table"), tuple(columns), tuple(rows))


def _draws(result: Result, settings: Settings) -> Figure:
    bars = {one.role: one for one in result.histograms}
    edges = bars["trick_gradient"].edges
    layout = axes((float(edges[0]), float(edges[-1])), (-0.12, 3.0), WORDS("gradient_axis"), "")
    marked(layout["yaxis"], [])
    layout["yaxis"]["zeroline"] = False
    layout["margin"] = layout["margin"] | {"l": 12, "r": 130}
    words = "; ".join(
        WORDS("draws_of", name=NAMES[role], mean=number(one.mean, 4), spread=number(one.spread, 4))
        for role, one in bars.items()
    )
    end, exact = float(edges[-1]), result.number("exact")
    mean, variance = result.numbers("trick_expected", "trick_variance")
    return WORDS.chart(
        "draws",
        [
            *map(_area, bars.values()),
            *map(_spread, bars.values()),
            thin([exact, exact], [-0.12, 3.0], NAMES["true_gradient"])
            | {"line": {"color": "role:true_gradient", "dash": "dot", "width": 2}},
            *(
                label(role, _with_variance(bars[role]), end, row + 0.3)
                for role, row in ROWS.items()
            ),
        ],
        layout,
        TALL,
        mean=brief(mean, math.sqrt(variance) + abs(exact)),
        variance=brief(variance),
        exact=number(exact, 4),
        draws=words,
    )


def _with_variance(bars: Histogram) -> str:
    """The name of a row and the exact variance of one draw."""
    return f"{NAMES[bars.role]}: {brief(bars.spread**2)}"


def _area(bars: Histogram) -> Trace:
    """One row: a stepped area over its own ground line."""
    share = 0.75 * bars.counts / (float(bars.counts.max()) or 1.0)
    return stepped(bars.edges, share, ROWS[bars.role] + 0.08, bars.role, NAMES[bars.role])


def _spread(bars: Histogram) -> Trace:
    """From one standard deviation below the mean of the draws to one above it."""
    y = ROWS[bars.role]
    return scatter(
        "lines+markers",
        np.array([bars.mean - bars.spread, bars.mean, bars.mean + bars.spread]),
        np.full(3, float(y)),
        NAMES[bars.role],
    ) | {
        "line": {"color": f"role:{bars.role}", "width": 4},
        "marker": mark(ROLES[bars.role]) | {"size": [0, 9, 0], "opacity": 1},
        "hovertemplate": "%{x:.4g}<extra>" + NAMES[bars.role] + "</extra>",
    }


def _variance(result: Result, settings: Settings) -> Figure:
    over = {one.name: one for one in result.curves if one.name.startswith("variance_")}
    score, path = over["variance_score"], over["variance_path"]
    own, baseline = result.numbers("trick_variance", "baseline")
    edge = 0.04 * float(score.x[-1] - score.x[0])
    layout = axes(
        (float(score.x[0]) - edge, float(score.x[-1]) + edge),
        fitted([score.y, path.y, np.array([own])]),
        WORDS("baseline"),
        WORDS("variance_axis"),
    )
    best, least = map(brief, result.numbers("best_baseline", "best_variance"))
    marker = scatter("markers", np.array([baseline]), np.array([own]), NAMES["trick_gradient"]) | {
        "marker": mark(ROLES["trick_gradient"]) | {"size": 12},
        "hovertemplate": WORDS("variance_hover"),
    }
    ends = (
        ("noise", WORDS("score_any_b"), score.y),
        ("intended_gradient", NAMES["intended_gradient"], path.y),
    )
    return WORDS.chart(
        "variance",
        [
            curve(score),
            curve(path),
            dragged(marker, "points", baseline="x"),
            *named(ends, layout, SHORT),
        ],
        layout,
        best=best,
        least=least,
        own=brief(own),
        path=brief(result.number("path_variance")),
    )


CHARTS = (_draws, _variance)
