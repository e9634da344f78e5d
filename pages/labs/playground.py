"""The playground's lab: a form as typed, its program, and the program's result."""

import time
from collections.abc import Collection
from functools import lru_cache, partial
from urllib.parse import urlencode

import numpy as np

from lessons.contract.lesson import RefusedTextError
from lessons.contract.roles import ROLES
from lessons.gradient_tricks.recorder import Recording
from lessons.gradient_tricks.recorder.picture.graph_drawing import picture_seconds
from lessons.playground.document.as_text import IMPORTS, from_text, read_text, to_text
from lessons.playground.document.check import check
from lessons.playground.document.contents import Document
from lessons.playground.document.gestures import (
    MOST_TEXT,
    Form,
    control_of,
    form_of,
    from_code,
    gestured,
    warnings_in,
)
from lessons.playground.document.presets import preset, preset_of
from lessons.playground.language.limits import MAX_DRAWN
from lessons.playground.language.playground_error import PlaygroundError
from lessons.playground.running.budget import drawing_seconds, seconds_of
from lessons.playground.running.outcome import run_checked
from lessons.playground.running.outcome_charts import figures, key, table
from lessons.playground.running.recorded import edges, is_cut, place, recorded, snip
from pages.labs import payload
from pages.labs.code import pane
from pages.labs.frame import frame as build
from pages.labs.graph_messages import GraphSpec
from pages.labs.linked import stretches_of_program
from pages.labs.messages import Code, Frame, Group, NoteSpec, Wish
from pages.labs.playground_controls import groups
from pages.labs.playground_state import Computed, State
from pages.labs.words import WORDS

FIRST = "noise_leaks"
"""The program that is there at first."""
LONGEST_LAYOUT = 0.1
"""Estimated seconds that the layout of a graph may take."""


def frame(wish: Wish) -> Frame:
    """Return what the playground shows.

    Raises:
        RefusedTextError: a text is refused, and the wish brings nothing that was good.
    """
    return build_frame(state(wish), wish.open)


def build_frame(state: State, opened: Collection[str] = ()) -> Frame:
    """Build the frame of a state, with the views of the last good run.

    Args:
        state: the settings, and their result.
        opened: the drawers that are open, by view.
    """
    made = state.computed
    controls = groups(state, opened)
    return build(
        state.form,
        opened,
        below_stage=("forward", "gradient"),
        graph=partial(_graph, made, made.recording) if made and made.recording else None,
        charts=figures(made.outcome, made.document) if made else (),
        table=table({"": made.outcome}) if made else None,
        code=partial(_code, made.document) if made else None,
        accepted=not state.errors,
        groups=controls,
        notes=_notes(state, controls),
        query=urlencode(state.address()),
        key=[payload.key_entry(ROLES[name]) for name in key(made.outcome)] if made else (),
        status=payload.status(made.outcome, {"dtype": made.document.dtype}, made.seconds)
        if made
        else "",
    )


def seconds(wish: Wish) -> float:
    """About how long a wish takes to compute, by the length of its program and of its inputs."""
    # To read the expressions takes some milliseconds, so only their characters are counted.
    total = drawing = 0.0
    for form in (wish.values, wish.good or {}):
        text = form.get("program", "")[:MOST_TEXT]
        try:
            document = from_text(text)
        except PlaygroundError:
            document = Document((), text)
        sizes = {f"in.{one.name}.values": np.size(one.values) for one in document.inputs}  # type: ignore[arg-type]
        for name in (name for name in form if name.endswith(".values")):
            sizes[name] = max(sizes.get(name, 0), form[name].count(",") + 1)
        drawn = any(one.noise for one in document.inputs)
        total += seconds_of(document.program, [*sizes.values()], drawn)
        drawing = max(drawing, drawing_seconds(document.program))
    return total + drawing


def state(wish: Wish) -> State:
    """Return the state that a wish asks for.

    Raises:
        RefusedTextError: a text is refused, and the wish brings nothing that was good.
    """
    good = _document(wish.good["program"]) if wish.good and "program" in wish.good else None
    form, notice = _form(wish)
    errors: dict[str, PlaygroundError] = {}
    document = None
    try:
        if "program" in wish.touched:
            form, done = from_code(form, good)
            notice = notice or done
        document, errors = gestured(form, wish.touched)
    except PlaygroundError as error:
        errors["program"] = placed(error, form["program"])
    if document and wish.do.startswith("snip "):
        document, notice = _snipped(document, wish.do.removeprefix("snip "))
    if document:
        made = compute(document)
        if isinstance(made, Computed):
            refused = {name: form[name] for name in errors}
            form = form_of(document, form.get("rule.op", "")) | refused
            return State(form, document, made, errors, notice)
        control = "program" if "program" in wish.touched else control_of(made, form)
        errors[control] = placed(made, form["program"]) if control == "program" else made
    if wish.good is None:
        raise RefusedTextError(next(map(str, errors.values())))
    last = compute(good) if good is not None else None
    computed = last if isinstance(last, Computed) else None
    told = document if document and _can_be_written(document) else good
    return State(form, told or preset(FIRST), computed, errors, notice)


def _document(text: str) -> Document | None:
    """The document that a text is, if it can be written again."""
    try:
        document = from_text(text)
    except PlaygroundError:
        return None
    return document if _can_be_written(document) else None


def _can_be_written(document: Document) -> bool:
    """Whether a document can be written as text: a rule may be for an op type that there isn't."""
    try:
        return bool(to_text(document))
    except PlaygroundError:
        return False


def placed(error: PlaygroundError, text: str) -> PlaygroundError:
    """An error of a document as one at a place of its text."""
    try:
        return read_text(text).placed(error)
    except PlaygroundError:
        return error


def compute(document: Document) -> Computed | PlaygroundError:
    """Run a document, or say why it can't run; the cache keeps the result for the same request."""
    return _computed(document, repr(document))


@lru_cache(maxsize=2)  # the largest that the limits allow holds 11 MB, in each worker
def _computed(document: Document, text: str) -> Computed | PlaygroundError:
    """Run a document; the second part of the key is its text, since 0 equals -0.0."""
    start = time.perf_counter()
    try:
        checked = check(document)
        outcome = run_checked(checked)
        recording = recorded(checked) if checked.program.ops <= MAX_DRAWN else None
        if recording and picture_seconds(recording) > LONGEST_LAYOUT:
            recording = None
    except PlaygroundError as error:
        # Its traceback holds every tensor of the run that was refused.
        error.__context__ = error.__cause__ = None
        return error.with_traceback(None)
    return Computed(outcome, checked, recording, time.perf_counter() - start)


def _form(wish: Wish) -> tuple[Form, str]:
    """The form as it was set, or that of a preset that was chosen; what to say of it."""
    form = {name: text[:MOST_TEXT] for name, text in wish.values.items()}
    chosen = form.pop("preset", "")
    if "program" not in form or ("preset" in wish.touched and chosen and not wish.do):
        document = _document(form.get("program", ""))
        chosen = chosen or FIRST
        if document is None or preset_of(document) != chosen:
            try:
                return form_of(preset(chosen)), ""
            except PlaygroundError as error:
                return form, error.message
    return form, ""


def _snipped(document: Document, edge: str) -> tuple[Document, str]:
    """Cut or mend an edge: the program is rewritten; say why not where it can't be."""
    try:
        check(document)
    except PlaygroundError:
        return document, WORDS("fix_first")
    try:
        return snip(document, edge), ""
    except PlaygroundError as error:
        return document, error.message


def _graph(made: Computed, recording: Recording) -> GraphSpec:
    """A run's graph; where an edge has a text of its own, the scissors cut it."""
    there, index = edges(made.checked.program), place(made.checked)
    cut = [name for name, operand in there.items() if is_cut(operand)]
    drawn = payload.graph(recording, index, "snip", sorted(cut))
    for edge in drawn["edges"]:
        name = edge["id"]
        edge["cuttable"] = name in there and (edge["cuttable"] or name in cut)
    drawn["stretches"] = stretches_of_program(made.checked, read_text(to_text(made.document)))
    drawn["leaves"] = [made.checked.over.name]
    return drawn


def _notes(state: State, controls: list[Group]) -> list[NoteSpec]:
    """List the notes above the charts."""
    open_ = {one["name"] for group in controls if group["open"] for one in group["controls"]}
    said = "\n".join(filter(None, (state.notice, *warnings_in(state.document))))
    found: list[NoteSpec] = [{"level": "warning", "text": said}] if said else []
    stray = [error for name, error in state.errors.items() if name not in open_]
    found += [{"level": "error", "text": str(error)} for error in stray]
    if state.computed and state.errors:
        found.append({"level": "info", "text": WORDS("last_picture")})
    elif state.computed:
        found += payload.notes(state.computed.outcome.notes)
        if state.computed.recording is None:
            found.append({"level": "info", "text": WORDS("large_graph", n=MAX_DRAWN)})
    if not state.address():
        found.append({"level": "warning", "text": WORDS("long_address")})
    return found


def _code(document: Document) -> Code:
    """The program as a file to take home."""
    text = f"{IMPORTS}\n{to_text(document)}"
    return {"panes": {"torch": pane(text)}, "files": {"playground.py": text}}
