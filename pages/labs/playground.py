"""The playground's lab: a form as typed, its program, and the program's result."""

import time
from collections.abc import Collection, Mapping
from functools import lru_cache, partial
from urllib.parse import urlencode

from lessons.contract.lesson import RefusedTextError
from lessons.contract.roles import ROLES
from lessons.playground.codegen.program_file import code as program_file
from lessons.playground.codegen.program_file import defined_in_the_file, program_code
from lessons.playground.document.as_text import to_text
from lessons.playground.document.check import check
from lessons.playground.document.contents import Document, Input, Plot, zeros
from lessons.playground.document.form import (
    MOST_TEXT,
    Form,
    complete,
    control_of,
    form_of,
    read,
    unpacked,
    with_sliders,
    without_leftovers,
)
from lessons.playground.document.presets import preset, preset_of, presets
from lessons.playground.goals import GOALS, looked_at
from lessons.playground.language.playground_error import PlaygroundError
from lessons.playground.running.budget import seconds_of
from lessons.playground.running.outcome import run_checked
from lessons.playground.running.outcome_charts import figures, key, table
from lessons.playground.running.recorded import place, recorded
from lessons.playground.running.scissors import edges, snip
from lessons.recorder import Recording
from pages.labs import payload
from pages.labs.code import pane
from pages.labs.frame import frame as build
from pages.labs.graph_messages import GraphSpec
from pages.labs.linked import stretches_of_program
from pages.labs.messages import (
    Code,
    Frame,
    GoalSpec,
    Group,
    NoteSpec,
    Pane,
    Wish,
)
from pages.labs.playground_controls import groups
from pages.labs.playground_state import LARGEST_GRAPH, Computed, State
from pages.labs.words import WORDS

FIRST = "noise_leaks"
"""The program that is there at first."""


def frame(wish: Wish) -> Frame:
    """Return what the playground shows.

    Raises:
        RefusedTextError: a text is refused, and the wish brings nothing that was good.
    """
    return shown(state(wish), wish.open)


def shown(state: State, opened: Collection[str] = ()) -> Frame:
    """Build the frame of a state, with the views of the last good run.

    Args:
        state: the settings, and their result.
        opened: the drawers that are open, by view.
    """
    made = state.computed
    controls = groups(state)
    return build(
        state.form,
        opened,
        graph=partial(_graph, made, made.recording) if made and made.recording else None,
        charts=figures(made.outcome, made.document) if made else (),
        table=table(made.outcome) if made else None,
        code=partial(_code, made.document) if made else None,
        accepted=not state.errors,
        groups=controls,
        notes=_notes(state, controls),
        query=urlencode(state.address()),
        key=[payload.key_entry(ROLES[name]) for name in key(made.outcome)] if made else (),
        status=payload.status(made.outcome, {"dtype": made.document.dtype}, made.seconds)
        if made
        else "",
        goals=_goals(None if state.errors else made),
    )


def seconds(wish: Wish) -> float:
    """About how long a wish takes to compute, by the length of its program and of its inputs."""
    # To read a program takes some milliseconds, so only its characters are counted.
    return sum(
        seconds_of(
            texts.get("program", "")[:MOST_TEXT],
            [text.count(",") + 1 for name, text in texts.items() if name.endswith(".values")],
            any(text != "given" for name, text in texts.items() if name.endswith(".is")),
        )
        for texts in (wish.values, wish.good or {})
    )


def state(wish: Wish) -> State:
    """Return the state that a wish asks for.

    Raises:
        RefusedTextError: as for ``frame``.
    """
    form, notice = _form(wish)
    done = ""
    if "program" in wish.touched:
        form, done = unpacked(form, (wish.good or {}).get("program", ""))
    if not {"program", "inputs"}.isdisjoint(wish.touched):
        # A function says itself what its output is.
        before = complete(wish.good) if wish.good and not done else None
        form, gone = without_leftovers(form, before)
        notice = notice or done or gone
    document, errors = read(form)
    if wish.do.startswith("snip ") and document is not None:
        form, notice = _snipped(form, document, wish.do.removeprefix("snip "))
        document, errors = read(form)
    if document is not None:
        document = _titled(document)
        form |= {"title": document.title, "about": document.about}
        made = compute(document)
        if isinstance(made, Computed):
            return State(form, document, made, {}, notice, bool(done))
        errors = {control_of(made, form): made}
    if wish.good is None:
        raise RefusedTextError(next(map(str, errors.values())))
    good, _ = read(complete(wish.good)) if wish.good else (None, {})
    last = compute(good) if good is not None else None
    computed = last if isinstance(last, Computed) else None
    return State(form, document or good or preset(FIRST), computed, errors, notice, bool(done))


def compute(document: Document) -> Computed | PlaygroundError:
    """Run a document, or say why it can't run; the cache keeps the result for the same request."""
    return _computed(document, to_text(document))


@lru_cache(maxsize=2)  # the largest that the limits allow holds 11 MB, in each worker
def _computed(document: Document, text: str) -> Computed | PlaygroundError:
    """Run a document; its text is part of the cache key, since 0 equals -0.0."""
    start = time.perf_counter()
    try:
        checked = check(document)
        outcome = run_checked(checked)
        recording = recorded(checked) if checked.program.ops <= LARGEST_GRAPH else None
    except PlaygroundError as error:
        # Its traceback holds every tensor of the run that was refused.
        error.__context__ = error.__cause__ = None
        return error.with_traceback(None)
    return Computed(outcome, checked, recording, time.perf_counter() - start)


def _form(wish: Wish) -> tuple[Form, str]:
    """The form as it was typed, or that of a preset that was chosen; what to say of it."""
    if not wish.values:
        return form_of(preset(FIRST)), ""
    form = complete(wish.values)
    if "preset" in wish.touched and not wish.do:
        chosen = wish.values.get("preset", "")
        document, _ = read(form)
        if chosen and (document is None or preset_of(document) != chosen):
            try:
                return form_of(preset(chosen)), ""
            except PlaygroundError as error:
                return form, error.message
    return with_sliders(form, wish.touched), ""


def _titled(document: Document) -> Document:
    """The document without the title and remark of a preset that it no longer is."""
    if preset_of(document):
        return document
    titles = {one.document.title for one in presets()}
    return document.with_(title="" if document.title in titles else document.title, about="")


def _snipped(form: Form, document: Document, edge: str) -> tuple[Form, str]:
    """Cut or mend an edge: the program is rewritten."""
    if not isinstance(compute(document), Computed):
        return form, WORDS("fix_first")
    try:
        return form | {"program": snip(document, edge).program, "about": ""}, ""
    except PlaygroundError as error:
        return form, error.message


def _graph(made: Computed, recording: Recording) -> GraphSpec:
    """A run's graph; where an edge has a text of its own, the scissors cut it."""
    there, index = edges(made.checked.program), place(made.checked)
    cut = [name for name, operand in there.items() if operand.cut]
    drawn = payload.graph(recording, index, "snip", sorted(cut))
    for edge in drawn["edges"]:
        name = edge["id"]
        edge["cuttable"] = name in there and (edge["cuttable"] or name in cut)
    drawn["stretches"] = stretches_of_program(made.checked)
    drawn["leaves"] = [made.checked.over.name]
    return drawn


def _notes(state: State, controls: list[Group]) -> list[NoteSpec]:
    """What to say above the charts."""
    open_ = {one["name"] for group in controls if group["open"] for one in group["controls"]}
    found: list[NoteSpec] = [{"level": "warning", "text": state.notice}] if state.notice else []
    stray = [error for name, error in state.errors.items() if name not in open_]
    found += [{"level": "error", "text": str(error)} for error in stray]
    if state.computed and state.errors:
        found.append({"level": "warning", "text": WORDS("last_picture")})
    elif state.computed:
        found += payload.notes(state.computed.outcome.notes)
        if state.computed.recording is None:
            found.append({"level": "info", "text": WORDS("many_ops", n=LARGEST_GRAPH)})
    if not state.address():
        found.append({"level": "warning", "text": WORDS("long_address")})
    return found


def _goals(made: Computed | None) -> list[GoalSpec]:
    """The goals, and what of them a program that ran meets; nothing of any without one."""
    met: Mapping[str, tuple[bool, bool]] = {}
    if made is not None:
        # What x is now makes no difference: the goals have inputs of their own.
        over = made.checked.over
        x = Input(over.name, zeros(over.values))
        inputs = tuple(x if one is over else one for one in made.document.inputs)
        still = made.document.with_(inputs=inputs, title="", about="")
        met = _met(still, to_text(still))
    never = (False, False)
    return [
        {"name": g.name, "text": g.text, "value": value, "gradient": gradient}
        for g in GOALS
        for value, gradient in [met.get(g.name, never)]
    ]


@lru_cache(maxsize=200)
def _met(document: Document, text: str) -> Mapping[str, tuple[bool, bool]]:
    """Return the goals that a document meets; its text is part of the cache key."""
    return looked_at(check(document))


def _code(document: Document) -> Code:
    """The program in torch, and files to take home."""
    # Its text alone counts: moving an input changes no pane.
    inputs = tuple(Input(one.name, 1.0) for one in document.inputs)
    still = document.with_(inputs=inputs, plot=Plot(), intended="", title="", about="")
    files = {"playground_in_torch.py": program_file(document), "playground.txt": to_text(document)}
    return {"panes": _panes(still), "files": files}


@lru_cache(maxsize=24)
def _panes(document: Document) -> dict[str, Pane]:
    source = program_code(check(document))
    own = defined_in_the_file(source)
    remarks = [WORDS("in_file", names=", ".join(own))] if own else []
    return {"torch": pane(source, remarks=remarks)}
