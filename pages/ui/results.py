"""What a learner hands in: results as files, and as a message to a page that frames a lesson."""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import streamlit as st

from lessons.contract.lesson import Lesson
from lessons.outputs import catalogue
from lessons.outputs.results import Answered, answered, as_data, as_files
from lessons.outputs.review import Predicted, reviewed
from pages.ui import memory
from pages.ui.component import component
from pages.ui.memory import Trail

# The browser makes the files from the page's data. Streamlit's own button would keep them in one of
# the server's processes, and a frame without nginx's cookie may reach another one.
_component = component("gradient_results", "results", '<div class="gt-buttons"></div>')

_LESSON, _CHAPTER = "This lesson", "This chapter"


def offer(lesson: Lesson, trail: Trail) -> None:
    """Let the learner download the results of this lesson or, outside a frame, of its chapter."""
    name, trails, label = lesson.slug, [(lesson, trail)], "**Download my results**"
    if st.context.is_embedded:
        st.markdown(label)
    else:
        options = [_LESSON, _CHAPTER]
        what = st.segmented_control(label, options, default=_LESSON, required=True, key="results")
        if what == _CHAPTER:
            name = lesson.chapter
            others = catalogue.chapters_by_slug()[lesson.chapter].lessons
            trails = [(one, trail if one is lesson else memory.trail(one)) for one in others]
    made = as_files(_results(trails))
    downloads({f"{name}-results.{ending}": text.encode() for ending, text in made.items()})


def tell(lesson: Lesson, trail: Trail) -> None:
    """Send the lesson's results to the page that frames it, if they have changed."""
    if st.context.is_embedded:
        data = {"files": {}, "message": _results([(lesson, trail)])}
        _component(key="results_message", data=data)


def downloads(files: Mapping[str, bytes]) -> None:
    """Offer files to download, by name."""
    encoded = {name: b64encode(content).decode() for name, content in files.items()}
    _component(key="results_files", data={"files": encoded, "message": None})


def _results(trails: Sequence[tuple[Lesson, Trail]]) -> dict[str, Any]:
    rows: list[Answered] = []
    for lesson, trail in trails:
        first, final = (
            _looked(lesson, one) for one in (trail.answers | trail.tried, trail.answers)
        )
        times = {name: _iso(at) for name, at in trail.times.items()}
        rows += answered(lesson, first, final, trail.first, times)
    return as_data(rows, all(trail.done for _, trail in trails))


def _looked(lesson: Lesson, answers: Mapping[str, str]) -> Sequence[Predicted]:
    return reviewed(lesson.slug, tuple(sorted(answers.items())))


def _iso(minutes: int) -> str:
    at = datetime.fromtimestamp(memory.EPOCH + 60 * minutes, UTC)
    return at.isoformat(timespec="minutes").replace("+00:00", "Z")
