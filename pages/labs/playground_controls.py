"""The playground's controls, from its state: what the live lab builds its fields of."""

from collections.abc import Iterable, Mapping
from typing import Any

from lessons.contract.devices import DTYPES
from lessons.playground.document.form import rows
from lessons.playground.document.input_text import read_number
from lessons.playground.document.override_rules import RULES
from lessons.playground.document.presets import presets
from lessons.playground.language.limits import MAX_INPUTS
from lessons.playground.language.playground_error import PlaygroundError
from lessons.text import visible
from lessons.tricks import op_types
from pages.labs import payload
from pages.labs.messages import Control, Group, Option
from pages.labs.playground_state import State
from pages.labs.words import WORDS

_KINDS = {"given": WORDS("given"), "uniform": WORDS("uniform"), "normal": WORDS("normal")}
_SOME_OPS = ("add", "identity", "mul", "sqrt")


def groups(state: State) -> list[Group]:
    """All controls: the program; folded, inputs and override table; for the drawer, the output."""
    names = state.input_names
    inputs = [
        _control(state, "inputs", WORDS("names"), placeholder=WORDS("names_hint", n=MAX_INPUTS))
    ]
    inputs += [control for name in names for control in _input(state, name, names)]
    table = [
        control for place in range(1, rows(state.form) + 1) for control in _override(state, place)
    ]
    named, used = WORDS("inputs", names=visible(", ".join(names), 40)), state.document.overrides
    return [
        {"title": None, "open": True, "controls": _program(state)},
        {"title": named, "open": state.pasted, "controls": inputs},
        {"title": WORDS("override_table"), "open": bool(used), "controls": table},
        {"title": None, "open": False, "controls": _plot(state)},
    ]


def _control(state: State, name: str, label: str, kind: str = "text", **more: Any) -> Control:
    error = state.errors.get(name)
    said = {"value": state.form.get(name, ""), "error": error and error.placed}
    return payload.control(name, label, kind=kind, **(said | more))


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
    offered = {**labels, value: labels.get(value, WORDS("not_there", name=value))}
    return _control(state, name, label, kind, options=payload.options(offered), help=help)


def _program(state: State) -> list[Control]:
    chosen = state.preset
    about = next((known.document.about for known in presets() if known.name == chosen), "")
    offered: list[Option] = [] if chosen else [{"value": "", "label": WORDS("program_below")}]
    offered += [
        {"value": known.name, "label": known.document.title, "group": known.group}
        for known in presets()
    ]
    changes = payload.options({"undo": WORDS("undo"), "redo": WORDS("redo")})
    error = state.errors.get("program")
    return [
        _control(
            state,
            "preset",
            WORDS("start_from"),
            "select",
            value=chosen,
            options=offered,
            help=about,
        ),
        _control(state, "do", WORDS("changes"), "actions", value="", options=changes),
        _control(
            state,
            "program",
            WORDS("program"),
            "code",
            mark=[error.line, error.column] if error and error.line else None,
            help=WORDS("program_help"),
        ),
    ]


def _input(state: State, name: str, names: list[str]) -> list[Control]:
    form, at = state.form, f"in.{name}"
    kind = form[f"{at}.is"]
    choice = _select(state, f"{at}.is", WORDS("input_is", name=name), _KINDS, kind="choice")
    if kind == "given":
        label = WORDS("values_of", name=name)
        values = _control(state, f"{at}.values", label, placeholder="-2, -1, 1")
        return [choice, values, *_entry(state, name)]
    given = [other for other in names if form[f"in.{other}.is"] == "given"]
    ends, low = (WORDS("low_of", name=name), WORDS("high_of", name=name)), -2.0
    if kind == "normal":
        ends, low = (WORDS("mean_of", name=name), WORDS("deviation_of", name=name)), 0.0
    seed = WORDS("seed_of", name=name)
    return [
        choice,
        _slider(state, f"{at}.a", ends[0], -2.0, 2.0),
        _slider(state, f"{at}.b", ends[1], low, 2.0),
        _control(state, f"{at}.seed", seed, "integer", min=0, max=2**32 - 1, step=1),
        _select(
            state,
            f"{at}.like",
            WORDS("shape_of", name=name),
            {"": WORDS("one_number")} | {one: WORDS("as_shape_of", name=one) for one in given},
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
    label = WORDS("move", name=name)
    if count > 1:
        label = WORDS("move_entry", name=name, entry=plot.entry)
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
    ops = {op: WORDS("op_in_tensorflow", op=tensorflow.get(op) or op) for op in used}
    # rule_about fits every rule in the list: none of them uses the op's own derivative.
    about = {
        name: WORDS("rule_about", rule=rule, about=help) for name, (rule, help) in RULES.items()
    }
    name = f"override.{place}"
    return [
        _control(state, f"{name}.op", WORDS("op"), options=payload.options(ops), placeholder="mul"),
        _control(
            state,
            f"{name}.rule",
            WORDS("rule"),
            options=payload.options(about),
            placeholder=WORDS("rule_hint"),
            help=about.get(state.form[f"{name}.rule"].strip(), ""),
        ),
        _control(state, f"{name}.only", WORDS("only"), placeholder=WORDS("all_lines")),
    ]


def _plot(state: State) -> list[Control]:
    tensors = _named(_program_names(state))
    given = _named(n for n in state.input_names if state.form[f"in.{n}.is"] == "given")
    outputs = {"": WORDS("last_name")} | tensors
    return [
        _select(state, "output", WORDS("output"), outputs, help=WORDS("output_help")),
        _select(state, "intended", WORDS("intended"), {"": WORDS("nothing")} | tensors),
        _select(state, "over", WORDS("over"), {"": WORDS("first_input")} | given),
        _control(state, "entry", WORDS("entry"), "integer", min=1, max=1024, step=1),
        _control(state, "low", WORDS("low")),
        _control(state, "high", WORDS("high")),
        _select(state, "dtype", WORDS("dtype"), _named(DTYPES)),
        _control(state, "title", WORDS("title")),
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
