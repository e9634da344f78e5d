"""A browser tab's report of the address that it shows, for a session that has not drawn it.

A restarted server, or one that dropped the session of an absent learner, gets a tab in the middle
of a lesson. Streamlit then sends the query that the page was opened with, perhaps a teacher's link,
and everything since would be lost. So once its line is open again, the tab reports its address, and
which session drew it.
"""

import secrets
from collections.abc import Mapping
from urllib.parse import parse_qsl

import streamlit as st

from pages.ui.component import component

_component = component("gradient_tab", "tab")

_SESSION, _WORDS = "tab_session", "tab_words"
"""Session keys: a name for the session, the words of the address that the tab reported."""
_MOST_WORDS, _LONGEST = 64, 30_000


def meet(page: str) -> bool:
    """Let the tab report what it shows; return whether that is news to this session.

    Args:
        page: the address of the page, relative to the site's.
    """
    data = {"session": session(), "page": page}
    report = _component(key="tab", data=data, on_report_change=lambda: None).report
    words = read(report, page, session())
    if words is not None:
        st.session_state[_WORDS] = words
    return words is not None


def session() -> str:
    """Return a name for this session that no other session has."""
    name: str = st.session_state.setdefault(_SESSION, secrets.token_hex(8))
    return name


def read(report: object, page: str, session: str) -> dict[str, str] | None:
    """Return the words of a reported address; None if they are no news, or not as expected.

    Args:
        report: whatever came from the browser.
        page, session: the ones that are drawn now.
    """
    if not isinstance(report, Mapping):
        return None
    by, path, query = (str(report.get(name)) for name in ("session", "path", "query"))
    if by == session or path.rpartition("/")[2] != page or len(query) > _LONGEST:
        return None
    found = parse_qsl(query, keep_blank_values=True)[:_MOST_WORDS]
    return {name: text for name, text in reversed(found) if not name.startswith("embed")}


def address() -> dict[str, str]:
    """Return the words of the address, as last reported or else as the page was opened."""
    words: dict[str, str] | None = st.session_state.get(_WORDS)
    return dict(st.query_params if words is None else words)


def turn_page() -> None:
    """Forget the report: it was about the page before this one."""
    st.session_state.pop(_WORDS, None)
