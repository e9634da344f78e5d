"""The course on a page: every lesson by chapter with its question, and what is done of it."""

import html

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
        with st.container(key=f"chapter_{chapter.slug}"):
            st.html(_chapter(chapter))
            quiz_view.link(chapter, f"Quiz: {chapter.title}", ":material/quiz:")
    st.markdown("## More than lessons", anchors=False)
    st.page_link("glossary.py", label="**Glossary**: every term in two sentences")
    st.page_link("your_own_code.py", label="**Your own code**: find the line that is wrong")
    st.page_link("teach.py", label="**Teach**: put a lesson into your own course")
    asked = st.query_params.get("chapter")
    if asked in {chapter.slug for chapter in chapters}:
        _component(key="course_place", data={"chapter": f"chapter-{asked}"})


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


def _chapter(chapter: Chapter) -> str:
    done = sum(memory.trail(lesson).done for lesson in chapter.lessons)
    said = f"{done} of {len(chapter.lessons)} done" if done else f"{len(chapter.lessons)} lessons"
    return (
        f'<section id="chapter-{chapter.slug}" class="gt-chapter">'
        f"<h2>{html.escape(chapter.title)} <small>{said}</small></h2>"
        f"<p>{html.escape(chapter.summary)}</p>"
        f"<ol>{''.join(map(_row, chapter.lessons))}</ol></section>"
    )


def _row(lesson: Lesson) -> str:
    done = '<i title="done">✓<span class="gt-unseen"> done</span></i>'
    return (
        f'<li><a href="{lesson.chapter}?lesson={lesson.slug}" data-inside>'
        f"{done if memory.trail(lesson).done else '<i></i>'}"
        f"<b>{html.escape(lesson.prose.front['short'])}</b> "
        f"<span>{html.escape(lesson.title)}</span> <small>{length(lesson)}</small></a></li>"
    )
