"""The course on a page: every lesson by chapter, with its question and the learner's progress."""

import streamlit as st

from lessons.contract.lesson import Lesson
from lessons.outputs import catalogue
from lessons.outputs.catalogue import Chapter
from pages.ui import memory, quiz_view
from pages.ui.component import component
from pages.ui.words import WORDS

_component = component("course_place", "course_place")


def course_page() -> None:
    """Draw the page; an address may name the chapter to scroll to."""
    chapters = catalogue.chapters()
    st.title(WORDS("course"), anchor=False)
    st.markdown(WORDS("course_about", n=len(catalogue.lessons())))
    if not memory.is_empty():
        _progress()
    for chapter in chapters:
        with st.container(key=f"chapter_{chapter.slug}", gap="xsmall"):
            lessons_of(chapter)
    st.markdown(f"## {WORDS('more_than_lessons')}", anchors=False)
    st.page_link("glossary.py", label=WORDS("to_glossary"))
    st.page_link("your_own_code.py", label=WORDS("to_own_code"))
    st.page_link("teach.py", label=WORDS("to_teach"))
    asked = st.query_params.get("chapter")
    if asked in {chapter.slug for chapter in chapters}:
        _component(key="course_place", data={"chapter": f"st-key-chapter_{asked}"})


def length(lesson: Lesson) -> str:
    """Say how long a lesson takes, or that it trains, which has no fixed length."""
    if lesson.lab.training is not None:
        return WORDS("trains_live")
    words = sum(len(step.text.split()) for step in lesson.prose.steps)
    return WORDS("minutes", n=round(words / 200 + 0.75 * len(lesson.prose.questions)))


def _progress() -> None:
    """Say how much is done; forget it only on a second click, since nothing brings it back."""
    with st.container(horizontal=True, vertical_alignment="center", key="progress"):
        st.caption(f"{memory.progress(catalogue.lessons())} · {WORDS('remembered')}")
        with st.popover(WORDS("forget_progress"), type="tertiary"):
            st.markdown(WORDS("forget_about"))
            st.button(WORDS("forget_everything"), on_click=memory.clear, type="primary")


def lessons_of(chapter: Chapter) -> None:
    """Lead to each lesson of a chapter and to its quiz."""
    done, count = sum(memory.trail(one).done for one in chapter.lessons), len(chapter.lessons)
    said = WORDS("done_of", done=done, all=count) if done else WORDS.counted("lessons", count)
    st.markdown(f"## {chapter.title}", anchors=False)
    st.markdown(f"{chapter.summary} {said}")
    for lesson in chapter.lessons:
        is_done = memory.trail(lesson).done
        last = WORDS("done") if is_done else length(lesson)
        st.page_link(
            f"{chapter.slug}.py",
            label=f"**{lesson.prose.front['short']}** · {lesson.title} · {last}",
            icon=":material/check_circle:" if is_done else ":material/circle:",
            query_params={"lesson": lesson.slug},
        )
    quiz_view.link(chapter, WORDS("quiz_of", chapter=chapter.title), ":material/quiz:")
