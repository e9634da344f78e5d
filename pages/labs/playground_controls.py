"""The playground's controls, from its state: what the live lab builds its fields of."""

from collections.abc import Collection
from functools import cache
from typing import Any

import numpy as np

from lessons.playground.document.contents import Input, Noise
from lessons.playground.document.gestures import OWN_RULE, moved_number, rulable
from lessons.playground.document.override_rules import RULES
from lessons.playground.document.presets import presets
from pages.labs import payload
from pages.labs.messages import Control, Group, Option
from pages.labs.playground_state import State
from pages.labs.words import RULES as LABELS
from pages.labs.words import WORDS


def groups(state: State, opened: Collection[str] = ()) -> list[Group]:
    """All controls: the program, its inputs, and the rule of an op type.

    Args:
        opened: the list of presets is in the answer if ``preset`` is one of them.
    """
    inputs = [control for one in state.document.inputs for control in _input(state, one)]
    return [
        {"title": None, "open": True, "controls": _program(state, "preset" in opened)},
        {"title": WORDS("inputs"), "open": True, "controls": inputs},
        {"title": WORDS("rule_of_op"), "open": True, "controls": _rule(state)},
    ]


def _control(state: State, name: str, label: str, kind: str = "text", **more: Any) -> Control:
    error = state.errors.get(name)
    said = {"value": state.form.get(name, ""), "error": error and str(error)}
    return payload.control(name, label, kind=kind, **(said | more))


@cache
def _presets() -> list[Option]:
    return [Option(value=p.name, label=p.title, group=p.trick, help=p.about) for p in presets()]


def _program(state: State, offers: bool) -> list[Control]:
    titles = {one.name: (one.title, one.about) for one in presets()}
    title, about = titles.get(state.preset, (WORDS("program_below"), WORDS("own_program")))
    changes = payload.options({"undo": WORDS("undo"), "redo": WORDS("redo")})
    error = state.errors.get("program")
    return [
        _control(
            state,
            "preset",
            WORDS("start_from"),
            "gallery",
            value=state.preset,
            placeholder=title,
            options=_presets() if offers else [],
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


def _input(state: State, one: Input) -> list[Control]:
    name, at = one.name, f"in.{one.name}"
    if f"{at}.values" in state.form and one.noise is None:
        values = _control(state, f"{at}.values", WORDS("values_of", name=name))
        return [*_entry(state, one), values]
    if f"{at}.ends" not in state.form or one.noise is None:  # a text that can't be read yet
        return []
    seed = WORDS("seed_of", name=name)
    return [
        _interval(state, f"{at}.ends", name, one.noise),
        _control(state, f"{at}.seed", seed, "integer", min=0, max=2**32 - 1, step=1),
    ]


def _entry(state: State, one: Input) -> list[Control]:
    """A slider for the number of an input that one drags: the plotted entry, or the only one."""
    count = np.size(one.values)  # type: ignore[arg-type]
    if state.computed is None or (count > 1 and state.computed.outcome.over != one.name):
        return []
    label = WORDS("move", name=one.name)
    if count > 1:
        label = WORDS("move_entry", name=one.name, entry=state.computed.document.entry)
    track = _track(one.low, one.high, moved_number(state.document, one))
    return [_control(state, f"in.{one.name}.entry", label, "slider", **track)]


def _interval(state: State, name: str, of: str, noise: Noise) -> Control:
    """A slider with a handle for each end of a noise, or for its mean and its deviation."""
    a, b, spread = noise.a, noise.b, noise.distribution == "normal"
    label, track = WORDS("ends_of", name=of), _track(-2.0, 2.0, a, b)
    ends = [WORDS("low_of", name=of), WORDS("high_of", name=of)]
    if spread:
        label, track = WORDS("spread_of", name=of), _track(-3.0, 3.0, a, a + b)
        ends = [WORDS("mean_of", name=of), WORDS("deviation_of", name=of)]
    return _control(state, name, label, "interval", ends=ends, spread=spread, **track)


def _track(low: float, high: float, *values: float) -> dict[str, Any]:
    """A track whose ends are widened to hold what is there."""
    step = 10.0 ** round(len(f"{max(high - low, 1e-9):.0f}") - 3)
    step = min(step, 0.01) if high - low < 20 else step
    ends = {"min": min(low, *values), "max": max(high, *values)}
    return {"scale": "linear", "step": step, **ends}


def _rule(state: State) -> list[Control]:
    """An op type of the program, and the rule that its ops have."""
    chosen, rule = state.form.get("rule.op", ""), state.form.get("rule", OWN_RULE)
    if not chosen:
        return []
    types = {op: op for op in rulable(state.document)} if not state.errors else {chosen: chosen}
    rules = {OWN_RULE: WORDS("own_rule")} | {name: LABELS[name.replace(" ", "_")] for name in RULES}
    about = RULES[rule][1] if rule in RULES else ""
    return [
        _control(state, "rule.op", WORDS("op"), "choice", options=payload.options(types)),
        _control(
            state,
            "rule",
            WORDS("rule", op=chosen),
            "choice",
            options=payload.options(rules | {rule: rules.get(rule, rule)}),
            help=about,
        ),
    ]
