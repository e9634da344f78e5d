"""A recurrent unit's error has a cliff, and clipping keeps descent near it."""

from collections.abc import Callable
from functools import lru_cache

import torch

from lessons.chapters.clipping.cliff.lab import LAB, TRAINING
from lessons.contract.lesson import Lesson
from lessons.contract.parameters import validate
from lessons.contract.result import Result
from lessons.training.under_way import finished

Program = Callable[..., tuple[torch.Tensor, torch.Tensor]]


def cliff(
    w: torch.Tensor, b: torch.Tensor, value_limit: torch.Tensor, norm_limit: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    w, b = w.detach().requires_grad_(), b.detach().requires_grad_()
    x = torch.full_like(w, 0.5)
    for _ in range(50):
        x = w * torch.sigmoid(x) + b
    error = (torch.sigmoid(x) - 0.7) ** 2
    gradient = torch.stack(torch.autograd.grad(error.sum(), (w, b)))
    # An infinite limit leaves the gradient as it is.
    gradient = gradient.clamp(-value_limit, value_limit)
    shorter = (norm_limit / gradient.norm(dim=0)).clamp(max=1)
    return error.detach(), shorter * gradient


def at_the_wall(result: Result) -> str:
    """Where descent without clipping goes from the learner's start."""
    if result.facts["none_left_at"]:
        return "out"
    return "valley" if result.facts["none_in_valley"] else "slow"


@lru_cache(maxsize=8)
def brief(program: Program) -> dict[str, float]:
    """Facts at the end of a short run: one seed, half the steps, else as the lab opens."""
    history = finished(TRAINING, program, validate(LAB.parameters, {"seeds": "1", "steps": "150"}))
    return {name: float(value) for name, value in history.facts.items()}


def value_or_norm(result: Result, program: Program = cliff) -> str:
    """Which clipping brings more starts to the valley without leaving the window."""
    ends = brief(program)
    lead = ends["norm_stayed"] - ends["value_stayed"]
    return "same" if abs(lead) < 0.1 else "norm" if lead > 0 else "value"


LESSON = Lesson(
    program=cliff,
    lab=LAB,
    predictions={"wall": at_the_wall, "which": value_or_norm},
    highlight="shorter = (norm_limit / gradient.norm(dim=0)).clamp(max=1)",
)
