"""A step function with gradient 1, in three spellings."""

import math

import torch

from lessons.contract.devices import DTYPES
from lessons.contract.lesson import Lesson
from lessons.contract.result import Result
from lessons.contract.settings import choice
from lessons.contract.sketch import Sketch
from lessons.contract.words import Words
from lessons.gradient_tricks.tricks import stop_gradient, straight_through
from lessons.kit.answers import which
from lessons.kit.curve_lab import Curve, Run, curve_lab
from lessons.kit.experiment import Program
from lessons.kit.inputs import AlongX, inputs, point_in_text

WORDS = Words(__file__)

SPELLINGS = ("difference", "value", "exact")
LARGE = {"bfloat16": 300.0, "float32": 1e8}
"""For each number format, an x so large that 1 is lost next to it."""
GATE, FEATURE = 0.2, 3.0
"""The two learned numbers of the last question."""


class Settings(AlongX):
    function = choice("round", "sign")
    spelling = choice("plain", "difference", "value", "exact", default="difference")
    after = choice("nothing", "square", default="square")
    x = inputs("-2.7, 0.4, 1.6")
    point = point_in_text(3)


def quantised(x: torch.Tensor, function: str, spelling: str, after: str) -> torch.Tensor:
    f = torch.sign if function == "sign" else torch.round
    if spelling == "difference":
        q = x + stop_gradient(f(x) - x)
    elif spelling == "value":
        q = stop_gradient(f(x)) + (x - stop_gradient(x))
    elif spelling == "exact":
        q = straight_through(f)(x)
    else:
        q = f(x)
    return q**2 if after == "square" else q


def straight(x: torch.Tensor, function: str, spelling: str, after: str) -> torch.Tensor:
    """1 for the step function; a square after it brings twice the quantised value."""
    if after == "nothing":
        return torch.ones_like(x)
    return 2 * (x.sign() if function == "sign" else x.round())


def beliefs(run: Run, settings: Settings) -> dict[str, float]:
    """The gradients of the first question, at the chosen input, and what each answer expects."""
    step = {"function": "round", "after": "nothing"}
    rounded = run(**step, spelling="plain")
    return {
        "rounded": rounded["forward"],
        "plain_slope": rounded["trick_gradient"],
        "straight_slope": run(**step, spelling="difference")["trick_gradient"],
        "squared_slope": run(function="round", after="square", spelling="difference")[
            "trick_gradient"
        ],
    }


def observed(run: Run, settings: Settings) -> dict[str, float]:
    """Facts on derivatives, and the sign of two large numbers: ``bfloat16_value`` and so on."""
    point, program = float(run.x), run.program
    return {
        "at_quantised": 2.0 * round(point) if math.isfinite(point) else math.nan,
        "at_x": 2 * point,
        "large": LARGE["bfloat16"],
        "larger": LARGE["float32"],
        **{
            f"{name}_{spelling}": program(
                torch.tensor([value], dtype=DTYPES[name]), "sign", spelling, "nothing"
            ).item()
            for name, value in LARGE.items()
            for spelling in SPELLINGS
        },
        **through_a_gate(program),
    }


def through_a_gate(program: Program) -> dict[str, float]:
    """The gradients of a rounded gate and of its feature, from a squared error."""
    s, h = (torch.tensor([one], dtype=torch.float64, requires_grad=True) for one in (GATE, FEATURE))
    loss = (program(s, "round", "difference", "nothing") * h - 2) ** 2
    to_gate, to_feature = torch.autograd.grad(loss.sum(), (s, h), materialize_grads=True)
    return {
        "gate": GATE,
        "feature": FEATURE,
        "to_gate": to_gate.item(),
        "to_feature": to_feature.item() + 0.0,  # no −0
    }


def who_learns(result: Result) -> str:
    """Grade which of gate and feature gets a gradient other than 0."""
    return which(gate=result.facts["to_gate"] != 0, feature=result.facts["to_feature"] != 0)


CURVE = Curve(
    settings=Settings,
    plain=lambda x, **settings: quantised(x, **settings | {"spelling": "plain"}),
    intended=straight,
    words=WORDS,
    facts=(beliefs, observed),
)

LESSON = Lesson(
    program=quantised,
    lab=curve_lab(CURVE),
    predictions={"transfer": who_learns},
    sketches={"slope": Sketch(x=(-1.7, -1.3, -0.7, -0.3, 0.3, 0.7, 1.3, 1.7), near=0.28)},
    highlight="x + stop_gradient(f(x) - x)",
)
