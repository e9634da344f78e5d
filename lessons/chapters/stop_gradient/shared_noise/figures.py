"""The noise lab's charts and table."""

import numpy as np

from lessons.contract.figure import Figure, Table
from lessons.contract.parameters import Values
from lessons.contract.result import Histogram, Result, Series
from lessons.contract.roles import GRADIENTS, ROLES
from lessons.kit.chart_pieces import Trace, axes, band, cells, curve, points, round_up, span, spoken
from lessons.text import number


def figures(result: Result, values: Values, hidden: frozenset[str]) -> list[Figure]:
    """Gradients over x, forward value over x, and the gradient's histogram at one input."""
    return [
        _gradients(result, hidden),
        _forward(result),
        _histogram(result, values, hidden),
    ]


def table(result: Result, values: Values, hidden: frozenset[str]) -> Table:
    """One row an input: this draw's numbers, then the trick gradient over all draws."""
    over = {series.name: series for series in result.statistics}["trick_gradient"]
    roles = ("u", "forward", *GRADIENTS)
    labels = {"u": "noise u", "trick_gradient": "autograd", "true_gradient": "true"}
    labels |= {"forward": "forward z", "intended_gradient": "intended"}
    columns: list[tuple[str, str | None]] = [("x", None)]
    columns += [(labels[name], result[name].role) for name in roles]
    columns += [(what, "trick_gradient") for what in ("mean", "5 – 95 %")]
    covered = "trick_gradient" in hidden
    rows = []
    for index, x in enumerate(result["forward"].x):
        row = [number(float(x)), *cells(result, roles, index, hidden, 5)]
        mean, low, high = (number(float(values[index]), 5) for values in _spread(over))
        row += ["?", "?"] if covered else [mean, f"{low} … {high}"]
        rows.append(tuple(row))
    caption = "This draw of the noise; then autograd’s gradient over all draws"
    return Table(caption, tuple(columns), tuple(rows))


def _gradients(result: Result, hidden: frozenset[str]) -> Figure:
    curves = {series.name: series for series in result.curves}
    shown = {name: curves[name] for name in GRADIENTS}
    limit = round_up([series.y for series in shown.values()] + _bands(shown), least=1.4)
    traced = ("intended_gradient", "true_gradient", "trick_gradient")
    noisy = traced[1:]
    data: list[Trace] = [
        *(band(curves[name], name not in hidden) for name in noisy),
        *(curve(curves[name], name not in hidden) for name in traced),
        *(points(result[name], name not in hidden) for name in noisy),
    ]
    seen = [name for name in GRADIENTS if name not in hidden]
    covered = "" if len(seen) == 3 else " One curve is covered until you have answered."
    return Figure(
        "gradient",
        "dz/dx, the gradient",
        "Lines: mean over the draws. Bands: 5–95 % of them. Points: this draw at your x; "
        "click one for its histogram.",
        "The gradient dz/dx over x. At your inputs: " + spoken(result, seen) + covered,
        data,
        axes(span(curves["forward"]), (-limit, limit), "x", "dz/dx"),
        wide=True,
        selects="point",
    )


def _forward(result: Result) -> Figure:
    curves = {series.name: series for series in result.curves}
    forward = curves["forward"]
    top = round_up([forward.y, *_bands({"forward": forward})], least=1e-300)
    return Figure(
        "forward",
        "z, the forward value",
        "The trick leaves this alone: it is the same without a cut and with one.",
        "The forward value z over x. At your inputs: " + spoken(result, ["forward"]),
        [band(forward), curve(forward), points(result["forward"])],
        axes(span(forward), (-0.05 * top, top), "x", "z"),
        selects="point",
    )


def _histogram(result: Result, values: Values, hidden: frozenset[str]) -> Figure:
    x = number(float(result.facts["x"]))
    title = f"dz/dx at x = {x}, draw by draw"
    if not result.histograms:
        layout = axes((-1.0, 1.0), (0.0, 1.0), "dz/dx", "draws")
        alt = f"No histogram: the gradient at x = {x} is finite in no draw."
        return Figure("histogram", title, alt, alt, [], layout)
    shown = [bars for bars in result.histograms if bars.role not in hidden]
    tallest = max((float(bars.counts.max()) for bars in shown), default=1.0)
    top = round_up([np.array([tallest])], least=1.0)
    edges = result.histograms[0].edges
    intended = float(result["intended_gradient"].y[_chosen(result, values)])
    said = [
        f"{ROLES[bars.role].label}: mean {number(bars.mean, 4)}, spread {number(bars.spread, 3)}"
        for bars in shown
    ]
    return Figure(
        "histogram",
        title,
        "; ".join(said) + ". Dashed: the intended gradient.",
        f"How often each gradient came out at x = {x}. " + "; ".join(said) + ".",
        [
            *(_bars(bars, bars.role not in hidden) for bars in result.histograms),
            _line(intended, top),
        ],
        {
            **axes(
                (float(edges[0]), float(edges[-1])),
                (0.0, top),
                "dz/dx",
                "draws",
            ),
        },
    )


def _bars(bars: Histogram, visible: bool) -> Trace:
    """The histogram as one stepped area: much quicker to move than forty bars."""
    solid = bars.role == "trick_gradient"
    edges = np.repeat(bars.edges, 2)
    return {
        "type": "scatter",
        "mode": "lines",
        "name": ROLES[bars.role].label,
        "x": edges,
        "y": np.concatenate([[0.0], np.repeat(bars.counts, 2), [0.0]]),
        "fill": "toself",
        "fillcolor": f"role:{bars.role}/{0.65 if solid else 0.2}",
        "line": {"color": f"role:{bars.role}", "width": 1},
        "visible": visible,
        "hovertemplate": "%{x:.4g}: %{y} draws<extra>" + ROLES[bars.role].label + "</extra>",
    }


def _line(x: float, top: float) -> Trace:
    """A vertical line over the whole height."""
    role = ROLES["intended_gradient"]
    return {
        "type": "scatter",
        "mode": "lines",
        "name": role.label,
        "x": [x, x],
        "y": [0.0, top],
        "line": {"color": f"role:{role.name}", "dash": role.dash, "width": 2.5},
        "hoverinfo": "skip",
    }


def _chosen(result: Result, values: Values) -> int:
    return min(int(values["point"]), len(result["forward"].x)) - 1


def _spread(series: Series) -> tuple[np.ndarray, ...]:
    low, high = series.low, series.high
    if low is None or high is None:
        raise ValueError(f"series {series.name} has no band")
    return series.y, low, high


def _bands(curves: dict[str, Series]) -> list[np.ndarray]:
    ends = [(series.low, series.high) for series in curves.values() if series.low is not None]
    return [end for pair in ends for end in pair if end is not None]
