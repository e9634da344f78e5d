"""The home page's lab: the graph of the first lesson's program, with nothing stopped."""

from lessons.outputs.catalogue import find
from pages.labs import lesson
from pages.labs.messages import Frame, Wish

_LESSON = "two_passes"
_VALUES = {"stopped": "nothing", "x": "4", "point": "1"}
ORDER = {"id": "home", "first": True, "values": _VALUES, "cuts": "", "graph_step": None}
"""What the page asks its lab to be."""


def seconds(wish: Wish) -> float:
    """Estimate how long a wish takes to compute: no time, since the inputs are fixed."""
    return 0.0


def frame(wish: Wish) -> Frame:
    """Return what the lab shows."""
    answers = [question.name for question in find(_LESSON).prose.questions]
    fixed = {"lab": _LESSON, "values": _VALUES, "answers": answers, "step": 1, "open": ["graph"]}
    full = lesson.frame(wish.model_copy(update=fixed))
    return {
        **full,
        "groups": [],
        "figures": [],
        "key": [],
        "table": None,
        "stage": "graph",
        "views": [],
        "turn": None,
        "query": "",
        "numbers": {},
    }
