"""Home: the smallest graph with numbers and an edge to cut, one button, four symptoms."""

import html
from urllib.parse import quote

import streamlit as st

from lessons.contract.lesson import Lesson
from lessons.outputs import catalogue
from pages.labs.home import ORDER
from pages.ui import memory
from pages.ui.course_view import length
from pages.ui.live import live_lab

_DOTTED, _DASHED = 'stroke-dasharray="3 5"', 'stroke-dasharray="7 6"'
_DOT = 'stroke-linecap="round" stroke-width="9"'
_SYMPTOMS = {
    "cut_by_accident": (
        "My loss won’t go down, and nothing raises.",
        [("true", "M4 8c30 34 70 36 140 38", _DOTTED), ("backward", "M4 8h140", "")],
    ),
    "collapse": (
        "My self-supervised loss is perfect and my features are useless.",
        [("backward", "M4 8c14 30 40 38 140 38", ""), ("forward", "M116 13h1M119 11h1", _DOT)],
    ),
    "cliff": (
        "One update wrecked hours of training.",
        [("forward", "M4 18c40 1 60-1 84 2l4 26 52-2", ""), ("backward", "M90 32 140 4", _DASHED)],
    ),
    "straight_through": (
        "My network rounds. How do earlier layers learn?",
        [("forward", "M4 48h34V33h36V20h36V7h34", ""), ("backward", "M4 50 144 5", "")],
    ),
}
"""What people search for, by the lesson that answers it, and a small drawing: the lines of each
role, as SVG's paths.
"""


def home() -> None:
    """Draw the page."""
    words, stage = st.columns([4.4, 7.6], gap="large")
    with stage, st.container(key="lab"):
        live_lab("home", [ORDER])
    with words, st.container(key="words"):
        st.markdown(
            '# Same <span class="gt-forward">output</span>. '
            'Different <span class="gt-backward">gradient</span>.',
            unsafe_allow_html=True,
            anchors=False,
        )
        st.markdown(
            "`detach()`, straight-through, gradient reversal, clipping: each edits the backward "
            "pass and leaves the forward pass alone. Guess what it does to the numbers, then "
            "watch torch do it."
        )
        with st.container(key="onward"):
            _start()
    cards = "".join(_card(catalogue.find(slug), *card) for slug, card in _SYMPTOMS.items())
    st.markdown("## Or start from what bit you", anchors=False)
    st.html(f'<ul class="gt-cards">{cards}</ul>')


def _start() -> None:
    """Lead to the lesson that was left, or else to the first."""
    course = catalogue.lessons()
    trails = [(lesson, memory.trail(lesson)) for lesson in course]
    begun = [lesson for lesson, trail in trails if trail != memory.Trail() and not trail.done]
    ahead = [lesson for lesson, trail in trails if not trail.done]
    lesson = (begun or ahead or [*course])[0]
    first = lesson is course[0] and not begun
    label = "Start: one cut, 5 minutes" if first else f"Go on: {lesson.prose.front['short']}"
    st.page_link(f"{lesson.chapter}.py", label=label, query_params={"lesson": lesson.slug})


def _card(lesson: Lesson, symptom: str, drawing: list[tuple[str, str, str]]) -> str:
    chapter = html.escape(catalogue.chapters_by_slug()[lesson.chapter].title)
    return (
        f'<li><a href="{lesson.chapter}?lesson={lesson.slug}" data-inside>'
        f'<span class="gt-drawing">{"".join(_line(*line) for line in drawing)}</span>'
        f"<b>{symptom}</b><small>{chapter} · {length(lesson)}</small></a></li>"
    )


def _line(role: str, path: str, look: str) -> str:
    """Draw a line in a role's colour. Streamlit leaves SVG out of HTML, and a picture would not
    follow the theme: so this is a box in that colour whose mask is the line.
    """
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" width="150" height="54" fill="none" stroke="#000" '
        f'stroke-linejoin="round" stroke-width="3"><path d="{path}" {look}/></svg>'
    )
    mask = f"mask-image:url(&quot;data:image/svg+xml,{quote(svg)}&quot;)"
    return f'<i class="gt-{role}" style="{mask}"></i>'
