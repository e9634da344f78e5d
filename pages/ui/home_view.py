"""Home: what this is, one lab to play with at once, and the course at a glance."""

import streamlit as st

import lessons
from lessons.roles import ROLES
from pages.ui import memory
from pages.ui.site import NAME, mend_cold_start


def home() -> None:
    """Draw the page."""
    mend_cold_start()
    st.title(NAME, anchor=False)
    st.html(
        '<p class="gt-hero">The forward pass and the backward pass are two programs. A gradient '
        "trick edits the second and leaves the first alone.</p>"
    )
    _course()


def _course() -> None:
    for chapter in lessons.chapters():
        st.markdown(f"### {chapter.title}")
        st.markdown(chapter.summary)
        for lesson in chapter.lessons:
            done = "✓ " if memory.trail(lesson).done else ""
            st.page_link(
                f"pages/{chapter.slug}.py",
                label=f"{done}{lesson.title}",
                query_params={"lesson": lesson.slug},
            )


_ = ROLES
