"""The end of a lesson: the program to keep, and the learner's predictions next to torch's."""

import streamlit as st

from lessons.contract.lesson import Lesson
from lessons.outputs.brief import in_plain_torch
from lessons.outputs.review import Predicted, reviewed
from pages.ui import results
from pages.ui.listing import markup
from pages.ui.memory import Trail
from pages.ui.questions import MARKS
from pages.ui.words import WORDS


def has_ended(lesson: Lesson, trail: Trail) -> bool:
    """Whether the learner is at the last step and has answered or skipped its question."""
    asks = lesson.prose.steps[-1].open_question(trail.answers) and not trail.skipped
    return trail.step == len(lesson.prose.steps) and not asks


def at_end(lesson: Lesson, trail: Trail) -> None:
    """Show the stage at the end: the code that contains the trick, and the predictions."""
    with st.container(key="end"):
        st.markdown(f"### {WORDS('in_plain_torch')}", anchors=False)
        st.html(markup(in_plain_torch(lesson.slug), label=WORDS("program_in_torch")))
        predicted = reviewed(lesson.slug, tuple(sorted(trail.answers.items())))
        if any(one.said for one in predicted):
            st.markdown(f"### {WORDS('predictions')}", anchors=False)
            st.markdown("\n".join(map(_row, predicted)), unsafe_allow_html=True)
            results.offer(lesson, trail)


def _row(one: Predicted) -> str:
    """Write one prediction. All of it is ours, or a number that was read and written again."""
    if not one.said:
        return f"- – **{one.title}**<br>{WORDS('not_answered', step=one.step)}"
    row = f"- {MARKS[one.right]} **{one.title}**<br>{WORDS('you', answer=one.said)}"
    return row if one.right else f"{row}<br>{one.by}: {one.computed}"
