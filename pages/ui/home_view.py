"""Home: the bench, the way into the course, four symptoms."""

from pathlib import Path
from urllib.parse import quote

import streamlit as st

from lessons.contract.lesson import Lesson
from lessons.outputs import catalogue
from pages.ui import memory
from pages.ui.bench_view import bench
from pages.ui.course_view import length
from pages.ui.words import WORDS

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
    trails = [(lesson, memory.trail(lesson)) for lesson in course]
    begun = [lesson for lesson, trail in trails if trail != memory.Trail() and not trail.done]
    ahead = [lesson for lesson, trail in trails if not trail.done]
    lesson = (begun or ahead or [*course])[0]
    first = lesson is course[0] and not begun
    label = WORDS("start") if first else WORDS("go_on", lesson=lesson.prose.front["short"])
    st.page_link(f"{lesson.chapter}.py", label=label, query_params={"lesson": lesson.slug})


def _card(lesson: Lesson, symptom: str) -> None:
    picture = Path(__file__).with_name("symptoms") / f"{lesson.slug}.svg"
    st.html(f'<img alt="" src="data:image/svg+xml,{quote(picture.read_text("utf-8"))}">')
    query = {"lesson": lesson.slug}
    st.page_link(f"{lesson.chapter}.py", label=f"**{symptom}**", query_params=query)
    chapter = catalogue.chapters_by_slug()[lesson.chapter].title
    st.caption(f"{chapter} · {length(lesson)}")
