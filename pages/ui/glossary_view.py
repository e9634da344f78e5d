"""The glossary's page: every term, what it means, where it is taught first."""

import html
import re

import streamlit as st

from lessons.contract.lesson import Lesson
from lessons.outputs.glossary import Term, find_term, lessons_of, terms
from pages.ui.words import WORDS


def glossary_page() -> None:
    """Draw the page; an address may name the term to show first."""
    st.title(WORDS("glossary"), anchor=False)
    asked = st.query_params.get("term", "")
    first = find_term(asked)
    if asked and first is None:
        st.warning(WORDS("no_such_term"))
    if first:
        st.html(f'<dl class="gt-glossary">{_entry(first)}</dl>')
        st.markdown(f"## {WORDS('all_terms')}", anchors=False)
    st.html(f'<dl class="gt-glossary">{"".join(_entry(t) for t in terms() if t != first)}</dl>')


def _entry(term: Term) -> str:
    text = re.sub(r"`([^`]*)`", r"<code>\1</code>", html.escape(term.text))
    where = "".join(map(_where, lessons_of(term)[:1]))
    return f"<div><dt>{html.escape(term.name)}</dt><dd>{text}{where}</dd></div>"


def _where(lesson: Lesson) -> str:
    address, name = f"{lesson.chapter}?lesson={lesson.slug}", lesson.prose.front["short"]
    link = f'<a href="{address}" data-inside>{html.escape(name)}</a>'
    return f"<p>{WORDS('first_in', link=link)}</p>"
