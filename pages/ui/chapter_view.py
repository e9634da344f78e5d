"""A chapter's page: the lesson or the quiz that the address names, or the bench on its trick."""

import streamlit as st

from lessons.contract.lesson import Lesson
from lessons.outputs import catalogue
from lessons.outputs.catalogue import Chapter
from pages.ui import quiz_view, site
from pages.ui.bench_view import bench
from pages.ui.course_view import lessons_of
from pages.ui.lesson_view import lesson_view
from pages.ui.words import WORDS


def chapter_page(slug: str) -> None:
    """Draw the page of one chapter."""
    chapter = catalogue.chapters_by_slug()[slug]
    if (asked := st.query_params.get(quiz_view.WORD)) is not None:
        seed = quiz_view.seed_of(asked)
        site.keep_in_address(quiz_view.WORD, str(seed))
        quiz_view.quiz_view(chapter, seed)
        return
    if site.is_bench(slug):
        bench(slug)
        if not st.context.is_embedded:
            lessons_of(chapter)
        return
    lesson = _chosen(chapter)
    site.keep_in_address("lesson", lesson.slug)
    lesson_view(lesson)


def _chosen(chapter: Chapter) -> Lesson:
    """Return the lesson that the address names, or else the first.

    An old address of a lesson that has moved leads to its chapter of today, and that of a lesson
    that is part of another one now leads there.
    """
    asked = st.query_params.get("lesson", "")
    if today := catalogue.lessons_by_earlier_slug().get(asked):
        st.switch_page(f"{today.chapter}.py", query_params={"lesson": today.slug})
    known = catalogue.lessons_by_slug().get(asked)
    if known and known.chapter != chapter.slug:
        st.switch_page(f"{known.chapter}.py", query_params=st.query_params.to_dict())
    lesson = known or chapter.lessons[0]
    if asked and not known:
        st.warning(WORDS("no_such_lesson", lesson=lesson.prose.front["short"]))
    return lesson
