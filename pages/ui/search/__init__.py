"""Search from any page: a button in the header, a dialog, results while typing.

The index is a file that the browser fetches when the dialog first opens: a page's run sends its
address and nothing else. A click on a result, or on any link with ``data-inside``, is followed
inside the session, so that what is set in the labs stays.
"""

import json
from functools import cache

import streamlit as st

from lessons.outputs import catalogue
from lessons.outputs.glossary import find_term
from lessons.outputs.search import as_data
from pages.server.addresses import add_file
from pages.ui import memory
from pages.ui.component import component
from pages.ui.natural import natural
from pages.ui.place import place_of
from pages.ui.words import WORDS

_BUTTON = (
    '<button type="button" class="gt-search-open" aria-keyshortcuts="/">'
    f'<span>{WORDS("search")}</span><kbd aria-hidden="true">/</kbd></button>'
)
_component = component("lesson_search", "search", f'<div class="gt-search">{_BUTTON}</div>')

_CLICKED = "search_clicked"
"""Session key: a link was clicked, and is not followed yet."""


def search_box() -> None:
    """Draw the button in the header, and follow a link that was clicked."""
    state = _component(key="search_box", data={"index": _index()}, on_go_change=_click)
    # Once for a click: where `go` came as a state, which stays, it would be followed without end.
    if st.session_state.pop(_CLICKED, False) and isinstance(state.go, dict):
        _follow(state.go)


def _click() -> None:
    st.session_state[_CLICKED] = True


@cache
def _index() -> str:
    """The index's address."""
    content = json.dumps(as_data(), ensure_ascii=False, separators=(",", ":")).encode()
    return add_file("search.json", content)


def _follow(asked: dict[str, object]) -> None:
    """Switch to the page that the browser asks for, if it exists. The request is untrusted."""
    page, query = asked.get("page"), asked.get("query")
    words = {n: t for n, t in query.items() if isinstance(t, str)} if type(query) is dict else {}
    if page == "glossary" and find_term(words.get("term", "")):
        st.switch_page("glossary.py", query_params={"term": words["term"]})
    lesson = catalogue.lessons_by_slug().get(words.get("lesson", ""))
    if lesson is None:
        return
    step = natural(words.get("step", ""), 999)
    if step is not None:
        trail = memory.trail(lesson)
        trail.step = memory.clamp_step(lesson, step)
        place_of(lesson).go(trail.step, trail.answers)
    st.switch_page(f"{lesson.chapter}.py", query_params={"lesson": lesson.slug})
