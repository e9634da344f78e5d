"""The noise lab's charts and table."""

import numpy as np

from lessons.chapters.stop_gradient.shared_noise.noisy_root import Settings
from lessons.contract.figure import TALL, Figure, Table
from lessons.contract.result import Histogram, Result, Series
from lessons.contract.roles import GRADIENTS, ROLES
from lessons.contract.words import Words
from lessons.gradient_tricks.text import number
from lessons.kit.chart_pieces import (
    ABOVE,
    Trace,
    along_x,
    axes,
    band,
    cells,
    curve,
    fitted,
    marked,
    span,
    stepped,
    thin,
    ticks,
    two_rows,
)
from lessons.kit.curve_figures import value_and_gradient
from lessons.kit.inputs import place_of
from lessons.kit.line_names import NAMES, label, named
from lessons.kit.noise_bands import NOISY, ends_of, over_draws

WORDS = Words(__file__)


def table(result: Result, settings: Settings) -> Table:
    """One row an input: this draw's numbers, then the trick gradient over all draws."""
    over = {series.name: series for series in result.statistics}["trick_gradient"]
    roles = ("u", "forward", *GRADIENTS)
    labels = {"u": WORDS("noise_u"), "forward": WORDS("forward_z")} | NAMES
    columns: list[tuple[str, str | None]] = [("x", None)]
    columns += [(labels[name], result[name].role) for name in roles]
    columns += [(what, "trick_gradient") for what in (WORDS("mean"), "5 – 95 %")]
    rows = []
    for index, x in enumerate(result["forward"].x):
        row = [number(float(x)), *cells(result, roles, index, 5)]
        mean, low, high = (number(float(one[index]), 5) for one in _spread(over))
        row += [mean, f"{low} … {high}"]
        rows.append(tuple(row))
    caption = WORDS("table")
    return Table(caption, tuple(columns), tuple(rows))


def _curves(result: Result, settings: Settings) -> Figure:
    curves = {series.name: series for series in result.curves}
    forward, titles = curves["forward"], ("z", "dz/dx")
    gradients = {name: curves[name] for name in GRADIENTS}
    heights = fitted(ends_of({"forward": forward})), fitted(ends_of(gradients), least=1.0)
    layout = two_rows(span(forward), *heights, titles)
    names = ((role, name, curves[role].y) for role, name in NAMES.items())
    value = [band(forward), curve(forward), along_x(result["forward"])]
    data = [
        *over_draws(gradients),
        ticks(gradients["intended_gradient"]),
        *named(names, layout, TALL),
        *(along_x(result[name]) for name in reversed(NOISY)),
        *(trace | {"yaxis": ABOVE} for trace in value),
    ]
    return value_and_gradient(result, data, layout, titles, WORDS("curves_caption"))


def _histogram(result: Result, settings: Settings) -> Figure:
    x = number(result.number("x"))
    if not result.histograms:
        layout = axes((-1.0, 1.0), (0.0, 1.0), "dz/dx", WORDS("draws_axis"))
        found, subject = WORDS("finite_in_none", x=x), WORDS("histogram_subject", x=x)
        return Figure("histogram", found, "", f"{found}.", [], layout, subject=subject)
    ends = result.histograms[0].edges
    wanted = ROLES["intended_gradient"]
    target = float(result["intended_gradient"].y[place_of(settings)])
    summaries = [
        WORDS(
            "draws_of",
            name=ROLES[bars.role].label,
            mean=number(bars.mean, 4),
            spread=number(bars.spread, 3),
        )
        for bars in result.histograms
    ]
    layout = axes((float(ends[0]), float(ends[-1])), (-1.3, 1.3), "dz/dx", WORDS("draws_axis"))
    marked(layout["yaxis"], [])
    return WORDS.chart(
        "histogram",
        [
            *(_bars(bars) for bars in result.histograms),
            thin([target, target], [-1.3, 1.3], wanted.label)
            | {"line": {"color": f"role:{wanted.name}", "dash": wanted.dash, "width": 2}},
            *(
                label(name, NAMES[name], float(ends[0]), y)
                for name, y in zip(NOISY, (1.15, -1.15), strict=True)
            ),
        ],
        layout,
        x=x,
        draws="; ".join(summaries),
        mean=number(result.number("trick_gradient_mean"), 3),
        target=number(target, 3),
    )


def _bars(bars: Histogram) -> Trace:
    """The histogram of a role.

    Of two with the same draws one would hide the other: the true gradient's hangs downward. Each
    has a scale of its own: beside a single peak the other would be flat, and tell a covered peak.
    """
    share = bars.counts / max(float(bars.counts.max()), 1.0)
    up = 1.0 if bars.role == "trick_gradient" else -1.0
    return stepped(bars.edges, up * share, 0.0, bars.role, ROLES[bars.role].label)


def _spread(series: Series) -> tuple[np.ndarray, ...]:
    low, high = series.low, series.high
    if low is None or high is None:
        raise ValueError(f"series {series.name} has no band")
    return series.y, low, high


CHARTS = (_curves, _histogram)
