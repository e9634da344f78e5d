"""Home: what this is, one lab to play with at once, and the course at a glance."""

import streamlit as st

from lessons.outputs import catalogue
from lessons.outputs.catalogue import Chapter
from pages.labs.code import marked_lines
from pages.labs.home import CUTS, ENOUGH_TO_SEE
from pages.labs.lesson import TORCH
from pages.ui import memory
from pages.ui.listing import markup
from pages.ui.live import live_lab
from pages.ui.site import NAME

ROW = 3
"""Chapters side by side."""


def home() -> None:
    """Draw the page."""
    words, lab = st.columns([4.4, 7.6], gap="large")
    with lab, st.container(key="lab"):
        _play()
    with words, st.container(key="words"):
        st.title(NAME, anchor=False)
        st.html(
            '<p class="gt-hero">The forward pass and the backward pass are <b>two programs</b>. '
            "A gradient trick edits the second and leaves the first alone.</p>"
        )
        st.markdown(
            "A course for people who train networks and have met `detach()`, a straight-through "
            "estimator, a reversal layer or clipping, and want to know what it does to the "
            "numbers. Each lesson is a question: you predict, then torch computes."
        )
        st.markdown(
            "**Try it here.** Torch runs the program under the charts, forward and backward, "
            "each time you move something. It multiplies by noise: widen that with the "
            "two sliders. Then choose what `stop_gradient` cuts off. Which cut gives the gradient "
            "without noise, the ticks? The value does not change."
        )
        with st.container(key="start"):
            _start()
        st.page_link(
            "playground.py",
            label="Or write a program of your own in the playground",
            icon=":material/edit:",
        )
    _course()


def _play() -> None:
    """Value and gradient of three programs, two sliders, and the program that ran."""
    opening = {"id": "home", "first": True, "values": ENOUGH_TO_SEE, "cuts": "", "graph_step": None}
    live_lab("home", [opening])
    first = catalogue.find(next(iter(CUTS)))
    marked = markup(first.source, marked_lines(first.source, first.highlight), "The program")
    with st.container(key="code"):
        st.html(f'<div data-pane="{TORCH}">{marked}</div>')


def _start() -> None:
    """The first lesson that is not done."""
    course = catalogue.lessons()
    lesson = next((lesson for lesson in course if not memory.trail(lesson).done), course[0])
    first = lesson is course[0]
    st.page_link(
        f"{lesson.chapter}.py",
        label="Start with the first lesson" if first else f"Go on: {lesson.prose.front['short']}",
        icon=":material/arrow_forward:",
        query_params={"lesson": lesson.slug},
    )


def _course() -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="progress"):
        st.markdown("## The course", anchors=False)
        if not memory.is_empty():
            st.caption(f"{memory.progress(catalogue.lessons())}, remembered in this browser")
            if st.button("Forget my progress", type="tertiary"):
                _forget()
    chapters = catalogue.chapters()
    for first in range(0, len(chapters), ROW):
        row = chapters[first : first + ROW]
        for place, column in enumerate(st.columns(ROW, gap="medium")[: len(row)]):
            with column:
                _chapter(first + place + 1, row[place])


@st.dialog("Forget your progress?")
def _forget() -> None:
    """Asks once more, since nothing brings it back."""
    st.markdown(
        f"{memory.progress(catalogue.lessons())}. Answers, steps and check marks of all lessons "
        "are removed from this browser."
    )
    with st.container(horizontal=True):
        if st.button("Forget it all", type="primary"):
            memory.clear()
            st.rerun()
        if st.button("Keep it"):
            st.rerun()


def _chapter(number: int, chapter: Chapter) -> None:
    done = [lesson for lesson in chapter.lessons if memory.trail(lesson).done]
    st.html(f'<p class="gt-eyebrow">Chapter {number}</p>')
    st.markdown(f"### {chapter.title}", anchors=False)
    st.markdown(chapter.summary)
    for lesson in chapter.lessons:
        st.page_link(
            f"{chapter.slug}.py",
            label=lesson.prose.front["short"] + (" ✓" if lesson in done else ""),
            query_params={"lesson": lesson.slug},
        )
    if chapter.lessons:
        st.caption(str(memory.progress(chapter.lessons)))
