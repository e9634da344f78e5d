"""What the graph is tested with: leaves, and small random programs, each a list of instructions
that plain torch, or a recording, can run.

A program starts with the values 0 (x, shape 3), 1 (w, a scalar), 2 (m, 2×3) and 3 (c, constant,
shape 3); each instruction adds one value made of earlier ones. The output is the sum of the means
of the last three values, so that fan-out and broadcasting are everywhere.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import pytest
import torch
from hypothesis import strategies as st
from torch.nn import functional

from lessons.contract.lab import Start
from lessons.contract.lesson import Lesson
from lessons.gradient_tricks.recorder import Recording, record
from lessons.gradient_tricks.recorder.cutting import Cut
from lessons.gradient_tricks.tricks import (
    clip_gradient,
    clip_gradient_norm,
    flip_gradient,
    forward_backward,
    identity,
    scale_gradient,
    stop_gradient,
    straight_through,
)

Program = Callable[..., torch.Tensor]
# The articles' x and noise.
X = [-2.0, -1.0, 1.0]
U = [1.04, 0.94, 1.08]


def leaf(*numbers: float, dtype: torch.dtype = torch.float64) -> torch.Tensor:
    return torch.tensor(numbers, dtype=dtype, requires_grad=True)


def _in_place(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    a = a * 1.5
    a.add_(b.sum())
    a.mul_(b.mean())
    return a


def _view_in_place(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    a = a.clone().reshape(-1)
    a[0] = b.mean()
    a[-1:] *= 3.0
    return a.cos()


def _without_gradients(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    with torch.no_grad():
        y = a * b.sum()
    return a + y


class _Own(torch.autograd.Function):
    """Two outputs, a gradient of its own, and ops inside that must not be drawn."""

    @staticmethod
    def forward(ctx: Any, a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        ctx.save_for_backward(a)
        return a.sin() * 1.0, b.exp() + 0.0

    @staticmethod
    def backward(
        ctx: Any, to_first: torch.Tensor, to_second: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        (a,) = ctx.saved_tensors
        return to_first * a.cos() * 2.0, to_second * 0.5


_own: Callable[..., tuple[torch.Tensor, torch.Tensor]] = _Own.apply


def _both_of_own(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    first, second = _own(a, b)
    return first.sum() + second.sum()


ONE: dict[str, Program] = {
    "sin": torch.sin,
    "square": lambda a: a**2,
    "softplus": functional.softplus,
    "softsign": functional.softsign,  # several autograd ops
    "normalize": lambda a: functional.normalize(a, dim=-1) if a.dim() else a * 2.0,
    "softmax": lambda a: torch.softmax(a, -1),
    "sum": torch.sum,
    "mean": lambda a: a.mean(-1, keepdim=True) if a.dim() else a.mean(),
    "rsub": lambda a: 2 - a,
    "top": lambda a: a.topk(1).values if a.dim() else a.abs(),
    "split": lambda a: sum(a.split(2, -1)[0].unbind(-1)) if a.dim() else a,
    "round": torch.round,
    "double_use": lambda a: a * a,
    "stop": stop_gradient,
    "identity": identity,
    "flip": lambda a: flip_gradient(a, 0.7),
    "scale": lambda a: scale_gradient(a, -2.5),
    "clip": lambda a: clip_gradient(a, -0.2, 0.3),
    "clip_norm": lambda a: clip_gradient_norm(a, 0.5),
    "straight": straight_through(torch.round),
    "surrogate": forward_backward(torch.sign, torch.tanh),
    "integers": lambda a: a * a.argmax().to(a.dtype),
}
TWO: dict[str, Program] = {
    "add": torch.add,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "maximum": torch.maximum,
    "in_place": _in_place,
    "view_in_place": _view_in_place,
    "no_grad": _without_gradients,
    "own": _both_of_own,
    "own_unused": lambda a, b: _own(a, b)[1],
    "outer": lambda a, b: torch.outer(a.reshape(-1)[:2], b.reshape(-1)[:3]),
}


class Instruction(NamedTuple):
    op: str
    first: int
    second: int


@st.composite
def programs(draw: st.DrawFn) -> list[Instruction]:
    size = draw(st.integers(1, 10))
    ops = st.sampled_from(sorted([*ONE, *TWO]))
    return [
        Instruction(draw(ops), draw(st.integers(0, 3 + n)), draw(st.integers(0, 3 + n)))
        for n in range(size)
    ]


def inputs(dtype: torch.dtype = torch.float64) -> dict[str, torch.Tensor]:
    x = torch.tensor([-1.3, 0.4, 2.1], dtype=dtype, requires_grad=True)
    w = torch.tensor(0.7, dtype=dtype, requires_grad=True)
    m = torch.tensor([[0.3, -0.8, 1.1], [1.9, 0.2, -0.6]], dtype=dtype, requires_grad=True)
    return {"x": x, "w": w, "m": m, "c": torch.tensor([0.5, 1.5, -1.0], dtype=dtype)}


def recorded(
    program: Program,
    cuts: Collection[Cut] = (),
    **leaves: torch.Tensor,
) -> Recording:
    """Record a program of these leaves, and its backward pass."""
    with record(leaves, cuts=cuts) as recording:
        output = program(*leaves.values())
    return recording.backward(output)


def run(program: list[Instruction], given: Mapping[str, torch.Tensor]) -> torch.Tensor:
    values = list(given.values())
    for op, first, second in program:
        a, b = values[first], values[second]
        if op in ONE:
            values.append(ONE[op](a))
        else:
            try:
                torch.broadcast_shapes(a.shape, b.shape)
            except RuntimeError:
                b = b.sum()
            values.append(TWO[op](a, b))
    a, b, c = (value.mean() for value in values[-3:])
    return a + b + c


def gradients(output: torch.Tensor, given: Mapping[str, torch.Tensor]) -> list[torch.Tensor | None]:
    """What autograd gives for each input, None where it gives none."""
    wanted = [tensor for tensor in given.values() if tensor.requires_grad]
    if not output.requires_grad:
        return [None] * len(wanted)
    return list(torch.autograd.grad(output, wanted, allow_unused=True, retain_graph=True))


def own_run(lesson: Lesson, **given: str) -> tuple[Start, Program]:
    """The start of a lesson's graph, and its run as a function of the leaves."""
    if lesson.lab.start is None:
        pytest.skip("this lesson has no graph")
    start = lesson.lab.start(lesson.validate(given))
    return start, lambda leaves: start.finish(replace(start, leaves=leaves).call(lesson.program))
