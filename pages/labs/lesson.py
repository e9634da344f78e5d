"""A lesson's lab: computes the frame that a wish asks for."""

from functools import lru_cache

from lessons.contract.computed import Computed, computed
from lessons.contract.cuts import write_cuts
from lessons.contract.lesson import Lesson, RefusedTextError
from lessons.contract.result import Note
from lessons.outputs.catalogue import UnknownLessonError, find
from lessons.recorder.cutting import Cut
from pages.labs import payload
from pages.labs.code import marked_lines, pane
from pages.labs.graph_messages import GraphSpec
from pages.labs.linked import links, stretches
from pages.labs.messages import Code, CodeFile, Frame, NoteSpec, TableSpec, Wish
from pages.labs.visit import Visit, visited
from pages.labs.words import WORDS


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
        "notes": _notes(visit, run),
        "query": query,
        "key": payload.key(lesson, result, visit.hidden),
        "figures": payload.figures([chart for chart in charts if chart.name in shown]),
        "table": table if "table" in shown else None,
        "status": payload.status(result, values, run.seconds),
        "graph": _graph(visit, run, table) if "graph" in shown else None,
        "code": code(lesson, run.cuts) if "code" in shown else None,
        "stage": stage,
        "views": [payload.view(name, lesson.views) for name in views],
        "turn": done,
        "numbers": said,
        "trained": lesson.lab.trained_with,
        "document": "",
        "goals": [],
    }


def _notes(visit: Visit, run: Computed) -> list[NoteSpec]:
    """Return what to say above the charts."""
    lab, question = visit.lesson.lab, visit.step.open_question(visit.wish.answers)
    refused = "" if visit.wish.carried else run.refusal or visit.refusal
    found = [Note("warning", refused)] if refused else []
    if visit.values != visit.asked and lab.preview_note:
        found.append(Note("info", lab.preview_note))
    if not (visit.hidden and question):
        found += run.result.notes  # before, they would answer the question
    return payload.notes(found)


@lru_cache(maxsize=64)
def code(lesson: Lesson, cuts: tuple[Cut, ...]) -> Code:
    """A lesson's program as it ran, and the same in other frameworks."""
    source = lesson.source_with(cuts)
    panes = {WORDS("ran"): pane(source, marked_lines(source, lesson.highlight))}
    panes[WORDS("plain_torch")] = pane(lesson.in_torch)
    panes |= {label: pane(path.read_text("utf-8")) for label, path in lesson.equivalents.items()}
    address = f"api/lessons/{lesson.slug}/file"
    file: CodeFile = {"name": f"{lesson.slug}.py", "address": address, "how": "get"}
    return {"digest": f"{lesson.slug} {write_cuts(cuts)}", "panes": panes, "files": [file]}


def _graph(visit: Visit, run: Computed, table: TableSpec) -> GraphSpec | None:
    """The run's graph, if it has one."""
    lesson, start, recording = visit.lesson, visit.lesson.lab.start, run.recording
    if start is None or recording is None:
        return None
    covers = visit.hidden & {"trick_gradient", "true_gradient"}
    index, cuts = start(visit.values).index, [write_cuts([edge]) for edge in run.cuts]
    cover = WORDS("covered_gradients") if covers else ""
    drawn = payload.graph(recording, index, "cuts", cuts, cover)
    if lesson.prose.front.get("graph") == "upright":
        drawn["wide"] = None
    drawn["stretches"] = stretches(lesson, recording)
    there = {node["id"] for node in drawn["nodes"]}
    drawn["links"] = links(recording, index, run.result, table, there, visit.hidden)
    return drawn
