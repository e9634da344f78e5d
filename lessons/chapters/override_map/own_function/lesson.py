"""An autograd.Function of one's own: what its backward reads, and what the checks say of it."""

# mypy: allow-untyped-calls

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch.autograd import gradcheck, gradgradcheck

from lessons.contract.lesson import Lesson
from lessons.contract.result import Result
from lessons.contract.settings import choice, slider
from lessons.contract.sketch import Sketch
from lessons.contract.words import Words
from lessons.kit.answers import which
from lessons.kit.curve_lab import Curve, Run, curve_lab
from lessons.kit.inputs import AlongX, inputs, point_in_text

WORDS = Words(__file__)

TRICK = 3.0
"""A factor that is not the square's own, 2."""


class Settings(AlongX):
    factor = slider(2, -4, 4, 0.5, accepts=(-100, 100))
    saved = choice("call", "object")
    second = slider(2, -4, 4, 0.5, accepts=(-100, 100))
    x = inputs("-2, 1, 3")
    point = point_in_text(3)


def own_function(x: torch.Tensor, factor: float, saved: str, second: float) -> torch.Tensor:
    class Square(torch.autograd.Function):
        shared: torch.Tensor

        @staticmethod
        def forward(x: torch.Tensor) -> torch.Tensor:
            return x**2

        @staticmethod
        def setup_context(ctx: Any, inputs: tuple[torch.Tensor], output: torch.Tensor) -> None:
            Square.shared = inputs[0]
            ctx.save_for_backward(*inputs)

        @staticmethod
        def backward(ctx: Any, upstream: torch.Tensor) -> torch.Tensor:
            (x,) = ctx.saved_tensors if saved == "call" else (Square.shared,)
            return factor * x * upstream

    y: torch.Tensor = Square.apply(x) + Square.apply(torch.full_like(x, second))
    return y


def beliefs(run: Run, settings: Settings) -> dict[str, float]:
    """The gradient with one place for all calls, and what each belief expects of it."""
    factor = settings.factor
    return {
        "of_object": run(saved="object")["trick_gradient"],
        "own": factor * float(run.x),
        "last": factor * settings.second,
    }


def checks() -> dict[str, float | str]:
    """What torch's checks return for the Function, as a trick and with the true derivative."""
    x = torch.tensor([-1.0, 1.5], dtype=torch.float64, requires_grad=True)

    def returned(check: Callable[..., bool], factor: float) -> bool:
        tried = partial(own_function, factor=factor, saved="call", second=2.0)
        return check(tried, x, raise_exception=False)

    return {
        "trick_factor": TRICK,
        "trick_first": str(returned(gradcheck, TRICK)),
        "trick_second": str(returned(gradgradcheck, TRICK)),
        "true_both": str(returned(gradcheck, 2.0) and returned(gradgradcheck, 2.0)),
    }


def passed(result: Result) -> str:
    """Grade which checks the trick passes."""
    facts = result.facts
    return which(first=facts["trick_first"] == "True", second=facts["trick_second"] == "True")


def changed_in_place() -> dict[str, float | str]:
    """What arrives if the input is changed after the call: kept on ctx, and saved."""

    def came(kept: bool) -> float:
        class Square(torch.autograd.Function):
            @staticmethod
            def forward(x: torch.Tensor) -> torch.Tensor:
                return x**2

            @staticmethod
            def setup_context(ctx: Any, inputs: tuple[torch.Tensor], output: torch.Tensor) -> None:
                ctx.x = inputs[0]
                ctx.save_for_backward(*inputs)

            @staticmethod
            def backward(ctx: Any, upstream: torch.Tensor) -> Any:
                return 2 * (ctx.x if kept else ctx.saved_tensors[0]) * upstream

        w = torch.tensor(start, requires_grad=True)
        h = w.clone()
        y = Square.apply(h)
        h.mul_(by)
        return float(torch.autograd.grad(y, w)[0])

    start, by, raised = 3.0, 10.0, ""
    try:
        came(kept=False)
    except RuntimeError as error:
        raised, _, _ = str(error).partition(":")
    return {
        "w": start,
        "kept_came": came(kept=True),
        "raised": raised,
        "at_call": 2 * start,
        "at_backward": 2 * start * by,
    }


CURVE = Curve(
    settings=Settings,
    plain=lambda x, second, **_: x**2 + second**2,
    intended=lambda x, factor, **_: factor * x,
    words=WORDS,
    facts=(beliefs,),
)

LESSON = Lesson(
    program=own_function,
    lab=curve_lab(CURVE),
    predictions={"checks": passed},
    sketches={"object": Sketch(x=(-3.5, -2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 3.5), near=0.9)},
    facts=(checks, changed_in_place),
    highlight="return factor * x * upstream",
)
