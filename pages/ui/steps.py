"""The dots under a lesson: the step that is shown, a link to each one, and the browser's Back."""

from collections.abc import Callable

import streamlit as st

from lessons.contract.lesson import Lesson
from lessons.outputs.search import plain
from pages.ui.component import component
from pages.ui.memory import Trail
from pages.ui.words import WORDS

_component = component("gradient_steps", "steps", f'<nav aria-label="{WORDS("steps")}"></nav>')
_KEY = "steps"


def show_steps(lesson: Lesson, trail: Trail, go: Callable[[int], None]) -> None:
    """Show the dots; ``go`` is called with the step that was asked for."""
    found = []
    for number, step in enumerate(lesson.prose.steps, start=1):
        asked = step.question
        done = asked.name in trail.answers if asked else number < trail.step
        found.append({"title": plain(step.title), "asks": asked is not None, "done": done})

    def follow() -> None:
        """Go to the step that the browser names, which may be anything."""
        number = st.session_state[_KEY].get("go")
        if type(number) is int and 1 <= number <= len(found):
            go(number)

    address = f"{lesson.chapter}?lesson={lesson.slug}"
    question = lesson.prose.steps[trail.step - 1].question
    answer = trail.answers.get(question.name, "") if question else ""
    here = {"step": trail.step, "answer": answer}
    data = {"lesson": lesson.slug, "address": address, "steps": found, **here}
    _component(key=_KEY, data=data, on_go_change=follow)
