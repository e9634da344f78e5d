"""Charts and tables of collapsing features: as they train, and one pair of views by itself."""

import math

import numpy as np

from lessons.chapters.in_the_wild.collapse.net import FULL
from lessons.contract.figure import Figure, Table
from lessons.contract.history import History
from lessons.contract.parameters import Values
from lessons.contract.result import Result
from lessons.contract.roles import GRADIENTS
from lessons.kit.chart_pieces import Trace, axes, fitted, gradient_points, spoken
from lessons.kit.components import component_table
from lessons.kit.findings import of_points, titled
from lessons.text import number
from lessons.training.step_charts import arms_table, line, of, over_steps, step_axes

HEIGHT = 400
_ROLE = {"trick": "trick_gradient", "plain": "true_gradient"}
_NAMES = {"trick": "as set", "plain": "no stop"}
_MEASURES = {
    "loss": "loss",
    "spread": "spread of the features",
    "others": "similarity of two inputs",
    "accuracy": "accuracy of a linear head",
}


def figures(history: History, values: Values) -> list[Figure]:
    """The loss, and the spread of the features."""
    return [_losses(history), _spreads(history)]


def table(history: History, values: Values) -> Table:
    """Both networks as they stand: mean over the seeds, lowest and highest seed."""
    return arms_table(history, _MEASURES, _ROLE, _NAMES, 4)


def _lines(history: History, what: str, layout: Trace) -> list[Trace]:
    names = {f"{arm}_{what}": (role, _NAMES[arm]) for arm, role in _ROLE.items()}
    return over_steps(history, names, layout, HEIGHT)


def _both(history: History, what: str, digits: int) -> str:
    found = {arm: number(of(history.facts, f"{arm}_{what}"), digits) for arm in _ROLE}
    return ", ".join(f"{value} {_NAMES[arm]}" for arm, value in found.items())


def _losses(history: History) -> Figure:
    # Over powers of ten of how far it is above −1: two losses near −1 are two lines.
    bands = [history.series(f"{arm}_above", role) for arm, role in _ROLE.items()]
    known = np.concatenate([one.low for one in bands if one.low is not None])
    least = math.floor(math.log10(known[np.isfinite(known)].min(initial=0.01)))
    layout = step_axes(history, (float(least), math.log10(2)), "loss")
    powers = range(least, 1)
    layout["yaxis"] |= {
        "type": "log",
        "tickmode": "array",
        "tickvals": [10.0**power for power in powers],
        "ticktext": [f"−{1 - 10.0**power:.{-power}f}" if power else "0" for power in powers],
    }
    layout["margin"] = layout["margin"] | {"l": 72}
    found = _both(history, "loss", 4)
    return Figure(
        "loss",
        f"Loss: {found}",
        "Minus the cosine similarity of prediction and target, at least −1: each line of the grid "
        "is ten times nearer to it. Areas: 5 to 95 % of the seeds.",
        "Loss over the steps, means over the seeds, by powers of ten above −1. After step "
        f"{history.done}: {found}.",
        _lines(history, "above", layout),
        layout,
        height=HEIGHT,
        subject="The loss",
    )


def _spreads(history: History) -> Figure:
    layout = step_axes(history, (0.0, 0.4), "spread")
    found = _both(history, "spread", 2)
    ends = np.array([0.0, float(history.total)])
    full = line("largest possible", ends, np.full(2, FULL), "ink:muted", "dash", 1.5)
    layout["annotations"] = [_on_line(FULL, "largest possible")]
    return Figure(
        "spread",
        f"Spread: {found}",
        "Standard deviation over the inputs, of features scaled to length 1; mean over the "
        "features. At 0 all inputs have the same features.",
        f"Spread of the features over the steps, means over the seeds. After step {history.done}: "
        f"{found}. The largest possible is {number(FULL, 3)}.",
        [full, *_lines(history, "spread", layout)],
        layout,
        height=HEIGHT,
        subject="The spread of the features",
    )


def _on_line(y: float, name: str) -> Trace:
    """What a level line is, and where."""
    return {
        "x": 0,
        "y": y,
        "text": f"{name}: {number(y, 3)}",
        "showarrow": False,
        "xanchor": "left",
        "yanchor": "bottom",
        "font": {"color": "ink:muted", "size": 12},
    }


def static_figures(result: Result, values: Values) -> list[Figure]:
    """The gradient at the features of one view, at fixed numbers."""
    count = len(result["forward"].x)
    heights = fitted([1.15 * result[role].y for role in GRADIENTS])
    return [
        Figure(
            "gradient",
            titled("Gradient", of_points(result), "at one view"),
            "One mark a feature of one view. Squares: true gradient, through both branches. "
            "Crosses: intended, through the prediction alone. Diamonds: autograd’s.",
            "The gradient at the features of one view. " + spoken(result, GRADIENTS),
            gradient_points(result),
            axes((0.0, count + 1.0), heights, "feature", "gradient"),
            height=300,
            subject="Gradient, at one view",
        )
    ]


def static_table(result: Result, values: Values) -> Table:
    """Feature by feature: value and gradients."""
    labels = {"forward": "value", "trick_gradient": "autograd"}
    labels |= {"true_gradient": "no stop", "intended_gradient": "intended"}
    names = [str(index + 1) for index in range(len(result["forward"].x))]
    return component_table(
        result, labels, names, "One view’s features and the gradient at them", "feature", 4
    )
