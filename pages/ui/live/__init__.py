"""The live lab on a page: one Streamlit component that holds a lab's controls, charts and table.

The page says which lab it is, at which step, and what it is asked to be set to; from then on the
lab talks to the server over its own route, and no run of a script is in it. The modules that a
browser needs lie in this folder too.
"""

from base64 import b64encode
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache
from typing import Any

import streamlit as st

from lessons.outputs.catalogue import find
from pages.labs import lesson, wire
from pages.labs.messages import TrainingWish, Wish
from pages.labs.training import Watch
from pages.server.application import SOCKET
from pages.server.worker import LABS
from pages.ui import memory
from pages.ui.page import LIVE
from pages.ui.room import room

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

SOON = 0.25
"""Seconds of computing that a page spends on its lab's first picture. The lab asks for a longer one
itself; twelve pages of long programs held up everybody for 9 s."""
KEPT = 128
"""First pictures that are kept for the next learner who opens the same; one has some 50 kB."""

_FIRST = "first_picture"
"""Session key: what the first lab of a session was asked to show at first, as text."""

# Registered once, at import: registering again under the same name would remount every lab.
_component = st.components.v2.component(
    "gradient_lab",
    html='<div class="gl-lab"></div>',
    js=_SHIM,
    isolate_styles=False,
)


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
    state = st.session_state.get(f"lab_{lab}")
    if isinstance(state, Mapping):
        memory.reach(state.get("goals"))
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
        "goals": memory.goals(),
        "cookie": memory.cookie(),
    }
    _component(key=f"lab_{lab}", data=data, on_goals_change=lambda: None, on_go_change=on_go)
    values: dict[str, str] = {}
    for order in orders:
        values |= order["values"]
    wish = Wish(
        lab=lab,
        values=values,
        good={},
        live=True,
        cuts=next((one["cuts"] for one in reversed(orders) if one["cuts"] is not None), ""),
        step=step,
        answers=sorted(answers),
        hide=sorted(hide),
        fix=sorted(fix),
    ).model_dump_json()
    # Later the scripts are there, and the lab comes at once and as it was left. A run that draws
    # the first page again shows the same.
    if st.session_state.setdefault(_FIRST, wish) == wish and (picture := first(wish)):
        # As text, which Streamlit draws with the page's first pieces; HTML comes with its last.
        st.text(f"{picture} {lab} {show['name'] if show else ''}")


def first(wish: str) -> str:
    """Return what the lab will show at first, for the browser to draw before the lab is there.

    Empty where computing it takes too long for a page.
    """
    with room:
        return _first(wish)


@lru_cache(KEPT)
def _first(wish: str) -> str:
    asked = Wish.model_validate_json(wish)
    lab = LABS.get(asked.lab, lesson)
    if asked.lab == "playground" and lab.seconds(asked) > SOON:
        return ""
    frame = lab.frame(asked)
    names = ("goals", "accepted", "groups", "notes", "status", "key", "figures")
    shown: dict[str, Any] = {name: part for name, part in frame.items() if name in names}
    if frame["trained"]:  # with the run as it stands before its first step
        run = asked.model_copy(update={"live": False})  # as the lab asks for it at first
        picture = Watch(find(asked.lab), run, TrainingWish()).picture()
        both = (picture, frame) if picture["leads"] else (frame, picture)
        shown |= {name: picture[name] for name in ("status", "training")}
        shown["figures"] = [figure for one in both for figure in one["figures"]]
        shown["notes"] = [*frame["notes"], *picture["notes"]]
    return b64encode(wire.addressed(0, wire.encode(shown))).decode()
