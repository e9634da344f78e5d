"""A lesson on a page: the text of one step on one side, its stage on the other, a bar below."""

import html
from collections.abc import Collection

import streamlit as st

from lessons.contract.lesson import Lesson, without_hidden
from lessons.contract.prose import Question, Step, fill
from lessons.outputs import catalogue
from lessons.outputs.quiz import LENGTH
from pages.labs import numbers
from pages.ui import memory, playground_view, questions, quiz_view, results
from pages.ui.end_card import at_end, has_ended, remembered
from pages.ui.glossed import show_text
from pages.ui.live import live_lab
from pages.ui.memory import Trail
from pages.ui.place import Place, place_of
from pages.ui.steps import steps


def lesson_view(lesson: Lesson) -> None:
    """Draw the whole lesson."""
    place, trail = place_of(lesson), memory.trail(lesson)
    step = lesson.prose.steps[trail.step - 1]
    question = step.question
    ended = has_ended(lesson, trail)
    kind = "gt-lesson" if trail.step == 1 else "gt-unseen"
    st.html(f'<h1 class="{kind}">{html.escape(lesson.title)}</h1>')
    with st.container(key="lesson"):
        words, stage = st.columns([4, 8], gap="large")
        with stage:
            if ended:
                if question is not None and not question.is_of_lab:
                    # The verdict is about its code.
                    questions.stage(lesson, question, place, trail)
                at_end(lesson, trail)
            elif question is not None and questions.has_stage(question, trail):
                with st.container(key="stage"):
                    questions.stage(lesson, question, place, trail)
            else:
                _lab(lesson, place, trail)
        with words, st.container(key="words"):
            if ended:
                remembered(lesson)
            _words(lesson, place, trail)
    _bar(lesson, place, trail)
    results.tell(lesson, trail)


def lab_alone(lesson: Lesson) -> None:
    """Draw the lab alone, for a frame of another page, with nothing covered: it asks nothing."""
    place, trail = place_of(lesson), memory.trail(lesson)
    with st.container(key="lab"):
        # Inside the frame it would replace the lab that the teacher chose.
        to = f'href="{lesson.chapter}?lesson={lesson.slug}" target="_blank" rel="noopener"'
        link = f"<a {to}>Open the lesson</a>"
        st.html(f'<h1 class="gt-framed">{html.escape(lesson.title)} {link}</h1>')
        _live(place, trail.step, [question.name for question in lesson.prose.questions])


def _live(place: Place, step: int, answers: Collection[str]) -> None:
    live_lab(
        place.lesson.slug,
        place.as_data(),
        step=step,
        answers=answers,
        hide=place.hide,
        fix=place.fix,
        note=place.note,
    )


def _lab(lesson: Lesson, place: Place, trail: Trail) -> None:
    with st.container(key="lab"):
        _live(place, trail.step, trail.answers)
    with st.container(horizontal=True, key="offers", vertical_alignment="center"):
        given = (trail.step, trail.answers)
        st.button("Reset the lab", on_click=place.reset, args=given, key="reset", type="tertiary")
        playground_view.offer(lesson)


def _words(lesson: Lesson, place: Place, trail: Trail) -> None:
    step = lesson.prose.steps[trail.step - 1]
    question = step.question
    answered = question is not None and question.name in trail.answers
    # A question and its verdict are about the settings of their step, and their numbers stay. All
    # others follow the lab.
    still = question is not None and questions.stands_still(lesson, question)
    facts = (place.asked(question) if question else place.result).facts
    mark = None if still else numbers.mark
    st.markdown(f"## {_heading(lesson, step, answered)}", anchors=False)
    if not answered or (question and question.kind == "bug"):
        text = without_hidden(lesson, step.text, place.hide)
        show_text(lesson, trail.step, fill(text, facts, mark))
    if question:
        with st.container(key="question"):
            questions.ask(lesson, question, place, trail)
    hidden = step.turn and without_hidden(lesson, step.turn.text, place.hide) != step.turn.text
    if step.turn and not hidden and (answered or not question):
        tick = '<span class="gt-tick" data-turn role="status"></span>'
        st.markdown(f"{fill(step.turn.text, facts, mark)} {tick}", unsafe_allow_html=True)


def _heading(lesson: Lesson, step: Step, answered: bool) -> str:
    """Return a step's title; once its question is answered, the right answer."""
    question = step.question
    if question is None or not answered or question.kind == "bug":
        return step.title
    right = lesson.answer(question)
    (option,) = (one for one in question.options if one.key == right)
    return fill(option.text, lesson.asked_about(question).facts)


def _go(lesson: Lesson, place: Place, trail: Trail, step: int) -> None:
    _pass(lesson, place, trail, step)
    trail.step = step
    questions.mark_done(lesson, trail)
    place.go(step, trail.answers)


def _pass(lesson: Lesson, place: Place, trail: Trail, to: int) -> None:
    """Set the lab to the question's case when the learner skips it."""
    question = lesson.prose.steps[trail.step - 1].question
    open_ = question is not None and question.name not in trail.answers
    if question is not None and open_ and question.kind != "bug" and to > trail.step:
        place.reveal(question)


def _bar(lesson: Lesson, place: Place, trail: Trail) -> None:
    """Show the dots, Back, and the one button that is the next thing to do."""
    found = lesson.prose.steps
    step = found[trail.step - 1]
    there = (lesson, place, trail)
    with st.container(horizontal=True, key="turn", vertical_alignment="center"):
        steps(lesson, trail, lambda number: _go(*there, number))
        if trail.step > 1:
            back = trail.step - 1
            st.button("Back", on_click=_go, args=(*there, back), key="back", type="tertiary")
        on = trail.step + 1
        asking = _asks(lesson, step.question, trail)
        if on <= len(found):
            if asking:
                st.button("Skip", on_click=_go, args=(*there, on), key="next", type="tertiary")
            else:
                label = f"Next: {found[on - 1].title} →"
                st.button(label, on_click=_go, args=(*there, on), key="next", type="primary")
        elif not has_ended(lesson, trail):
            st.button("Skip to the end", on_click=_end, args=there, key="next", type="tertiary")
        elif not st.context.is_embedded:
            _next_lesson(lesson)


def _asks(lesson: Lesson, question: Question | None, trail: Trail) -> bool:
    """Whether the step's question is open: not answered, or its bug not fixed."""
    if question is None:
        return False
    answer = trail.answers.get(question.name)
    return answer is None or (question.kind == "bug" and answer != lesson.answer(question))


def _end(lesson: Lesson, place: Place, trail: Trail) -> None:
    _pass(lesson, place, trail, trail.step + 1)
    trail.skipped = True


def _next_lesson(lesson: Lesson) -> None:
    """Lead to the next lesson and, from a chapter's last one, to its quiz."""
    chapter = catalogue.chapters_by_slug()[lesson.chapter]
    if lesson == chapter.lessons[-1]:
        quiz_view.link(chapter, f"The chapter’s quiz: {LENGTH} questions", ":material/quiz:")
    course = catalogue.lessons()
    after = course[[one.slug for one in course].index(lesson.slug) + 1 :]
    with st.container(key="onward", width="content"):
        if after:
            st.page_link(
                f"{after[0].chapter}.py",
                label=f"Next lesson: {after[0].prose.front['short']} →",
                query_params={"lesson": after[0].slug},
            )
        else:
            st.page_link("playground.py", label="Try a program of your own →")
