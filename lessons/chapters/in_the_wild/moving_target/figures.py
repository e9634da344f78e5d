"""Charts and tables of moving targets: the values as they train, and one step by itself."""

import math

import numpy as np

from lessons.contract.figure import Figure, Table
from lessons.contract.history import History
from lessons.contract.parameters import Values
from lessons.contract.result import Array, Result, Series
from lessons.contract.roles import GRADIENTS
from lessons.kit.chart_pieces import (
    Trace,
    axes,
    band,
    curve,
    fitted,
    gradient_points,
    points,
    spoken,
)
from lessons.kit.components import component_table
from lessons.kit.findings import of_points, titled
from lessons.kit.line_names import named
from lessons.text import number
from lessons.training.step_charts import arms_table, line, of, over_steps, written_out

HEIGHT = 400
_ROLE = {"trick": "trick_gradient", "plain": "true_gradient"}
_NAMES = {"trick": "as set", "plain": "no stop"}
_MEASURES = {"off": "distance from the true values", "loss": "mean squared error"}
_LEAST = {"off": -8, "loss": -16}
"""The lowest power of ten that is drawn: below it there is rounding alone."""


def figures(history: History, values: Values) -> list[Figure]:
    """The values of the states, their distance from the true ones, and the loss.

    Of two states the distance comes first: that they grow or fall is seen over the steps.
    """
    over = [_distances(history), _losses(history)]
    if values["task"] == "two":
        return [*over, _values(history, values)]
    return [_values(history, values), *over]


def table(history: History, values: Values) -> Table:
    """Both arms as they stand: mean over the seeds, lowest and highest seed."""
    measures = _MEASURES | {"middle": f"value of the {_which(values)}"}
    return arms_table(history, measures, _ROLE, _NAMES)


def _which(values: Values) -> str:
    """The state whose value stands for all."""
    return "second state" if values["task"] == "two" else "middle state"


def _both(history: History, what: str, digits: int) -> str:
    found = {arm: written_out(of(history.facts, f"{arm}_{what}"), digits) for arm in _ROLE}
    return ", ".join(f"{value} {_NAMES[arm]}" for arm, value in found.items())


def _values(history: History, values: Values) -> Figure:
    picture = history.latest.picture
    true = picture["true"]
    x = np.arange(1.0, 1 + len(true))
    # Where a training rests is not drawn before it runs: a question may ask for it.
    lowest = picture["open_rests"] if history.done else np.full(len(true), np.nan)
    layout = axes(
        (0.8, len(true) + 0.2),
        fitted([true, lowest, picture["trick"], picture["plain"]], 0.1),
        "state",
        "value",
    )
    layout["xaxis"] = layout["xaxis"] | {"dtick": 1}
    layout["annotations"] = _called(true, lowest)
    ends, data = [], [line("true values", x, true, "ink:text", "solid", 1.5)]
    data.append(line("lowest mean squared error", x, lowest, "ink:muted", "dash", 2))
    for arm, role in _ROLE.items():
        series = _over_states(x, picture[arm], role)
        of_seed = Series(role, role, x, picture[f"{arm}_shown"])
        marks = {**points(of_seed), "hovertemplate": "state %{x}<br>%{y:.3g}<extra></extra>"}
        data = [band(series), *data, curve(series), marks]
        ends.append((role, _NAMES[arm], series.y))
    found = _both(history, "middle", 3)
    middle = len(true) // 2
    which = _which(values).capitalize()
    return Figure(
        "values",
        f"{which}: {found}",
        "Values of the states. Lines: means over the seeds. Areas: 5 to 95 % of the seeds. Marks: "
        f"seed {int(picture['seed'][0])}. Thin line: the true values. Dashed: where the mean "
        "squared error is lowest.",
        f"Values after step {history.done}, means over the seeds. {which}: {found}, "
        f"true {number(float(true[middle]), 3)}.",
        [*data, *named(ends, layout, HEIGHT)],
        layout,
        height=HEIGHT,
        subject="The values of the states",
    )


def _called(true: Array, lowest: Array) -> list[Trace]:
    """The names of both still lines, where they lie apart."""
    if len(true) < 4 or not min(abs(lowest[1] - true[1]), abs(lowest[3] - true[3])) > 0.05:
        return []
    font = {"color": "ink:muted", "size": 12}
    shared = {"showarrow": False, "font": font}
    return [
        {"x": 4, "y": true[3], "text": "true", "xanchor": "left", "yanchor": "top", **shared},
        {
            "x": 2,
            "y": lowest[1],
            "text": "lowest loss",
            "xanchor": "right",
            "yanchor": "bottom",
            **shared,
        },
    ]


def _over_states(x: Array, seeds: Array, role: str) -> Series:
    """Mean and 5 to 95 % of the seeds, whose values are finite."""
    known = seeds[np.isfinite(seeds).all(1)]
    if not len(known):
        gap = np.full(len(x), np.nan)
        return Series(role, role, x, gap, gap, gap)
    low, high = np.percentile(known, [5, 95], axis=0)
    return Series(role, role, x, known.mean(0), low, high)


def _distances(history: History) -> Figure:
    found = _both(history, "off", 2)
    layout = _logarithmic(history, "off", "distance")
    return Figure(
        "off",
        f"Off by {found}",
        "Root mean square over the states of value minus true value, means over the seeds.",
        f"Distance from the true values over the steps, on a logarithmic axis. After step "
        f"{history.done}: {found}.",
        _lines(history, "off", layout),
        layout,
        height=HEIGHT,
        subject="The distance from the true values",
    )


def _losses(history: History) -> Figure:
    found = _both(history, "loss", 3)
    layout = _logarithmic(history, "loss", "mean squared error")
    return Figure(
        "loss",
        f"Loss: {found}",
        "Mean of the squared error over all steps of the task, as often as they happen. It has no "
        "noise of sampling in it.",
        f"Mean squared error over the steps, on a logarithmic axis. After step {history.done}: "
        f"{found}.",
        _lines(history, "loss", layout),
        layout,
        height=HEIGHT,
        subject="The loss",
    )


def _lines(history: History, what: str, layout: Trace) -> list[Trace]:
    names = {f"{arm}_{what}": (role, _NAMES[arm]) for arm, role in _ROLE.items()}
    return over_steps(history, names, layout, HEIGHT)


def _logarithmic(history: History, what: str, title: str) -> Trace:
    """Whole powers of ten around both lines."""
    series = [history.series(f"{arm}_{what}", role) for arm, role in _ROLE.items()]
    seen = np.concatenate(
        [part for one in series for part in (one.low, one.high) if part is not None]
    )
    known = seen[np.isfinite(seen) & (seen > 0)]
    low, high = np.log10([known.min(), known.max()]) if len(known) else (-1.0, 0.0)
    low, high = max(math.floor(low), _LEAST[what]), max(math.ceil(high), _LEAST[what] + 1)
    layout = axes((0.0, float(history.total)), (min(low, high - 1), high), "step", title)
    every = max(1, math.ceil((high - low) / 6))
    ticks = {"type": "log", "dtick": every, "tickformat": ".0e" if high - low > 6 else "~g"}
    return layout | {"yaxis": layout["yaxis"] | ticks}


def static_figures(result: Result, values: Values) -> list[Figure]:
    """The gradient at the weights that one step of the task gives."""
    count = len(result["forward"].x)
    heights = fitted([1.15 * result[role].y for role in GRADIENTS])
    if values["task"] == "two":
        what, called = "from the first state to the second, which share a weight", "weight"
    else:
        what, called = f"from state {values['point']} to the right", "state"
    layout = axes((0.0, count + 1.0), heights, called, "gradient")
    layout["xaxis"]["dtick"] = 1
    return [
        Figure(
            "gradient",
            titled("Gradient", of_points(result), "of one step"),
            f"Of one step {what}, at fixed numbers. Squares: true gradient. Crosses: intended, "
            "the target held still. Diamonds: what autograd gives, as set.",
            f"The gradient of the loss of one step {what}. " + spoken(result, GRADIENTS),
            gradient_points(result),
            layout,
            height=300,
            subject="Gradient, of one step",
        )
    ]


def static_table(result: Result, values: Values) -> Table:
    """Weight by weight: value and gradients."""
    labels = {"forward": "weight", "trick_gradient": "autograd"}
    labels |= {"true_gradient": "no stop", "intended_gradient": "intended"}
    names = [str(index + 1) for index in range(len(result["forward"].x))]
    return component_table(
        result,
        labels,
        names,
        "The weights and the gradient of one step’s loss at them",
        "state",
        4,
    )
