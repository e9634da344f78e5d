"""Second derivatives through a rule."""

from dataclasses import replace
from typing import Any

import torch

from lessons.contract.figure import Figure, Table
from lessons.contract.lab import Start
from lessons.contract.lesson import Lesson
from lessons.contract.result import Result
from lessons.contract.settings import choice, slider
from lessons.contract.sketch import Sketch
from lessons.contract.words import Words
from lessons.gradient_tricks.tricks import gradient_override_map, identity
from lessons.kit.curve_figures import curve_figure, curve_table
from lessons.kit.curve_lab import Curve, Run, curve_lab
from lessons.kit.inputs import AlongX, inputs, point_in_text

WORDS = Words(__file__)


class Settings(AlongX):
    kind = choice("identity", "square")
    factor = slider(10, -10, 10, 0.5, accepts=(-100, 100))
    order = choice("1", "2", "3")
    x = inputs("-2, 1, 2")
    point = point_in_text(3)


def second_derivative(x: torch.Tensor, kind: str, factor: float, order: str) -> torch.Tensor:
    def on_identity(op: Any, upstream: torch.Tensor) -> Any:
        return factor * upstream

    def on_square(op: Any, upstream: torch.Tensor) -> Any:
        return factor * op.inputs[0] * upstream  # the built-in: 2 * op.inputs[0] * upstream

    with gradient_override_map({kind: on_identity if kind == "identity" else on_square}):
        y = identity(x) ** 3 if kind == "identity" else torch.square(x)
    for _ in range(int(order) - 1):
        (y,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    return y


def without_rule(x: torch.Tensor, kind: str, factor: float, order: str) -> torch.Tensor:
    """x³ or x² with built-in gradients, differentiated as often as the program."""
    y = x**3 if kind == "identity" else x**2
    for _ in range(int(order) - 1):
        (y,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    return y


def slope(x: torch.Tensor, kind: str, factor: float, order: str) -> torch.Tensor:
    """First the rule once; then, for each higher order, the slope of the order before."""
    identities = [3 * factor * x**2, 6 * factor * x, 6 * factor**2 * torch.ones_like(x)]
    squares = [factor * x, factor * torch.ones_like(x), torch.zeros_like(x)]
    return (identities if kind == "identity" else squares)[int(order) - 1]


def beliefs(run: Run, settings: Settings) -> dict[str, float]:
    """``identity_first``, ``square_second_true``, …: derivatives; and what each belief expects."""
    factor = settings.factor
    facts: dict[str, float] = {}
    for kind, own in (("identity", factor), ("square", 3.0)):
        for order, word in (("1", "first"), ("2", "second")):
            roles = run(kind=kind, order=order, factor=own)
            facts[f"{kind}_{word}"] = roles["trick_gradient"]
            facts[f"{kind}_{word}_true"] = roles["true_gradient"]
    true = facts["identity_second_true"]
    facts |= {"per_order": factor**2 * true, "once": factor * true, "not_at_all": true}
    true = facts["square_second_true"]
    facts |= {"rule_slope": 3.0, "built_in": true, "ratio_again": 1.5**2 * true}
    return facts


def penalty() -> dict[str, float]:
    """The gradient of a penalty on the slope of I(x)², and what each answer expects of it."""
    x, factor = torch.tensor(1.0, dtype=torch.float64, requires_grad=True), 3.0

    def gradient(kept: float) -> tuple[float, float]:
        with gradient_override_map({"identity": lambda op, upstream: kept * upstream}):
            y = identity(x) ** 2
        (slope,) = torch.autograd.grad(y, x, create_graph=True)
        (came,) = torch.autograd.grad(slope**2, x)
        return slope.item(), came.item()

    (slope, came), (true_slope, true) = gradient(factor), gradient(1.0)
    outer, true_second = 2 * slope, true / (2 * true_slope)
    return {
        "penalty_x": x.item(),
        "penalty_factor": factor,
        "penalty_slope": slope,
        "penalty": slope**2,
        "penalty_gradient": came,
        "penalty_per_order": outer * factor**2 * true_second,
        "penalty_once": outer * factor * true_second,
        "penalty_forward": outer * true_second,
        "penalty_true": true,
    }


CURVE = Curve(
    settings=Settings,
    plain=without_rule,
    intended=slope,
    words=WORDS,
    facts=(beliefs,),
)


DERIVATIVES = ("y", "dy/dx", "d²y/dx²", "d³y/dx³")


def chart(result: Result, settings: Settings) -> Figure:
    order = int(settings.order)
    return curve_figure(result, WORDS, titles=(DERIVATIVES[order - 1], DERIVATIVES[order]))


def table(result: Result, settings: Settings) -> Table:
    return curve_table(result, DERIVATIVES[int(settings.order) - 1])


def first_order(settings: Settings) -> Start:
    """The run whose graph is drawn: y itself. A recording does not follow a backward pass."""
    return CURVE.experiment.run(settings).with_(order="1")


LESSON = Lesson(
    program=second_derivative,
    lab=replace(curve_lab(CURVE), charts=(chart,), table=table, start=first_order),
    sketches={"identity": Sketch(x=(-2.0, -1.5, -1.0, 1.0, 1.5, 2.0), near=7.0)},
    facts=(penalty,),
    highlight="(y,) = torch.autograd.grad(y.sum(), x, create_graph=True)",
)
