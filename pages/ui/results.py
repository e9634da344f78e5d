"""What a learner hands in: results as files, and as a message to a page that frames a lesson."""

from typing import Any

import streamlit as st

from lessons.contract.lesson import Lesson
from lessons.outputs.results import answered, as_data, as_files
from lessons.outputs.review import reviewed
from pages.ui.component import component
from pages.ui.memory import Trail
from pages.ui.words import WORDS

# The browser makes the files from the page's data. Streamlit's own button would keep them in one of
# the server's processes, and a frame without the balancer's cookie may reach another one.
_component = component("gradient_results", "results", '<div class="gt-buttons"></div>')


def offer(lesson: Lesson, trail: Trail) -> None:
    """Let the learner download the results of this lesson."""
    st.markdown(f"**{WORDS('download_results')}**")
    made = as_files(_results(lesson, trail))
    files = {f"{lesson.slug}-results.{end}": text for end, text in made.items()}
    _component(key="results_files", data={"files": files, "message": None})


def tell(lesson: Lesson, trail: Trail) -> None:
    """Send the lesson's results to the page that frames it, if they have changed."""
    if st.context.is_embedded:
        _component(key="results_message", data={"files": {}, "message": _results(lesson, trail)})


def _results(lesson: Lesson, trail: Trail) -> dict[str, Any]:
    predicted = reviewed(lesson.slug, tuple(sorted(trail.answers.items())))
    return as_data(answered(lesson, predicted, trail.first), trail.done)
