"""The home page's lab: the graph of the first lesson's program, with nothing stopped."""

from functools import partial

from lessons.contract.computed import computed
from lessons.outputs.catalogue import find
from pages.labs import payload
from pages.labs.frame import frame as build
from pages.labs.messages import Frame, Wish
from pages.labs.visit import visited

_LESSON = "two_passes"
_VALUES = {"stopped": "nothing", "x": "4", "point": "1"}
ORDER = {"id": "home", "first": True, "values": _VALUES, "cuts": "", "graph_step": None}
"""What the page asks its lab to be."""


def seconds(wish: Wish) -> float:
    """Estimate how long a wish takes to compute: no time, since the inputs are fixed."""
    return 0.0


def frame(wish: Wish) -> Frame:
    """Return what the lab shows."""
    lesson = find(_LESSON)
    answers = [question.name for question in lesson.prose.questions]
    fixed = {"values": _VALUES, "answers": answers, "step": 1}
    visit = visited(lesson, wish.model_copy(update=fixed))
    run = computed(lesson, visit.values, visit.cuts)
    return build(
        visit.text,
        graph=partial(payload.lesson_graph, visit, run),
        notes=payload.lesson_notes(visit, run),
        status=payload.status(run.result, visit.values, run.seconds),
    )
