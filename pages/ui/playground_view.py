"""The playground on a page: one live lab that holds program, inputs, rules, charts and graph."""

from collections.abc import Callable

import streamlit as st

from lessons.lesson import Lesson
from lessons.playground import (
    FORMS,
    FUNCTIONS,
    Document,
    beside,
    code,
    defined_in_the_file,
    differences,
    program_code,
    to_text,
    to_url,
)
from pages.ui import playground_payload
from pages.ui.live import last_change, live_lab
from pages.ui.playground_state import PlaygroundState
from pages.ui.site import mend_cold_start

_KEY = "lab_playground"
_STATE = "playground"
_SHOWN = "playground_code"
"""Session key: the document whose code stands below, as it was last drawn."""
_OPENED = "playground_opened"
"""Session key: how often a link has put a program here."""
_TAKE = "Take it with you"
_FRAMEWORKS = {"torch": "torch", "TensorFlow 2": "tensorflow", "JAX": "jax"}


def playground() -> None:
    """Draw the page."""
    mend_cold_start()
    state = restore()
    st.title("Playground", anchor=False)
    st.markdown(
        "Write a program, give it inputs and noise, hang rules on its ops. Torch runs it forward "
        "and backward each time you change something."
    )
    with st.container(key="playground"):
        # The lab's own headings are of the third rank: for a screen reader one stands above them.
        st.html('<h2 class="gt-unseen">The program and what it comes to</h2>')
        _lab(state)
    _code(state)
    _words()


def restore() -> PlaygroundState:
    """This session's playground: as the address says, if it came from outside."""
    if _STATE not in st.session_state:
        st.session_state[_STATE] = PlaygroundState()
    state: PlaygroundState = st.session_state[_STATE]
    asked = {name: st.query_params[name] for name in list(st.query_params)[:8]}
    if state.open_address(asked):
        st.session_state[_OPENED] = st.session_state.get(_OPENED, 0) + 1
    return state


@st.fragment
def _lab(state: PlaygroundState) -> None:
    """The lab alone. The code below it follows when the hand rests, if the program changed."""
    change = last_change(_KEY)
    rested = False
    if change is not None and change.seq > state.seq:
        state.seq, rested = change.seq, not change.live
        state.take(change.values, change.live)
    state.update()
    stale = _program(state.good) != st.session_state.get(_SHOWN)
    live_lab(
        {
            **playground_payload.lab(state),
            "settled": not stale,
            "query": playground_payload.query(state),
        },
        key=_KEY,
    )
    if stale and rested:
        st.rerun()


def _program(document: Document | None) -> tuple[object, ...]:
    """What the code shown depends on: not the numbers, which stand in the downloads only."""
    if document is None:
        return ()
    names = tuple(one.name for one in document.inputs)
    return names, document.program, document.output, document.overrides, document.dtype


def _code(state: PlaygroundState) -> None:
    """The same program in the frameworks, one pane at a time, and as files."""
    document = state.good
    st.session_state[_SHOWN] = _program(document)
    if document is None:
        return
    st.markdown("## The code", anchors=False)
    names = [*_FRAMEWORKS, _TAKE]
    shown = st.segmented_control(
        "Which code",
        names,
        default=names[0],
        required=True,
        label_visibility="collapsed",
        key="playground_pane",
    )
    if shown in _FRAMEWORKS:
        st.code(program_code(document, _FRAMEWORKS[shown]), language="python", wrap_lines=True)
        said = differences(document, _FRAMEWORKS[shown])
        if own := defined_in_the_file(document, _FRAMEWORKS[shown]):
            said.append(f"Defined in the file to download: {', '.join(own)}.")
        for sentence in said:
            st.caption(sentence)
        return
    st.markdown(
        "Each file holds the program with the values and the draw of your screen. It runs alone, "
        "and prints the forward value and the gradients as one JSON object. The document runs "
        "with `python -m lessons play`. The address of this page restores the screen."
    )

    def written(framework: str) -> Callable[[], str]:
        return lambda: code(state.good or document, framework, alone=framework == "torch")

    name = state.preset or "playground"
    with st.container(horizontal=True):
        for label, framework in _FRAMEWORKS.items():
            file = f"{name}.py" if framework == "torch" else f"{name}_in_{framework}.py"
            st.download_button(
                f"Download for {label}",
                data=written(framework),
                file_name=file,
                mime="text/x-python",
                on_click="ignore",
            )
        st.download_button(
            "Download the document",
            data=lambda: to_text(state.good or document),
            file_name=f"{name}.txt",
            mime="text/plain",
            on_click="ignore",
        )


def _words() -> None:
    """Every function of the language."""
    with st.expander("What a program can say"):
        st.markdown(
            "A program is a list of assignments: `+ - * / ** @`, comparisons, numbers, lists of "
            "numbers, and the functions here. A rule of the override table is an expression over "
            "`grad` (`grad1`, `grad2` …), `in1` … and `out1` …, one for each tensor operand, with "
            "commas between; `None` stands for no gradient."
        )
        rows = [(one.signature, one.help) for one in FUNCTIONS.values()]
        rows += list(FORMS.values())
        lines = [f"| `{form}` | {help} |" for form, help in rows]
        st.markdown("\n".join(["| Function | What it gives |", "|---|---|", *lines]))


def offer(lesson: Lesson) -> None:
    """A link that opens a lesson's program here, if the language can say it; undo leads back."""
    document = beside(lesson.folder)
    if document is None:
        return
    st.page_link(
        "pages/playground.py",
        label="Open this program in the playground",
        icon=":material/edit:",
        # Followed a second time, it is a wish again: the number makes it another address.
        query_params={"program": to_url(document), "n": str(st.session_state.get(_OPENED, 0))},
    )
