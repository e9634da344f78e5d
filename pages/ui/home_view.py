"""Home: what this is, one lab to play with at once, and the course at a glance."""

import streamlit as st

import lessons
from lessons import Chapter
from pages.ui import computation, memory, payload
from pages.ui.code_view import marked_lines, show_code
from pages.ui.lab_state import LabState
from pages.ui.live import last_change, live_lab
from pages.ui.site import NAME, mend_cold_start

# The first lab: the same block without a cut and with each of two, by the lesson that owns it.
CUTS = {
    "noise_leaks": "nothing",
    "wrong_place": "noise",
    "right_place": "block",
}
_CAPTION = (
    "Lines: mean over the draws. Bands: 5–95 % of them. Points: one draw. Where lines coincide, "
    "the broader lies below."
)
SHOWN_CONTROLS = ("noise_low", "noise_high")


def home() -> None:
    """Draw the page."""
    mend_cold_start()
    words, lab = st.columns([4.4, 7.6], gap="large")
    with words, st.container(key="words"):
        st.title(NAME, anchor=False)
        st.html(
            '<p class="gt-hero">The forward pass and the backward pass are <b>two programs</b>. '
            "A gradient trick edits the second and leaves the first alone.</p>"
        )
        st.markdown(
            "A course for people who train networks and have met `detach()`, a straight-through "
            "estimator, a reversal layer or clipping, and want to know what it does to the "
            "numbers. Each lesson is a question: you predict, then torch computes."
        )
        st.markdown(
            "**Try it here.** Torch runs the program under the chart, forward and backward, "
            "each time you move something. It multiplies by noise: widen that with the "
            "two sliders. Then choose what `stop_gradient` cuts off. Which cut gives the gradient "
            "without noise, the dashed line?"
        )
        with st.container(key="start"):
            _start()
        st.page_link(
            "pages/playground.py",
            label="Or write a program of your own in the playground",
            icon=":material/edit:",
        )
    with lab, st.container(key="lab"):
        _play()
    _course()


@st.fragment
def _play() -> None:
    """One chart, three programs, two sliders."""
    if "play" not in st.session_state:
        st.session_state["play"] = {slug: _opened(slug) for slug in CUTS}
    states: dict[str, LabState] = st.session_state["play"]
    key = "lab_home"
    change = last_change(key)
    chosen = st.session_state.get("play_cut", next(iter(CUTS)))
    text: dict[str, str] = {}
    if change is not None:
        asked = change.values.get("cut", chosen)
        chosen = st.session_state["play_cut"] = asked if asked in CUTS else chosen
        text = {name: change.values[name] for name in SHOWN_CONTROLS if name in change.values}
    state, slot = states[chosen], st.empty()
    state.text |= text
    live = change is not None and change.live
    state.update(lambda v: computation.run(state.lesson, v, (), slot, state.halt, key), live)
    state.seq = change.seq if change else state.seq
    shown = payload.picture(state.lesson, state.picture, state.values, frozenset(), state.seconds)
    controls = payload.groups(state.lesson, state.values, state.text, state.errors)[0]["controls"]
    cut = {
        "name": "cut",
        "label": "stop_gradient cuts off",
        "kind": "choice",
        "value": chosen,
        "options": [{"value": slug, "label": label} for slug, label in CUTS.items()],
    }
    live_lab(
        {
            **shown,
            "seq": state.seq,
            "reset": 0,
            "groups": [
                {
                    "title": None,
                    "open": True,
                    "controls": [cut, *(c for c in controls if c["name"] in SHOWN_CONTROLS)],
                }
            ],
            "key": [entry for entry in shown["key"] if entry["role"] != "forward"],
            "figures": [
                {**figure, "caption": _CAPTION}
                for figure in shown["figures"]
                if figure["id"] == "gradient"
            ],
            "table": None,
            "notes": state.notes(),
            "query": "",
            "cookie": memory.cookie(),
        },
        key=key,
    )
    source = state.lesson.source
    show_code(source, marked_lines(source, state.lesson.highlight), "The program that ran")


def _start() -> None:
    """The first lesson that is not done."""
    course = lessons.lessons()
    lesson = next((one for one in course if not memory.trail(one).done), course[0])
    first = lesson is course[0]
    st.page_link(
        f"pages/{lesson.chapter}.py",
        label="Start with the first lesson" if first else f"Go on: {lesson.title}",
        icon=":material/arrow_forward:",
        query_params={"lesson": lesson.slug},
    )


def _opened(slug: str) -> LabState:
    """A lab with enough noise to see."""
    state = LabState(lessons.find(slug))
    state.text |= {"noise_low": "0.6", "noise_high": "1.4"}
    return state


def _course() -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="progress"):
        st.markdown("## The course", anchors=False)
        if not memory.is_empty():
            st.caption(f"{memory.progress(lessons.lessons())}, remembered in this browser")
            if st.button("Forget my progress", type="tertiary"):
                _forget()
    chapters = lessons.chapters()
    for number, (chapter, column) in enumerate(
        zip(chapters, st.columns(len(chapters), gap="medium"), strict=True), start=1
    ):
        with column, st.container(key=f"chapter_{chapter.slug}"):
            _chapter(number, chapter)


@st.dialog("Forget your progress?")
def _forget() -> None:
    """Asks once more, since nothing brings it back."""
    st.markdown(
        f"{memory.progress(lessons.lessons())}. Answers, steps and check marks of all lessons "
        "are removed from this browser."
    )
    with st.container(horizontal=True):
        if st.button("Forget it all", type="primary"):
            memory.clear()
            st.rerun()
        if st.button("Keep it"):
            st.rerun()


def _chapter(number: int, chapter: Chapter) -> None:
    done = [lesson for lesson in chapter.lessons if memory.trail(lesson).done]
    st.html(f'<p class="gt-eyebrow">Chapter {number}</p>')
    st.markdown(f"### {chapter.title}", anchors=False)
    st.markdown(chapter.summary)
    for lesson in chapter.lessons:
        st.page_link(
            f"pages/{chapter.slug}.py",
            label=lesson.prose.front["short"] + (" ✓" if lesson in done else ""),
            query_params={"lesson": lesson.slug},
        )
    if chapter.lessons:
        st.caption(str(memory.progress(chapter.lessons)))
