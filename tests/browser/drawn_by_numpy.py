"""The lab: numbers of numpy's, so that what is measured is the component.

``mode=slow`` takes as long as the longest work that the server does.
"""

import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

import numpy as np

from pages.labs.lesson import RefusedTextError
from pages.labs.messages import Control, Frame, Group, Wish

SLOW_SECONDS = 0.5
X = np.linspace(-2, 2, 201)

START = {
    "power": "2",
    "width": "0",
    "draws": "1000",
    "points": "-2, -1, 1",
    "seed": "0",
    "picked": "0",
    "mode": "fast",
    "device": "cpu",
}


def frame(wish: Wish) -> Frame:
    """What the lab shows.

    Raises:
        RefusedTextError: a text is refused, and the wish brings nothing that was good.
    """
    text = known(wish.values)
    good, errors = checked(text)
    if errors:
        if wish.good is None:
            raise RefusedTextError
        good, _ = checked(known(wish.good))
    if text["mode"] == "slow":
        time.sleep(SLOW_SECONDS)
    form = text if "points" in errors else text | {"points": spelt(good["points"])}
    figures: Any = curves(good, text["picked"])
    columns = [("#", None), ("x", None), ("value", "forward"), ("wanted", "intended_gradient")]
    rows = [
        [str(index), f"{x:+.3f}", f"{abs(x) ** good['power']:.4f}", f"{np.sign(x):+.0f}"]
        for index, x in enumerate(good["points"])
    ]
    slow = text["mode"] == "slow"
    return {
        "form": form,
        "accepted": not errors,
        "settled": False,
        "groups": groups(form, errors),
        "figures": [one for one in figures if one["id"] in ("forward", *wish.open)],
        "table": {
            "caption": "The numbers at the points",
            "columns": [{"label": label, "role": role} for label, role in columns],
            "rows": rows,
        },
        "stage": "forward",
        "views": [
            {"name": name, "label": name.capitalize()}
            for name in ("forward", "gradient", "points", "table")
        ],
        "turn": None,
        "notes": [{"level": "warning", "text": "Slow on purpose."}] if slow else [],
        "key": [],
        "status": "4000 draws",
        "query": urlencode({name: text for name, text in form.items() if text != START[name]}),
        "graph": None,
        "code": None,
        "numbers": {},
        "goals": [],
        "trains": False,
        "trained": [],
        "document": "",
    }


def seconds(wish: Wish) -> float:
    """Nothing here takes long."""
    return 0.0


def known(given: Mapping[str, str]) -> dict[str, str]:
    """What each control says."""
    return START | {name: text for name, text in given.items() if name in START}


def checked(text: Mapping[str, str]) -> tuple[dict[str, Any], dict[str, str]]:
    """The numbers the figures are drawn from, and what is wrong with which text."""
    good: dict[str, Any] = {}
    errors: dict[str, str] = {}
    for name, low, high in (("power", 0.0, 3.0), ("width", -1.0, 1.0), ("draws", 1, 1_000_000)):
        try:
            good[name] = float(text[name])
            if not low <= good[name] <= high:
                errors[name] = f"Give a number from {low:g} to {high:g}."
        except ValueError:
            errors[name] = f"“{text[name]}” is not a number."
    try:
        good["points"] = [float(part) for part in text["points"].split(",")]
    except ValueError:
        errors["points"] = "Give numbers with commas between them."
    return good, errors


def spelt(points: list[float]) -> str:
    """The points as the server writes them, which is not always how they were typed."""
    return ", ".join(f"{x:g}" for x in points)


def groups(values: Mapping[str, str], errors: Mapping[str, str]) -> list[Group]:
    """The controls."""

    def control(name: str, label: str, kind: str, *bounds: float, **more: object) -> Control:
        made: Any = {
            "name": name,
            "label": label,
            "kind": kind,
            "value": values[name],
            "help": "",
            "error": errors.get(name),
            "hidden": False,
            "placeholder": "",
            **dict(zip(("min", "max", "step"), bounds, strict=False)),
            **more,
        }
        one: Control = made
        return one

    picks = [{"value": str(n), "label": str(n)} for n in range(3)]
    modes = [{"value": "fast", "label": "Fast"}, {"value": "slow", "label": "Slow"}]
    devices = [{"value": "cpu", "label": "CPU"}, {"value": "none", "label": "A GPU"}]
    plain = [
        control(*("power", "Power", "slider", 0, 3, 0.01), scale="linear", help="How steep it is."),
        control("width", "Centre of the noise", "slider", -1, 1, 0.01, scale="linear"),
        control("draws", "Draws", "slider", 1, 1_000_000, 1, scale="log"),
        control("points", "Points", "text", placeholder="-2, -1, 1"),
        control("picked", "Picked point", "choice", options=picks),
    ]
    folded = [
        control("seed", "Seed", "integer", 0, 1000, 1),
        control("mode", "Pace", "choice", options=modes),
        control("device", "Device", "select", options=devices),
    ]
    return [
        {"title": None, "open": True, "controls": plain},
        {"title": None, "open": True, "controls": folded},
    ]


def curves(good: dict[str, Any], picked: str) -> list[dict[str, Any]]:
    """Figures of the size that a lesson has: a curve with a band, two curves, points."""
    power, width = good["power"], good["width"]
    forward = np.abs(X) ** power
    slope = power * np.sign(X) * np.abs(np.where(X == 0, np.nan, X)) ** (power - 1)
    points = np.array(good["points"])
    axis = {"range": [-2, 2], "title": {"text": "x"}}

    def line(y: Any, role: str, **more: object) -> dict[str, Any]:
        line = {"color": f"role:{role}", "width": 2}
        return {"type": "scatter", "mode": "lines", "x": X, "y": y, "line": line, **more}

    band = {"line": {"width": 0}, "hoverinfo": "skip", "showlegend": False}
    fill = {"fill": "tonexty", "fillcolor": "role:forward/0.2"}
    return [
        figure(
            "forward",
            f"The forward value rises with power {power:g}.",
            [
                line(forward * (1 - 0.1 * abs(width)), "forward", **band),
                line(forward * (1 + 0.1 * abs(width)), "forward", **{**band, **fill}),
                line(forward, "forward", name="forward"),
            ],
            {"xaxis": axis, "yaxis": {"range": [0, 8]}, "showlegend": False},
        ),
        figure(
            "gradient",
            "Two gradients over x.",
            [
                line(slope, "trick_gradient", name="trick"),
                line(np.sign(X), "intended_gradient", name="intended"),
            ],
            {"xaxis": axis, "yaxis": {"range": [-4, 4]}},
        ),
        figure(
            "points",
            f"{len(points)} points; point {picked} is picked.",
            [
                {
                    "type": "scatter",
                    "mode": "markers",
                    "x": points,
                    "y": np.abs(points) ** power,
                    "customdata": [str(index) for index in range(len(points))],
                    "marker": {"color": "role:forward", "size": 14},
                }
            ],
            {"xaxis": {"range": [-3, 3]}, "yaxis": {"range": [0, 9]}},
            selects="picked",
        ),
    ]


def figure(
    name: str, alt: str, data: list[Any], layout: dict[str, Any], selects: str | None = None
) -> dict[str, Any]:
    """A figure as the lab takes it."""
    return {
        "id": name,
        "title": name.capitalize(),
        "caption": "",
        "alt": alt,
        "height": 260,
        "selects": selects,
        "figure": {"data": data, "layout": layout},
    }
