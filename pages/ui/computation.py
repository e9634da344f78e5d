"""Runs a lesson for a page: shows progress on slow work, and stops for a newer wish."""

import time
from collections.abc import Callable, Collection

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from lessons.graph.cutting import Cut
from lessons.lesson import Lesson
from lessons.parameters import Values
from lessons.result import Result
from pages.ui import live

PATIENCE = 0.33
"""Seconds before work is slow: then it shows progress and gives way."""


def run(
    lesson: Lesson,
    values: Values,
    cuts: Collection[Cut],
    slot: DeltaGenerator,
    halt: Callable[[], None],
    key: str,
) -> tuple[Result, float]:
    """The lesson's result and the seconds it took.

    Args:
        lesson, values, cuts: what to compute.
        slot: an st.empty() for the progress bar and the Stop button.
        halt: called when the learner presses Stop.
        key: for the button; unique on the page.

    When the learner presses Stop, changes something or leaves, the run ends here and the page's
    next run begins.
    """
    start = time.perf_counter()
    bar: DeltaGenerator | None = None
    shown = 0.0

    def report(share: float) -> None:
        nonlocal bar, shown
        now = time.perf_counter() - start
        if now < PATIENCE or share >= 1:
            return
        live.give_way()
        if bar is None:
            with slot.container(horizontal=True, key=f"{key}_busy", vertical_alignment="center"):
                bar = st.progress(0.0)
                st.button("Stop", key=f"{key}_stop", on_click=halt)
        if now - shown > 0.1:
            shown = now
            left = now / share - now
            bar.progress(share, f"{share:.0%} of the draws, about {left:.0f} s left")

    result = lesson.compute(values, report, cuts)
    slot.empty()
    return result, time.perf_counter() - start
