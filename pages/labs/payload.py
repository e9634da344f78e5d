"""Turn a lesson and its result into the parts of a frame."""

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import Any, Literal

from lessons.contract.covering import drawable
from lessons.contract.cuts import write_cuts
from lessons.contract.devices import devices
from lessons.contract.figure import Figure, Table
from lessons.contract.lesson import Lesson
from lessons.contract.parameters import (
    LONGEST_TEXT,
    Choice,
    Device,
    Index,
    Integer,
    Number,
    Numbers,
    Parameter,
    Text,
    Values,
)
from lessons.contract.result import Note, Result
from lessons.contract.roles import ROLES, Role
from lessons.gradient_tricks.recorder import Recording
from lessons.gradient_tricks.recorder.cutting import Cut
from lessons.gradient_tricks.text import number
from lessons.kit.formulas.drawing import covered
from lessons.kit.formulas.drawing import picture as drawing
from lessons.outputs.address import step_controls
from lessons.outputs.computed import Computed
from lessons.outputs.plain_torch import equivalents, in_torch, plain_torch, source_with
from pages.labs.code import marked_lines, pane
from pages.labs.graph_messages import GraphSpec
from pages.labs.linked import leaves_in_charts, stretches
from pages.labs.messages import (
    Code,
    Control,
    FigureSpec,
    Group,
    KeyEntry,
    NoteSpec,
    Option,
    Pane,
    TableSpec,
    View,
)
from pages.labs.visit import Visit
from pages.labs.words import VIEWS, WORDS

_LONGEST_SHOWN = LONGEST_TEXT + 1
"""Characters of a text sent to its field: one over the limit, so a longer text stays refused."""


def groups(visit: Visit) -> list[Group]:
    """Build the lesson's controls: the ones that the step names, then "More settings".

    If a lesson trains and there is a choice of devices, the device is in the first group.
    """
    lab, why = visit.lesson.lab, dict.fromkeys(visit.held, WORDS("held"))
    why |= dict.fromkeys(visit.wish.fix, WORDS("locked"))

    def shown(parameter: Parameter) -> Control:
        name, kind = parameter.name, control_kind(parameter, visit.values)
        return control(
            name,
            parameter.label,
            help=f"{parameter.help} {why.get(name, '')}".strip(),
            error=visit.errors.get(name),
            hidden=name in visit.wish.hide,
            disabled=name in why,
            **({"value": visit.text[name][:_LONGEST_SHOWN]} | kind),
        )

    choice = lab.training is not None and len(devices()) > 1
    offered = [p for p in lab.parameters if isinstance(p, Device) and choice]
    near = step_controls(visit.lesson, visit.step)
    plain = [p for p in lab.parameters if p.name in near or p in offered]
    more = [p for p in lab.parameters if p not in plain]
    return [
        {"title": None, "open": True, "controls": [shown(p) for p in part]}
        for part in (plain, more)
    ]


def control(name: str, label: str, **more: Any) -> Control:
    """Build a control; ``more`` replaces its empty defaults."""
    made: Any = {"kind": "text", "value": "", "help": "", "error": None, "hidden": False}
    shown: Control = made | {"placeholder": "", "name": name, "label": label} | more
    return shown


def options(labels: Mapping[str, str]) -> list[Option]:
    """Offer these values, each with its label."""
    return [{"value": value, "label": label} for value, label in labels.items()]


def figures(drawn: Collection[Figure]) -> list[FigureSpec]:
    """Describe the charts for the browser."""
    return [
        {
            "id": figure.name,
            "title": figure.title,
            "caption": figure.caption,
            "alt": figure.alt,
            "height": figure.height,
            "figure": {"data": [drawable(one) for one in figure.data], "layout": figure.layout},
            "selects": figure.selects,
        }
        for figure in drawn
    ]


def view(name: str, own: Mapping[str, str]) -> View:
    """Label a view for the title of its drawer; ``own`` has the labels of the lesson alone."""
    return {"name": name, "label": own[name] if name in own else VIEWS[name]}


def table(shown: Table) -> TableSpec:
    """Describe the table for the browser."""
    return {
        "caption": shown.caption,
        "columns": [{"label": label, "role": role} for label, role in shown.columns],
        "rows": [list(row) for row in shown.rows],
    }


def graph(
    recording: Recording,
    index: Sequence[int],
    scissors: Literal["cuts", "snip"] | None,
    cuts: list[str],
    cover: str = "",
) -> GraphSpec:
    """Draw the graph with its numbers and steps.

    Args:
        recording, index: the recorded run, and the component to show.
        scissors: "cuts": the browser sends all edges that are cut. "snip": it sends each click
            as an action, in ``do``. None: no scissors.
        cuts: the edges that are cut now.
        cover: the reason to hide the gradients; if it is empty, they are shown.
    """
    picture = drawing(recording, index, steps=not cover)
    if cover:
        picture, scissors = covered(picture), None
    about = {"scissors": scissors, "cuts": cuts, "covered": cover}
    made: Any = {**picture, **about, "stretches": [], "leaves": []}
    shown: GraphSpec = made
    return shown


def notes(found: Sequence[Note]) -> list[NoteSpec]:
    """Describe the notes above the charts."""
    return [{"level": note.level, "text": note.text} for note in found]


def key(lesson: Lesson, result: Result, hidden: Collection[str]) -> list[KeyEntry]:
    """Explain the line style of each role drawn; empty if the lines have names of their own."""
    drawn = set() if lesson.lab.direct_labels else {curve.role for curve in result.curves}
    return [key_entry(role, role.name in hidden) for role in ROLES.values() if role.name in drawn]


def key_entry(role: Role, covered: bool = False) -> KeyEntry:
    """Describe the line style of a role."""
    label = WORDS("covered_role", role=role.label) if covered else role.label
    return {"role": role.name, "label": label, "dash": "ticks" if role.ticked else role.dash}


def status(result: Result, values: Values, seconds: float) -> str:
    """Say what was computed, how long it took and on which device."""
    took = WORDS("seconds", n=f"{seconds:.1f}")
    if seconds < 1:
        took = WORDS("milliseconds", n=round(seconds * 1000))
    return " · ".join(filter(None, (result.work, took, result.device, values.get("dtype", ""))))


def control_kind(parameter: Parameter, values: Values) -> dict[str, Any]:
    """Choose the kind of control for a parameter, with its bounds or options."""
    value = values[parameter.name]
    if isinstance(parameter, Number):
        low, high = parameter.slider
        ends = {"min": min(low, value), "max": max(high, value), "step": parameter.step}
        return {"kind": "slider", "scale": "linear", **ends}
    if isinstance(parameter, Index):
        labels = {str(i): f"x = {number(x)}" for i, x in enumerate(values[parameter.of], start=1)}
        chosen = str(min(value, len(labels)))
        return {"kind": "select", "options": options(labels), "value": chosen, "of": parameter.of}
    if isinstance(parameter, Integer):
        ends = {"min": parameter.low, "max": parameter.high, "step": 1}
        scale = {"kind": "slider", "scale": "log"} if parameter.log else {"kind": "integer"}
        return {**scale, **ends}
    if isinstance(parameter, (Numbers, Text)):
        return {"kind": "text", "placeholder": parameter.placeholder}
    if isinstance(parameter, Choice):
        kind = "choice" if len(parameter.options) <= 4 else "select"
        return {"kind": kind, "options": options(dict(parameter.options))}
    if isinstance(parameter, Device):
        labels = {name: name for name in devices()}
        labels.setdefault(value, WORDS("not_here", device=value))
        return {"kind": "select", "options": options(labels)}
    raise TypeError(f"no control for {type(parameter).__name__}")


def lesson_notes(visit: Visit, run: Computed) -> list[NoteSpec]:
    """Return what to say above the charts."""
    question = visit.step.open_question(visit.wish.answers)
    refused = "" if visit.wish.carried else run.refusal or visit.refusal
    found = [Note("warning", refused)] if refused else []
    if not (visit.hidden and question):
        found += run.result.notes  # before, they would answer the question
    return notes(found)


def lesson_code(visit: Visit, cuts: tuple[Cut, ...]) -> Code:
    """A lesson's program as it ran, and the same in other frameworks; a file to take home."""
    lesson = visit.lesson
    file = plain_torch(lesson, visit.asked, cuts)
    return {"panes": _panes(lesson, cuts), "files": {f"{lesson.slug}.py": file}}


@lru_cache(maxsize=64)
def _panes(lesson: Lesson, cuts: tuple[Cut, ...]) -> dict[str, Pane]:
    source = source_with(lesson, cuts)
    panes = {WORDS("ran"): pane(source, marked_lines(source, lesson.highlight))}
    panes[WORDS("plain_torch")] = pane(in_torch(lesson))
    panes |= {label: pane(path.read_text("utf-8")) for label, path in equivalents(lesson).items()}
    return panes


def lesson_graph(visit: Visit, run: Computed) -> GraphSpec | None:
    """The run's graph, if it has one."""
    lesson, recording = visit.lesson, run.recording
    if lesson.lab.start is None or recording is None:
        return None
    covers = visit.hidden & {"trick_gradient", "true_gradient"}
    start, cuts = lesson.lab.start(visit.values), [write_cuts([edge]) for edge in run.cuts]
    cover = WORDS("covered_gradients") if covers else ""
    if covers and visit.opens:
        cover = WORDS("covered_gradients_until", step=visit.opens)
    drawn = graph(recording, start.index, "cuts", cuts, cover)
    if lesson.prose.front.get("graph") == "upright":
        drawn["wide"] = None
    drawn["stretches"] = stretches(lesson, recording)
    if not covers:
        drawn["leaves"] = leaves_in_charts(start, run.result)
    return drawn
