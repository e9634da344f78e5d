"""The page "Your own code": how to use the doctor, and a report to look at."""

from pathlib import Path

import streamlit as st

from pages.server.addresses import add_file, root
from pages.ui.listing import markup
from pages.ui.words import WORDS

_WAYS = (
    (WORDS("way_install"), "pip install ."),
    (WORDS("way_script"), "gradient-tricks trace train.py"),
    (WORDS("way_function"), "gradient-tricks trace train.py:step"),
    (WORDS("way_notebook"), "gt.trace(loss, x)"),
    (WORDS("way_test"), "gt.assert_gradients(loss, x)"),
)
_TRAIN = Path(__file__).with_name("train.py")
REPORT = add_file("report.html", _TRAIN.with_suffix(".html").read_bytes())
"""The address of what the doctor says about ``train.py``."""


def own_code_page() -> None:
    """Draw the page."""
    st.title(WORDS("own_code"), anchor=False)
    st.markdown(WORDS("own_code_about"))
    with st.container(key="to_copy"):
        ways, broken = st.columns(2, gap="large")
        with ways:
            for says, code in _WAYS:
                st.markdown(f"**{says}**")
                st.code(code, language=None, wrap_lines=True)
        with broken:
            st.markdown(f"**{WORDS('broken_script')}**")
            st.html(markup(_TRAIN.read_text("utf-8"), label="train.py"))
        st.markdown(f"## {WORDS('doctor_says')}", anchors=False)
        st.link_button(WORDS("open_report"), REPORT, type="tertiary")
    st.iframe(f"{root()}{REPORT}", height=700, alt=WORDS("report"))
