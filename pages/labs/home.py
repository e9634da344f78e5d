"""The home page's lab: the graph of the first lesson's program, with nothing stopped."""

from lessons.outputs.catalogue import find
from pages.labs import lesson
from pages.labs.messages import Frame, Wish

LESSON = "two_passes"
SUM = "sum"
"""The mark on the page for what the gradient adds up to."""
WHOLE = "32 + 16 = 48"
"""What it says before a cut."""
_VALUES = {"stopped": "nothing", "x": "4", "point": "1"}
ORDER = {"id": "home", "first": True, "values": _VALUES, "cuts": "", "graph_step": None}
"""What the page asks its lab to be."""


def seconds(wish: Wish) -> float:
    """Estimate how long a wish takes to compute: no time, since the inputs are fixed."""
    return 0.0


def frame(wish: Wish) -> Frame:
    """Return what the lab shows.

    Raises:
        RefusedTextError: as a lesson's lab.
    """
    answers = [question.name for question in find(LESSON).prose.questions]
    fixed = {"lab": LESSON, "values": _VALUES, "answers": answers, "step": 1, "open": ["graph"]}
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
        "numbers": {SUM: _sum(full)},
    }


def _sum(full: Frame) -> str:
    """Write the gradients that reach x and their sum."""
    graph = full["graph"]
    assert graph is not None
    edges = [edge for edge in graph["edges"] if edge["from"] == "x" and edge["state"] == "flowing"]
    (total,) = [node["upstream"] for node in graph["nodes"] if node["id"] == "x"] or [""]
    parts = " + ".join(edge["gradient"] for edge in edges)
    if len(edges) < 2:
        return parts or "None: no gradient reaches x"
    return f"{parts} = {total}"
