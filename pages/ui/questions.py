"""The question of a step (a choice, a number, a sketch, a bug to find) and its verdict."""

import inspect
import re
from collections.abc import Callable, Mapping

import streamlit as st

from lessons.contract.bug import Bug
from lessons.contract.lesson import Lesson
from lessons.contract.prose import Option, Question, fill
from lessons.contract.typed import Typed, grade
from lessons.contract.verdict import Named, compared
from lessons.outputs.glossary import first_uses, terms
from lessons.text import number
from pages.labs import numbers
from pages.ui.glossed import CODE, linked
from pages.ui.listing import bare, difference, markup, output
from pages.ui.memory import Trail
from pages.ui.place import Place
from pages.ui.sketch import as_numbers, draw, drawn
from pages.ui.verbatim import verbatim
from pages.ui.verdict import reply, side_by_side

_NUMBER = re.compile(
    r"([−-]?(?:\d[\d.,]*\d|\d)(?:e[−-]?\d+)?(?: %)?|(?:[−-]?∞|NaN|None)(?=[.,:;]))[.,:;]?\s+(.+)"
)
"""A number at the start of an answer, or a word that stands for one, and the rest."""


def ask(lesson: Lesson, question: Question, place: Place, trail: Trail) -> None:
    """Ask the question, or give the verdict on the learner's answer."""
    facts = place.asked(question).facts
    linked_before = frozenset().union(*first_uses(lesson.slug)[: trail.step])
    new = frozenset(term.slug for term in terms()) - linked_before
    answered = question.name in trail.answers
    mark = None if stands_still(lesson, question) else numbers.mark
    options = {
        option.key: Option(
            option.key,
            fill(option.text, facts),
            linked(fill(option.reply, facts, mark), new) if answered else "",
        )
        for option in question.options
    }
    if question.kind == "bug":
        assert lesson.bug is not None  # the catalogue has seen to it
        _bug(lesson, lesson.bug, question, options, trail)
    elif answered:
        with st.container(key="verdict"):  # the lab's script moves the keyboard there
            show = _sketched if question.kind == "sketch" else _answered
            show(lesson, question, options, trail)
    else:
        commit = _commit(lesson, question, place, trail)
        if question.kind == "choice":
            tiles(_labels(options), _key(lesson, question), commit)
        elif question.kind == "number":
            _number(lesson, question, commit)
        else:
            st.caption("Draw your answer on the chart.")


def has_stage(question: Question, trail: Trail) -> bool:
    """Whether a question has a stage of its own at this moment, in place of the lab."""
    draws = question.kind == "sketch" and question.name not in trail.answers
    return draws or not question.is_of_lab


def stage(lesson: Lesson, question: Question, place: Place, trail: Trail) -> None:
    """Show the stage of a question: a chart to draw on, or code that no lab runs."""
    if question.kind == "bug":
        assert lesson.bug is not None
        _bug_stage(lesson.bug, trail.answers.get(question.name))
    elif question.kind == "sketch":
        _sketch(lesson, question, _commit(lesson, question, place, trail))
    else:
        text = fill(lesson.step_of(question).text, place.asked(question).facts)
        for code in CODE.findall(text):
            st.html(markup(code, label="The code in question"))


def stands_still(lesson: Lesson, question: Question) -> bool:
    """Whether the numbers around a question stay those of the case asked, whatever the lab shows.

    A training's case is a run, and its numbers come as it goes on.
    """
    return lesson.lab.training is None or bool(question.reveal)


def mark_done(lesson: Lesson, trail: Trail) -> None:
    """Mark the lesson as done once every question is answered and the last step reached."""
    asked = {question.name for question in lesson.prose.questions}
    if trail.step == len(lesson.prose.steps) and asked <= set(trail.answers):
        trail.done = True


def _commit(
    lesson: Lesson, question: Question, place: Place, trail: Trail
) -> Callable[[str], None]:
    """Return a function that grades and keeps an answer; ValueError if it can't read it."""

    def commit(answer: str) -> None:
        asked_about = lesson.asked_about(question)
        right = lesson.right(question, asked_about)
        key = answer
        if question.kind == "number":
            typed = grade(question, right, answer, place.result.facts)
            answer, key = str(typed), typed.key
        elif question.kind == "sketch":
            key = lesson.sketch(question, asked_about).grade(answer, asked_about).key
        trail.commit(question, answer, key == right)
        mark_done(lesson, trail)
        place.reveal(question)

    return commit


def _key(lesson: Lesson, question: Question) -> str:
    return f"{lesson.slug}_{question.name}"


def tiles(labels: Mapping[str, str], key: str, commit: Callable[[str], None]) -> None:
    """Show answers as buttons, what is bold in their labels in large; a click commits to one."""
    with st.container(key="tiles"):
        for name, label in labels.items():
            st.button(label, key=f"{key}_{name}", on_click=commit, args=(name,), width="stretch")


def _labels(options: Mapping[str, Option]) -> dict[str, str]:
    """Each answer's text for its tile, the number that it starts with in bold."""
    labels = {name: option.text.rstrip(".") for name, option in options.items()}
    for name, text in labels.items():
        if found := _NUMBER.fullmatch(text):
            labels[name] = f"**{found[1]}** {found[2]}"
    return labels


def _refusing(key: str, commit: Callable[[str], None], answer: str) -> None:
    """Commit to an answer, or keep the reason why it cannot be read."""
    try:
        commit(answer)
    except ValueError as error:
        st.session_state[f"{key}_refused"] = str(error)
    else:
        st.session_state.pop(f"{key}_refused", None)


def _show_refusal(key: str) -> None:
    if refused := st.session_state.get(f"{key}_refused"):
        st.error(verbatim(refused))


def _number(lesson: Lesson, question: Question, commit: Callable[[str], None]) -> None:
    """Ask for a number, in a form: a click on its button sends what was typed just before."""
    key = _key(lesson, question)

    def send() -> None:
        _refusing(key, commit, str(st.session_state.get(key, "")))

    with st.form(f"{key}_form", border=False):
        st.text_input("Your answer", key=key, placeholder="a number, as in -0.5")
        _show_refusal(key)
        st.form_submit_button("Answer", on_click=send, type="primary")


def _sketch(lesson: Lesson, question: Question, commit: Callable[[str], None]) -> None:
    key = f"{_key(lesson, question)}_sketch"

    def send(sent: object) -> None:
        _refusing(key, commit, sent if isinstance(sent, str) else "")

    draw(lesson.sketch(question), key, send)
    _show_refusal(key)


def _sketched(lesson: Lesson, question: Question, options: dict[str, Option], trail: Trail) -> None:
    """Show the sketch over the computed curve, the belief it comes from, and what is true."""
    asked_about = lesson.asked_about(question)
    sketch = lesson.sketch(question, asked_about)
    graded = sketch.grade(trail.answers[question.name], asked_about)
    right, key = lesson.right(question, asked_about), graded.key
    drawn(sketch, graded, sketch.whole(asked_about), f"{_key(lesson, question)}_drawn")
    if key:
        kind = "right" if key == right else "wrong"
        reply(kind, f"Your sketch: {options[key].text}", f"{graded} {options[key].reply}")
    else:
        said = f"{graded} It resembles none of the curves that the answers lead to."
        reply("wrong", "Your sketch is another curve.", said)
    if key != right:
        st.markdown(options[right].reply, unsafe_allow_html=True)
    as_numbers(sketch, graded)


def _answered(lesson: Lesson, question: Question, options: dict[str, Option], trail: Trail) -> None:
    """Say whether the answer was right, and if not which belief led to it; then what is true."""
    right, key = lesson.answer(question), trail.answers[question.name]
    heads = {name: option.text for name, option in options.items()}
    said: str | Named = key
    if question.kind == "number":
        typed = Typed.parse(question, key)
        key = typed.key
        if key:
            said, heads[key] = key, typed.followed_by(heads[key])
        else:
            said = Named("you said", number(typed.value), typed.value, computed=False)
            reply("wrong", f"You said: {number(typed.value)}", typed.distance())
    if question.computed:
        facts = lesson.asked_about(question).facts
        side_by_side(compared(question, right, said, facts))
    if key == right:
        reply("right", "That’s what you said.", options[right].reply)
        return
    if key:
        reply("wrong", f"You said: {heads[key]}", options[key].reply)
    st.markdown(options[right].reply, unsafe_allow_html=True)


def _bug(
    lesson: Lesson, bug: Bug, question: Question, options: dict[str, Option], trail: Trail
) -> None:
    """Let the learner try fixes until one passes; the stage shows what each one does."""
    st.markdown(f"From [{bug.source}]({bug.url}).")
    tried = trail.answers.get(question.name)
    right = bug.right()
    if tried:
        with st.container(key="verdict"):
            head = f"You tried: {options[tried].text}"
            reply("right" if tried == right else "wrong", head, options[tried].reply)
    if tried != right:

        def run(fix: str) -> None:
            trail.commit(question, fix, fix == right)
            mark_done(lesson, trail)

        left = {name: option for name, option in options.items() if name != tried}
        tiles(_labels(left), _key(lesson, question), run)


def _bug_stage(bug: Bug, tried: str | None) -> None:
    """Show the code, with what the tried fix changes, and the assertion's result."""
    broken = code_of(bug.broken)
    if tried is None:
        st.html(markup(broken, label="The code with the bug"))
    else:
        fixed, marks = difference(broken, code_of(bug.fixes[tried], bug.broken.__name__))
        st.html(markup(fixed, marks, label="The code with your fix"))
    failure = bug.failure(bug.fixes[tried] if tried else bug.broken)
    if failure is None:
        st.markdown("The assertion **holds**.")
    else:
        st.markdown("The assertion **fails**:")
        st.html(output(failure))
    assertion = markup(code_of(bug.check), label="The assertion")
    st.html(f"<details class=gt-assertion><summary>The assertion</summary>{assertion}</details>")


def code_of(function: Callable[..., object], name: str = "") -> str:
    """Return a function's source, under another name if one is given, to compare two functions."""
    source = bare(inspect.getsource(function))
    return source.replace(f"def {function.__name__}(", f"def {name}(", 1) if name else source
