"""Where a lab shows the number that a verdict names: pointed out once the learner has committed."""

import itertools
import math
from typing import Any

from lessons.contract.lesson import Lesson
from lessons.contract.parameters import Index, Values
from lessons.contract.prose import Question, written
from lessons.contract.result import Result
from lessons.contract.verdict import names
from pages.labs.messages import FigureSpec, TableSpec

_ROLES = ("trick_gradient", "forward")
"""What a verdict can be about: what autograd gives, and the value. Looked through in this order."""


def point_out(
    lesson: Lesson,
    question: Question,
    about: Result,
    result: Result,
    values: Values,
    figures: list[FigureSpec],
    table: TableSpec,
) -> None:
    """Mark the first number that the right answer names, if the lab shows it.

    Args:
        lesson, question, about: which question, and the result that it is about.
        result, values: what the lab shows, and with which settings.
        figures, table: where it is marked.
    """
    index = next((one for one in lesson.lab.parameters if isinstance(one, Index)), None)
    for name, form in names(question, lesson.right(question, about)):
        fact = about.facts[name]
        if isinstance(fact, str):
            continue
        for role in _ROLES:
            y = next(one.y for one in result.series if one.role == role)
            at = range(len(y)) if index is None else [min(values[index.name], len(y)) - 1]
            for place in at:
                if math.isclose(y[place], fact, rel_tol=5e-3, abs_tol=1e-9):
                    return _mark(figures, table, role, place, written(fact, form))
    return None


def _mark(figures: list[FigureSpec], table: TableSpec, role: str, index: int, text: str) -> None:
    """Mark this number in the first chart that has it, and in the table."""
    value = float(text.replace("−", "-").replace(",", "").replace("∞", "inf"))
    for figure in figures:
        chart = figure["figure"]
        points = (_point(trace, role, index, value) for trace in chart["data"])
        point = next(filter(None, points), None)
        if point and chart["layout"]["yaxis"].get("type") != "log":
            chart["layout"]["annotations"] = [_callout(chart["layout"], *point, role, text)]
            figure["alt"] += f" The case asked: {text}."
            break
    columns = [at for at, one in enumerate(table["columns"]) if one["role"] == role]
    for row, column in itertools.product(table["rows"][index : index + 1], columns[:1]):
        if row[column][:1] in "−0123456789∞N":  # a number; other tables have words in this role
            table["asked"] = [index, column]


def _point(
    trace: dict[str, Any], role: str, index: int, value: float
) -> tuple[float, float] | None:
    """Where this trace shows the number, if these are visible points of it."""
    ours = trace.get("marker", {}).get("color") == f"role:{role}"
    if "markers" not in trace.get("mode", "") or trace.get("visible") is False or not ours:
        return None
    for at in (index, 3 * index + 1):  # of a stick: it is three points, foot, end, gap
        if at < len(trace["y"]) and math.isclose(trace["y"][at], value, rel_tol=6e-3):
            return float(trace["x"][at]), float(trace["y"][at])
    return None


def _callout(layout: dict[str, Any], x: float, y: float, role: str, text: str) -> dict[str, Any]:
    """The number with an arrow to its point, on the side where the chart has room."""
    to_left = x > sum(layout["xaxis"]["range"]) / 2
    below = y > sum(layout["yaxis"]["range"]) / 2
    return {
        "x": x,
        "y": y,
        "text": f"asked: {text}",
        "ax": -52 if to_left else 52,
        "ay": 30 if below else -30,
        "arrowhead": 2,
        "arrowwidth": 1.5,
        "arrowcolor": "ink:text",
        "standoff": 6,
        "bgcolor": "ink:paper",
        "bordercolor": f"role:{role}",
        "borderpad": 3,
        "font": {"color": "ink:text", "size": 13},
    }
