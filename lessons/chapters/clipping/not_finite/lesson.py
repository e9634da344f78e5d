"""What clipping does to NaN and to infinities."""

import math

import torch

from lessons.chapters.clipping.not_finite.lab import LAB
from lessons.contract.lesson import Lesson
from lessons.contract.result import Result
from lessons.tricks import clip_gradient, clip_gradient_norm


def not_finite(w: torch.Tensor, root: str, clip: str, limit: float) -> torch.Tensor:
    if clip == "value":
        w = clip_gradient(w, -limit, limit)
    elif clip == "norm":
        w = clip_gradient_norm(w, limit)
    if root == "plain":
        return torch.sqrt(w)
    if root == "where":
        return torch.where(w > 0, torch.sqrt(w), 0.0)
    inside = torch.where(w > 0, w, 1.0)  # a harmless input for the branch that is not taken
    return torch.where(w > 0, torch.sqrt(inside), 0.0)


def one_infinity(result: Result) -> str:
    """What clipping by norm leaves of a gradient with one infinity in it."""
    first, last = (float(result.facts[f"inf_norm_{place}"]) for place in ("first", "last"))
    if math.isnan(first):
        return "all"
    if first == 0:
        return "rest"
    return "limit" if math.isfinite(last) else "same"


def not_taken(result: Result) -> str:
    """The slope where ``where`` took the other branch."""
    slope = float(result.facts["nan_none_last"])
    if math.isnan(slope):
        return "nan"
    if math.isinf(slope):
        return "infinite"
    return "zero" if slope == 0 else "finite"


LESSON = Lesson(
    program=not_finite,
    lab=LAB,
    predictions={"infinity": one_infinity, "branch": not_taken},
    highlight="return torch.where(w > 0, torch.sqrt(w), 0.0)",
)
