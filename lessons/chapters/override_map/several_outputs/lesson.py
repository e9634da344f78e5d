"""A rule is handed one upstream gradient for each output, and must add up."""

from collections.abc import Callable
from typing import Any

import torch

from lessons.contract.lesson import Lesson
from lessons.contract.settings import choice, slider
from lessons.contract.words import Words
from lessons.gradient_tricks.tricks import gradient_override_map, py_func
from lessons.gradient_tricks.tricks.rule import Op
from lessons.kit.curve_lab import Curve, Run, curve_lab
from lessons.kit.inputs import AlongX, inputs, point_in_text

WORDS = Words(__file__)


class Settings(AlongX):
    rule = choice("product", "sum")
    power = choice("1", "2")
    b = slider(3, -5, 5, 0.5, accepts=(-100, 100))
    w1 = slider(1, -5, 5, 0.5, accepts=(-100, 100))
    w2 = slider(1, -5, 5, 0.5, accepts=(-100, 100))
    w3 = slider(1, -5, 5, 0.5, accepts=(-100, 100))
    x = inputs("-2, 1, 2")
    point = point_in_text(2)


def several_outputs(
    x: torch.Tensor, b: float, w1: float, w2: float, w3: float, rule: str, power: str
) -> torch.Tensor:
    def three_outputs(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return a + b, a * b, a - b

    def override(op: Op, grad1: Any, grad2: Any, grad3: Any) -> tuple[Any, Any]:
        a, b = op.inputs
        if rule == "product":
            return grad1 * grad2 * b, None
        return grad1 + grad2 * b + grad3, grad1 + grad2 * a - grad3

    with gradient_override_map({"py_func": override}):
        second = torch.full(x.shape, b, dtype=x.dtype, device=x.device)
        outputs = py_func(three_outputs, x, second)
    terms = [
        weight * (output if power == "1" else output**2)
        for weight, output in zip((w1, w2, w3), outputs, strict=True)
        if weight  # an output of weight 0 is not used at all
    ]
    return sum(terms[1:], terms[0]) if terms else torch.zeros_like(x)


def without_rule(
    x: torch.Tensor, b: float, w1: float, w2: float, w3: float, power: str, **_: str
) -> torch.Tensor:
    """The same forward expression, by ops that know their gradients."""
    p = int(power)
    return w1 * (x + b) ** p + w2 * (x * b) ** p + w3 * (x - b) ** p


def added_up(
    x: torch.Tensor, b: float, w1: float, w2: float, w3: float, power: str, **_: str
) -> torch.Tensor:
    """The intended gradient: each output's upstream gradient times its derivative, added up."""
    if power == "1":
        return (w1 + w2 * b + w3) * torch.ones_like(x)
    return 2 * (w1 * (x + b) + w2 * (x * b) * b + w3 * (x - b))


def beliefs(run: Run, settings: Settings) -> dict[str, float | str]:
    """The gradient with one output unused, or weighted more, and what each belief expects."""
    b = settings.b
    base = {"w1": 1.0, "w2": 1.0, "w3": 1.0, "power": "1"}
    article = run(**base, rule="product")
    unused = run(**{**base, "w2": 0.0}, rule="product")
    third = run(**{**base, "w3": 7.0}, rule="product")
    return {
        "article": article["trick_gradient"],
        "all_true": article["true_gradient"],
        "second_unused": unused["trick_gradient"],
        "second_unused_true": unused["true_gradient"],
        "left_out": b,
        "third_seven": third["trick_gradient"],
        "third_seven_true": third["true_gradient"],
        "third_multiplied": 7 * b,
    }


def arrivals() -> dict[str, str]:
    """What a rule gets for an unused output of whole numbers."""
    seen: list[str] = []

    def rule(op: Op, *upstream: torch.Tensor | None) -> torch.Tensor | None:
        seen.extend("None" if u is None else format(float(u), "g") for u in upstream)
        return upstream[0]

    leaf = torch.tensor(2.0, requires_grad=True)
    with gradient_override_map({"py_func": rule}):
        used, *_ = py_func(lambda a: (a + 1, (a > 1).long()), leaf)
    torch.autograd.grad(used, leaf)
    return {"came_whole": seen[1]}


def square_and_scale() -> dict[str, float]:
    """A rule for an op that returns x² and 5x, and the ways to get it wrong."""
    x = torch.tensor(3.0, dtype=torch.float64, requires_grad=True)

    def gradient(rule: Callable[..., torch.Tensor]) -> float:
        with gradient_override_map({"py_func": rule}):
            squared, scaled = py_func(lambda x: (x**2, 5 * x), x)
        (came,) = torch.autograd.grad(2 * squared - scaled, x)
        return float(came)

    return {
        "transfer_x": x.item(),
        "transfer_true": gradient(lambda op, g1, g2: g1 * 2 * op.inputs[0] + g2 * 5),
        "transfer_product": gradient(lambda op, g1, g2: (g1 * 2 * op.inputs[0]) * (g2 * 5)),
        "transfer_bare": gradient(lambda op, g1, g2: 2 * op.inputs[0] + 5),
        "transfer_first": gradient(lambda op, g1, g2: g1 * 2 * op.inputs[0]),
        # By ops that know their own gradients.
        "transfer_plain": float(torch.autograd.grad(2 * x**2 - 5 * x, x)[0]),
    }


CURVE = Curve(
    settings=Settings,
    plain=without_rule,
    intended=added_up,
    words=WORDS,
    facts=(beliefs,),
)

LESSON = Lesson(
    program=several_outputs,
    lab=curve_lab(CURVE),
    highlight="return grad1 * grad2 * b, None",
    facts=(arrivals, square_and_scale),
)
