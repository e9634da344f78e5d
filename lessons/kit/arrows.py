"""Gradients of two components as arrows in a plane."""

import math
from collections.abc import Mapping
from typing import TypeVar

from lessons.contract.result import Array, Result
from lessons.contract.roles import ROLES
from lessons.contract.words import Words
from lessons.gradient_tricks.text import number
from lessons.kit.chart_pieces import Trace, scatter

WORDS = Words(__file__)

Angle = TypeVar("Angle", float, Array)
"""One angle, or an array of them."""

Called = Mapping[str, tuple[str, str]]
"""For each role its name in the lesson, and how the names of its facts end."""


def angle(vector: Array) -> float:
    """Degrees from the first axis, −180 to 180; NaN for a vector of length 0."""
    return math.degrees(math.atan2(vector[1], vector[0])) if vector.any() else math.nan


def turn(start: Angle, end: Angle) -> Angle:
    """Degrees from one direction to another, the short way round.

    >>> turn(350.0, 10.0)
    20.0
    """
    return (end - start + 180.0) % 360.0 - 180.0


def measured(result: Result, called: Called) -> list[tuple[str, ...]]:
    """Two rows of a table: the length and the angle of each role's gradient."""
    return [
        (
            label,
            *(number(result.number(f"{fact}_{name}"), 5) + unit for _, name in called.values()),
        )
        for fact, label, unit in (("length", WORDS("length"), ""), ("angle", WORDS("angle"), "°"))
    ]


def in_words(result: Result, called: Called) -> str:
    """The length and the angle of each role's gradient in words, for screen readers."""
    parts = [
        WORDS(
            "arrow",
            name=name,
            length=number(result.number(f"length_{fact}"), 4),
            angle=number(result.number(f"angle_{fact}"), 4),
        )
        for name, fact in called.values()
    ]
    return "; ".join(parts) + "."


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


def arrow(result: Result, role: str, called: tuple[str, str]) -> Trace:
    """A line from the origin to the gradient of a role, with a head at its end.

    Args:
        result: with a series of the role's name, of two components, and the facts ``length_…`` and
            ``angle_…`` of it.
        role: whose.
        called: its name here, and how the names of its facts end.
    """
    name, fact = called
    x, y = (float(component) for component in result[role].y)
    length, degrees = (number(result.number(f"{f}_{fact}"), 4) for f in ("length", "angle"))
    return scatter("lines+markers", [0.0, x], [0.0, y], name) | {
        "line": {"color": f"role:{role}", "dash": ROLES[role].dash, "width": 3},
        "marker": heads(role, [0, 14]),
        "hovertemplate": WORDS("arrow_hover", length=length, angle=degrees, name=name),
    }
