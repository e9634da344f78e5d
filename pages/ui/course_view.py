"""The course on a page: every lesson by chapter, with its question and the learner's progress."""

from pathlib import Path
from urllib.parse import quote

import streamlit as st

from lessons.contract.lesson import Lesson
from lessons.outputs import catalogue
from lessons.outputs.catalogue import Chapter
from lessons.outputs.quiz import LENGTH
from pages.ui import memory, quiz_view
from pages.ui.component import component
from pages.ui.words import WORDS

PICTURES = Path(__file__).with_name("cards")
_component = component("course_place", "course_place")


def course_page() -> None:
    """Draw the page; an address may name the chapter to scroll to."""
    chapters = catalogue.chapters()
    st.title(WORDS("course"), anchor=False)
    st.markdown(WORDS("course_about", n=len(catalogue.lessons())))
    here = lesson_in_progress()
    with st.container(key="chapters"):
        for chapter in chapters:
            with st.container(key=f"chapter_{chapter.slug}", border=True):
                _card(chapter, here)
    if not memory.is_empty():
        _progress()
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


def picture(path: Path) -> str:
    """Return HTML for one of our drawings; it follows the page's theme."""
    return f'<img alt="" src="data:image/svg+xml,{quote(path.read_text("utf-8"))}">'


def lesson_in_progress() -> Lesson | None:
    """Return the first lesson that was begun and is not done, else None."""
    trails = [(lesson, memory.trail(lesson)) for lesson in catalogue.lessons()]
    begun = (lesson for lesson, one in trails if one != memory.Trail() and not one.done)
    return next(begun, None)


def lessons_of(chapter: Chapter) -> None:
    """Lead to each lesson of a chapter and to its quiz."""
    done, count = sum(memory.trail(one).done for one in chapter.lessons), len(chapter.lessons)
    said = WORDS("done_of", done=done, all=count) if done else WORDS.counted("lessons", count)
    st.markdown(f"## {chapter.title}", anchors=False)
    st.markdown(f"{chapter.summary} {said}")
    for lesson in chapter.lessons:
        last = _done_or_length(lesson)
        _link(lesson, f"**{lesson.prose.front['short']}** · {lesson.title} · {last}")
    _quiz(chapter)


def _card(chapter: Chapter, here: Lesson | None) -> None:
    """Show a chapter's picture and a dot for each lesson; its question appears on hover and focus.

    Args:
        chapter: the chapter.
        here: the lesson in progress.
    """
    st.html(picture(PICTURES / f"{chapter.slug}.svg"))
    st.markdown(f"## {chapter.title}", anchors=False)
    st.markdown(chapter.summary)
    with st.container(horizontal=True, key=f"dots_{chapter.slug}"):
        for lesson in chapter.lessons:
            short = lesson.prose.front["short"]
            if lesson is here:
                short = f"**{short}** · {WORDS('you_are_here')}"
            _link(lesson, f"{short} *{lesson.title} · {_done_or_length(lesson)}*")
        _quiz(chapter)


def _done_or_length(lesson: Lesson) -> str:
    return WORDS("done") if memory.trail(lesson).done else length(lesson)


def _link(lesson: Lesson, label: str) -> None:
    """Link to a lesson; the icon says whether it is untouched, begun or done."""
    trail = memory.trail(lesson)
    icon = "check_circle" if trail.done else "circle" if trail == memory.Trail() else "contrast"
    page, query = f"{lesson.chapter}.py", {"lesson": lesson.slug}
    st.page_link(page, label=label, icon=f":material/{icon}:", query_params=query)


def _quiz(chapter: Chapter) -> None:
    """Link to a chapter's quiz, and say what the learner's last one gave."""
    label, score = WORDS("quiz_of", chapter=chapter.title), memory.score(chapter)
    if score is not None:
        label += f" · {WORDS('right_of', right=score, all=LENGTH)}"
    quiz_view.link(chapter, label, ":material/quiz:")
