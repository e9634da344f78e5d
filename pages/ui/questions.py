"""The question of a step (a choice, a number, a sketch, a bug to find) and its verdict."""

import html
import inspect
import re
from collections.abc import Callable, Mapping
from functools import partial

import streamlit as st

from lessons.contract.bug import Bug
from lessons.contract.lesson import Lesson
from lessons.contract.result import Facts
from lessons.gradient_tricks.text.words import written
from lessons.outputs.search import plain
from lessons.outputs.typed import Typed, grade
from lessons.prose.steps import TRAINING, Option, Question, Step, fill
from pages.ui import numbers
from pages.ui.glossed import CODE
from pages.ui.listing import difference, markup, output
from pages.ui.memory import Trail
from pages.ui.place import Place
from pages.ui.sketch import as_numbers, draw, draw_graded
from pages.ui.words import WORDS

MARKS = {True: ":material/check:", False: ":material/close:"}
"""Whether an answer is right, from the icons' font: the letters' font has no such signs."""
_NUMBER = re.compile(
    r"^([−-]?(?:\d[\d.,]*\d|\d)(?:e[−-]?\d+)?(?: %)?|(?:[−-]?∞|NaN|None)(?=[.,:;]))[.,:;]?(\s.+|$)"
)
"""A number at the start of an answer, or a word that stands for one, and the rest."""
_SENTENCES = re.compile(r"(?<=[.?!:])(\s+)")
"""The white space after a sentence, or after a colon."""
_REFUSED = "answer_refused"
"""Session key: why the answer just sent cannot be read."""


def ask(lesson: Lesson, question: Question, place: Place, trail: Trail) -> None:
    """Ask the question, or give the verdict on the learner's answer."""
    facts = place.result_before_commit(question).facts
    mark = None if stands_still(lesson, question) else numbers.mark
    options = question.filled(facts, mark)
    commit = partial(_commit, lesson, question, place, trail)
    key = f"{lesson.slug}_{question.name}"
    if question.kind == "bug":
        _bug(lesson, question, options, trail)
    elif question.name in trail.answers:
        with st.container(key="verdict"):  # the lab's script moves the keyboard there
            show = _sketched if question.kind == "sketch" else _answered
            show(lesson, question, options, trail)
    elif question.kind == "choice":
        tiles(labels(options), key, commit)
    elif question.kind == "number":
        with st.form(f"{key}_form", border=False):  # a click sends what was typed just before
            st.text_input(WORDS("your_answer"), key=key, placeholder=WORDS("a_number"))
            _show_refusal()
            st.form_submit_button(
                WORDS("answer"),
                on_click=lambda: commit(str(st.session_state.get(key, ""))),
                type="primary",
            )
    else:
        st.caption(WORDS("draw_answer"))


def has_stage(question: Question, trail: Trail) -> bool:
    """Whether a question has a stage of its own at this moment, in place of the lab."""
    draws = question.kind == "sketch" and question.name not in trail.answers
    return draws or not question.is_of_lab


def stage(lesson: Lesson, question: Question, place: Place, trail: Trail) -> None:
    """Show the stage of a question: a chart to draw on, or code that no lab runs."""
    if question.kind == "bug":
        assert lesson.bug is not None  # the catalogue checks this
        _bug_stage(lesson.bug, trail.answers.get(question.name))
    elif question.kind == "sketch":
        commit = partial(_commit, lesson, question, place, trail)
        key, sketch = f"{lesson.slug}_{question.name}_sketch", lesson.sketch(question)
        if answer := trail.answers.get(question.name):
            asked_about = lesson.asked_about(question)
            draw_graded(sketch, sketch.grade(answer, asked_about), sketch.whole(asked_about), key)
            return
        draw(sketch, key, lambda sent: commit(str(sent)))
        _show_refusal()
    else:
        text = fill(lesson.step_of(question).text, place.result_before_commit(question).facts)
        for code in CODE.findall(text):
            st.html(markup(code, label=WORDS("code_in_question")))


def stands_still(lesson: Lesson, question: Question) -> bool:
    """Whether the numbers around a question stay those of the case asked, whatever the lab shows.

    A training's case is a run, and its numbers come as it goes on, unless the question is about
    settings that it holds or reveals.
    """
    about_settings = question.reveal or {*question.holds} - {TRAINING}
    return lesson.lab.training is None or bool(about_settings)


def mark_done(lesson: Lesson, trail: Trail) -> None:
    """Mark the lesson as done once every question is answered and the last step reached."""
    asked = {question.name for question in lesson.prose.questions}
    if trail.step == len(lesson.prose.steps) and asked <= set(trail.answers):
        trail.done = True


def tiles(labels: Mapping[str, str], key: str, commit: Callable[[str], None]) -> None:
    """Show answers as buttons, with a label's bold part in large; a click commits to an answer."""
    with st.container(key="tiles"):
        for name, label in labels.items():
            st.button(label, key=f"{key}_{name}", on_click=commit, args=(name,), width="stretch")


def reply(right: bool, head: str, text: str) -> None:
    """Reply to an answer.

    Args:
        right: whether it is right.
        head: a line above it.
        text: Markdown of ours, or a number that was read and written again.
    """
    with st.container(key="reply_right" if right else "reply_wrong"):
        st.markdown(f"{MARKS[right]} **{head}**\n\n{text}", unsafe_allow_html=True)


def _commit(lesson: Lesson, question: Question, place: Place, trail: Trail, answer: str) -> None:
    """Grade and keep an answer, or the reason why it cannot be read."""
    asked_about = lesson.asked_about(question)
    right = lesson.right(question, asked_about)
    key = answer
    try:
        if question.kind == "number":
            typed = grade(question, right, answer, place.result.facts)
            answer, key = str(typed), typed.key
        elif question.kind == "sketch":
            key = lesson.sketch(question).grade(answer, asked_about).key
    except ValueError as error:
        st.session_state[_REFUSED] = str(error)
        return
    trail.commit(question, answer, key == right)
    mark_done(lesson, trail)
    place.reveal(question)


def verdict(
    question: Question, facts: Facts, right: bool, said: tuple[str, str], true: str
) -> None:
    """Show the answer and the reply to it, as ``said`` has them, and what is ``true`` instead."""
    if question.computed:
        named = [f"- {what}: **{written(facts[n], form)}**" for what, n, form in question.computed]
        st.markdown("\n".join(named))
    if right:
        reply(True, WORDS("as_you_said"), said[1])
    else:
        reply(False, WORDS("you_said", answer=said[0]), said[1])
        st.markdown(true, unsafe_allow_html=True)


def turn(text: str) -> None:
    """Show a task for the learner, with its tick, which the lab's script fills in."""
    tick = '<span class="gt-tick" data-turn role="status"></span>'
    st.markdown(f"{text} {tick}", unsafe_allow_html=True)


def _show_refusal() -> None:
    if refused := st.session_state.pop(_REFUSED, None):
        st.html(f'<p class="gt-refused" role="alert">{html.escape(refused)}</p>')


def labels(options: Mapping[str, Option]) -> dict[str, str]:
    """Label each answer's tile with its text; the number at its start is in bold."""
    return {
        name: _NUMBER.sub(r"**\1**\2", option.text.rstrip(".")) for name, option in options.items()
    }


def _sketched(lesson: Lesson, question: Question, options: dict[str, Option], trail: Trail) -> None:
    """Say which answer's curve the sketch matches, and what is true; the stage shows both."""
    asked_about = lesson.asked_about(question)
    sketch = lesson.sketch(question)
    graded = sketch.grade(trail.answers[question.name], asked_about)
    right, key = lesson.right(question, asked_about), graded.key
    if key:
        head = WORDS("your_sketch", answer=options[key].text)
        reply(key == right, head, f"{graded} {options[key].reply}")
    else:
        reply(False, WORDS("another_curve"), f"{graded} {WORDS('no_answers_curve')}")
    if key != right:
        st.markdown(options[right].reply, unsafe_allow_html=True)
    as_numbers(sketch, graded)


def _answered(lesson: Lesson, question: Question, options: dict[str, Option], trail: Trail) -> None:
    """Say whether the answer was right, how the learner may have got there, and what is true."""
    result, answer = lesson.asked_about(question), trail.answers[question.name]
    right = lesson.right(question, result)
    typed = Typed.parse(question, answer) if question.kind == "number" else None
    key = typed.key if typed else answer
    head, why = (options[key].text, options[key].reply) if key else ("", "")
    if typed:
        head, why = typed.followed_by(head), why or typed.distance()
    verdict(question, result.facts, key == right, (head, why), options[right].reply)


def _bug(lesson: Lesson, question: Question, options: dict[str, Option], trail: Trail) -> None:
    """Let the learner try fixes until one passes; the stage shows what each one does."""
    assert lesson.bug is not None  # the catalogue checks this
    tried, right = trail.answers.get(question.name), lesson.bug.right()
    if tried:
        with st.container(key="verdict"):
            reply(tried == right, WORDS("you_tried", fix=options[tried].text), options[tried].reply)
    if tried != right:

        def run(fix: str) -> None:
            trail.commit(question, fix, fix == right)
            mark_done(lesson, trail)

        left = {name: option for name, option in options.items() if name != tried}
        tiles(labels(left), f"{lesson.slug}_{question.name}", run)


def story_and_question(text: str) -> tuple[str, str]:
    """Split a bug's text into what its thread tells and what is asked; the question comes last."""
    *story, last = _SENTENCES.split(text.strip())
    return ("".join(story).rstrip(), last) if last.endswith("?") else (text, WORDS("which_change"))


def ask_ahead(step: Step) -> None:
    """Show a bug's question over its code, for a phone, where the text comes after the code."""
    ahead = plain(f"{step.title}. {story_and_question(step.text)[1]}")
    st.html(f'<p class="gt-ahead">{html.escape(ahead)}</p>')


def show_source(lesson: Lesson) -> None:
    """Name the thread that the bug is from."""
    assert lesson.bug is not None  # the catalogue checks this
    st.markdown(WORDS("bug_from", link=f"[{lesson.bug.source}]({lesson.bug.url})"))


def _bug_stage(bug: Bug, tried: str | None) -> None:
    """Show the code, with what the tried fix changes, and the assertion's result."""
    broken = code_of(bug.broken)
    if tried is None:
        st.html(markup(broken, label=WORDS("code_with_bug")))
    else:
        fixed, marks = difference(broken, code_of(bug.fixes[tried], bug.broken.__name__))
        st.html(markup(fixed, marks, label=WORDS("code_with_fix")))
    failure = bug.failure(bug.fixes[tried] if tried else bug.broken)
    if failure is None:
        st.markdown(WORDS("assertion_holds"))
    else:
        st.markdown(WORDS("assertion_fails"))
        st.html(output(failure))
    assertion = markup(code_of(bug.check), label=WORDS("assertion"))
    unfolded = " open" if failure else ""
    st.html(f"<details{unfolded}><summary>{WORDS('assertion')}</summary>{assertion}</details>")


def code_of(function: Callable[..., object], name: str = "") -> str:
    """Return a function's source, under another name if one is given, to compare two functions."""
    source = re.sub(r" *# (type: ignore|noqa).*", "", inspect.getsource(function))
    return source.replace(f"def {function.__name__}(", f"def {name}(", 1) if name else source
