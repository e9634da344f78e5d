"""The lab of one loss in five spellings: what each weight gets, and the loss while it trains."""

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np
import torch

from lessons.chapters.gone_missing.cut_by_accident.one_loss import (
    RATE,
    STEPS,
    Program,
    arrives,
    as_it_should_be,
    by_role,
    refusal,
    refused_flag,
    train,
)
from lessons.contract.devices import device_and_dtype
from lessons.contract.figure import SHORT, Figure, Table
from lessons.contract.lab import Lab, Start
from lessons.contract.parameters import Choice, Number, Numbers, Values
from lessons.contract.result import FactsAsAsked, Note, Result, Series
from lessons.kit.chart_pieces import axes, curve, fitted
from lessons.kit.components import component_table, in_words, sticks
from lessons.kit.findings import brief
from lessons.kit.inputs import COMPUTED_IN, array
from lessons.kit.line_names import named as named_lines
from lessons.recorder import named
from lessons.text import counted, number

MOST = 8
"""Weights at most: each has its sticks in the chart."""

SETTINGS = ("x", "target", "spelling", "silence", "penalty")
"""What the program takes besides the weights."""

RUNS = "backward() raises no error."

LABELS = {"true_gradient": "should be", "trick_gradient": "arrives"}
"""The two gradients of the charts: of the loss with no copy in it, and of the spelling chosen."""

YES_NO = (("no", "no"), ("yes", "yes"))

PARAMETERS = (
    Numbers("w", "Weights w", "1, 0.5", most=MOST),
    Choice(
        "spelling",
        "Spelling",
        "whole",
        "What is done to the loss after it is computed.",
        options=(
            ("whole", "as it should be"),
            ("tensor", "torch.tensor(loss)"),
            ("item", "loss.item()"),
            ("numpy", "through numpy"),
            ("detach", "loss.detach()"),
        ),
    ),
    Choice(
        "silence",
        "Silence the error",
        "no",
        "Calls loss.requires_grad_() before backward().",
        options=YES_NO,
    ),
    Choice("penalty", "Add a penalty", "no", "Half the sum of w².", options=YES_NO),
    Number("x", "Input x", "2", low=-3.0, high=3.0, slider=(-3.0, 3.0), step=0.1),
    Number("target", "Target", "3", low=-1000.0, high=1000.0, slider=(-5.0, 5.0), step=0.1),
    *COMPUTED_IN,
)


def compute(program: Program, values: Values) -> Result:
    """The loss, its gradient by role, and some steps of training with either gradient."""
    w = _weights(values)
    settings = {name: values[name] for name in SETTINGS}
    roles = {role: array(y) for role, y in by_role(program, w, settings).items()}
    runs = {"true_gradient": as_it_should_be, "trick_gradient": program}
    losses = {role: array(train(one, w, settings)) for role, one in runs.items()}
    places, when = np.arange(1.0, 1.0 + len(w)), np.arange(0.0, STEPS)
    said = refusal(program, w, settings)
    known = [y for role, y in roles.items() if not (said and role == "trick_gradient")]
    return Result(
        series=(
            Series("forward", "forward", np.ones(1), roles["forward"]),
            *(Series(r, r, places, y) for r, y in roles.items() if r != "forward"),
        ),
        curves=tuple(Series(role, role, when, y) for role, y in losses.items()),
        facts=FactsAsAsked(
            {
                "x": values["x"],
                "target": values["target"],
                "w_first": values["w"][0],
                "loss": float(roles["forward"][0]),
                "true_first": float(roles["true_gradient"][0]),
                "trick_first": float(roles["trick_gradient"][0]),
                "arrives": int(arrives(program, w, settings)),
                "steps": STEPS,
                "rate": RATE,
                "true_end": float(losses["true_gradient"][-1]),
                "trick_end": float(losses["trick_gradient"][-1]),
            },
            lambda: _about_the_copy(program, w, values),
        ),
        notes=tuple(_notes(said, [*known, *losses.values()], values)),
        work=counted(len(w), "weight"),
    )


def start(values: Values) -> Start:
    """The run whose graph is drawn: the loss in the spelling chosen."""
    leaf = _weights(values).requires_grad_()
    settings = {name: values[name] for name in SETTINGS}
    # What was made of a plain number no op has made: it is a leaf by itself, and is given a name.
    alone = values["spelling"] in ("item", "numpy") and values["penalty"] == "no"
    if alone:
        finish = partial(named, name="loss")
        return Start({"w": leaf}, settings, (0,), finish, dead_ends=True)
    return Start({"w": leaf}, settings, (0,), dead_ends=True)


def figures(result: Result, values: Values) -> list[Figure]:
    """What each weight gets, and the loss while it trains."""
    names = _names(result)
    data, layout = sticks(result, LABELS, names, "gradient", SHORT)
    return [
        Figure(
            "gradient",
            _arrived(result),
            "Left: of the loss with no copy in it. Right: what backward() brings. NaN: it raises.",
            "The gradient of each weight. " + in_words(result, LABELS, names),
            data,
            layout,
            subject="The gradient of each weight",
        ),
        _training(result),
    ]


def table(result: Result, values: Values) -> Table:
    """One row a weight; “none” in the place of a number where ``.grad`` is None."""
    made = component_table(result, LABELS, _names(result), "The gradient of each weight")
    if result.facts["arrives"]:
        return made
    return replace(made, rows=tuple((*row[:-1], "none") for row in made.rows))


def _arrived(result: Result) -> str:
    """How long the gradient is that arrives, and how long it should be."""
    true, trick = (math.hypot(*result[role].y) for role in LABELS)
    if math.isnan(trick):
        return f"backward() raises; due: length {brief(true)}"
    if not result.facts["arrives"]:
        return f"No gradient arrives (None); due: length {brief(true)}"
    return f"Gradient of length {brief(trick, true)} arrives, due {brief(true, trick)}"


def _training(result: Result) -> Figure:
    losses = {series.role: series for series in result.curves}
    _, top = fitted([series.y for series in losses.values()])
    layout = axes((-0.3, STEPS - 0.7), (-0.04 * top, top), "step", "loss")
    lines = ((role, label, losses[role].y) for role, label in LABELS.items())
    trick = losses["trick_gradient"].y
    first, last = (brief(float(trick[at])) for at in (0, -1))
    ends = ", ".join(f"{LABELS[one]}: {number(float(losses[one].y[-1]), 3)}" for one in LABELS)
    return Figure(
        "training",
        f"Loss {first} → {last} in {STEPS} steps",
        f"Solid: with the gradient that arrives. Dotted: as it should be. Learning rate {RATE}.",
        f"The loss over {STEPS} steps. At the last one {ends}.",
        [
            *(curve(losses[role], exact=True) for role in LABELS),
            *named_lines(lines, layout, SHORT),
        ],
        layout,
        subject="The loss while it trains",
    )


def _about_the_copy(
    program: Program, w: torch.Tensor, values: Values
) -> dict[str, float | int | str]:
    """What torch says of this loss, and what comes of it with a second term, at the first weight.

    Each is of the program as it is set, but for what the name says.
    """
    chosen = {name: values[name] for name in SETTINGS}
    bare = chosen | {"silence": "no", "penalty": "no"}
    first, x = float(w[0]), values["x"]
    lost = 2 * x * (first * x - values["target"])
    with_penalty = by_role(program, w, bare | {"penalty": "yes"})["trick_gradient"]
    return {
        "says": refusal(program, w, bare) or "nothing",
        "flag_says": refused_flag(),
        "with_penalty": float(with_penalty[0]),
        "penalty_part": first,
        "lost_part": lost,
        "sum_of_both": lost + first,
        "leaf_gradient": 1.0,
        "zero": 0.0,
    }


def _notes(said: str, shown: list[np.ndarray], values: Values) -> Iterator[Note]:
    # Something stands there in each case, in one line: the charts below it do not move.
    yield Note("warning", f"RuntimeError: {said}") if said else Note("info", RUNS)
    if not all(np.isfinite(one).all() for one in shown):
        yield Note(
            "warning",
            f"A loss or a gradient is too large for {values['dtype']} and becomes ∞ or NaN. "
            "Weights nearer to 0 keep it finite.",
        )


def _refused(values: Values) -> dict[str, str]:
    if values["spelling"] == "numpy" and values["dtype"] == "bfloat16":
        return {"dtype": "numpy has no bfloat16. Choose float32, or another spelling."}
    return {}


def _names(result: Result) -> list[str]:
    subscripts = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
    return [
        f"w{place + 1}".translate(subscripts) for place in range(len(result["true_gradient"].x))
    ]


def _weights(values: Values) -> torch.Tensor:
    device, dtype = device_and_dtype(values)
    return torch.tensor(values["w"], dtype=dtype, device=device)


LAB = Lab(
    parameters=PARAMETERS,
    compute=compute,
    figures=figures,
    table=table,
    check=_refused,
    start=start,
    named=True,
)
