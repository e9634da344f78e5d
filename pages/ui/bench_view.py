"""The bench on a page: one live lab with a trick, its two variants, and their charts."""

import secrets
from urllib.parse import parse_qsl

import streamlit as st

from lessons.contract.lesson import Lesson
from pages.labs.bench import GRADIENT, LONGEST_TEXT, controls
from pages.ui import site
from pages.ui.live import live_lab
from pages.ui.natural import natural
from pages.ui.place import TEACHER
from pages.ui.words import WORDS


def bench(trick: str = "") -> None:
    """Draw the headline and the bench.

    Args:
        trick: the trick of the page, unless the address names another one.
    """
    words = dict(st.query_params)
    values = {"trick": trick} if trick else {}
    values |= {name: words[name][:LONGEST_TEXT] for name in controls() & words.keys()}
    known = controls() | {GRADIENT}
    hide, fix = (sorted(known.intersection(words.get(word, "").split(","))) for word in TEACHER)
    order = {
        "id": f"bench-{trick}-{words.get('n', '')[:20]}-{site.visit() if trick else ''}",
        "first": not trick and "n" not in words,
        "values": values,
        "cuts": "",
        "graph_step": natural(words.get("at", ""), 999_999),
    }
    with st.container(key="bench"):
        st.html(f"<h1>{WORDS('home_title')}</h1>")
        ours = values.keys() <= {"trick"}
        live_lab("bench", [order], hide=hide, fix=fix, first=ours)


def offer(lesson: Lesson) -> None:
    """Link to the bench with the lesson's case, if it has one; a teacher's frame has no link."""
    case = lesson.prose.front.get("bench")
    if case is None or st.context.is_embedded:
        return
    # The browser follows a link with n once, whatever its bench shows.
    query = dict(parse_qsl(case)) | {"n": secrets.token_hex(3)}
    st.page_link("home.py", label=WORDS("on_the_bench"), query_params=query)
