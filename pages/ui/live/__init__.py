"""The live lab: one Streamlit component that holds a lab's controls, charts and table.

A page builds a payload (see ``live_lab``), mounts it, and reads what the learner set with
``last_change``. Everything a browser needs lives in this folder too: the modules in ``*.js``,
the look in ``lab.css``; ``assets`` puts them where Streamlit's static serving finds them and
``wire`` turns numbers into bytes and the browser's answer into something that can be trusted.
No lesson and no torch in here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequestType

from pages.ui.live.assets import LIVE_FOLDER, STYLE, prepare
from pages.ui.live.wire import Change, encode, read_change

__all__ = ["Change", "give_way", "last_change", "live_lab", "newer_waits", "prepare"]

# Streamlit hands inline scripts to the browser as a blob, which cannot import its neighbours by
# a relative address. So the script is this small shim, and the modules come from static serving.
# The address is relative to the page's <base>, so a server.baseUrlPath is kept.
_SHIM = f"""
let lab;
export default async function (component) {{
  lab ??= import(new URL("app/static/{LIVE_FOLDER}/lab.js", document.baseURI).href);
  try {{
    return (await lab).render(component);
  }} catch (error) {{
    lab = undefined; // the next render tries again
    console.error("The live lab could not be loaded.", error);
    component.parentElement.querySelector(".gl-lab").textContent =
      "The lab's script could not be loaded. Reload the page to try again.";
  }}
}}
"""

# Registered once, at import: registering again under the same name would remount every lab.
_component = st.components.v2.component(
    "gradient_lab",
    html='<div class="gl-lab"></div>',
    css=STYLE,
    js=_SHIM,
    isolate_styles=False,
)


def _nothing() -> None:
    """A state key exists only when it has a callback."""


def last_change(key: str) -> Change | None:
    """What the browser sent last for the lab ``key``; readable before it is mounted in this run."""
    state = st.session_state.get(key)
    return read_change(state.get("input")) if isinstance(state, Mapping) else None


def live_lab(payload: Mapping[str, Any], *, key: str) -> None:
    """Mount the lab, or bring the mounted one up to date.

    ``payload`` holds ``seq``, ``reset``, ``groups``, ``figures``, ``table``, ``notes``, ``status``
    and ``query``; ``lab.js`` documents them. Figures may hold numpy arrays anywhere under
    ``data`` and ``layout``, and colour tokens such as ``"role:forward/0.25"``.
    """
    _component(key=key, data=encode(payload), on_input_change=_nothing)


def give_way() -> None:
    """Start over with the newer wish if one waits; call this between the chunks of long work.

    A change inside a fragment interrupts nothing: Streamlit lets the run at hand finish first. So
    a lab has to ask. Ends the run by the exception of ``st.rerun``, which no ``except Exception``
    catches. Does nothing off the script's thread.
    """
    context = get_script_run_ctx(suppress_warning=True)
    if context is None:
        return
    st.session_state.get("_")  # where Streamlit stops a run whose page has been left
    if newer_waits():
        st.rerun(scope="fragment" if context.fragment_ids_this_run else "app")


def newer_waits() -> bool:
    """Whether the learner has done something since this run began. False off the script's thread.

    For work that may end early and still show what it has.
    """
    context = get_script_run_ctx(suppress_warning=True)
    # The one private name here. A Streamlit without it would only make slow labs slower to
    # follow, and a browser test would say so.
    state = getattr(getattr(context, "script_requests", None), "_state", None)
    return bool(state == ScriptRequestType.RERUN)
