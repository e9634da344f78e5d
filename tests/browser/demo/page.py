"""The page: one lab, and what a page may ask of it."""

import streamlit as st

from pages.ui.live import live_lab
from pages.ui.tab import address
from tests.browser.demo.lab import START


def order(name: str, values: dict[str, str]) -> None:
    first = name == "arrived"
    st.session_state["order"] = {
        "id": name,
        "first": first,
        "values": values,
        "cuts": "",
        "graph_step": None,
    }


def start_over() -> None:
    st.session_state["resets"] = st.session_state.get("resets", 0) + 1
    order(f"reset {st.session_state['resets']}", START)


st.set_page_config(layout="wide")
st.title("A lab")
if "order" not in st.session_state:
    order("arrived", START | {name: text for name, text in address().items() if name in START})
live_lab("demo", [st.session_state["order"]])
st.button("Rerun the page")
st.button("Start over", on_click=start_over)
