"""The ops that a map reaches, and until when."""

import math
from functools import cache

import torch
from torch.nn import functional

from lessons.contract.lesson import Lesson
from lessons.contract.settings import choice, slider, whole
from lessons.contract.sketch import Sketch
from lessons.contract.words import Words
from lessons.gradient_tricks.tricks import gradient_override_map, identity
from lessons.kit.curve_lab import Curve, Run, curve_lab
from lessons.kit.gradients import gradient
from lessons.kit.inputs import AlongX, inputs, point_in_text

WORDS = Words(__file__)


class Settings(AlongX):
    factor = slider(10, -10, 10, 0.5, accepts=(-100, 100))
    inner = slider(2, -10, 10, 0.5, accepts=(-100, 100))
    ops = whole(1, 1, 6)
    place = choice("map", "nested", "restored", "left")
    x = inputs("-2, 1, 3")
    point = point_in_text(3)


def scope(x: torch.Tensor, factor: float, inner: float, ops: int, place: str) -> torch.Tensor:
    def identities(y: torch.Tensor) -> torch.Tensor:
        for _ in range(ops):
            y = identity(y)
        return y

    try:
        with gradient_override_map({"identity": lambda op, upstream: factor * upstream}):
            if place == "map":
                y = identities(x)
            elif place == "nested":
                with gradient_override_map({"identity": lambda op, upstream: inner * upstream}):
                    y = identities(x)
            elif place == "restored":
                with gradient_override_map({"identity": "identity"}):
                    y = identities(x)
            else:
                raise InterruptedError("something went wrong inside the map")
    except InterruptedError:
        y = identities(x)
    return y**2


def _inside_and_outside(factor: float, x: float) -> dict[str, float]:
    """An identity's gradient: created in a map and differentiated outside, and vice versa."""

    def rule(op: object, upstream: torch.Tensor) -> torch.Tensor:
        return factor * upstream

    leaf = torch.tensor([x], dtype=torch.float64, requires_grad=True)
    before = identity(leaf)
    with gradient_override_map({"identity": rule}):
        inside = identity(leaf)
        (created_before,) = torch.autograd.grad((before**2).sum(), leaf)
    (created_inside,) = torch.autograd.grad((inside**2).sum(), leaf)
    return {"created_before": float(created_before), "created_inside": float(created_inside)}


@cache
def what_is_seen() -> str:
    """A map's report on a few library calls: the outermost op of each."""
    x = torch.tensor([[1.0, 2.0]])
    with gradient_override_map({}) as report:
        functional.normalize(x)
        functional.linear(x, torch.eye(2))
        torch.matmul(x, torch.eye(2))
    return repr(report)


@cache
def in_no_grad() -> dict[str, float]:
    """The effect of torch's own block on an op inside it, and on a backward call inside it."""
    x = torch.tensor(3.0, dtype=torch.float64, requires_grad=True)
    first, second = x**2, 5 * x
    with torch.no_grad():
        inside = 5 * x
    loss = first + inside
    with torch.no_grad():
        loss.backward(retain_graph=True)
    came = math.nan if x.grad is None else x.grad.item()
    one, two = float(gradient(first, x)), float(gradient(second, x))
    return {
        "block_x": x.item(),
        "block_came": came,
        "block_first": one,
        "block_second": two,
        "block_both": one + two,
    }


def beliefs(run: Run, settings: Settings) -> dict[str, float | str]:
    """The gradient in each case, and what each belief expects of it."""
    factor, inner = settings.factor, settings.inner
    true = run(ops=1, place="restored")["true_gradient"]
    return {
        "three_ops": run(ops=3, place="map")["trick_gradient"],
        "each_op": factor**3 * true,
        "once": factor * true,
        "added": 3 * factor * true,
        "nested": run(ops=1, place="nested")["trick_gradient"],
        "inner_alone": inner * true,
        "outer_alone": factor * true,
        "composed": factor * inner * true,
        "restored": run(ops=1, place="restored")["trick_gradient"],
        "left": run(ops=1, place="left")["trick_gradient"],
        "seen": what_is_seen(),
        **in_no_grad(),
        **_inside_and_outside(factor, run()["true_gradient"] / 2),
    }


CURVE = Curve(
    settings=Settings,
    plain=lambda x, **_: x**2,  # an identity leaves no trace
    # The innermost map's factor, once; without a rule, the op's own gradient.
    intended=lambda x, factor, inner, place, **_: (
        {"map": factor, "nested": inner}.get(place, 1.0) * 2 * x
    ),
    words=WORDS,
    facts=(beliefs,),
)

LESSON = Lesson(
    program=scope,
    lab=curve_lab(CURVE),
    sketches={"nested": Sketch(x=(-3.0, -2.0, -1.0, 1.0, 2.0, 3.0), near=1.5)},
    highlight='with gradient_override_map({"identity": lambda op, upstream: factor * upstream}):',
)
