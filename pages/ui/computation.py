"""Runs a lesson for a page: shows progress on slow work, and stops for a newer wish."""

import time
from collections.abc import Callable

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequestType

from lessons.lesson import Lesson
from lessons.parameters import Values
from lessons.result import Result

PATIENCE = 0.33
"""Seconds before work is slow: then it shows progress and gives way."""


class StoppedError(Exception):
    """The computation gave way to a newer wish of the learner, or to Stop."""


def run(
    lesson: Lesson, values: Values, slot: DeltaGenerator, halt: Callable[[], None], key: str
) -> tuple[Result, float]:
    """The lesson's result and the seconds it took.

    Args:
        lesson, values: what to compute.
        slot: an st.empty() for the progress bar and the Stop button.
        halt: called when the learner presses Stop.
        key: for the button; unique on the page.

    Raises:
        StoppedError: the learner pressed Stop, changed something, or left.
    """
    start = time.perf_counter()
    bar: DeltaGenerator | None = None
    shown = 0.0

    def report(share: float) -> None:
        nonlocal bar, shown
        now = time.perf_counter() - start
        if now < PATIENCE or share >= 1:
            return
        if _wanted():
            raise StoppedError
        if bar is None:
            with slot.container(horizontal=True, key=f"{key}_busy", vertical_alignment="center"):
                bar = st.progress(0.0)
                st.button("Stop", key=f"{key}_stop", on_click=halt)
        if now - shown > 0.1:
            shown = now
            left = now / share - now
            bar.progress(share, f"{share:.0%} of the draws, about {left:.0f} s left")

    result = lesson.compute(values, report)
    slot.empty()
    return result, time.perf_counter() - start


def _wanted() -> bool:
    """Is another run of this session waiting? Streamlit lets a fragment's run finish first."""
    context = get_script_run_ctx()
    requests = context.script_requests if context else None
    return requests is not None and requests._state != ScriptRequestType.CONTINUE
