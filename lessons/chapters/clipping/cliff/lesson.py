"""A recurrent unit's error has a cliff, and clipping keeps descent near it."""

import math
from collections.abc import Callable

import torch

from lessons.chapters.clipping.cliff.lab import LAB
from lessons.contract.lesson import Lesson
from lessons.contract.result import Result
from lessons.training.under_way import numbers_at_end

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


def value_or_norm(result: Result, program: Program = cliff) -> str:
    """Which clipping brings more starts to the valley without leaving the window."""
    ends = numbers_at_end(LAB, program, seeds="1", steps="150")
    lead = ends["norm_stayed"] - ends["value_stayed"]
    return "same" if abs(lead) < 0.1 else "norm" if lead > 0 else "value"


def first_step_by_signs(result: Result) -> str:
    """How far the first step of signSGD moves b for each unit that it moves w."""
    ratio = float(result.facts["sign_ratio"])
    if math.isclose(ratio, 1.0):
        return "diagonal"
    return "gradient" if math.isclose(ratio, float(result.facts["slope_ratio"])) else "axis"


LESSON = Lesson(
    program=cliff,
    lab=LAB,
    predictions={"wall": at_the_wall, "which": value_or_norm, "transfer": first_step_by_signs},
    highlight="shorter = (norm_limit / gradient.norm(dim=0)).clamp(max=1)",
)
