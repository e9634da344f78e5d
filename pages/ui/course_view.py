"""The course on a page: every lesson by chapter with its question, and what is done of it."""

import streamlit as st

from lessons.contract.lesson import Lesson
from lessons.outputs import catalogue
from lessons.outputs.catalogue import Chapter
from pages.ui import memory, quiz_view
from pages.ui.component import component

_component = component("course_place", "course_place")


def course_page() -> None:
    """Draw the page; an address may name the chapter to scroll to."""
    chapters = catalogue.chapters()
    st.title("Course", anchor=False)
    st.markdown(
        f"{len(catalogue.lessons())} lessons of about six minutes. Each is a question: you "
        "predict, then torch computes. Start anywhere."
    )
    if not memory.is_empty():
        _progress()
    for chapter in chapters:
        with st.container(key=f"chapter_{chapter.slug}", gap="xsmall"):
            _chapter(chapter)
    st.markdown("## More than lessons", anchors=False)
    st.page_link("glossary.py", label="**Glossary**: every term in two sentences")
    st.page_link("your_own_code.py", label="**Your own code**: find the line that is wrong")
    st.page_link("teach.py", label="**Teach**: put a lesson into your own course")
    asked = st.query_params.get("chapter")
    if asked in {chapter.slug for chapter in chapters}:
        _component(key="course_place", data={"chapter": f"st-key-chapter_{asked}"})


def length(lesson: Lesson) -> str:
    """Say how long a lesson takes, or that it trains, which has no fixed length."""
    if lesson.lab.training is not None:
        return "trains live"
    words = sum(len(step.text.split()) for step in lesson.prose.steps)
    return f"{round(words / 200 + 0.75 * len(lesson.prose.questions))} min"


def _progress() -> None:
    """Say how much is done; forget it only on a second click, since nothing brings it back."""
    with st.container(horizontal=True, vertical_alignment="center", key="progress"):
        st.caption(f"{memory.progress(catalogue.lessons())}, remembered in this browser")
        with st.popover("Forget my progress", type="tertiary"):
            st.markdown("This deletes your answers, steps and check marks in all lessons.")
            st.button("Forget everything", on_click=memory.clear, type="primary")


def _chapter(chapter: Chapter) -> None:
    """Lead to each lesson of a chapter and to its quiz."""
    done = sum(memory.trail(lesson).done for lesson in chapter.lessons)
    said = f"{done} of {len(chapter.lessons)} done" if done else f"{len(chapter.lessons)} lessons"
    st.markdown(f"## {chapter.title}", anchors=False)
    st.markdown(f"{chapter.summary} {said}.")
    for lesson in chapter.lessons:
        is_done = memory.trail(lesson).done
        last = "done" if is_done else length(lesson)
        st.page_link(
            f"{chapter.slug}.py",
            label=f"**{lesson.prose.front['short']}** · {lesson.title} · {last}",
            icon=":material/check_circle:" if is_done else ":material/circle:",
            query_params={"lesson": lesson.slug},
        )
    quiz_view.link(chapter, f"Quiz: {chapter.title}", ":material/quiz:")
