"""Home: the bench, the way into the course, four symptoms."""

from pathlib import Path

import streamlit as st

from lessons.contract.lesson import Lesson
from lessons.outputs import catalogue
from pages.ui import memory
from pages.ui.bench_view import bench
from pages.ui.course_view import length, lesson_in_progress, picture
from pages.ui.words import WORDS

_PICTURES = Path(__file__).with_name("symptoms")
_SYMPTOMS = {
    "cut_by_accident": WORDS("symptom_cut"),
    "collapse": WORDS("symptom_collapse"),
    "cliff": WORDS("symptom_cliff"),
    "straight_through": WORDS("symptom_rounding"),
}
"""What people search for, by the lesson that answers it. A picture of each is in ``symptoms/``."""


def home() -> None:
    """Draw the page."""
    bench()
    if st.context.is_embedded:
        return
    with st.container(key="onward"):
        _start()
    st.markdown(f"## {WORDS('start_from_symptom')}", anchors=False)
    for column, (slug, symptom) in zip(st.columns(4), _SYMPTOMS.items(), strict=True):
        with column:
            _card(catalogue.find(slug), symptom)
    st.page_link("teach.py", label=WORDS("to_teach"))


def _start() -> None:
    """Link to the lesson in progress, else to the first one not done, else to the first."""
    course = catalogue.lessons()
    begun = lesson_in_progress()
    ahead = [lesson for lesson in course if not memory.trail(lesson).done]
    lesson = begun or (ahead or [*course])[0]
    first = lesson is course[0] and not begun
    label = WORDS("start") if first else WORDS("go_on", lesson=lesson.prose.front["short"])
    st.page_link(f"{lesson.chapter}.py", label=label, query_params={"lesson": lesson.slug})


def _card(lesson: Lesson, symptom: str) -> None:
    st.html(picture(_PICTURES / f"{lesson.slug}.svg"))
    query = {"lesson": lesson.slug}
    st.page_link(f"{lesson.chapter}.py", label=f"**{symptom}**", query_params=query)
    chapter = catalogue.chapters_by_slug()[lesson.chapter].title
    st.caption(f"{chapter} · {length(lesson)}")
