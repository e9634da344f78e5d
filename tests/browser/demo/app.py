"""A page with one live lab and no lesson: what the component's browser tests drive.

The numbers are numpy's, so that what is measured is the component. ``mode=slow`` computes for
two seconds, in slices, giving way between them, and counts what was begun and what was ended.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from urllib.parse import urlencode

import numpy as np
import streamlit as st

from pages.ui import live

SLOW_SECONDS = float(os.environ.get("DEMO_SLOW_SECONDS", "2"))
X = np.linspace(-2, 2, 201)

live.prepare(Path(__file__).parent / "static")
st.set_page_config(layout="wide")


def checked(values: dict[str, str]) -> tuple[dict[str, object], dict[str, str]]:
    """The numbers the figures are drawn from, and what is wrong with which value."""
    good, errors = {}, {}
    for name, low, high in (("power", 0.0, 3.0), ("width", -1.0, 1.0), ("draws", 1, 1_000_000)):
        try:
            good[name] = float(values[name])
            if not low <= good[name] <= high:
                errors[name] = f"Give a number from {low:g} to {high:g}."
        except ValueError:
            errors[name] = f"“{values[name]}” is not a number."
    try:
        good["points"] = [float(part) for part in values["points"].split(",")]
    except ValueError:
        errors["points"] = "Give numbers with commas between them."
    return good, errors


def curves(good: dict, picked: str) -> list[dict]:
    """Four figures of the size a lesson has: curves with a band, two curves, histogram, points."""
    power, width = good["power"], good["width"]
    rng = np.random.default_rng(int(good["draws"]))
    forward = np.abs(X) ** power
    slope = power * np.sign(X) * np.abs(np.where(X == 0, np.nan, X)) ** (power - 1)
    noise = rng.normal(width, 0.3, 4000)
    counts, edges = np.histogram(noise, 40, (-2, 2))
    points = np.array(good["points"])
    axis = {"range": [-2, 2], "title": {"text": "x"}}

    def line(y: np.ndarray, role: str, **more: object) -> dict:
        line = {"color": f"role:{role}", "width": 2}
        return {"type": "scatter", "mode": "lines", "x": X, "y": y, "line": line, **more}

    band = {"line": {"width": 0}, "hoverinfo": "skip", "showlegend": False}
    fill = {"fill": "tonexty", "fillcolor": "role:forward/0.2"}
    return [
        {
            "id": "forward",
            "title": "Forward value",
            "caption": "The band holds nine draws in ten.",
            "alt": f"The forward value rises with power {power:g}.",
            "height": 300,
            "wide": True,
            "selects": None,
            "figure": {
                "data": [
                    line(forward * (1 - 0.1 * abs(width)), "forward", **band),
                    line(forward * (1 + 0.1 * abs(width)), "forward", **{**band, **fill}),
                    line(forward, "forward", name="forward"),
                ],
                "layout": {"xaxis": axis, "yaxis": {"range": [0, 8]}, "showlegend": False},
            },
        },
        {
            "id": "gradient",
            "title": "Gradients",
            "caption": "",
            "alt": "Two gradients over x.",
            "height": 260,
            "wide": False,
            "selects": None,
            "figure": {
                "data": [
                    line(slope, "trick_gradient", name="trick"),
                    line(np.sign(X), "intended_gradient", name="intended"),
                ],
                "layout": {
                    "xaxis": axis,
                    "yaxis": {"range": [-4, 4]},
                    "legend": {"orientation": "h", "y": 1.12},
                },
            },
        },
        {
            "id": "histogram",
            "title": "Spread at one point",
            "caption": "4000 draws.",
            "alt": f"A bell around {width:g}.",
            "height": 260,
            "wide": False,
            "selects": None,
            "figure": {
                "data": [
                    {
                        "type": "bar",
                        "x": (edges[:-1] + edges[1:]) / 2,
                        "y": counts,
                        "marker": {"color": "role:trick_gradient"},
                    }
                ],
                "layout": {"yaxis": {"range": [0, 900]}, "bargap": 0.05},
            },
        },
        {
            "id": "points",
            "title": "Points",
            "caption": "Click one.",
            "alt": f"{len(points)} points; point {picked} is picked.",
            "height": 220,
            "wide": True,
            "selects": "picked",
            "figure": {
                "data": [
                    {
                        "type": "scatter",
                        "mode": "markers",
                        "x": points,
                        "y": np.abs(points) ** power,
                        "customdata": [str(index) for index in range(len(points))],
                        "marker": {"color": "role:forward", "size": 14},
                    }
                ],
                "layout": {"xaxis": {"range": [-3, 3]}, "yaxis": {"range": [0, 9]}},
            },
        },
    ]


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
SHORT = ("label", "kind", "min", "max", "step")


def controls(values: dict[str, str], errors: dict[str, str]) -> list[dict]:
    def control(name: str, label: str, kind: str, *bounds: float, **more: object) -> dict:
        spec = dict(zip(SHORT, (label, kind, *bounds), strict=False))
        error = errors.get(name)
        return {"name": name, "value": values[name], "error": error, **spec, **more}

    picks = [{"value": str(n), "label": str(n)} for n in range(3)]
    modes = [{"value": "fast", "label": "Fast"}, {"value": "slow", "label": "Slow"}]
    devices = [{"value": "cpu", "label": "CPU"}, {"value": "none", "label": "A GPU"}]
    plain = [
        control("power", "Power", "slider", 0, 3, 0.01, help="How steep the curve is."),
        control("width", "Centre of the noise", "slider", -1, 1, 0.01),
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
        {"title": "More settings", "open": True, "controls": folded},
    ]


def tidied(values: dict[str, str], good: dict, errors: dict) -> dict[str, str]:
    """The values as the server would write them, which is not always how they were typed."""
    if "points" in errors:
        return values
    return {**values, "points": ", ".join(f"{x:g}" for x in good["points"])}


def think() -> None:
    """Compute for long, in slices, giving way between them."""
    st.session_state["begun"] = st.session_state.get("begun", 0) + 1
    until = time.perf_counter() + SLOW_SECONDS
    while time.perf_counter() < until:
        time.sleep(0.02)
        live.give_way()
    st.session_state["ended"] = st.session_state.get("ended", 0) + 1


@st.fragment
def lab() -> None:
    start = time.perf_counter()
    change = live.last_change("lab")
    known = dict(START)
    if "reset" not in st.session_state:
        known |= {name: text for name, text in st.query_params.items() if name in START}
    if change and change.seq > st.session_state.get("reset_after", -1):
        known |= {name: text for name, text in change.values.items() if name in START}
    good, errors = checked(known)
    if known["mode"] == "slow" and change:
        think()
    if not errors:
        st.session_state["figures"] = curves(good, known["picked"])
        st.session_state["rows"] = [
            [str(index), f"{x:+.3f}", f"{abs(x) ** good['power']:.4f}", f"{np.sign(x):+.0f}"]
            for index, x in enumerate(good["points"])
        ]
    begun, ended = st.session_state.get("begun", 0), st.session_state.get("ended", 0)
    columns = [("#", None), ("x", None), ("value", "forward"), ("wanted", "intended_gradient")]
    took = 1000 * (time.perf_counter() - start)
    live.live_lab(
        {
            "seq": change.seq if change else 0,
            "reset": st.session_state.get("reset", 0),
            "groups": controls(tidied(known, good, errors), errors),
            "figures": st.session_state.get("figures", []),
            "table": {
                "caption": "The numbers at the points",
                "columns": [{"label": label, "role": role} for label, role in columns],
                "rows": st.session_state.get("rows", []),
            },
            "notes": [{"level": "warning", "text": "Slow on purpose."}] * (known["mode"] == "slow"),
            "status": f"4000 draws · {took:.0f} ms · begun {begun} · ended {ended}",
            "query": urlencode({k: v for k, v in known.items() if v != START[k]}),
        },
        key="lab",
    )


def start_over() -> None:
    change = live.last_change("lab")
    st.session_state["reset_after"] = change.seq if change else -1
    st.session_state["reset"] = st.session_state.get("reset", 0) + 1


st.title("A lab")
lab()
st.button("Rerun the page")
st.button("Start over", on_click=start_over)
