"""A lesson's lab: computes the frame that a wish asks for."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from time import perf_counter
from typing import Any

from lessons.contract.cuts import write_cuts
from lessons.contract.lesson import CutError, Lesson, held_controls, hidden_roles, step_controls
from lessons.contract.parameters import InvalidParametersError, Values
from lessons.contract.result import Note, Result
from lessons.outputs.catalogue import UnknownLessonError, find
from lessons.recorder import Recording
from lessons.recorder.cutting import Cut
from pages.labs import numbers, payload
from pages.labs.code import marked_lines, pane
from pages.labs.graph_messages import GraphSpec
from pages.labs.linked import links, stretches
from pages.labs.messages import Code, CodeFile, Frame, RefusedError, TableSpec, Wish
from pages.labs.words import WORDS


class RefusedTextError(ValueError):
    """A text is refused, and the wish does not say what was good: it has to come along."""


@dataclass(frozen=True)
class Computed:
    """A lesson's result for some settings and cuts.

    Args:
        result, seconds: the program's result, and how long it took.
        recording: makes its graph, once; None where the lesson has none.
        cuts: the edges cut in it: none of those asked for, where the program cannot run with them.
        refusal: why not, then.
    """

    result: Result
    seconds: float
    recording: Callable[[], Recording | None]
    cuts: tuple[Cut, ...]
    refusal: str = ""


def computed(lesson: Lesson, values: Values, cuts: Collection[Cut] = ()) -> Computed:
    """The lesson's result and graph; kept for the next who asks for the same."""
    texts = tuple(lesson.text(values).items())
    return _computed(lesson.slug, tuple(values.items()), texts, tuple(sorted(cuts)))


@lru_cache(maxsize=48)
def _computed(
    slug: str,
    settings: tuple[tuple[str, Any], ...],
    texts: tuple[tuple[str, str], ...],  # 0 equals -0.0 and is another input, also in the cache
    cuts: tuple[Cut, ...],
) -> Computed:
    lesson, values = find(slug), dict(settings)
    start = perf_counter()
    try:
        result, whole, refusal = lesson.compute(values, cuts), cuts, ""
    except CutError as error:
        result, whole = lesson.compute(values), ()
        refusal = WORDS("cuts_dropped", why=error)
    seconds = perf_counter() - start
    return Computed(result, seconds, cache(lambda: lesson.record(values, whole)), whole, refusal)


def seconds(wish: Wish) -> float:
    """Estimate, by arithmetic, how long a wish takes to compute; 0 for what is refused."""
    try:
        lesson = find(wish.lab)
        _, values, _ = settings(lesson, wish, {})
    except (UnknownLessonError, RefusedTextError):
        return 0.0
    return lesson.lab.seconds(lesson.lab.preview(values) if wish.live else values)


def frame(wish: Wish) -> Frame:
    """What the lesson's lab shows.

    Raises:
        RefusedError: there is no such lesson.
        RefusedTextError: a text is refused, and the wish brings nothing that was good.
    """
    try:
        lesson = find(wish.lab)
    except UnknownLessonError as error:
        raise RefusedError(str(error)) from None
    place = min(wish.step, len(lesson.prose.steps))
    step = lesson.prose.steps[place - 1]
    held = held_controls(lesson, wish.answers, place)
    hidden = hidden_roles(lesson, wish.answers, place)
    text, asked, errors = settings(
        lesson, wish, lesson.spelled({n: step.lab[n] for n in held if n in step.lab})
    )
    cuts, refusal = edges(lesson, wish.cuts, asked)
    hide, fix = ([n for n in names if n in text] for names in (wish.hide, wish.fix))
    values = lesson.lab.preview(asked) if wish.live else asked
    run = computed(lesson, values, cuts)
    refused = "" if wish.carried else run.refusal or refusal
    notes = [Note("warning", refused)] if refused else []
    if values != asked and lesson.lab.preview_note:
        notes.append(Note("info", lesson.lab.preview_note))
    if not (hidden and step.question and step.question.name not in wish.answers):
        notes += run.result.notes  # before, they would answer the question
    drawn = payload.figures(lesson.figures(run.result, values, hidden))
    graph = ["graph"] if lesson.lab.start else []
    views = [*graph, *(figure["id"] for figure in drawn), "table", "code"]
    stage = step.stage or views[0]
    shown = {stage, *wish.open}
    figures = [figure for figure in drawn if figure["id"] in shown]
    table = payload.table(lesson.table(run.result, values, hidden))
    return {
        "form": text,
        "accepted": not errors,
        "settled": values == asked,
        "groups": payload.groups(
            lesson, values, text, errors, hide, fix, held, step_controls(lesson, step)
        ),
        "notes": payload.notes(notes),
        "query": payload.query(lesson, values, place, run.cuts, hide, fix),
        "key": payload.key(lesson, run.result, hidden),
        "figures": figures,
        "table": table if "table" in shown else None,
        "status": payload.status(run.result, values, run.seconds),
        "graph": _graph(lesson, run, values, hidden, table) if "graph" in shown else None,
        "code": code(lesson.slug, run.cuts) if "code" in shown else None,
        "stage": stage,
        "views": [payload.view(name) for name in views],
        "turn": numbers.turn(step, wish.answers, run.result.facts),
        "numbers": numbers.by_mark(step, wish.answers, run.result.facts),
        "trained": lesson.lab.trained_with,
        "document": "",
        "goals": [],
    }


def settings(
    lesson: Lesson, wish: Wish, held: Mapping[str, str]
) -> tuple[dict[str, str], Values, dict[str, str]]:
    """Return each control's text, the values, and the refusals by parameter.

    A refused text counts as what was good, or else as the default.

    Args:
        lesson, wish: what is asked of whom.
        held: what those controls say that a question holds.

    Raises:
        RefusedTextError: a text is refused, and the wish brings nothing that was good.
    """
    defaults = lesson.defaults
    text = defaults | {n: shown for n, shown in wish.values.items() if n in defaults} | dict(held)
    errors: dict[str, str] = {}
    kept = text
    for instead in (wish.good or {}, *[defaults] * len(text)):
        try:
            return text, lesson.validate(kept), errors
        except InvalidParametersError as error:
            if wish.good is None:
                raise RefusedTextError from None
            errors = error.errors | errors
            kept = kept | {name: instead.get(name, defaults[name]) for name in error.errors}
    return text, lesson.validate({}), errors


def edges(lesson: Lesson, asked: str, values: Values) -> tuple[tuple[Cut, ...], str]:
    """The cuts asked for that the graph has with these settings; what to say of the others."""
    try:
        return lesson.cuts_in(asked, values)
    except ValueError as error:
        return (), WORDS("no_cuts", why=error)


@lru_cache(maxsize=64)
def code(slug: str, cuts: tuple[Cut, ...]) -> Code:
    """A lesson's program as it ran, and the same in other frameworks."""
    lesson = find(slug)
    source = lesson.source_with(cuts)
    panes = {WORDS("ran"): pane(source, marked_lines(source, lesson.highlight))}
    panes[WORDS("plain_torch")] = pane(lesson.in_torch)
    panes |= {label: pane(path.read_text("utf-8")) for label, path in lesson.equivalents.items()}
    file: CodeFile = {"name": f"{slug}.py", "address": f"api/lessons/{slug}/file", "how": "get"}
    return {"digest": f"{slug} {write_cuts(cuts)}", "panes": panes, "files": [file]}


def _graph(
    lesson: Lesson,
    run: Computed,
    values: Values,
    hidden: frozenset[str],
    table: TableSpec,
) -> GraphSpec | None:
    """The run's graph, if it has one."""
    if lesson.lab.start is None:
        return None
    recording = run.recording()
    if recording is None:
        return None
    cover = WORDS("covered_gradients") if hidden & {"trick_gradient", "true_gradient"} else ""
    index = lesson.lab.start(values).index
    cuts = [write_cuts([edge]) for edge in run.cuts]
    drawn = payload.graph(recording, index, "cuts", cuts, cover)
    if lesson.prose.front.get("graph") == "upright":
        drawn["wide"] = None
    drawn["stretches"] = stretches(lesson, recording)
    there = {node["id"] for node in drawn["nodes"]}
    drawn["links"] = links(recording, index, run.result, table, there, hidden)
    return drawn
