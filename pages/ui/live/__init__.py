"""The live lab on a page: one Streamlit component that holds a lab's controls, charts and table.

The page says which lab it is, at which step, and what it is asked to be set to; from then on the
lab talks to the server over its own route, and no run of a script is in it. The modules that a
browser needs lie in this folder too.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import streamlit as st

from pages.server.application import SOCKET
from pages.server.assets import LIVE, STYLE
from pages.ui import memory

# Streamlit hands inline scripts to the browser as a blob, which cannot import its neighbours by
# a relative address. So the script is this small shim. The addresses are relative to the page's
# <base>, so a server.baseUrlPath is kept.
_SHIM = f"""
let lab;
export default async function (component) {{
  lab ??= import(new URL("{LIVE}/lab.js", document.baseURI).href);
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

_KEPT = f"""
export default async function ({{ setStateValue, data }}) {{
  const {{ queries }} = await import(new URL("{LIVE}/kept.js", document.baseURI).href);
  const found = queries();
  if (JSON.stringify(found) !== JSON.stringify(data.known)) setStateValue("queries", found);
}}
"""
_kept = st.components.v2.component("kept_labs", js=_KEPT, isolate_styles=False)


def live_lab(
    lab: str,
    orders: Sequence[Mapping[str, Any]],
    *,
    step: int = 1,
    answers: Collection[str] = (),
    committed: str = "",
    hide: Collection[str] = (),
    fix: Collection[str] = (),
    note: str = "",
    show: Mapping[str, str] | None = None,
    on_go: Callable[[], None] = lambda: None,
) -> None:
    """Mount a lab, or tell the mounted one what has changed on the page.

    Args:
        lab: a lesson's slug, ``home`` or ``playground``.
        orders: what it is to be set to, in turn: ``id``, ``first``, ``values``, ``cuts``,
            ``graph_step``. The browser does each order once; a first one only where it has
            nothing newer.
        step, answers, hide, fix: as in ``pages.labs.messages.Wish``.
        committed: the answer to the step's question, once there is one.
        note: something to say above the charts until the learner changes something.
        show: the part of the lab that the text speaks of, by ``name``, for which ``step``.
        on_go: called when the mark of another step was clicked, whose number is ``go`` then, in
            the session's state of ``lab_`` and the lab's name.
    """
    data = {
        "lab": lab,
        "socket": SOCKET,
        "orders": [dict(one) for one in orders],
        "step": step,
        "answers": sorted(answers),
        "committed": committed,
        "hide": sorted(hide),
        "fix": sorted(fix),
        "note": note,
        "show": dict(show) if show else None,
        "cookie": memory.cookie(),
    }
    _component(key=f"lab_{lab}", data=data, on_go_change=on_go)


def kept_labs() -> dict[str, str]:
    """The address of each lab as it was left in this tab, by name; empty until the browser told."""
    state = st.session_state.get("kept_labs")
    sent = state.get("queries") if isinstance(state, Mapping) else None
    known = {
        str(name)[:100]: str(query)[:30_000]
        for name, query in (sent.items() if isinstance(sent, Mapping) else ())
    }
    _kept(key="kept_labs", data={"known": known}, on_queries_change=lambda: None)
    return known
