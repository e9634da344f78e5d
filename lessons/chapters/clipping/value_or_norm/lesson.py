"""The same limit on each component, and on the length."""

import torch

from lessons.chapters.clipping.value_or_norm.lab import LAB
from lessons.contract.lesson import Lesson
from lessons.contract.result import Result
from lessons.tricks import clip_gradient, clip_gradient_norm


def value_or_norm(w: torch.Tensor, limit: float) -> tuple[torch.Tensor, torch.Tensor]:
    by_value = clip_gradient(w, -limit, limit)
    by_norm = clip_gradient_norm(w, limit)
    return by_value, by_norm


def which_way(result: Result) -> str:
    """same, small or large: which component has gained a share by clipping by value."""
    before, after = (float(result.facts[f"share_{name}"]) for name in ("before", "value"))
    if abs(after - before) < 1e-3:
        return "same"
    return "small" if after > before else "large"


LESSON = Lesson(
    program=value_or_norm,
    lab=LAB,
    predictions={"way": which_way},
    highlight="clip_gradient(w, -limit, limit)",
)
