"""Self-supervised features that collapse, and the stop on the target branch."""

import math
from collections.abc import Callable
from functools import lru_cache

import torch

from lessons.chapters.in_the_wild.collapse.lab import LAB
from lessons.chapters.in_the_wild.collapse.net import Predictor, cosine
from lessons.contract.lesson import Lesson
from lessons.contract.result import Result
from lessons.training.under_way import numbers_at_end
from lessons.tricks import stop_gradient


def siamese(one: torch.Tensor, two: torch.Tensor, predictor: Predictor, stop: bool) -> torch.Tensor:
    target_one = stop_gradient(one) if stop else one
    target_two = stop_gradient(two) if stop else two
    first = cosine(predictor(one), target_two)
    second = cosine(predictor(two), target_one)
    return -(first + second) / 2


def whose_loss_is_lower(result: Result, program: Callable[..., torch.Tensor] = siamese) -> str:
    """How far from −1 the loss ends with the stop, against how far without it."""
    ends = numbers_at_end(LAB, program, seeds="4", steps="100")
    share = (1 + ends["trick_loss"]) / (1 + ends["plain_loss"])
    beliefs = {"stopped": 0.1, "same": 1.0, "open": 10.0}
    return min(beliefs, key=lambda key: abs(math.log(share / beliefs[key])))


@lru_cache(maxsize=1)
def changed_by_a_detach() -> dict[str, float]:
    """How much a detach on the target changes the gradient of a student's weights.

    By the source of the target: a ``teacher`` with weights of its own, equal ones, or the
    ``student`` itself. Largest entry, float64.
    """
    generator = torch.Generator().manual_seed(0)
    weight, inner, x, e = (
        torch.randn(shape, dtype=torch.float64, generator=generator)
        for shape in ((4, 3), (4, 4), (3, 16), (3, 16))
    )
    found = {}
    for name in ("teacher", "student"):
        student = weight.clone().requires_grad_()
        source = weight.clone().requires_grad_() if name == "teacher" else student
        slopes = []
        for detached in (False, True):
            target = torch.tanh(source @ (x + e))
            loss = -cosine(inner @ torch.tanh(student @ x), target.detach() if detached else target)
            slopes.append(torch.autograd.grad(loss, student)[0])
        found[f"changed_{name}"] = float((slopes[0] - slopes[1]).abs().max())
    return found


def what_a_detach_changes(result: Result) -> str:
    """Whether the student's gradient is another one once a teacher's output is detached."""
    teacher, student = (float(result.facts[f"changed_{of}"]) for of in ("teacher", "student"))
    return "collapse" if teacher > 0.5 * student else "half" if teacher > 1e-9 else "nothing"


LESSON = Lesson(
    program=siamese,
    lab=LAB,
    predictions={"loss": whose_loss_is_lower, "transfer": what_a_detach_changes},
    highlight="stop_gradient(two)",
    elsewhere=changed_by_a_detach,
)
