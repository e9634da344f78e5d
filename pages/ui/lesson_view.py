"""A lesson on a page: its text in steps on one side, its live lab on the other, code below."""

from collections.abc import Callable
from typing import Any

import streamlit as st

import lessons
from lessons.export import export, with_cuts
from lessons.graph.cutting import write_cuts
from lessons.lesson import Lesson, held_controls, hidden_roles
from lessons.prose import TRAINING, fill
from pages.ui import computation, memory, numbers, payload, playground_view, questions, training
from pages.ui.code_view import marked_lines, show_code
from pages.ui.glossed import show_text
from pages.ui.lab_state import END, TEACHER, LabState
from pages.ui.live import last_change, live_lab
from pages.ui.memory import Trail

_SAID = "said"
"""Session key: the text beside the lab, as it was last drawn."""


def lesson_view(lesson: Lesson) -> None:
    """Draw the whole lesson."""
    state, trail = restore(lesson), memory.trail(lesson)
    training.leave(stay=lesson.slug)
    st.title(lesson.title, anchor=False)
    words, lab = st.columns([4.4, 7.6], gap="large")
    with lab, st.container(key="lab"):
        _lab(state, trail)
        with st.container(horizontal=True):
            st.button("Reset the lab", type="tertiary", on_click=_reset, args=(state,))
            playground_view.offer(lesson)
    with words, st.container(key="words"):
        _words(lesson, state, trail)
    _code(lesson, state)


def restore(lesson: Lesson) -> LabState:
    """This session's lab for the lesson: as the address says if it came from outside."""
    key = f"state_{lesson.slug}"
    asked = {name: st.query_params[name] for name in list(st.query_params)[:64]}
    asked.pop("lesson", None)
    step = asked.pop("step", "")
    if key not in st.session_state:
        st.session_state[key] = LabState(lesson)
        st.session_state[key].open_address(asked)
        if step.isascii() and step.isdigit() and len(step) < 4:
            memory.trail(lesson).step = memory.clamp_step(lesson, int(step))
        if not asked.keys() - {*TEACHER}:  # the step's text speaks of the settings it makes
            here = lesson.prose.steps[memory.trail(lesson).step - 1]
            st.session_state[key].set(here.lab, here.cuts, here.at)
        st.session_state[key].restrict(asked)
        known, trail = st.session_state[key], memory.trail(lesson)
        known.held = held_controls(lesson, trail.answers, trail.step)
        here = lesson.prose.steps[trail.step - 1]
        known.set({name: here.lab[name] for name in known.held if name in here.lab}, at=known.at)
    state: LabState = st.session_state[key]
    return state


@st.fragment
def _lab(state: LabState, trail: Trail) -> None:
    """The lab alone: each message of a run costs the browser more than torch needs for the run.

    The text beside it follows when the hand rests, and only if it quotes a number that changed.
    """
    lesson = state.lesson
    key = f"lab_{lesson.slug}"
    slot = st.empty()
    change = last_change(key)
    live = rested = False
    asked = None
    state.held = held_controls(lesson, trail.answers, trail.step)
    if change is not None and change.seq > state.seq:
        state.seq, live, rested = change.seq, change.live, not change.live
        state.take(change.values)
        asked = training.read(change.values)
    state.update(
        lambda values: computation.run(lesson, values, state.cuts, slot, state.halt, key), live
    )
    hidden = hidden_roles(lesson, trail.answers, trail.step)
    shown = payload.picture(lesson, state.picture, state.values, hidden, state.seconds)
    ended = False
    if lesson.lab.training is not None:
        shown, ended = training.show(state, asked, shown, hidden, TRAINING in state.held)
        step = lesson.prose.steps[trail.step - 1]
        shown["training"]["numbers"] = numbers.told(step, trail.answers, state.picture)
    stale = _quoted(lesson, state, trail) != st.session_state.get(_SAID)
    live_lab(
        {
            "seq": state.seq,
            "reset": state.reset,
            "settled": not (state.preview or stale),
            "groups": payload.groups(
                lesson,
                state.values,
                state.text,
                state.errors,
                state.hidden,
                state.fixed,
                state.held,
            ),
            "notes": state.notes(),
            "query": payload.query(
                lesson, state.values, trail.step, state.drawn, state.hidden, state.fixed
            ),
            "cookie": memory.cookie(),
            **shown,
            "graph": _graph(state, hidden),
            "show": {
                "name": lesson.prose.steps[trail.step - 1].show,
                "step": f"{lesson.slug} {trail.step}",
            },
        },
        key=key,
    )
    if stale and (rested or ended):
        st.rerun()


_COVERED = "The gradients show once you have committed to an answer."


def _graph(state: LabState, hidden: frozenset[str]) -> dict[str, Any] | None:
    start = state.lesson.lab.start
    if start is None:
        return None
    title = "The graph of this run: forward values, and the gradient on its way back"
    cover = _COVERED if hidden & {"trick_gradient", "true_gradient"} else ""
    index = start(state.values).index
    return payload.graph(state.recording, index, title, state.at, "cuts", state.drawn, cover)


def _quoted(lesson: Lesson, state: LabState, trail: Trail) -> str:
    """The step's text with its numbers, as it should read now."""
    step = lesson.prose.steps[trail.step - 1]
    options = step.question.options if step.question else ()
    text = "\n".join([step.text, *(f"{option.text} {option.reply}" for option in options)])
    shown = fill(text, state.picture.facts)
    return f"{lesson.slug} {trail.step} {write_cuts(state.drawn)} {shown}"


def _reset(state: LabState) -> None:
    given = state.lesson.defaults
    state.set({name: given[name] for name in given.keys() - state.held}, "", END)


def _words(lesson: Lesson, state: LabState, trail: Trail) -> None:
    steps = lesson.prose.steps
    step = steps[trail.step - 1]
    facts = state.picture.facts
    st.session_state[_SAID] = _quoted(lesson, state, trail)
    marks = (
        f'<span class="{"here" if i == trail.step else "past" if i < trail.step else ""}"></span>'
        for i in range(1, len(steps) + 1)
    )
    st.html(
        f'<p class="gt-eyebrow">Step {trail.step} of {len(steps)}</p>'
        f'<div class="gt-steps" aria-hidden="true">{"".join(marks)}</div>'
    )
    st.markdown(f"## {step.title}", anchors=False)
    show_text(lesson, trail.step, fill(step.text, facts, numbers.mark(lesson)))
    if step.question:
        questions.ask(lesson, step.question, state, trail)
    _forward_and_back(lesson, state, trail)


def _forward_and_back(lesson: Lesson, state: LabState, trail: Trail) -> None:
    steps = lesson.prose.steps
    step = steps[trail.step - 1]

    def go(to: int) -> Callable[[], None]:
        def callback() -> None:
            trail.step = to
            questions.mark_done(lesson, trail)
            there = steps[to - 1]
            if there.lab or there.cuts is not None or there.at is not None:
                state.set(there.lab, there.cuts, there.at)

        return callback

    with st.container(horizontal=True, key="turn"):
        back, on = trail.step - 1, trail.step + 1
        st.button("← Back", disabled=back < 1, on_click=go(max(back, 1)), key="back")
        if on <= len(steps):
            asking = step.question and step.question.name not in trail.answers
            label = "Skip the question →" if asking else f"Next: {steps[on - 1].title} →"
            st.button(label, on_click=go(on), key="next")
    if on > len(steps):
        _next_lesson(lesson)


def _next_lesson(lesson: Lesson) -> None:
    """Where the course goes on, at the end of a lesson."""
    course = lessons.lessons()
    after = course[[one.slug for one in course].index(lesson.slug) + 1 :]
    if after:
        st.page_link(
            f"pages/{after[0].chapter}.py",
            label=f"Next lesson: {after[0].title}",
            icon=":material/arrow_forward:",
            query_params={"lesson": after[0].slug},
        )
    else:
        st.page_link(
            "pages/playground.py",
            label="That was the last lesson. Try a program of your own in the playground",
            icon=":material/arrow_forward:",
        )


_TAKE = "Take it with you"


def _code(lesson: Lesson, state: LabState) -> None:
    """One pane at a time: hidden ones would be drawn again with every picture of the lab."""
    st.markdown("## The code", anchors=False)
    panes = {"torch, as it ran": with_cuts(lesson, state.drawn)}
    panes |= {label: path.read_text("utf-8") for label, path in lesson.equivalents.items()}
    names = [*panes, _TAKE]
    shown = st.segmented_control(
        "Which code", names, default=names[0], required=True, label_visibility="collapsed"
    )
    if shown == names[0]:
        show_code(panes[shown], marked_lines(panes[shown], lesson.highlight), shown)
        if lesson.highlight:
            st.caption("The marked line is where the trick sits.")
        return
    if shown in panes:
        st.code(panes[shown], language="python", wrap_lines=True)
        return
    st.markdown(
        "One file with the settings of your screen. It needs Python and torch, and prints "
        "these numbers as one JSON object. The address of this page restores the screen."
    )
    st.download_button(
        f"Download {lesson.slug}.py",
        data=lambda: export(lesson, state.values, state.drawn),
        file_name=f"{lesson.slug}.py",
        mime="text/x-python",
        on_click="ignore",
    )
