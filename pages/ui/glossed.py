"""A lesson's text with its terms linked to the glossary where they first occur."""

import html
import re
from functools import lru_cache

import streamlit as st

from lessons.contract.lesson import Lesson
from lessons.outputs.glossary import Term, first_uses, uses
from pages.ui.listing import markup, output
from pages.ui.words import WORDS

CODE = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
"""Python in a lesson's Markdown."""
_PARTS = re.compile(r"(.*?)(?:^```(python|text)\n(.*?)^```$|\Z)", re.DOTALL | re.MULTILINE)
"""Markdown, and the code after it: Python, or a program's output. Streamlit's own code block is a
script of megabytes that comes after the step and moves what stands below it."""


def show_text(lesson: Lesson, step: int, text: str, *, code_alone: bool = False) -> None:
    """Show a step's Markdown, values filled in; without its code where that is the stage.

    Args:
        lesson: the lesson with the text.
        step: the step's number, counted from 1.
        text: our own Markdown; nothing in it comes from a visitor.
        code_alone: leave out the text around the code.
    """
    question = lesson.prose.steps[step - 1].question
    if question and not question.is_of_lab:
        text = CODE.sub("", text.replace(":\n\n```python", ".\n\n```python"))
    words = linked(text, first_uses(lesson.slug)[step - 1])
    for part, kind, code in _PARTS.findall(words):
        if part.strip() and not code_alone:
            st.markdown(part, unsafe_allow_html=True)
        if kind == "python":
            st.html(markup(code, label=WORDS("code_in_question")))
        elif kind == "text":
            st.html(output(code))


@lru_cache(1024)
def linked(text: str, allowed: frozenset[str]) -> str:
    """Link each of these terms once in the Markdown."""
    out, position = "", 0
    for start, end, term in uses(text, allowed):
        out += text[position:start] + _link(text[start:end], term)
        position = end
    return out + text[position:]


def _link(word: str, term: Term) -> str:
    definition = html.escape(term.text.replace("`", ""))
    return f'<a class="gt-term" href="glossary?term={term.slug}" title="{definition}">{word}</a>'
