"""The effect of stop_gradient on the value and on the gradient."""

import math
from functools import cache

import torch

from lessons.contract.lesson import Lesson
from lessons.contract.settings import choice
from lessons.contract.sketch import Sketch
from lessons.contract.words import Words
from lessons.gradient_tricks.tricks import stop_gradient
from lessons.kit.curve_lab import Curve, Run, curve_lab
from lessons.kit.inputs import AlongX, inputs, point_in_text

WORDS = Words(__file__)

WEIGHT, RATE, DECAY = 1.0, 0.1, 0.5
"""A weight, and the learning rate and weight decay of the SGD that moves it."""


class Settings(AlongX):
    stopped = choice("nothing", "first", "second", "both", "no_grad", default="first")
    x = inputs("-2, -1, 3")
    point = point_in_text(3)


def two_passes(x: torch.Tensor, stopped: str) -> torch.Tensor:
    first, second = x, x
    if stopped in ("first", "both"):
        first = stop_gradient(x)
    if stopped in ("second", "both"):
        second = stop_gradient(x)
    if stopped == "no_grad":
        with torch.no_grad():
            first = x
    return first**2 * second


def paths_left(x: torch.Tensor, stopped: str) -> torch.Tensor:
    """The product rule by hand: 2x² through the square, x² through the other factor."""
    through_square = 0.0 if stopped in ("first", "both") else 2.0
    through_factor = 0.0 if stopped in ("second", "both") else 1.0
    return (through_square + through_factor) * x**2


def measured(run: Run, settings: Settings) -> dict[str, float | str]:
    """Each variant's gradient, what a stopped leaf holds, and how far an optimiser moves it."""
    unstopped = run(stopped="nothing")
    return {
        "expression": EXPRESSIONS[settings.stopped],
        "whole": unstopped["true_gradient"],
        **{name: run(stopped=name)["intended_gradient"] for name in ("first", "second", "both")},
        "no_grad": run(stopped="no_grad")["trick_gradient"],
        "leaf_alone": leaf_after_backward(),
        "functional": torch.func.grad(stop_gradient)(torch.ones(())).item(),
        "moved_none": moved(None),
        "moved_zero": moved(0.0),
    }


@cache
def leaf_after_backward() -> str:
    """The ``.grad`` of a leaf when the only path to it is stopped."""
    x = torch.ones((), requires_grad=True)
    other = torch.ones((), requires_grad=True)
    (stop_gradient(x) + other).backward()
    return repr(x.grad)


def over_itself(run: Run, settings: Settings) -> dict[str, float]:
    """The gradient of x / stop_gradient(x) here, and what the wrong answers expect."""
    given = run.x.detach().requires_grad_()
    (found,) = torch.autograd.grad(given / stop_gradient(given), given)
    through = 1 / float(run.x) if float(run.x) else math.nan
    return {
        "ratio_slope": float(found),
        "ratio_numerator": through,
        "ratio_denominator": -through,
    }


@cache
def moved(gradient: float | None) -> float:
    """The distance that SGD with weight decay moves a weight in one step with this gradient."""
    weight = torch.tensor(WEIGHT, dtype=torch.float64, requires_grad=True)
    weight.grad = None if gradient is None else torch.full_like(weight, gradient)
    torch.optim.SGD([weight], lr=RATE, weight_decay=DECAY).step()
    return WEIGHT - weight.item()


EXPRESSIONS = {
    "nothing": "y\u00a0= x²\u00a0·\u00a0x",
    "first": "y\u00a0=\u00a0stop_gradient(x)²\u00a0·\u00a0x",
    "second": "y\u00a0= x²\u00a0·\u00a0stop_gradient(x)",
    "both": "y\u00a0=\u00a0stop_gradient(x)²\u00a0·\u00a0stop_gradient(x)",
    "no_grad": WORDS("under_no_grad"),
}
"""The program as it runs with each choice, in one line."""

CURVE = Curve(
    settings=Settings,
    plain=lambda x, **_: x**2 * x,
    intended=paths_left,
    words=WORDS,
    facts=(measured, over_itself),
)

LESSON = Lesson(
    program=two_passes,
    lab=curve_lab(CURVE),
    sketches={"path": Sketch(x=(-4.5, -3.5, -2.5, 0.0, 2.5, 3.5, 4.5), near=3.0)},
    highlight="stop_gradient(x)",
)
