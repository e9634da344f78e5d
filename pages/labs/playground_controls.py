"""The playground's controls, from its state: what the live lab builds its fields of."""

from collections.abc import Iterable, Mapping
from typing import Any

from lessons.playground import RULES, PlaygroundError, presets
from lessons.playground.document.contents import DTYPES
from lessons.playground.document.input_text import read_number
from lessons.playground.language.limits import MAX_INPUTS
from lessons.text import visible
from lessons.tricks import op_types
from pages.labs import payload
from pages.labs.messages import Control, Group, Option
from pages.labs.playground_form import rows
from pages.labs.playground_state import State

_KINDS = ("given", "uniform", "normal")
_LEFT_OUT = "The rule replaces the op’s own derivative."
"""True of every rule in the list: it reads the upstream gradient, and the op's output at most."""
_SOME_OPS = ("add", "identity", "mul", "sqrt")


def groups(state: State) -> list[Group]:
    """All controls: the program; folded, inputs and override table; for the drawer, the output."""
    names = state.input_names
    inputs = [_control(state, "inputs", "Names", placeholder=f"x, u: at most {MAX_INPUTS}")]
    inputs += [control for name in names for control in _input(state, name, names)]
    table = [
        control for place in range(1, rows(state.form) + 1) for control in _override(state, place)
    ]
    used = bool(state.document.overrides)
    found: list[tuple[str | None, bool, list[Control]]] = [
        (None, True, _program(state)),
        (f"Inputs: {visible(', '.join(names), 40)}", state.pasted, inputs),
        ("Override table", used, table),
        (None, False, _plot(state)),
    ]
    return [
        {"title": title, "open": open_, "controls": controls} for title, open_, controls in found
    ]


def _control(state: State, name: str, label: str, kind: str = "text", **more: Any) -> Control:
    error = state.errors.get(name)
    said = {"value": state.form.get(name, ""), "error": error and _message(error)}
    return payload.control(name, label, kind=kind, **(said | more))


def _message(error: PlaygroundError) -> str:
    """The message with its place; the control says what it is about."""
    places = [f"line {error.line}"] if error.line and error.part == "program" else []
    places += [f"column {error.column}"] if error.column else []
    where = ", ".join(places).capitalize()
    return f"{where}: {error.message}" if where else error.message


def _select(
    state: State,
    name: str,
    label: str,
    labels: Mapping[str, str],
    kind: str = "select",
    help: str = "",
) -> Control:
    """A choice by labels; what is chosen is offered, known or not."""
    value = state.form[name]
    options = {**labels, value: labels.get(value, f"{value} (not there)")}
    made = [{"value": option, "label": text} for option, text in options.items()]
    return _control(state, name, label, kind, options=made, help=help)


def _program(state: State) -> list[Control]:
    chosen = state.preset
    about = next((known.document.about for known in presets() if known.name == chosen), "")
    offered: list[Option] = [] if chosen else [{"value": "", "label": "the program below"}]
    offered += [
        {"value": known.name, "label": known.document.title, "group": known.group}
        for known in presets()
    ]
    changes = [{"value": "undo", "label": "↶ Undo"}, {"value": "redo", "label": "↷ Redo"}]
    error = state.errors.get("program")
    return [
        _control(
            state, "preset", "Start from", "select", value=chosen, options=offered, help=about
        ),
        _control(state, "do", "Your changes", "actions", value="", options=changes),
        _control(
            state,
            "program",
            "Program",
            "code",
            mark=[error.line, error.column] if error and error.line else None,
            help="Ctrl+Enter runs the program. So does Tab, which leaves the field.",
        ),
    ]


def _input(state: State, name: str, names: list[str]) -> list[Control]:
    form, at = state.form, f"in.{name}"
    kind = form[f"{at}.is"]
    choice = _select(state, f"{at}.is", f"{name} is", _named(_KINDS), kind="choice")
    if kind == "given":
        values = _control(state, f"{at}.values", f"Values of {name}", placeholder="-2, -1, 1")
        return [choice, values, *_entry(state, name)]
    given = [other for other in names if form[f"in.{other}.is"] == "given"]
    ends = ("from", "to") if kind == "uniform" else ("mean", "standard deviation")
    low = 0.0 if kind == "normal" else -2.0
    return [
        choice,
        _slider(state, f"{at}.a", f"{name} {ends[0]}", -2.0, 2.0),
        _slider(state, f"{at}.b", f"{name} {ends[1]}", low, 2.0),
        _control(state, f"{at}.seed", f"Seed of {name}", "integer", min=0, max=2**32 - 1, step=1),
        _select(
            state,
            f"{at}.like",
            f"Shape of {name}",
            {"": "one number"} | {other: f"that of {other}" for other in given},
        ),
    ]


def _entry(state: State, name: str) -> list[Control]:
    """A slider for the number of an input that one drags: the plotted entry, or the only one."""
    made = state.computed
    if made is None:
        return []
    outcome, plot = made.outcome, made.document.plot
    plotted, value = outcome.over == name, outcome.values.get(name)
    count = 1 if value is None else value.numel()
    if not plotted and (value is None or count > 1):
        return []
    low, high = (plot.low, plot.high) if plotted else (-5.0, 5.0)
    label = f"Move {name}, entry {plot.entry}" if count > 1 else f"Move {name}"
    return [_slider(state, f"in.{name}.entry", label, low, high)]


def _slider(state: State, name: str, label: str, low: float, high: float) -> Control:
    """A slider whose ends are widened to hold what is there."""
    try:
        value = read_number(state.form[name].strip())
    except PlaygroundError:
        value = low
    step = 10.0 ** round(len(f"{max(high - low, 1e-9):.0f}") - 3)
    step = min(step, 0.01) if high - low < 20 else step
    ends = {"min": min(low, value), "max": max(high, value), "step": step}
    return _control(state, name, label, "slider", scale="linear", **ends)


def _override(state: State, place: int) -> list[Control]:
    """A row of the override table."""
    used = state.outcome.op_types if state.outcome else _SOME_OPS
    tensorflow = op_types()
    ops = [{"value": op, "label": f"{tensorflow.get(op) or op} in TensorFlow"} for op in used]
    rules = [
        {"value": name, "label": f"{rule}: {help} {_LEFT_OUT}"}
        for name, (rule, help) in RULES.items()
    ]
    name = f"override.{place}"
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
    tensors = _named(_program_names(state))
    given = _named(n for n in state.input_names if state.form[f"in.{n}.is"] == "given")
    summed = "Torch differentiates the sum of its entries."
    return [
        _select(state, "output", "Output", {"": "the last name"} | tensors, help=summed),
        _select(state, "intended", "Intended: the true gradient of", {"": "nothing"} | tensors),
        _select(state, "over", "Plot over", {"": "the first input"} | given),
        _control(state, "entry", "Entry that moves", "integer", min=1, max=1024, step=1),
        _control(state, "low", "Plot from"),
        _control(state, "high", "Plot to"),
        _select(state, "dtype", "Number format", _named(DTYPES)),
        _control(state, "title", "Title"),
    ]


def _named(names: Iterable[str]) -> dict[str, str]:
    """Options that are called what they are."""
    return {name: name for name in names}


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
