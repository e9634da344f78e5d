"""A lesson's lab: computes the frame that a wish asks for."""

from functools import partial

from lessons.contract.lesson import RefusedTextError
from lessons.outputs.address import query
from lessons.outputs.catalogue import UnknownLessonError, find
from lessons.outputs.computed import computed
from lessons.prose.goal import is_reached
from pages.labs import payload
from pages.labs.frame import frame as build
from pages.labs.messages import Frame, Wish
from pages.labs.visit import visited


def seconds(wish: Wish) -> float:
    """Estimate, by arithmetic, how long a wish takes to compute; 0 for what is refused."""
    try:
        lesson = find(wish.lab)
        _, values, _ = lesson.settings(wish.values, wish.good)
    except (UnknownLessonError, RefusedTextError):
        return 0.0
    return lesson.lab.seconds(lesson.lab.preview(values) if wish.moving else values)


def frame(wish: Wish) -> Frame:
    """Return what the lesson's lab shows: read the wish, run the lesson, write the message.

    Raises:
        UnknownLessonError: there is no such lesson.
        RefusedTextError: a text is refused, and the wish has no good text to use instead.
    """
    lesson = find(wish.lab)
    visit = visited(lesson, wish)
    step, values, hidden = visit.step, visit.values, visit.hidden
    run = computed(lesson, values, visit.cuts)
    result = run.result
    return build(
        visit.text,
        wish.open,
        step.stage,
        graph=partial(payload.lesson_graph, visit, run) if lesson.lab.start else None,
        charts=lesson.figures(result, values, hidden, visit.opens),
        table=lesson.table(result, values, hidden),
        code=partial(payload.lesson_code, visit, run.cuts),
        labels=lesson.views,
        accepted=not visit.errors,
        settled=values == visit.asked,
        groups=payload.groups(visit),
        notes=payload.lesson_notes(visit, run),
        query=query(lesson, visit.asked, visit.place, run.cuts, wish.hide, wish.fix),
        key=payload.key(lesson, result, hidden),
        status=payload.status(result, values, run.seconds),
        turn=is_reached(wish.goal, run.facts)
        if wish.goal
        else step.is_done(wish.answers, result.facts),
        numbers=step.numbers(wish.answers, result.facts),
        covered=bool(hidden),
        trained=lesson.lab.trained_with,
    )
