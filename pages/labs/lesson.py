"""A lesson's lab: computes the frame that a wish asks for."""

from lessons.contract.computed import computed
from lessons.contract.lesson import RefusedTextError
from lessons.outputs.catalogue import UnknownLessonError, find
from pages.labs import payload
from pages.labs.messages import Frame, Wish
from pages.labs.visit import visited


def seconds(wish: Wish) -> float:
    """Estimate, by arithmetic, how long a wish takes to compute; 0 for what is refused."""
    try:
        lesson = find(wish.lab)
        _, values, _ = lesson.settings(wish.values, wish.good)
    except (UnknownLessonError, RefusedTextError):
        return 0.0
    return lesson.lab.seconds(lesson.lab.preview(values) if wish.live else values)


def frame(wish: Wish) -> Frame:
    """Return what the lesson's lab shows: read the wish, run the lesson, write the message.

    Raises:
        UnknownLessonError: there is no such lesson.
        RefusedTextError: a text is refused, and the wish has no good text to use instead.
    """
    lesson = find(wish.lab)
    visit = visited(lesson, wish)
    step, values = visit.step, visit.values
    run = computed(lesson, values, visit.cuts)
    result = run.result
    done, said = step.is_done(wish.answers, result.facts), step.numbers(wish.answers, result.facts)
    query = lesson.query(values, visit.place, run.cuts, wish.hide, wish.fix)
    charts = lesson.figures(result, values, visit.hidden)
    table = payload.table(lesson.table(result, values, visit.hidden))
    graph = ["graph"] if lesson.lab.start else []
    views = [*graph, *(chart.name for chart in charts), "table", "code"]
    stage = step.stage or views[0]
    shown = {stage, *wish.open}
    return {
        "form": visit.text,
        "accepted": not visit.errors,
        "settled": values == visit.asked,
        "groups": payload.groups(visit),
        "notes": payload.lesson_notes(visit, run),
        "query": query,
        "key": payload.key(lesson, result, visit.hidden),
        "figures": payload.figures([chart for chart in charts if chart.name in shown]),
        "table": table if "table" in shown else None,
        "status": payload.status(result, values, run.seconds),
        "graph": payload.lesson_graph(visit, run) if "graph" in shown else None,
        "code": payload.lesson_code(lesson, run.cuts) if "code" in shown else None,
        "stage": stage,
        "views": [payload.view(name, lesson.views) for name in views],
        "turn": done,
        "numbers": said,
        "trained": lesson.lab.trained_with,
        "document": "",
        "goals": [],
    }
