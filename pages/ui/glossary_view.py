"""The glossary's page: every term, what it means, where it is taught."""

import html
import re

import streamlit as st

from lessons.outputs.glossary import Term, find_term, lessons_of, terms
from pages.ui.plain import plain


def glossary_page() -> None:
    """Draw the page; an address may name the term to show first."""
    st.title("Glossary", anchor=False)
    asked = st.query_params.get("term", "")
    first = find_term(asked)
    if asked and first is None:
        st.warning(f"There is no term “{plain(asked[:40])}”. Here are those there are.")
    if first:
        st.html(f'<dl class="gt-glossary gt-asked">{_entry(first)}</dl>')
        st.markdown("## All terms", anchors=False)
    st.html(f'<dl class="gt-glossary">{"".join(_entry(t) for t in terms() if t != first)}</dl>')


def _entry(term: Term) -> str:
    links = ", ".join(
        f'<a href="{one.chapter}?lesson={one.slug}">{html.escape(one.prose.front["short"])}</a>'
        for one in lessons_of(term)
    )
    where = f'<p class="gt-where">In: {links}</p>' if links else ""
    text = re.sub(r"`([^`]*)`", r"<code>\1</code>", html.escape(term.text))
    return f"<div><dt>{html.escape(term.name)}</dt><dd>{text}{where}</dd></div>"
