"""The glossary's page: every term, what it means, where it is taught first."""

import html
import re

import streamlit as st

from lessons.contract.lesson import Lesson
from lessons.outputs.glossary import Term, find_term, lessons_of, terms
from pages.ui.verbatim import verbatim


def glossary_page() -> None:
    """Draw the page; an address may name the term to show first."""
    st.title("Glossary", anchor=False)
    asked = st.query_params.get("term", "")
    first = find_term(asked)
    if asked and first is None:
        st.warning(f"There is no term “{verbatim(asked[:40])}”. Here are all the terms.")
    if first:
        st.html(f'<dl class="gt-glossary">{_entry(first)}</dl>')
        st.markdown("## All terms", anchors=False)
    st.html(f'<dl class="gt-glossary">{"".join(_entry(t) for t in terms() if t != first)}</dl>')


def _entry(term: Term) -> str:
    text = re.sub(r"`([^`]*)`", r"<code>\1</code>", html.escape(term.text))
    first, *others = [*map(_link, lessons_of(term))] or [""]
    more = f"<details><summary>more</summary>{', '.join(others)}</details>" if others else ""
    where = f'<div class="gt-where">First in {first}{more}</div>' if first else ""
    return f"<div><dt>{html.escape(term.name)}</dt><dd>{text}{where}</dd></div>"


def _link(lesson: Lesson) -> str:
    address = f"{lesson.chapter}?lesson={lesson.slug}"
    return f'<a href="{address}" data-inside>{html.escape(lesson.prose.front["short"])}</a>'
