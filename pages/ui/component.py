"""Makes a component of Streamlit from one of the browser's modules."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from pages.ui.page import LIVE


def component(name: str, module: str, html: str = "") -> Any:
    """Make a component that a module's ``render(component)`` draws.

    Streamlit hands inline scripts to the browser as a blob, which cannot import its neighbours by
    a relative address; so the script is a shim. Addresses are relative to the page's <base>.

    Args:
        name: the component's, unique on the site.
        module: one in ``live`` that exports ``render``.
        html: the component's own element, if it has one.
    """
    return st.components.v2.component(
        name,
        html=html,
        js=f"""
export default async function (component) {{
  const {{ modules }} = await import(new URL("{LIVE}", document.baseURI).href);
  return modules.{module}.render(component);
}}
""",
        isolate_styles=False,
    )


def sent(key: str, name: str) -> object:
    """Return what a component's script has sent under a name, whatever it is; else None."""
    state = st.session_state.get(key)
    return state.get(name) if isinstance(state, Mapping) else None
