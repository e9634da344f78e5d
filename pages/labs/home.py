"""The home page's lab: one block of code without a cut and with each of two, on one chart."""

from collections.abc import Collection

import numpy as np

from lessons.outputs.catalogue import find
from lessons.training.covering import roles_of
from pages.labs import lesson, payload
from pages.labs.messages import Chart, Control, Frame, GoalSpec, Wish

CUTS = {"noise_leaks": "nothing", "wrong_place": "noise", "right_place": "block"}
"""What is cut off in the program of which lesson."""

_CAPTIONS = {
    "forward": "Line: mean over the draws. Band: 5–95 % of them; drag its edges.",
    "gradient": "Points: one draw. Ticks: intended. Below: how far off them.",
}
"""The charts, side by side."""
_LEFT_OUT = {"true_gradient"}
"""What autograd gives and what is intended are enough to see at first."""
_VANISHED = 1e-6
"""As wide as rounding makes a band."""
_SHOWN = ("noise_low", "noise_high")
_CUT_HELP = "noise: the product with u alone. block: that and the root after it."
_HELP = {"noise_high": "u, the factor of the noise, is drawn between these two."}
"""Under the second slider for both."""
ENOUGH_TO_SEE = {"noise_low": "0.6", "noise_high": "1.4"}


def seconds(wish: Wish) -> float:
    """How long a wish takes to compute: always a short time, for the number of draws is fixed."""
    return 0.0


def frame(wish: Wish) -> Frame:
    """What the lab shows.

    Raises:
        RefusedTextError: as a lesson's lab.
    """
    wanted = wish.values.get("cut", "")
    chosen = wanted if wanted in CUTS else next(iter(CUTS))
    noise = ENOUGH_TO_SEE | {name: wish.values[name] for name in _SHOWN if name in wish.values}
    asked = {"lab": chosen, "values": noise, "step": len(find(chosen).prose.steps)}
    wish = wish.model_copy(update=asked | {"cuts": ""})
    full = lesson.frame(wish)
    cut = payload.control(
        "cut",
        "stop_gradient cuts off",
        kind="choice",
        value=chosen,
        help=_CUT_HELP,
        options=[{"value": slug, "label": label} for slug, label in CUTS.items()],
    )
    sliders: list[Control] = [
        {**control, "help": _HELP.get(control["name"], "")}
        for control in full["groups"][0]["controls"]
        if control["name"] in _SHOWN
    ]
    return {
        **full,
        "form": {name: full["form"][name] for name in _SHOWN} | {"cut": chosen},
        "groups": [{"title": None, "open": True, "controls": [cut, *sliders]}],
        "query": "",
        "key": [entry for entry in full["key"] if entry["role"] not in _LEFT_OUT],
        "figures": [
            {
                **figure,
                "caption": caption,
                "wide": False,
                "height": 300,
                "figure": _without(figure["figure"], _LEFT_OUT),
            }
            for name, caption in _CAPTIONS.items()
            for figure in full["figures"]
            if figure["id"] == name
        ],
        "table": None,
        "graph": None,
        "numbers": {},
        "goals": [_goal(wish)],
    }


def _goal(wish: Wish) -> GoalSpec:
    """Whether the value still has its band, and the gradient that autograd gives has none."""
    shown = find(wish.lab)
    values = shown.lab.preview(lesson.settings(shown, wish, {})[1])
    result = lesson.computed(shown, values).result
    widest = {
        curve.role: float(np.nanmax(curve.high - curve.low))
        for curve in result.curves
        if curve.low is not None and curve.high is not None
    }
    return {
        "name": "band",
        "text": "Make the gradient’s band vanish, and leave the value its noise.",
        "value": widest["forward"] > _VANISHED,
        "gradient": widest["trick_gradient"] < _VANISHED,
    }


def _without(chart: Chart, roles: Collection[str]) -> Chart:
    """The chart without what is drawn in these roles."""
    data = [trace for trace in chart["data"] if not set(roles_of(trace)) & set(roles)]
    return {**chart, "data": data}
