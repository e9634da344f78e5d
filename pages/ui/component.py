"""Makes a component of Streamlit from one of the browser's modules."""

from typing import Any

import streamlit as st

from pages.ui.page import LIVE


def component(name: str, module: str, html: str = "", broken: str = "") -> Any:
    """Make a component that a module's ``render(component)`` draws.

    Streamlit hands inline scripts to the browser as a blob, which cannot import its neighbours by
    a relative address; so the script is a shim. Addresses are relative to the page's <base>.

    Args:
        name: the component's, unique on the site.
        module: one in ``live`` that exports ``render``.
        html: the component's own element, if it has one.
        broken: what its element says where the module cannot be loaded.
    """
    return st.components.v2.component(
        name,
        html=html,
        js=f"""
export default async function (component) {{
  try {{
    const {{ modules }} = await import(new URL("{LIVE}", document.baseURI).href);
    return modules.{module}.render(component);
  }} catch (error) {{
    console.error("{LIVE} could not be loaded.", error);
    const [root] = component.parentElement.children;
    if (root && "{broken}") root.textContent = "{broken}";
  }}
}}
""",
        isolate_styles=False,
    )
