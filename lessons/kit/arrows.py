"""Gradients of two components as arrows in a plane, and what is allowed there as an outline."""

from lessons.contract.result import Array, Result
from lessons.contract.roles import ROLES
from lessons.kit.chart_pieces import Trace
from lessons.text import number


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
    length, degrees = (number(float(result.facts[f"{f}_{fact}"]), 4) for f in ("length", "angle"))
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": name,
        "x": [0.0, x],
        "y": [0.0, y],
        "line": {"color": f"role:{role}", "dash": ROLES[role].dash, "width": 3},
        "marker": {
            "symbol": "arrow",
            "angleref": "previous",
            "size": [0, 14],
            "opacity": 1,
            "color": f"role:{role}",
            "line": {"width": 0},
        },
        "hovertemplate": f"%{{x:.4g}}, %{{y:.4g}}<br>length {length}, {degrees}°"
        f"<extra>{name}</extra>",
    }


def outline(x: Array, y: Array, name: str) -> Trace:
    """A thin line round what is allowed."""
    return {
        "type": "scatter",
        "mode": "lines",
        "name": name,
        "x": x,
        "y": y,
        "line": {"color": "ink:axis", "width": 1},
        "hoverinfo": "skip",
    }
