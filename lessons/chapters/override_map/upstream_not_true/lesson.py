"""A rule that halves its upstream gradient, on one op after another."""

import math
from functools import cache
from typing import Any

import torch

from lessons.contract.lesson import Lesson
from lessons.contract.settings import choice
from lessons.contract.sketch import Sketch
from lessons.contract.words import Words
from lessons.gradient_tricks.recorder import record
from lessons.gradient_tricks.tricks import TrickError, gradient_override_map, identity
from lessons.gradient_tricks.tricks.rule import Op
from lessons.kit.curve_lab import Curve, Run, curve_lab
from lessons.kit.gradients import gradient
from lessons.kit.inputs import AlongX, inputs, point_in_text

WORDS = Words(__file__)


class Settings(AlongX):
    op_type = choice("identity", "square", "mul")
    local = choice("missing", "supplied")
    x = inputs("-2, 1, 3")
    point = point_in_text(3)


def halve(x: torch.Tensor, op_type: str, local: str) -> torch.Tensor:
    def half(op: Op, upstream: torch.Tensor) -> Any:
        if local == "supplied" and op.type == "square":
            return upstream * 0.5 * 2 * op.inputs[0]
        if local == "supplied" and op.type == "mul":
            return upstream * 0.5 * op.args[1]
        return upstream * 0.5

    with gradient_override_map({op_type: half}):
        return identity(torch.square(torch.mul(x, 6)))


def beliefs(run: Run, settings: Settings) -> dict[str, float | str]:
    """The gradient with the rule on each op, ``on_…``, and what each answer expects."""
    true = run()["true_gradient"]
    on = {
        f"on_{op}": run(op_type=op, local="missing")["trick_gradient"]
        for op in ("identity", "square", "mul")
    }
    return {
        **on,
        "square_supplied": run(op_type="square", local="supplied")["trick_gradient"],
        "half_true": true / 2,
        "half_of_six": 0.5 * 6,
        "refused": refusal(),
        **exponential(),
    }


class TenthExp(torch.autograd.Function):
    """The text's op: its backward leaves out the derivative of the exponential."""

    @staticmethod
    def forward(x: torch.Tensor) -> torch.Tensor:
        return x.exp()

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: torch.Tensor) -> None:
        pass

    @staticmethod
    def backward(ctx: Any, upstream: torch.Tensor) -> torch.Tensor:
        return 0.1 * upstream


@cache
def exponential() -> dict[str, float]:
    """The gradient at x before that op, and the number of each wrong answer."""
    x = torch.tensor([2.0], dtype=torch.float64, requires_grad=True)
    true = float(gradient(3 * torch.exp(x), x))
    return {
        "exp_x": x.item(),
        "exp_came": float(gradient(3 * TenthExp.apply(x), x)),
        "exp_true": true,
        "exp_tenth": 0.1 * true,
        "exp_lost": 0.1 * 3,
        "exp_alone": 0.1,
    }


@cache
def refusal() -> str:
    """The engine's error for one gradient of a product of two tensors."""
    x = torch.tensor([3.0], dtype=torch.float64, requires_grad=True)
    with gradient_override_map({"mul": lambda op, upstream: upstream * 0.5}):
        y = torch.square(torch.mul(x, torch.full_like(x, 6)))
    try:
        gradient(y, x)
    except TrickError as error:
        return str(error).partition(": ")[2].partition(" (")[0]
    return "nothing"


def handed(run: Run, settings: Settings) -> dict[str, float]:
    """``handed_…``: the rule's argument at an op, read off the program's own backward pass.

    NaN where no gradient comes: an edge of the program may be cut.
    """
    facts = {}
    for op_type in ("identity", "square"):
        leaf = run.x.detach().requires_grad_()
        with record({"x": leaf}) as recording:
            y = run.output(leaf, op_type=op_type, local="missing")
        recording.backward(y)
        upstream = recording.nodes[op_type].upstream[0]
        facts[f"handed_{op_type}"] = math.nan if upstream is None else float(upstream.numbers[0])
    return facts


CURVE = Curve(
    settings=Settings,
    plain=lambda x, **_: torch.square(torch.mul(x, 6)),
    intended=lambda x, **_: 36 * x,  # half of the derivative 72·x of (6·x)²
    words=WORDS,
    facts=(beliefs, handed),
)

LESSON = Lesson(
    program=halve,
    lab=curve_lab(CURVE),
    sketches={"square": Sketch(x=(-0.4, -0.3, -0.2, 0.2, 0.3, 0.4), near=2.2)},
    highlight="with gradient_override_map({op_type: half}):",
)
