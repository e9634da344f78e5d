"""What a learner hands in: results as files, and as a message to a page that frames a lesson."""

from collections.abc import Iterable

import streamlit as st

from lessons.contract.lesson import Lesson
from lessons.outputs.results import Answered, answered, as_data, as_files
from lessons.outputs.review import reviewed
from pages.ui import memory
from pages.ui.component import component
from pages.ui.memory import Trail
from pages.ui.words import WORDS

# The browser makes the files from the page's data. Streamlit's own button would keep them in one of
# the server's processes, and a frame without the balancer's cookie may reach another one.
_component = component("gradient_results", "results", '<div class="gt-buttons"></div>')


def offer(lessons: Iterable[Lesson], name: str) -> None:
    """Let the learner download the results of these lessons, as files of this name."""
    trails = [(lesson, memory.trail(lesson)) for lesson in lessons]
    begun = [(lesson, trail) for lesson, trail in trails if trail.answers]
    if not begun:
        return
    st.markdown(f"**{WORDS('download_results')}**")
    rows = [row for lesson, trail in begun for row in _rows(lesson, trail)]
    made = as_files(as_data(rows, all(trail.done for _, trail in begun)))
    files = {f"{name}-results.{end}": text for end, text in made.items()}
    _component(key="results_files", data={"files": files, "message": None})


def tell(lesson: Lesson, trail: Trail) -> None:
    """Send the lesson's results to the page that frames it, if they have changed."""
    if st.context.is_embedded:
        message = as_data(_rows(lesson, trail), trail.done)
        _component(key="results_message", data={"files": {}, "message": message})


def _rows(lesson: Lesson, trail: Trail) -> list[Answered]:
    predicted = reviewed(lesson.slug, tuple(sorted(trail.answers.items())))
    return answered(lesson, predicted, trail.first)
