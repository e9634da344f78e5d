"""The playground on a page: one live lab that holds program, inputs, rules, charts and graph."""

import secrets
from collections.abc import Mapping
from typing import Any

import streamlit as st

from lessons.contract.lesson import Lesson
from lessons.playground.document.as_text import packed, to_text, unpacked
from lessons.playground.document.gestures import form_of
from lessons.playground.document.presets import lesson_document, preset, presets
from lessons.playground.language.functions import FORMS, FUNCTIONS
from lessons.playground.language.playground_error import PlaygroundError
from pages.labs.playground import FIRST
from pages.ui.live import live_lab
from pages.ui.natural import natural
from pages.ui.words import WORDS


def playground() -> None:
    """Draw the page."""
    # The lab's own headings are h3: a screen reader needs an h2 above them.
    st.html(
        f'<h1 class="gt-unseen">{WORDS("playground")}</h1>'
        f'<h2 class="gt-unseen">{WORDS("program_and_result")}</h2>'
    )
    order, note = order_from_address(st.query_params)
    with st.container(key="playground"):
        live_lab("playground", [order], note=note, first="program" not in st.query_params)
    _words()


def order_from_address(words: Mapping[str, str]) -> tuple[dict[str, Any], str]:
    """Make the lab's order and note from an address; ``program`` wins over ``preset``.

    Each run of the page sees the same address again, and the lab follows a link's ``n`` once.
    """
    values, note = form_of(preset(FIRST)), ""
    try:
        if "program" in words:
            values = {"program": unpacked(words["program"])}
        elif "preset" in words:
            values = form_of(preset(words["preset"]))
    except PlaygroundError as error:
        title = next(one.title for one in presets() if one.name == FIRST)
        note = WORDS("shows_instead", error=error.message, title=title)
    order = {
        "id": f"playground-{words.get('n', '')[:20]}",
        "first": "n" not in words,
        "values": values,
        "cuts": "",
        "graph_step": natural(words.get("at", ""), 999_999),
    }
    return order, note


def _words() -> None:
    """List every function of the language."""
    st.markdown(WORDS("playground_about"))
    with st.expander(WORDS("can_write")):
        st.markdown(WORDS("language"))
        rows = [(one.signature, one.help) for one in FUNCTIONS.values()]
        rows += list(FORMS.values())
        lines = [f"| `{form}` | {help} |" for form, help in rows]
        st.markdown("\n".join([WORDS("language_head"), "|---|---|", *lines]))


def offer(lesson: Lesson) -> None:
    """Link a lesson's program to the playground, if the language can say it; undo leads back.

    There is no link in a teacher's frame, since it would lead out of the lesson.
    """
    document = lesson_document(lesson.folder)
    if document is None or st.context.is_embedded:
        return
    st.page_link(
        "playground.py",
        label=WORDS("open_in_playground"),
        query_params={
            "program": packed(f"# {lesson.title}\n{to_text(document)}"),
            "n": secrets.token_hex(3),
        },
    )
