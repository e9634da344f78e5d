"""The page for teachers: sets a lesson on a live preview, and makes its link and its frame."""

import html
import re
from collections.abc import Collection, Mapping
from urllib.parse import parse_qsl, urljoin

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from lessons.contract.lesson import Lesson, without_hidden
from lessons.outputs import catalogue
from lessons.text import cited
from pages.ui.component import component
from pages.ui.place import Place
from pages.ui.words import WORDS

_HEIGHT = 600
"""Pixels of the frame: it shows one step with its stage."""
_SITE = re.compile(r"https?://([\w.-]+|\[[\da-fA-F:.]+\])(:\d{1,5})?(/[^\s?#]*)?")
_PREVIEW = "teach_preview"
"""Session key of the preview: ``query`` is the address in it, which follows its lab."""
_component = component(
    "teach_preview",
    "teach_preview",
    f'<iframe class="gt-preview" title="{WORDS("preview")}" height="{_HEIGHT}"></iframe>',
)


def teach_page() -> None:
    """Draw the page."""
    st.title(WORDS("teach"), anchor=False)
    st.markdown(WORDS("teach_about"))
    names = {one.slug: f"{one.prose.front['short']}: {one.title}" for one in catalogue.lessons()}
    with st.container(key="to_copy"):
        choice = st.columns([4, 4, 3, 3])
        slug = choice[0].selectbox(WORDS("lesson"), names, format_func=names.__getitem__)
        lesson = catalogue.find(slug)
        titles = [f"{n}. {step.title}" for n, step in enumerate(lesson.prose.steps, start=1)]
        key = f"teach_step_{lesson.slug}"
        step = 1 + titles.index(choice[1].selectbox(WORDS("step"), titles, key=key))
        hidden = _controls(choice[2], lesson, WORDS("hide"))
        locked = _controls(choice[3], lesson, WORDS("lock"), hidden)
        asked = lesson.prose.steps[step - 1]
        if without_hidden(lesson, asked.text, hidden) != asked.text:
            st.caption(WORDS("try_it_omitted"))
        site = urljoin(st.context.url or "", ".")
        if not _SITE.fullmatch(site):  # the browser says it
            st.error(WORDS("no_site", site=cited(site)))
            return
        query = _query(lesson, step, hidden, locked)
        address = f"{site.rstrip('/')}/{lesson.chapter}?{query}"
        framed = f"{address}&embed=true"
        _give(lesson, address, framed)
        data = {"choice": repr((lesson.slug, step, hidden, locked)), "address": framed}
        _component(key=_PREVIEW, data=data, on_query_change=lambda: None)
        st.markdown(WORDS("teach_results"))


def _controls(
    column: DeltaGenerator, lesson: Lesson, verb: str, without: Collection[str] = ()
) -> list[str]:
    """Let the teacher choose controls of the lab to hide or lock."""
    labels = {one.name: one.label for one in lesson.lab.parameters if one.name not in without}
    key = f"teach_{verb}_{lesson.slug}"
    show = labels.__getitem__
    return column.multiselect(
        verb,
        [*labels],
        format_func=show,
        key=key,
        placeholder=WORDS("choose_controls"),
        select_all=False,
    )


def _query(lesson: Lesson, step: int, hidden: list[str], locked: list[str]) -> str:
    """Return the link's query, from the preview's lab, or from the step if that shows another one.

    It names all that the step sets, so that the link decides. The preview's address comes from the
    browser, which may say anything.
    """
    given = lesson.prose.steps[step - 1].lab
    place = Place(lesson, {**lesson.defaults, **given})
    state = st.session_state.get(_PREVIEW)
    query = state.get("query") if isinstance(state, Mapping) else None
    words = dict(parse_qsl(str(query or "")[1:30_000], keep_blank_values=True)[:200])
    if words.pop("lesson", "") == lesson.slug:
        place = Place.opened(lesson, words)
    return lesson.query(place.values, step, place.drawn, hidden, locked, given)


def _give(lesson: Lesson, address: str, framed: str) -> None:
    """Show the link and the code for a frame, next to each other."""
    link, frame = st.columns(2)
    link.markdown(f"**{WORDS('link')}**")
    link.code(address, language=None, wrap_lines=True)
    link.link_button(WORDS("open_link"), address, type="tertiary")
    frame.markdown(f"**{WORDS('frame')}**")
    source, title = html.escape(framed), html.escape(lesson.title)
    style = f'width="100%" height="{_HEIGHT}" style="border: 0" allow="clipboard-write"'
    code = f'<iframe src="{source}" title="{title}" {style}></iframe>'
    frame.code(code, language=None, wrap_lines=True)
