"""Gradients of two components as arrows in a plane."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from lessons.contract.figure import Table
from lessons.contract.result import Array, Result
from lessons.contract.roles import ROLES
from lessons.contract.words import Words
from lessons.gradient_tricks.text import number
from lessons.kit.chart_pieces import Trace, scatter
from lessons.kit.components import component_table

WORDS = Words(__file__)

Angle = TypeVar("Angle", float, Array)
"""One angle, or an array of them."""


def angle(vector: Array) -> float:
    """Degrees from the first axis, −180 to 180; NaN for a vector of length 0."""
    return math.degrees(math.atan2(vector[1], vector[0])) if vector.any() else math.nan


def length(vector: Array) -> float:
    """Euclidean length."""
    return math.hypot(*vector)


def turn(start: Angle, end: Angle) -> Angle:
    """Degrees from one direction to another, the short way round.

    >>> turn(350.0, 10.0)
    20.0
    """
    return (end - start + 180.0) % 360.0 - 180.0


def arrow_table(
    result: Result, labels: Mapping[str, str], names: Sequence[str], caption: str
) -> Table:
    """One row a component, then the length and the angle of each gradient.

    Args:
        labels: the name of each column, by role; the forward value has no length here.
        names: of the components.
    """
    table = component_table(result, labels, names, caption, WORDS("measure"))
    vectors = [None if role == "forward" else result[role].y for role in labels]
    measures = (
        (label, *("" if one is None else number(measure(one), 5) + unit for one in vectors))
        for label, measure, unit in ((WORDS("length"), length, ""), (WORDS("angle"), angle, "°"))
    )
    return replace(table, rows=(*table.rows, *measures))


def in_words(result: Result, names: Mapping[str, str]) -> str:
    """The length and the angle of each role's gradient in words, for screen readers."""
    parts = [WORDS("arrow", name=name, **_told(result[role].y)) for role, name in names.items()]
    return "; ".join(parts) + "."


def _told(vector: Array) -> dict[str, str]:
    return {"length": number(length(vector), 4), "angle": number(angle(vector), 4)}


def heads(role: str, sizes: list[int]) -> Trace:
    """Arrow heads of these sizes at the points of a line, in the direction of the line."""
    return {
        "symbol": "arrow",
        "angleref": "previous",
        "size": sizes,
        "opacity": 1,
        "color": f"role:{role}",
        "line": {"width": 0},
    }


def arrow(result: Result, role: str, name: str) -> Trace:
    """A line from the origin to the gradient of a role, with a head at its end unless it is 0.

    Args:
        result: with a series of the role's name, of two components.
        role: whose.
        name: its name here.
    """
    x, y = (float(component) for component in result[role].y)
    return scatter("lines+markers", [0.0, x], [0.0, y], name) | {
        "line": {"color": f"role:{role}", "dash": ROLES[role].dash, "width": 3},
        "marker": heads(role, [0, 14 if x or y else 0]),
        "hovertemplate": WORDS("arrow_hover", name=name, **_told(result[role].y)),
    }
