"""The playground's controls, from its state: what the live lab builds its fields of."""

from collections.abc import Iterable
from typing import Any

from lessons.playground import RULES, PlaygroundError, presets
from lessons.playground.document.contents import DTYPES
from lessons.playground.document.input_text import read_number
from lessons.playground.language.limits import MAX_INPUTS
from lessons.tricks import op_types
from pages.labs.messages import Control, Group, Option
from pages.labs.playground_form import rows
from pages.labs.playground_state import State

_KINDS = ("given", "uniform", "normal")
_LARGEST_SEED = 2**32 - 1
_LEFT_OUT = "The op’s own derivative is left out."
"""Of every rule that is offered: it reads what comes from upstream and the op's output at most."""
_SOME_OPS = ("add", "identity", "mul", "sqrt")


def groups(state: State) -> list[Group]:
    """All controls: the program, the inputs, the override table, and what is plotted."""
    names = state.input_names
    fields = [control for name in names for control in _input(state, name, names)]
    table_ = [_row(state, number) for number in range(1, rows(state.form) + 1)]
    return [
        {"title": None, "open": True, "controls": _program(state)},
        {"title": "Inputs", "open": True, "controls": [_names(state), *fields]},
        {
            "title": "Override table",
            "open": True,
            "controls": [control for row in table_ for control in row],
        },
        {"title": "Output, plot and number format", "open": False, "controls": _plot(state)},
    ]


FOLDED = {"output", "intended", "over", "low", "high", "entry", "dtype", "title"}
"""Controls in the group that may be closed: their errors are said above the charts too."""


def _control(state: State, name: str, label: str, **more: Any) -> Control:
    error = state.errors.get(name)
    made: Any = {
        "name": name,
        "label": label,
        "kind": "text",
        "value": state.form.get(name, ""),
        "help": "",
        "error": _message(error),
        "hidden": False,
        "placeholder": "",
        **more,
    }
    control: Control = made
    return control


def _message(error: PlaygroundError | None) -> str | None:
    """The message with its place; the control says what it is about."""
    if error is None:
        return None
    line = f"Line {error.line}, " if error.line and error.part == "program" else ""
    where = f"{line}column {error.column}: " if error.column else line.replace(", ", ": ")
    return f"{where[:1].upper()}{where[1:]}{error.message}"


def _options(pairs: Iterable[tuple[str, str]], value: str) -> list[Option]:
    """Options for a select; the value is one of them, known or not."""
    known = dict(pairs)
    if value not in known:
        known[value] = f"{value} (not there)"
    return [{"value": name, "label": label} for name, label in known.items()]


def _program(state: State) -> list[Control]:
    chosen = state.preset
    about = next((known.document.about for known in presets() if known.name == chosen), "")
    offered: list[Option] = [
        {"value": known.name, "label": known.document.title, "group": known.group}
        for known in presets()
    ]
    own: list[Option] = [] if chosen else [{"value": "", "label": "the program below"}]
    error = state.errors.get("program")
    return [
        _control(
            state,
            "preset",
            "Start from",
            kind="select",
            value=chosen,
            options=[*own, *offered],
            help=about,
        ),
        _control(
            state,
            "do",
            "Your changes",
            kind="actions",
            value="",
            options=_options([("undo", "↶ Undo"), ("redo", "↷ Redo")], "undo"),
        ),
        _control(
            state,
            "program",
            "Program",
            kind="code",
            mark=[error.line, error.column] if error and error.line else None,
            help="Ctrl+Enter runs it, and so does leaving the field. Tab leaves the field.",
        ),
    ]


def _names(state: State) -> Control:
    return _control(state, "inputs", "Names", placeholder=f"x, u: at most {MAX_INPUTS}")


def _input(state: State, name: str, names: list[str]) -> list[Control]:
    def control(word: str, label: str, **more: Any) -> Control:
        return _control(state, f"in.{name}.{word}", label, **more)

    form = state.form
    kind = form[f"in.{name}.is"]
    choice = control(
        "is", f"{name} is", kind="choice", options=_options(((k, k) for k in _KINDS), kind)
    )
    if kind == "given":
        values = control("values", f"Values of {name}", placeholder="-2, -1, 1")
        entry = _entry(state, name)
        return [choice, values, *([entry] if entry else [])]
    given = [other for other in names if form[f"in.{other}.is"] == "given"]
    like = form[f"in.{name}.like"]
    ends = ("from", "to") if kind == "uniform" else ("mean", "standard deviation")
    low = 0.0 if kind == "normal" else -2.0
    return [
        choice,
        control("a", f"{name} {ends[0]}", **_slider(form[f"in.{name}.a"], -2.0, 2.0)),
        control("b", f"{name} {ends[1]}", **_slider(form[f"in.{name}.b"], low, 2.0)),
        control("seed", f"Seed of {name}", kind="integer", min=0, max=_LARGEST_SEED, step=1),
        control(
            "like",
            f"Shape of {name}",
            kind="select",
            options=_options([("", "one number"), *((n, f"that of {n}") for n in given)], like),
        ),
    ]


def _entry(state: State, name: str) -> Control | None:
    """A slider for the number of an input that one drags: the plotted entry, or the only one."""
    outcome, good = state.outcome, state.good
    plotted = outcome is not None and outcome.over == name
    text = state.form[f"in.{name}.entry"]
    value = outcome.values.get(name) if outcome else None
    if good is None or not (plotted or (value is not None and value.numel() == 1)):
        return None
    low, high = (good.plot.low, good.plot.high) if plotted else (-5.0, 5.0)
    several = value is not None and value.numel() > 1
    label = f"Move {name}, entry {good.plot.entry}" if several else f"Move {name}"
    return _control(state, f"in.{name}.entry", label, **_slider(text, low, high))


def _slider(text: str, low: float, high: float) -> dict[str, Any]:
    """A slider's kind and ends, widened to hold what is there."""
    try:
        value = read_number(text.strip())
    except PlaygroundError:
        value = low
    step = 10.0 ** round(len(f"{max(high - low, 1e-9):.0f}") - 3)
    return {
        "kind": "slider",
        "scale": "linear",
        "min": min(low, value),
        "max": max(high, value),
        "step": min(step, 0.01) if high - low < 20 else step,
    }


def _row(state: State, number: int) -> list[Control]:
    used = state.outcome.op_types if state.outcome else _SOME_OPS
    tensorflow = op_types()
    ops = [{"value": op, "label": f"{tensorflow.get(op) or op} in TensorFlow"} for op in used]
    rules = [
        {"value": name, "label": f"{rule}: {help} {_LEFT_OUT}"}
        for name, (rule, help) in RULES.items()
    ]
    name = f"override.{number}"
    rule, about = RULES.get(state.form[f"{name}.rule"].strip(), ("", ""))
    return [
        _control(state, f"{name}.op", "Op type", options=ops, placeholder="mul"),
        _control(
            state,
            f"{name}.rule",
            "Rule",
            options=rules,
            placeholder="clip, or grad * in2, None",
            help=f"{rule}: {about[:1].lower()}{about[1:]} {_LEFT_OUT}" if rule else "",
        ),
        _control(state, f"{name}.only", "Only on lines of", placeholder="all lines"),
    ]


def _plot(state: State) -> list[Control]:
    form = state.form
    tensors = _program_names(state)
    given = [n for n in state.input_names if form[f"in.{n}.is"] == "given"]
    return [
        _control(
            state,
            "output",
            "Output",
            kind="select",
            options=_options([("", "the last name"), *((n, n) for n in tensors)], form["output"]),
            help="Its entries are summed, and the sum is differentiated.",
        ),
        _control(
            state,
            "intended",
            "Intended: the true gradient of",
            kind="select",
            options=_options([("", "nothing"), *((n, n) for n in tensors)], form["intended"]),
        ),
        _control(
            state,
            "over",
            "Plot over",
            kind="select",
            options=_options([("", "the first input"), *((n, n) for n in given)], form["over"]),
        ),
        _control(state, "entry", "Entry that moves", kind="integer", min=1, max=1024, step=1),
        _control(state, "low", "Plot from"),
        _control(state, "high", "Plot to"),
        _control(
            state,
            "dtype",
            "Number format",
            kind="select",
            options=_options(((n, n) for n in DTYPES), form["dtype"]),
        ),
        _control(state, "title", "Title"),
    ]


def _program_names(state: State) -> list[str]:
    """The names that the last program that ran gives, tensors only."""
    if state.outcome is None:
        return []
    inputs = next(iter(state.outcome.gradients.values()))
    return [
        name
        for name, value in state.outcome.values.items()
        if name not in inputs and not isinstance(value, float)
    ]
