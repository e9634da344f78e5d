"""The page "Your own code": how to use the doctor, and a report to look at."""

from pathlib import Path

import streamlit as st

from pages.server import files
from pages.server.addresses import root
from pages.ui.listing import markup

_WAYS = (
    ("Install it next to your torch, from a copy of this project", "pip install ."),
    ("An unchanged script, until its second optimizer step", "gradient-tricks trace train.py"),
    ("A function, a method or a module", "gradient-tricks trace train.py:step"),
    ("In a notebook, after `import gradient_tricks as gt`", "gt.trace(loss, x)"),
    ("In a test, which fails and says what is wrong", "gt.assert_gradients(loss, x)"),
)
_TRAIN = Path(__file__).with_name("train.py")
REPORT = files.add("report.html", _TRAIN.with_suffix(".html").read_bytes())
"""The address of what the doctor says about ``train.py``."""


def own_code_page() -> None:
    """Draw the page."""
    st.title("Your own code", anchor=False)
    st.markdown(
        "The doctor runs your training step on your machine. It names the line that cuts a "
        "gradient, makes it 0 or makes it NaN, and says what to do about it."
    )
    with st.container(key="to_copy"):
        ways, broken = st.columns(2, gap="large")
        with ways:
            for says, code in _WAYS:
                st.markdown(f"**{says}**")
                st.code(code, language=None, wrap_lines=True)
        with broken:
            st.markdown("**A broken script: its loss falls, its encoder never learns**")
            st.html(markup(_TRAIN.read_text("utf-8"), label="train.py"))
        st.markdown("## What the doctor says about it", anchors=False)
        st.link_button("Open the report in a new tab", REPORT, type="tertiary")
    st.iframe(f"{root()}{REPORT}", height=700, alt="Report")
