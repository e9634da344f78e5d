"""A curve to draw by hand: handles over x, moved by mouse, finger or arrow keys, then committed.

What comes from the browser is text that ``lessons.contract.sketch`` reads or refuses;
nothing here grades.
"""

from collections.abc import Callable
from typing import Any

import streamlit as st

from lessons.contract.roles import ROLES
from lessons.contract.sketch import LEVELS, Graded, Sketch
from lessons.gradient_tricks.text import number
from pages.ui.component import component, sent
from pages.ui.words import WORDS

_component = component("gradient_sketch", "sketch", '<div class="gt-sketch"></div>')


def draw(sketch: Sketch, key: str, commit: Callable[[object], None]) -> None:
    """Draw the chart with handles to move; ``commit`` gets whatever the browser sends."""

    def send() -> None:
        if (text := sent(key, "commit")) is not None:
            commit(text)

    _component(key=key, data=chart(sketch) | {"graded": None}, on_commit_change=send)


def draw_graded(
    sketch: Sketch, graded: Graded, whole: tuple[list[float], list[float]], key: str
) -> None:
    """Draw the learner's sketch, the whole computed curve over it, and the gap."""
    role = ROLES[sketch.role]
    shown = {
        "sketch": graded.sketch.tolist(),
        "computed": graded.computed.tolist(),
        "whole": {"x": whole[0], "y": whole[1]},
        "widest": graded.widest,
        "gap": graded.gap,
        "role": role.name,
        "label": role.label,
        "alt": sketch.spoken(graded),
    }
    _component(key=key, data=chart(sketch) | {"graded": shown}, on_commit_change=lambda: None)


def as_numbers(sketch: Sketch, graded: Graded) -> None:
    """Show the sketch and the curve at each handle as a table, in a closed expander."""
    columns = {
        "x": [number(x) for x in graded.x.tolist()],
        WORDS("sketch_column"): [number(y, 3) for y in graded.sketch.tolist()],
        ROLES[sketch.role].label: [number(y, 3) for y in graded.computed.tolist()],
    }
    with st.expander(WORDS("sketch_as_numbers")):
        st.table(columns)


def chart(sketch: Sketch) -> dict[str, Any]:
    """Axes and handles as the script draws them."""
    return {
        "x": list(sketch.x),
        "low": sketch.low,
        "high": sketch.high,
        "levels": LEVELS,
        "label": sketch.label,
        "ticks": [{"y": y, "label": number(y, 3)} for y in _ticks(sketch.low, sketch.high)],
        "names": [number(x, 3) for x in sketch.x],
        "lines": [{**one, "label": ROLES[one["role"]].label} for one in sketch.lines],
    }


def _ticks(low: float, high: float) -> list[float]:
    """Up to seven round values from low to high, 0 among them."""
    step = next(
        step
        for power in range(-6, 9)
        for step in (1 * 10.0**power, 2 * 10.0**power, 5 * 10.0**power)
        if (high - low) / step <= 7
    )
    first, last = round(low / step + 0.499), round(high / step - 0.499)
    return [count * step for count in range(first, last + 1)]
