"""The question of a step (a choice, a number, a sketch, a bug to find) and what is said to it."""

import inspect
from collections.abc import Callable, Mapping

import streamlit as st

from lessons.contract.bug import Bug
from lessons.contract.lesson import Lesson
from lessons.contract.prose import TRAINING, Option, Question, fill
from lessons.contract.typed import Typed, grade
from lessons.contract.verdict import Facts, Named, compared
from lessons.outputs.glossary import first_uses, terms
from lessons.text import number
from pages.labs import numbers
from pages.labs.code import Mark
from pages.ui.glossed import linked
from pages.ui.listing import bare, difference, markup
from pages.ui.memory import Trail
from pages.ui.place import Place
from pages.ui.sketch import as_numbers, draw, drawn
from pages.ui.verbatim import verbatim
from pages.ui.verdict import reply, side_by_side, verdict


def ask(lesson: Lesson, question: Question, place: Place, trail: Trail) -> None:
    """Ask; after the learner has committed, say what is so and which belief led elsewhere."""
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
        with verdict():
            if question.kind == "sketch":
                _sketched(lesson, question, options, trail)
            else:
                _answered(lesson, question, options, trail, facts)
    else:
        commit = _commit(lesson, question, place, trail)
        form = {"choice": _choice, "number": _number, "sketch": _sketch}[question.kind]
        form(lesson, question, options, commit)
        if question.hides:
            st.caption("The lab shows the covered curve once you have committed.")
        if _elsewhere(question):
            st.caption("The lab shows the lesson’s program, not this one.")
        for name in question.holds:
            st.caption(f"{_waits(lesson, name)} once you have committed.")


def stands_still(lesson: Lesson, question: Question) -> bool:
    """Whether the numbers around a question are of the case asked, whatever the lab shows.

    Of a training the case is a run, whose numbers come as it goes on.
    """
    return lesson.lab.training is None or bool(question.reveal)


def is_of_lab(question: Question) -> bool:
    """Whether it is about what the lab runs."""
    return question.kind != "bug" and not _elsewhere(question)


def _elsewhere(question: Question) -> bool:
    """Whether it is about a program that the lab does not run."""
    return question.name == "transfer" and not question.reveal


def _waits(lesson: Lesson, name: str) -> str:
    if name == TRAINING:
        return "The training can start"
    (label,) = (parameter.label for parameter in lesson.lab.parameters if parameter.name == name)
    return f"“{label}” can be moved"


def mark_done(lesson: Lesson, trail: Trail) -> None:
    """Done is who has answered every question and reached the last step."""
    asked = {question.name for question in lesson.prose.questions}
    if trail.step == len(lesson.prose.steps) and asked <= set(trail.answers):
        trail.done = True


def _commit(
    lesson: Lesson, question: Question, place: Place, trail: Trail
) -> Callable[[str], None]:
    """Takes an answer as it came from the widget; raises ValueError where it cannot be read."""

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


def _choice(
    lesson: Lesson,
    question: Question,
    options: dict[str, Option],
    commit: Callable[[str], None],
) -> None:
    key = _key(lesson, question)
    _one_of(options, key, "Your prediction", "Commit to this answer", commit)


def _one_of(
    options: dict[str, Option], key: str, label: str, button: str, commit: Callable[[str], None]
) -> None:
    """These options to choose from, and a button that commits to the one chosen."""
    chosen = st.radio(
        label,
        list(options),
        index=None,
        key=key,
        format_func=lambda name: options[name].text,
    )

    def send() -> None:
        # Asked anew: who changes the answer and clicks at once is faster than this run of the page.
        if answer := st.session_state.get(key):
            commit(answer)

    st.button(button, disabled=chosen is None, on_click=send, type="primary")


def _number(
    lesson: Lesson,
    question: Question,
    options: dict[str, Option],
    commit: Callable[[str], None],
) -> None:
    """A form, so that a click on the button takes along what was typed a moment before."""
    key = _key(lesson, question)

    def send() -> None:
        try:
            commit(str(st.session_state.get(key, "")))
        except ValueError as error:
            st.session_state[f"{key}_refused"] = str(error)
        else:
            st.session_state.pop(f"{key}_refused", None)

    with st.form(f"{key}_form", border=False):
        st.text_input("Your prediction", key=key, placeholder="a number, as in -0.5")
        if refused := st.session_state.get(f"{key}_refused"):
            st.error(verbatim(refused))
        st.form_submit_button("Commit to this number", on_click=send, type="primary")


def _sketch(
    lesson: Lesson,
    question: Question,
    options: dict[str, Option],
    commit: Callable[[str], None],
) -> None:
    key = f"{_key(lesson, question)}_sketch"

    def send(sent: object) -> None:
        try:
            commit(sent if isinstance(sent, str) else "")
        except ValueError as error:
            st.session_state[f"{key}_refused"] = str(error)
        else:
            st.session_state.pop(f"{key}_refused", None)

    draw(lesson.sketch(question), key, send)
    if refused := st.session_state.get(f"{key}_refused"):
        st.error(verbatim(refused))


def _sketched(lesson: Lesson, question: Question, options: dict[str, Option], trail: Trail) -> None:
    """The sketch on the computed curve, then whose belief it is and what is so."""
    asked_about = lesson.asked_about(question)
    sketch = lesson.sketch(question, asked_about)
    graded = sketch.grade(trail.answers[question.name], asked_about)
    right, key = lesson.right(question, asked_about), graded.key
    drawn(sketch, graded, sketch.whole(asked_about), f"{_key(lesson, question)}_drawn")
    head = f"Your sketch: {options[key].text}" if key else ""
    if key == right:
        reply("right", f"✓ {head}", f"{graded} {options[key].reply}")
    elif key:
        reply("wrong", f"✗ {head}", f"{graded} {options[key].reply}")
    else:
        said = f"{graded} It resembles none of the curves that the answers lead to."
        reply("wrong", "✗ Your sketch is another curve.", said)
    if key != right:
        reply("right", f"What {question.by} computes: {options[right].text}", options[right].reply)
    as_numbers(sketch, graded)


def _answered(
    lesson: Lesson, question: Question, options: dict[str, Option], trail: Trail, facts: Facts
) -> None:
    """What the learner said beside what is so: as a picture, then in words."""
    right, key = lesson.answer(question), trail.answers[question.name]
    heads = {name: option.text for name, option in options.items()}
    said: str | Named = key
    if question.kind == "number":
        typed = Typed.parse(question, key)
        key = typed.key
        shown = number(typed.value)
        said = key or Named("you said", shown, typed.value, computed=False)
        if key:
            heads[key] = typed.followed_by(heads[key])
    side_by_side(compared(question, right, said, facts))
    if question.reveal:
        st.caption("The lab shows this case now.")
    elif _elsewhere(question):
        st.caption("Run beside the lab, which shows another program.")
    if not key:
        reply("wrong", f"✗ You said: {shown}", typed.distance())
    if key == right:
        reply("right", f"✓ You said: {heads[key]}", options[key].reply)
        return
    if key:
        reply("wrong", f"✗ You said: {heads[key]}", options[key].reply)
    reply("right", f"What {question.by} computes: {options[right].text}", options[right].reply)


def _bug(
    lesson: Lesson, bug: Bug, question: Question, options: dict[str, Option], trail: Trail
) -> None:
    """The code and what its assertion says, beside it fixes to try until one passes.

    The column's style gives all of its width to what has this key: the lab is another matter.
    """
    with st.container(key="bug"):
        found, fixing = st.columns([7, 5], gap="large")
    broken = code_of(bug.broken)
    with found:
        st.markdown(f"From [{bug.source}]({bug.url}), not what the lab runs:")
        _show(broken, "The code with the bug")
        _verdict(bug.failure(bug.broken))
        assertion = markup(code_of(bug.check), label="The assertion", wrap=True)
        st.html(
            f"<details class=gt-assertion><summary>The assertion</summary>{assertion}</details>"
        )
    tried = trail.answers.get(question.name)
    failure = bug.failure(bug.fixes[tried]) if tried else None
    passed = tried is not None and failure is None
    with fixing:
        if not passed:

            def run(fix: str) -> None:
                trail.commit(question, fix, bug.failure(bug.fixes[fix]) is None)
                mark_done(lesson, trail)

            key = _key(lesson, question)
            _one_of(options, key, "Your fix", "Run the assertion on this fix", run)
        if tried:
            with verdict(), st.container(key=f"reply_{'right' if passed else 'wrong'}"):
                st.markdown(f"**{'✓' if passed else '✗'} You tried: {options[tried].text}**")
                fixed, marks = difference(broken, code_of(bug.fixes[tried], bug.broken.__name__))
                _show(fixed, "The fix", marks)
                _verdict(failure)
                st.markdown(options[tried].reply, unsafe_allow_html=True)
                if not passed:
                    st.markdown("Choose another fix and run it.")


def _show(source: str, label: str, marks: Mapping[int, Mark] | None = None) -> None:
    """Python in a narrow column."""
    st.html(markup(source, marks, label, wrap=True))


def code_of(function: Callable[..., object], name: str = "") -> str:
    """A function's source; under another name if one is given, so that two can be compared."""
    source = bare(inspect.getsource(function))
    return source.replace(f"def {function.__name__}(", f"def {name}(", 1) if name else source


def _verdict(failure: str | None) -> None:
    """What the assertion says, which is text of a program and no Markdown."""
    if failure is None:
        st.markdown("The assertion **holds**.")
    else:
        st.markdown("The assertion **fails**:")
        st.code(failure, language=None, wrap_lines=True)
