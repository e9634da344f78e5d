"""The curve lab's charts and table."""

from dataclasses import dataclass

import numpy as np

from lessons.contract.figure import Figure, Table
from lessons.contract.result import Array, Result
from lessons.contract.roles import GRADIENTS
from lessons.kit.chart_pieces import Trace, axes, cells, curve, points, round_up, span, spoken
from lessons.text import number


@dataclass(frozen=True)
class CurveText:
    """What a lesson calls its function.

    Args:
        value: the forward value, a word or letter.
        gradient: its derivative, as the axis names it.
        gradient_caption, forward_caption: what to look at in each chart.
    """

    value: str
    gradient: str
    gradient_caption: str
    forward_caption: str


def curve_figures(result: Result, hidden: frozenset[str], text: CurveText) -> list[Figure]:
    """The gradient over x in its roles, and the forward value over x."""
    return [_gradients(result, hidden, text), _forward(result, text)]


def curve_table(result: Result, hidden: frozenset[str], text: CurveText) -> Table:
    """One row an input: the forward value and each gradient there."""
    labels = {"forward": f"forward {text.value}", "trick_gradient": "autograd"}
    labels |= {"true_gradient": "true", "intended_gradient": "intended"}
    columns = [("x", None), *((label, result[name].role) for name, label in labels.items())]
    rows = [
        (
            number(float(x)),
            *cells(result, labels, index, hidden, 6),
        )
        for index, x in enumerate(result["forward"].x)
    ]
    return Table("Forward value and gradients at your inputs", tuple(columns), tuple(rows))


def _gradients(result: Result, hidden: frozenset[str], text: CurveText) -> Figure:
    curves = {series.name: series for series in result.curves}
    # All curves count, hidden ones too: uncovering one must not move the others.
    limit = round_up([curves[n].y for n in GRADIENTS] + [result[n].y for n in GRADIENTS], 0.5)
    # The trick's line lies broad below; where others coincide with it, both are seen.
    broad = {"trick_gradient": 5.0, "intended_gradient": 2.5, "true_gradient": 2.5}
    data: list[Trace] = [
        *(
            curve(curves[name], name not in hidden, width, exact=True)
            for name, width in broad.items()
        ),
        *(points(result[name], name not in hidden) for name in ("true_gradient", "trick_gradient")),
    ]
    seen = [name for name in GRADIENTS if name not in hidden]
    covered = "" if len(seen) == len(GRADIENTS) else " A curve is covered until you have answered."
    return Figure(
        "gradient",
        f"{text.gradient}, the gradient",
        text.gradient_caption,
        f"The gradient {text.gradient} over x. At your inputs: " + spoken(result, seen) + covered,
        data,
        axes(span(curves["forward"]), (-limit, limit), "x", text.gradient),
        wide=True,
        selects="point",
    )


def _forward(result: Result, text: CurveText) -> Figure:
    drawn = next(series for series in result.curves if series.name == "forward")
    return Figure(
        "forward",
        f"{text.value}, the forward value",
        text.forward_caption,
        "The forward value over x. At your inputs: " + spoken(result, ["forward"]),
        [curve(drawn, exact=True), points(result["forward"])],
        axes(span(drawn), _height(drawn.y), "x", text.value),
        selects="point",
    )


def _height(y: Array) -> tuple[float, float]:
    """What the axis of these values shows: 0, and each side on which something is."""
    y = y[np.isfinite(y)]
    if not y.any():
        return -1.0, 1.0
    top = round_up([y], least=1e-300)
    below, above = ((side * y > 1e-9 * top).any() for side in (-1, 1))
    return -top if below else -0.05 * top, top if above else 0.05 * top
