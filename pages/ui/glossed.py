"""A lesson's text with its terms linked where they first occur, the definition at hand."""

import html

import streamlit as st

from lessons.contract.lesson import Lesson
from lessons.outputs.glossary import Term, first_uses, uses


def show_text(lesson: Lesson, step: int, text: str) -> None:
    """Show a step's Markdown, values filled in.

    Args:
        lesson: whose text.
        step: 1 for the first.
        text: Markdown of ours; nothing in it comes from a visitor.
    """
    st.markdown(linked(text, first_uses(lesson.slug)[step - 1]), unsafe_allow_html=True)


def linked(text: str, allowed: frozenset[str]) -> str:
    """The Markdown with each of these terms linked once."""
    out, at = "", 0
    for start, end, term in uses(text, allowed):
        out += text[at:start] + _link(text[start:end], term)
        at = end
    return out + text[at:]


def _link(word: str, term: Term) -> str:
    name = f"gt-def-{term.slug}"
    said = html.escape(term.text.replace("`", ""))
    return (
        f'<a class="gt-term" href="glossary?term={term.slug}" aria-describedby="{name}">{word}</a>'
        f'<span class="gt-def" id="{name}" role="tooltip">{said}</span>'
    )
