"""The live lab on a page: one Streamlit component that holds a lab's controls, charts and table.

The page says which lab it is, at which step, and what it is asked to be set to; from then on the
lab talks to the server over its own route, and no run of a script is in it. The modules that a
browser needs lie in this folder too.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache
from typing import Any

import streamlit as st

from lessons.outputs.catalogue import find
from pages.labs import lesson, wire
from pages.labs.by_name import LABS
from pages.labs.messages import TrainingWish, Wish
from pages.labs.training import Watch
from pages.server.application import SOCKET
from pages.ui.component import component, sent
from pages.ui.place import room

PICTURE_TIME = 0.25
"""Estimated seconds that a lab's first picture may take. The lab asks for a longer one itself."""
KEPT_PICTURES = 128
"""First pictures that are kept for the next learner who opens the same; one has some 50 kB."""

_FIRST = "first_picture"
"""Session key: what the first lab of a session was asked to show at first, as text."""

_component = component("gradient_lab", "lab", '<div class="gl-lab"></div>')


def live_lab(
    lab: str,
    orders: Sequence[Mapping[str, Any]],
    *,
    step: int = 1,
    answers: Collection[str] = (),
    hide: Collection[str] = (),
    fix: Collection[str] = (),
    goal: str = "",
    reached: Callable[[object], None] = lambda given: None,
    note: str = "",
    name: str = "",
    looks_back: bool = False,
    first: bool = True,
) -> None:
    """Mount a lab, or tell the mounted one what has changed on the page.

    Args:
        lab: a lesson's slug, ``bench`` or ``playground``.
        orders: what it is to be set to, in turn: ``id``, ``first``, ``values``, ``cuts``,
            ``graph_step``. The browser does each order once; a first one only where it has
            nothing newer.
        step, answers, hide, fix, goal: as in ``pages.labs.messages.Wish``.
        reached: called once the lab says that the goal is reached, with what the browser sends as
            its settings.
        note: something to say above the charts until the learner changes something.
        name: keeps the lab apart from other pages' labs of this slug: the browser shows it as this
            page left it, and it doesn't write the address.
        looks_back: whether it shows a step that the learner is no longer at: then, too, it doesn't
            write the address.
        first: whether the page may compute the lab's first picture. A visitor's own program is for
            a worker.
    """
    values: dict[str, str] = {}
    for order in orders:
        values |= order["values"]
    cuts = next((one["cuts"] for one in reversed(orders) if one["cuts"] is not None), "")
    here: dict[str, Any] = {"lab": lab, "step": step, "answers": sorted(answers)}
    here |= {"hide": sorted(hide), "fix": sorted(fix), "goal": goal}
    wish = Wish(values=values, good={}, moving=True, cuts=cuts, **here).model_dump_json()
    # Later the scripts are there, and the lab asks for its first frame itself. A run that draws the
    # first page again shows the same.
    comes_first = st.session_state.setdefault(_FIRST, wish) == wish
    data = here | {
        "name": name or lab,
        "looks_back": looks_back,
        "socket": SOCKET,
        "first": first_messages(wish) if first and comes_first else [],
        "orders": [dict(one) for one in orders],
        "note": note,
    }
    key = f"lab_{name or lab}"
    _component(key=key, data=data, on_reached_change=lambda: reached(sent(key, "reached")))


def first_messages(wish: str) -> list[str]:
    """Return the messages that the socket would bring first.

    They are a frame, then the picture of a training if there is one. There is none if computing it
    takes too long for a page.
    """
    with room:
        return _first(wish)


@lru_cache(KEPT_PICTURES)
def _first(wish: str) -> list[str]:
    asked = Wish.model_validate_json(wish)
    lab = LABS.get(asked.lab, lesson)
    trains = lab is lesson and find(asked.lab).lab.training is not None
    if lab.seconds(asked) * (1 + trains) > PICTURE_TIME:  # the training's picture takes as long
        return []
    frame = lab.frame(asked)
    made = [wire.message(0, "frame", wire.encode(frame))]
    if frame["trained"]:
        # A run has the settings themselves, not the cheaper ones of a hand that moves.
        run = asked.model_copy(update={"moving": False})
        picture = Watch(find(asked.lab), run, TrainingWish()).picture()
        made.append(wire.message(0, "picture", wire.encode(picture)))
    return made
