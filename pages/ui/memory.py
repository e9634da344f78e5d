"""What is remembered across reloads, in one cookie: the step a learner was on, answers, done.

The browser writes the cookie (the live lab sends it along); it is read when a session starts.
A cookie is the visitor's own text: everything in it is checked before it is believed.
"""

import json
from dataclasses import asdict, dataclass, field
from typing import Any
from urllib.parse import quote, unquote

import streamlit as st

import lessons
from lessons.lesson import Lesson

COOKIE = "gradient_tricks_lab"
_KEY = "memory"


@dataclass
class Trail:
    """Where a learner is in one lesson.

    Args:
        step: 1 for the first.
        answers: the option committed to, by question.
        done: True once the last step was reached with every question answered.
    """

    step: int = 1
    answers: dict[str, str] = field(default_factory=dict)
    done: bool = False


def trail(lesson: Lesson) -> Trail:
    """This session's trail in a lesson; what is changed in it is remembered."""
    if _KEY not in st.session_state:
        st.session_state[_KEY] = parse(st.context.cookies.get(COOKIE, ""))
    known: dict[str, Trail] = st.session_state[_KEY]
    return known.setdefault(lesson.slug, Trail())


def cookie() -> dict[str, str]:
    """Name and value of the cookie to write."""
    known: dict[str, Trail] = st.session_state.get(_KEY, {})
    kept = {slug: asdict(one) for slug, one in known.items() if one != Trail()}
    return {"name": COOKIE, "value": quote(json.dumps(kept, separators=(",", ":")))}


def parse(text: str) -> dict[str, Trail]:
    """The trails in a cookie's value; whatever is not as it should be is left out."""
    try:
        kept = json.loads(unquote(text[:20_000])) if text else {}
    except (ValueError, RecursionError):
        return {}
    if not isinstance(kept, dict):
        return {}
    found = {lesson.slug: lesson for lesson in lessons.lessons()}
    return {slug: _checked(found[slug], raw) for slug, raw in kept.items() if slug in found}


def _checked(lesson: Lesson, raw: Any) -> Trail:
    raw = raw if isinstance(raw, dict) else {}
    step, answers = raw.get("step"), raw.get("answers")
    options = {q.name: {option.key for option in q.options} for q in lesson.prose.questions}
    given = answers.items() if isinstance(answers, dict) else ()
    return Trail(
        step=clamp_step(lesson, step if isinstance(step, int) else 1),
        answers={
            name: key
            for name, key in given
            if isinstance(key, str) and key in options.get(name, ())
        },
        done=raw.get("done") is True,
    )


def clamp_step(lesson: Lesson, step: int) -> int:
    """The nearest step that there is."""
    return max(1, min(step, len(lesson.prose.steps)))
