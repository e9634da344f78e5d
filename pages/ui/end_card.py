"""The end of a lesson: one's predictions beside torch's, what to remember, what to take home."""

from collections.abc import Sequence

import streamlit as st

from lessons.contract.lesson import Lesson
from lessons.outputs.brief import in_plain_torch
from lessons.outputs.review import Predicted, reviewed
from pages.ui import results
from pages.ui.listing import markup
from pages.ui.memory import Trail

_PASSED = "end_passed"
"""Session key: the lessons whose last question was passed by."""


def has_ended(lesson: Lesson, trail: Trail) -> bool:
    """Whether the last step is there and its question answered or passed by."""
    steps = lesson.prose.steps
    question = steps[-1].question
    asking = question is not None and question.name not in trail.answers
    return trail.step == len(steps) and not (asking and lesson.slug not in _passed())


def pass_by(lesson: Lesson) -> None:
    """Show the end though its question is open."""
    _passed().add(lesson.slug)


def _passed() -> set[str]:
    found: set[str] = st.session_state.setdefault(_PASSED, set())
    return found


def end_card(lesson: Lesson, trail: Trail) -> None:
    """The card; what comes next stands below it."""
    with st.container(key="end"):
        st.markdown("### What you take with you", anchors=False)
        st.markdown(f"**To remember:** {lesson.prose.front['remember']}")
        predicted = reviewed(lesson.slug, tuple(sorted(trail.answers.items())))
        if any(one.said for one in predicted):
            asked = [question.name for question in lesson.prose.questions]
            first = {name for name, right in trail.first.items() if right}
            _predictions(predicted, [name in first for name in asked])
            results.offer(lesson, trail)
        st.markdown("In plain torch:")
        st.html(markup(in_plain_torch(lesson.slug), label="The program in plain torch", wrap=True))


def _predictions(predicted: Sequence[Predicted], first: list[bool]) -> None:
    """Of this lesson, as they stand now; the line above the steps counts first tries alone.

    Args:
        predicted: question by question.
        first: whether its first answer was right.
    """
    right, said = sum(one.right for one in predicted), sum(bool(one.said) for one in predicted)
    at_first = sum(one.right and early for one, early in zip(predicted, first, strict=True))
    later = f", {at_first} of them at first try" if at_first < right else ""
    st.markdown(f"**Your predictions in this lesson:** {right} of {said} as torch computes{later}.")
    st.markdown("\n".join(map(_row, predicted)), unsafe_allow_html=True)


def _row(one: Predicted) -> str:
    """All of it is ours, or a number that was read and written anew."""
    if not one.said:
        return f"- – **{one.title}**: not answered, step {one.step}"
    if one.right:
        return f"- ✓ **{one.title}**: {one.said}"
    return f"- ✗ **{one.title}**: {one.said}<br>{one.by}: {one.computed}"
