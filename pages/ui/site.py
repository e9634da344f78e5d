"""The site's frame: its pages, the header, and the lesson that an address names."""

import html

import streamlit as st
from streamlit.navigation.page import Page

from lessons.bench.tricks import TRICKS
from lessons.outputs import catalogue
from pages.server.application import OTHER_PAGES
from pages.ui import memory, quiz_view
from pages.ui.component import component
from pages.ui.page import ICON
from pages.ui.search import search_box
from pages.ui.words import WORDS

_tab = component("gradient_tab", "tab")
_PAGE, _SHOWN, _VISITS = "page_shown", "part_shown", "visits"
"""Session keys: the last page, the last lesson or quiz on it, and the count of opened pages."""


def navigation() -> Page:
    """Set up the page and its header; returns the page to run."""
    st.set_page_config(page_title=WORDS("site"), page_icon=ICON, layout="wide")
    paths = (*catalogue.chapters_by_slug(), *OTHER_PAGES)
    others = [st.Page(f"{path}.py", url_path=path) for path in paths]
    page = st.navigation([st.Page("home.py", default=True), *others], position="hidden")
    if st.session_state.get(_PAGE) != page.url_path:
        st.session_state[_PAGE] = page.url_path
        st.session_state[_VISITS] = visit() + 1
        st.session_state.pop(_SHOWN, None)
    with st.container(
        key="header", horizontal=True, wrap=False, vertical_alignment="center", gap="medium"
    ):
        # A server that does not know the tab draws its page again: live/page/tab.js.
        data = {"session": memory.session(), "page": page.url_path}
        _tab(key="tab", data=data, on_drawn_change=lambda: None)
        if not st.context.is_embedded:  # nothing leads out of the lesson that a teacher chose
            _header(page)
    return page


def visit() -> int:
    """Count the pages that this session has opened."""
    return int(st.session_state.get(_VISITS, 0))


def is_bench(slug: str) -> bool:
    """Whether a chapter's page shows the bench: its address names neither a lesson nor a quiz."""
    return slug in TRICKS and not {"lesson", quiz_view.WORD} & {*st.query_params}


def _header(page: Page) -> None:
    """Lead to the other pages; on a chapter's page say where in the chapter the learner is."""
    chapter = catalogue.chapters_by_slug().get(page.url_path)
    if chapter is None or is_bench(chapter.slug):
        st.page_link("home.py", label=f"**{WORDS('site')}**")
        st.page_link("course.py", label=WORDS("course"))
        st.page_link("playground.py", label=WORDS("playground"))
    else:
        here = {"chapter": chapter.slug}
        st.page_link("course.py", label=f"**←\u00a0{chapter.title}**", query_params=here)
        st.html(f'<p class="gt-here">{_where(chapter)}</p>')
    search_box()


def _where(chapter: catalogue.Chapter) -> str:
    """Say which of the chapter's lessons is shown, as HTML."""
    if quiz_view.WORD in st.query_params:
        return WORDS("quiz")
    lesson = chapter.find(st.query_params.get("lesson", "")) or chapter.lessons[0]
    here, count = chapter.lessons.index(lesson) + 1, len(chapter.lessons)
    number = WORDS("number_of", number=here, all=count)
    return f"{number}<span> · {html.escape(lesson.prose.front['short'])}</span>"


def keep_in_address(word: str, name: str) -> None:
    """Tell the browser which lesson or quiz a link inside the page has led to.

    Streamlit's browser side sends the query that the page was opened with along with every click,
    until the page is left or a script sets the query. Without this, a learner who came by a link
    and went on to the next lesson would be back in the first one after the next click.
    """
    before = st.session_state.get(_SHOWN, (word, name))
    st.session_state[_SHOWN] = word, name
    if before != (word, name):
        st.query_params[word] = name
