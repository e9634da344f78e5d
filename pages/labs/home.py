"""The home page's lab: one block of code without a cut and with each of two, on one chart."""

from lessons.outputs.catalogue import find
from pages.labs import lesson
from pages.labs.messages import Control, Frame, Wish
from pages.labs.turn import ALONE, Turn

CUTS = {"noise_leaks": "nothing", "wrong_place": "noise", "right_place": "block"}
"""What is cut off in the program of which lesson."""

_CAPTION = (
    "Lines: mean over the draws. Bands: 5–95 % of them. Points: one draw. Where lines coincide, "
    "the broader lies below."
)
_SHOWN = ("noise_low", "noise_high")
ENOUGH_TO_SEE = {"noise_low": "0.6", "noise_high": "1.4"}


def frame(wish: Wish, turn: Turn = ALONE) -> Frame:
    """What the lab shows.

    Raises:
        RefusedTextError: as a lesson's lab.
    """
    said = wish.values.get("cut", "")
    chosen = said if said in CUTS else next(iter(CUTS))
    noise = ENOUGH_TO_SEE | {name: wish.values[name] for name in _SHOWN if name in wish.values}
    asked = {"lab": chosen, "values": noise, "step": len(find(chosen).prose.steps)}
    full = lesson.frame(wish.model_copy(update=asked | {"cuts": ""}), turn)
    cut: Control = {
        "name": "cut",
        "label": "stop_gradient cuts off",
        "kind": "choice",
        "value": chosen,
        "help": "",
        "error": None,
        "hidden": False,
        "placeholder": "",
        "options": [{"value": slug, "label": label} for slug, label in CUTS.items()],
    }
    sliders = [one for one in full["groups"][0]["controls"] if one["name"] in _SHOWN]
    return {
        **full,
        "form": {name: full["form"][name] for name in _SHOWN} | {"cut": chosen},
        "groups": [{"title": None, "open": True, "controls": [cut, *sliders]}],
        "query": "",
        "key": [entry for entry in full["key"] if entry["role"] != "forward"],
        "figures": [
            {**figure, "caption": _CAPTION}
            for figure in full["figures"]
            if figure["id"] == "gradient"
        ],
        "table": None,
        "graph": None,
        "numbers": {},
    }
