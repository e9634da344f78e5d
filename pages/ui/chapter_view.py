"""A chapter's page: the list of its lessons, and the one that the address names."""

import streamlit as st

from lessons.contract.lesson import Lesson
from lessons.outputs import catalogue
from lessons.outputs.catalogue import Chapter
from pages.ui import memory, quiz_view, site
from pages.ui.lesson_view import lab_alone, lesson_view
from pages.ui.verbatim import verbatim


def chapter_page(slug: str) -> None:
    """The page of one chapter."""
    chapter = next(known for known in catalogue.chapters() if known.slug == slug)
    if not chapter.lessons:
        st.title(chapter.title, anchor=False)
        st.markdown(chapter.prose.intro)
        return
    if (asked := st.query_params.get(quiz_view.WORD)) is not None:
        seed = quiz_view.seed_of(asked)
        site.keep_in_address(quiz_view.WORD, str(seed))
        _list(chapter, None)
        quiz_view.quiz_view(chapter, seed)
        return
    lesson = _chosen(chapter)
    if site.is_lab_alone():
        lab_alone(lesson)
        return
    site.keep_in_address("lesson", lesson.slug)
    _list(chapter, lesson)
    lesson_view(lesson)


def _chosen(chapter: Chapter) -> Lesson:
    asked = st.query_params.get("lesson")
    for lesson in chapter.lessons:
        if lesson.slug == asked:
            return lesson
    first = chapter.lessons[0]
    if asked:
        title = first.prose.front["short"]
        st.warning(f"There is no lesson “{verbatim(asked[:40])}” here. This is “{title}”.")
    return first


def _list(chapter: Chapter, current: Lesson | None) -> None:
    """The chapter's lessons and its quiz, which is current where no lesson is.

    Without a container for each: Streamlit takes a hundredth of a second to draw one. In a frame of
    a teacher's page nothing: the learner stays in the lesson.
    """
    if st.context.is_embedded:
        return
    with st.container(horizontal=True, key="lessons"):
        for lesson in chapter.lessons:
            done = " ✓" if memory.trail(lesson).done else ""
            label = f"{lesson.prose.front['short']}{done}"
            st.page_link(
                f"{chapter.slug}.py",
                label=f"**{label}**" if lesson is current else label,
                query_params={"lesson": lesson.slug},
            )
        quiz_view.link(chapter, "Quiz" if current else "**Quiz**")
        st.caption(memory.progress(chapter.lessons).by_lessons, width="content")
