"""A lesson on a page: the text of one step on one side, its stage on the other, a bar below."""

import html
from typing import Literal

import streamlit as st

from lessons.contract.lesson import Lesson
from lessons.outputs import catalogue
from lessons.outputs.address import without_hidden
from lessons.outputs.quiz import LENGTH
from lessons.prose.steps import Step, fill
from pages.ui import bench_view, memory, numbers, playground_view, questions, quiz_view, results
from pages.ui.end_card import at_end, has_ended
from pages.ui.glossed import show_text
from pages.ui.live import live_lab
from pages.ui.memory import Trail
from pages.ui.place import Place, place_of
from pages.ui.steps import show_steps
from pages.ui.words import WORDS


def lesson_view(lesson: Lesson) -> None:
    """Draw the whole lesson."""
    place, trail = place_of(lesson), memory.trail(lesson)
    step = lesson.prose.steps[trail.step - 1]
    question = step.question
    ended = has_ended(lesson, trail)
    if trail.step == 1:
        st.title(lesson.title, anchor=False)
    else:
        st.html(f'<h1 class="gt-unseen">{html.escape(lesson.title)}</h1>')
    with st.container(key="lesson"):
        words, stage = st.columns([4, 8], gap="large")
        with stage:
            if ended:
                if question is not None and not question.is_of_lab:
                    # The verdict is about its code.
                    questions.stage(lesson, question, place, trail)
                at_end(lesson, place, trail)
                bench_view.offer(lesson)
            elif question is not None and questions.has_stage(question, trail):
                with st.container(key="stage"):
                    if question.kind == "bug":
                        questions.ask_ahead(step)
                    questions.stage(lesson, question, place, trail)
            else:
                if question is not None and question.kind == "sketch":
                    with st.container(key="drawn"):  # where it was drawn
                        questions.stage(lesson, question, place, trail)
                else:
                    st.empty()  # where a question has its own stage
                _lab(lesson, place, trail)
        for _ in range(1, trail.step):  # or Streamlit reuses the last step's parts
            words.empty()
        with words.container(key=f"step_{trail.step}"), st.container(key="words"):
            _words(lesson, place, trail)
    _bar(lesson, place, trail)
    results.tell(lesson, trail)


def _lab(lesson: Lesson, place: Place, trail: Trail) -> None:
    with st.container(key="lab"):
        live_lab(
            lesson.slug,
            place.as_data(),
            step=trail.step,
            answers=trail.answers,
            hide=place.hide,
            fix=place.fix,
        )
    with st.container(horizontal=True, key="offers", vertical_alignment="center"):
        here = (trail.step,)
        st.button(WORDS("reset_lab"), on_click=place.reset, args=here, key="reset", type="tertiary")
        playground_view.offer(lesson)
    with st.container(key="to_bench"):
        bench_view.offer(lesson)


def _words(lesson: Lesson, place: Place, trail: Trail) -> None:
    step = lesson.prose.steps[trail.step - 1]
    question = step.question
    answered = question is not None and question.name in trail.answers
    # A question and its verdict are about the settings of their step, and their numbers stay. All
    # others follow the lab.
    still = question is not None and questions.stands_still(lesson, question)
    facts = (place.result_before_commit(question) if question else place.result).facts
    mark = None if still else numbers.mark
    st.markdown(f"## {_heading(lesson, step, answered)}", anchors=False)
    text = fill(without_hidden(lesson, step.text, place.hide), facts, mark)
    is_bug, story = question is not None and question.kind == "bug", ""
    if is_bug:  # its story may tell the answer
        story, text = questions.story_and_question(text)
    if _asks(lesson, trail) if is_bug else not answered:
        show_text(lesson, trail.step, text)
    if question:
        with st.container(key="question"):
            questions.ask(lesson, question, place, trail)
    if is_bug and not _asks(lesson, trail):
        questions.show_source(lesson)
        show_text(lesson, trail.step, story)
    elif answered and not is_bug:  # the code that the verdict is about
        show_text(lesson, trail.step, text, code_alone=True)
    hidden = step.turn and without_hidden(lesson, step.turn.text, place.hide) != step.turn.text
    if step.turn and not hidden and (answered or not question):
        questions.turn(fill(step.turn.text, facts, mark))


def _heading(lesson: Lesson, step: Step, answered: bool) -> str:
    """Return a step's title; once its question is answered, the right answer."""
    question = step.question
    if question is None or not answered or question.kind == "bug":
        return step.title
    right = lesson.answer(question)
    (option,) = (one for one in question.options if one.key == right)
    return fill(option.text, lesson.asked_about(question).facts)


def _go(lesson: Lesson, place: Place, trail: Trail, step: int) -> None:
    """Go to a step or past the last one; the lab gets the case of a question that is skipped."""
    steps = lesson.prose.steps
    question = steps[trail.step - 1].open_question(trail.answers)
    if question and question.kind != "bug" and step > trail.step:
        place.reveal(question)
    if step > len(steps):
        trail.skipped = True
        return
    trail.step = step
    questions.mark_done(lesson, trail)
    place.go(step, trail.answers)


def _bar(lesson: Lesson, place: Place, trail: Trail) -> None:
    """Show the dots, Back, and the one button that is the next thing to do."""
    there = (lesson, place, trail)
    with st.container(horizontal=True, wrap=False, vertical_alignment="center", key="turn"):
        show_steps(lesson, trail, lambda number: _go(*there, number))
        if trail.step > 1:
            back = (*there, trail.step - 1)
            st.button(WORDS("back"), on_click=_go, args=back, key="back", type="tertiary")
        if not has_ended(lesson, trail):
            on = (*there, trail.step + 1)
            look: Literal["primary", "tertiary"] = "tertiary" if _asks(lesson, trail) else "primary"
            st.button(WORDS("next"), on_click=_go, args=on, key="next", type=look)
        elif not st.context.is_embedded:
            _next_lesson(lesson)


def _asks(lesson: Lesson, trail: Trail) -> bool:
    """Whether the step's question is open: not answered, or its bug not fixed."""
    question = lesson.prose.steps[trail.step - 1].question
    if question is None:
        return False
    answer = trail.answers.get(question.name)
    return answer is None or (question.kind == "bug" and answer != lesson.answer(question))


def _next_lesson(lesson: Lesson) -> None:
    """Lead to the next lesson and, from a chapter's last one, to its quiz."""
    chapter = catalogue.chapters_by_slug()[lesson.chapter]
    if lesson == chapter.lessons[-1]:
        quiz_view.link(chapter, WORDS("chapters_quiz", n=LENGTH), ":material/quiz:")
    course = catalogue.lessons()
    after = course[[one.slug for one in course].index(lesson.slug) + 1 :]
    with st.container(key="onward", width="content"):
        if after:
            st.page_link(
                f"{after[0].chapter}.py",
                label=WORDS("next_lesson", lesson=after[0].prose.front["short"]),
                query_params={"lesson": after[0].slug},
            )
        else:
            st.page_link("playground.py", label=WORDS("try_own_program"))
