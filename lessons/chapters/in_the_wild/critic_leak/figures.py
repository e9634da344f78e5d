"""The charts and the table of the critic's lab."""

from dataclasses import replace

import numpy as np

from lessons.contract.figure import SHORT, Figure, Table
from lessons.contract.parameters import Values
from lessons.contract.result import Result
from lessons.kit.chart_pieces import Measure, Trace, axes, curve, dragged, fitted, points
from lessons.kit.components import component_table, in_words, sticks
from lessons.kit.findings import brief
from lessons.kit.line_names import named
from lessons.text import counted, number

_BESIDE = 0.06
"""From the first point to its names, as a part of the chart without updates."""

COMPONENTS = ("critic’s v", "actor’s logit")

LABELS = {
    "true_gradient": "no stop",
    "trick_gradient": "autograd",
    "intended_gradient": "own loss",
}

LINES = {
    "value": ("trick_gradient", "your v"),
    "value_own": ("intended_gradient", "own loss"),
    "mean_reward": ("forward", "mean reward"),
}
"""Of each curve its role, and what its line is called."""


def figures(result: Result, values: Values) -> list[Figure]:
    """The gradients of one visit, and the value over the updates."""
    data, layout = sticks(result, LABELS, COMPONENTS, "gradient", SHORT)
    return [
        Figure(
            "gradient",
            _gets(result),
            "One visit that takes a. Left to right: with no stop, as autograd gives it now, and "
            "from the parameter’s own loss alone.",
            "The gradient of each parameter. " + in_words(result, LABELS, COMPONENTS),
            data,
            layout,
            subject="What critic and actor get",
        ),
        _updates(result, values),
    ]


def table(result: Result, values: Values) -> Table:
    """One row a parameter."""
    return component_table(result, LABELS, COMPONENTS, "The gradients of one visit")


def _gets(result: Result) -> str:
    came, own = (float(result[f"{role}_gradient"].y[0]) for role in ("trick", "intended"))
    size = max(abs(came), abs(own))
    return f"Gradient for v: {brief(came, size)}, of its own loss {brief(own, size)}"


def _updates(result: Result, values: Values) -> Figure:
    curves = {one.name: one for one in result.curves}
    last = {name: float(one.y[-1]) for name, one in curves.items()}
    updates, best = int(result.facts["updates"]), float(result.facts["best"])
    end = float(max(updates, 1))
    layout = axes(
        (-0.02 * end, end),
        fitted([*(one.y for one in curves.values()), curves["value"].y * 0 + best]),
        "update",
        "value v",
    )
    pays = "reward" if values["reward"] >= values["other"] else "other"
    height: Measure = "y"
    drawn: list[Trace] = [dragged(_level(best, end), "line", **{pays: height})]
    for name in ("mean_reward", "value", "value_own"):  # each is seen where they are one
        line = curve(curves[name])
        line["line"] |= {"width": 6 if name == "mean_reward" else 3}
        line |= {"name": LINES[name][1], "hovertemplate": _hover(LINES[name][1])}
        if updates == 0:  # a line of one point would not be seen
            role = LINES[name][0]
            line |= {"mode": "markers", "marker": {"color": f"role:{role}", "size": 9}}
        drawn.append(line)
    start = replace(curves["value_own"], x=np.zeros(1), y=np.array([values["v"]]))
    drawn.append(dragged(points(start), "points", v="y") | {"name": "v at first"})
    ends = [(LINES[name][0], LINES[name][1], one.y) for name, one in curves.items()]
    ends.append(("noise", "best reward", np.array([best])))
    words = [f"{LINES[name][1]} {number(last[name], 4)}" for name in curves]
    said = ", ".join(words)
    mean = f"mean reward {brief(last['mean_reward'])}"
    names = named(ends, layout, SHORT)
    found = f"After {counted(updates, 'update')} v = {brief(last['value'])}; {mean}"
    if updates == 0:  # no line leads to a name at the frame: it stands beside the first point
        found = f"No update yet: v starts at {brief(last['value'])}; {mean}"
        names = [name | {"x": [_BESIDE]} for name in names[:-1]] + names[-1:]
        layout["xaxis"] |= {"range": [-_BESIDE, end], "tickmode": "array", "tickvals": [0]}
    return Figure(
        "updates",
        found,
        "Each update averages many visits, some with a and some with b. Dotted: the best reward. "
        "Drag it, or the point where v starts.",
        f"After {counted(updates, 'update')}: {said}; best reward {number(best, 4)}.",
        [*drawn, *names],
        layout,
        subject="The value, update by update",
    )


def _hover(name: str) -> str:
    return f"update %{{x}}<br>%{{y:.5g}}<extra>{name}</extra>"


def _level(best: float, end: float) -> Trace:
    """A thin line at the best reward that an action pays."""
    return {
        "type": "scatter",
        "mode": "lines",
        "name": "best reward",
        "x": [0.0, end],
        "y": [best, best],
        "line": {"color": "ink:axis", "width": 1, "dash": "dot"},
        "hovertemplate": "best reward %{y:.5g}<extra></extra>",
    }
