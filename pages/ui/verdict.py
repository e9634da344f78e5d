"""A verdict on the page: what is said to an answer, and its numbers as bars on one axis."""

import html
import math
from collections.abc import Sequence

import streamlit as st

from lessons.contract.verdict import Named

MARKS = {"right": ":material/check:", "wrong": ":material/close:"}
"""From the icons' font: the letters' font has no such signs."""


def reply(kind: str, head: str, text: str) -> None:
    """Reply to an answer.

    Args:
        kind: ``right`` or ``wrong``.
        head: a line above it.
        text: Markdown of ours, or a number that was read and written again.
    """
    with st.container(key=f"reply_{kind}"):
        st.markdown(f"{MARKS[kind]} **{head}**\n\n{text}", unsafe_allow_html=True)


def side_by_side(named: Sequence[Named]) -> None:
    """Show each number as a bar from 0, in one scale, and as text; nothing if there is none."""
    if not named:
        return
    known = [one.value for one in named if one.value is not None and math.isfinite(one.value)]
    low, high = min([0.0, *known]), max([0.0, *known])
    scale = 100 / ((high - low) or 1)
    rows = "".join(_row(one, -low * scale, scale) for one in named)
    st.html(f"<div class=gt-compared role=list>{rows}</div>")


def _row(one: Named, zero: float, scale: float) -> str:
    """Write label, bar, number; ``zero`` is where the bars start, in percent of their track."""
    bar = ""
    if one.value is not None and math.isfinite(one.value):
        start, wide = zero + min(one.value, 0.0) * scale, abs(one.value) * scale
        bar = f'<i style="left:{start:.2f}%;width:{wide:.2f}%"></i>'
    kind = "computed" if one.computed else "said"
    return (
        f'<div class="gt-{kind}" role=listitem><span>{html.escape(one.label)}</span>'
        f'<span class=gt-track style="--zero:{zero:.2f}%" aria-hidden=true>{bar}</span>'
        f"<b>{html.escape(one.text)}</b></div>"
    )
