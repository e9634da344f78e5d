"""A tensor changed after two ops have saved it: noticed by torch, or not."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from lessons.contract.figure import Figure
from lessons.contract.lab import Start
from lessons.contract.lesson import Lesson
from lessons.contract.result import Note, Result, Series
from lessons.contract.settings import choice, slider
from lessons.contract.sketch import Sketch
from lessons.contract.words import Words
from lessons.kit.chart_pieces import Trace
from lessons.kit.curve_lab import Curve, curve_lab
from lessons.kit.experiment import Program
from lessons.kit.inputs import AlongX, inputs, place_of

WORDS = Words(__file__)


class Settings(AlongX):
    change = choice("new", "clone", "in_place", "detach", "data")
    reads = choice("square", "triple")
    added = slider(1, -5, 5, 0.1, accepts=(-1000, 1000))
    x = inputs("2, 0.5, -1")


def in_place(x: torch.Tensor, added: float, change: str, reads: str) -> torch.Tensor:
    y = torch.exp(x)
    z = y * (y if reads == "square" else 3)
    if change == "new":
        y = y + added
    elif change == "clone":
        y = y.clone()
        y.add_(added)
    elif change == "in_place":
        with torch.no_grad():
            y.add_(added)
    elif change == "detach":
        y.detach().add_(added)
    elif change == "data":
        y.data.add_(added)
    return z


def a_step_too_early() -> Mapping[str, float]:
    """The gradient of a cube whose weight changed through .data, and what each answer expects."""
    w = torch.tensor(4.0, dtype=torch.float64, requires_grad=True)
    old = w.item()
    loss = w**3
    w.data -= 1
    (gradient,) = torch.autograd.grad(loss, w)
    return {
        "early_came": float(gradient),
        "early_w": old,
        "early_value": loss.item(),
        "early_new": 3 * w.item() ** 2,
        "early_old": 3 * old**2,
        "early_mixed": 3 * old * w.item(),
    }


REFUSED = "modified by an inplace operation"
"""The part of torch's message that is the same for every tensor."""


def unchanged(x: torch.Tensor, added: float, change: str, reads: str) -> torch.Tensor:
    """The same forward expression, and nothing is changed after it."""
    y = torch.exp(x)
    return y * y if reads == "square" else 3 * y


def by_formula(x: torch.Tensor, added: float, change: str, reads: str) -> torch.Tensor:
    """The derivative of e²ˣ, or of 3eˣ."""
    return 2 * torch.exp(2 * x) if reads == "square" else 3 * torch.exp(x)


def refusal(program: Program, x: torch.Tensor, arguments: Mapping[str, object]) -> str:
    """Torch's message for a backward pass through the program, without its hint; or nothing."""
    x = x.detach().requires_grad_()
    z = program(x, **arguments)
    try:
        if z.requires_grad:
            torch.autograd.grad(z.sum(), x)
    except RuntimeError as error:
        if "detached in-place" in str(error):  # the learner cut the edge that makes the change
            return ""
        if REFUSED not in str(error):
            raise
        return str(error).partition(" Hint")[0]
    return ""


CURVE = Curve(settings=Settings, plain=unchanged, intended=by_formula, words=WORDS)

_BASE = curve_lab(CURVE)


def compute(program: Program, settings: Settings) -> Result:
    """The curve lab's result; NaN and torch's message if torch refuses the backward pass."""
    arguments = CURVE.experiment.run(settings).arguments
    x = torch.tensor([settings.x[place_of(settings)]], dtype=torch.float64)
    said = refusal(program, x, arguments)
    if said:
        result = _BASE.compute(_forward_only(program), settings)
        result = replace(
            result,
            series=tuple(map(_lost, result.series)),
            curves=tuple(map(_lost, result.curves)),
            facts={**result.facts, "trick_gradient": float("nan")},
            notes=(*result.notes, Note("warning", f"RuntimeError: {_in_one_line(said)}")),
        )
    else:
        result = _BASE.compute(program, settings)
        # Always one line, so that the charts below it don't move.
        result = replace(result, notes=(*result.notes, Note("info", WORDS("runs"))))
    return replace(result, facts={**result.facts, **_facts(program, x, arguments)})


def _in_one_line(said: str) -> str:
    """The part of torch's message that names the versions; the text has all of it."""
    _, versions, numbers = said.rstrip(".").partition(" is at version ")
    return f"… {REFUSED}: …{versions}{numbers}" if versions else said


def start(settings: Settings) -> Start:
    """The run whose graph is drawn, with the op that changes y."""
    return replace(CURVE.experiment.run(settings), show_unused_ops=True)


def chart(result: Result, settings: Settings) -> Figure:
    """The curve lab's chart; a gradient that torch refuses has no line to name."""
    (drawn,) = _BASE.figures(result, settings)
    if math.isnan(result.facts["trick_gradient"]):  # type: ignore[arg-type]
        return replace(drawn, data=[_without_end(one) for one in drawn.data])
    return drawn


def _without_end(trace: Trace) -> Trace:
    """Hide the name of a line that isn't there."""
    lost = trace["mode"] == "text" and math.isnan(trace["y"][0])
    return trace | {"visible": False} if lost else trace


def _facts(
    program: Program, x: torch.Tensor, arguments: Mapping[str, Any]
) -> dict[str, float | int | str]:
    """The gradient after each change at the chosen input, and what each answer expects."""

    def came(**other: str) -> float:
        given = Start({"x": x.requires_grad_()}, {**arguments, **other})
        return float(CURVE.experiment.by_role(program, given)["trick_gradient"])

    y = torch.exp(x)
    before = y._version
    y.add_(arguments["added"])
    old, new = float(torch.exp(x)), float(y)
    return {
        "says": refusal(program, x, {**arguments, "change": "in_place"}) or WORDS("says_nothing"),
        "version_before": before,
        "version_after": y._version,
        "old": old,
        "new": new,
        "square_came": came(change="data", reads="square"),
        "both_new": 2 * new * new,
        "unharmed": 2 * old * old,
        "slope_of_new": 2 * new * old,
        "plus_added": 2 * old * old + arguments["added"],
        "triple_came": came(change="data", reads="triple"),
        "triple_new": 3 * new,
        "triple_old": 3 * old,
        "triple_plus": 3 * old + arguments["added"],
    }


def _forward_only(program: Program) -> Program:
    def run(x: torch.Tensor, **arguments: object) -> torch.Tensor:
        return program(x, **arguments).detach()

    return run


def _lost(series: Series) -> Series:
    """Autograd's gradient as NaN: torch gave none."""
    if series.role != "trick_gradient":
        return series
    return replace(series, y=np.full_like(series.y, np.nan))


LESSON = Lesson(
    program=in_place,
    lab=replace(_BASE, compute=compute, charts=(chart,), start=start),
    sketches={"data": Sketch(x=(-1.0, -0.6, -0.2, 0.2, 0.6, 1.0), near=3.0)},
    highlight="y.data.add_(added)",
    facts=(a_step_too_early,),
)
