"""The end of a lesson: what to remember, and the learner's curve or guess next to torch's."""

import streamlit as st

from lessons.contract.lesson import Lesson
from lessons.outputs.review import Predicted, reviewed
from lessons.prose.steps import Question
from pages.ui import questions, results
from pages.ui.live import live_lab
from pages.ui.memory import Trail
from pages.ui.place import Place
from pages.ui.questions import MARKS
from pages.ui.words import WORDS


def has_ended(lesson: Lesson, trail: Trail) -> bool:
    """Whether the learner is at the last step and has answered or skipped its question."""
    asks = lesson.prose.steps[-1].open_question(trail.answers) and not trail.skipped
    return trail.step == len(lesson.prose.steps) and not asks


def at_end(lesson: Lesson, place: Place, trail: Trail) -> None:
    """Show what to remember, and the picture of one question with what the learner said to it."""
    question = _looked_back_at(lesson, trail)
    predicted = reviewed(lesson.slug, tuple(sorted(trail.answers.items())))
    (one,) = (one for one in predicted if one.step == _number(lesson, question))
    with st.container(key="end"):
        st.markdown(f"**{lesson.prose.front['remember']}**")
        if one.said:
            st.markdown(_compared(one), unsafe_allow_html=True)
        if question.kind == "sketch" and question.name in trail.answers:
            questions.stage(lesson, question, place, trail)
        else:
            _lab(lesson, question, place, trail)
        if st.context.is_embedded:
            results.offer([lesson], lesson.slug)


def _looked_back_at(lesson: Lesson, trail: Trail) -> Question:
    """Return the question about the lab that says most: drawn, else answered, else the first."""
    asked = [one for one in lesson.prose.questions if one.is_of_lab]
    return max(asked, key=lambda one: (one.name in trail.answers) * (1 + (one.kind == "sketch")))


def _number(lesson: Lesson, question: Question) -> int:
    return 1 + lesson.prose.steps.index(lesson.step_of(question))


def _lab(lesson: Lesson, question: Question, place: Place, trail: Trail) -> None:
    """Show the lab at the question's case; one that trains as the learner left it."""
    name = ""
    if lesson.lab.training is None:
        given, answered = lesson.step_of(question).lab, question.name in trail.answers
        place, name = Place.of_question(lesson, question, given, answered), f"{lesson.slug}_end"
    number = _number(lesson, question)
    with st.container(key="lab"):
        data, answers = place.as_data(), trail.answers
        live_lab(lesson.slug, data, step=number, answers=answers, name=name, looks_back=True)


def _compared(one: Predicted) -> str:
    """Write one prediction. All of it is ours, or a number that was read and written again."""
    said = f"**{one.title}**<br>{MARKS[one.right]} {WORDS('you', answer=one.said)}"
    return said if one.right else f"{said}<br>{one.by}: {one.computed}"
