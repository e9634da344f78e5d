"""A quantiser that learns its step size: which gradient the step size gets."""

from functools import lru_cache

import torch

from lessons.chapters.in_the_wild.learned_step.lab import LAB
from lessons.contract.lesson import Lesson
from lessons.tricks import scale_gradient, stop_gradient

SHIFTED = {"x": (0.1, 0.4, 0.7, 2.5), "limits": (-4, 3)}
"""Weights and limits of the last question."""
STEP, OFFSET = 0.3, 0.05
"""Its step size and its offset."""


def learned_step(
    x: torch.Tensor, s: torch.Tensor, bits: int, rounding: str, scale: str
) -> torch.Tensor:
    highest = 2 ** (bits - 1) - 1
    if scale == "lsq":
        s = scale_gradient(s, 1 / (x.numel() * highest) ** 0.5)
    v = (x / s).clamp(-highest - 1, highest)
    code = v.round()
    if rounding == "straight":
        code = v + stop_gradient(code - v)
    if rounding == "whole":
        return x + stop_gradient(s * code - x)
    return s * code


@lru_cache(maxsize=1)
def offset() -> dict[str, float]:
    """What a learned offset, subtracted before the quantiser and added after it, gets."""
    x = torch.tensor(SHIFTED["x"], dtype=torch.float64)
    beta = torch.tensor(OFFSET, dtype=torch.float64, requires_grad=True)
    inner = (x - beta) / STEP
    v = inner.clamp(*SHIFTED["limits"])
    y = STEP * (v + (v.round() - v).detach()) + beta
    (to_beta,) = torch.autograd.grad(y.sum(), beta)
    clipped = float((v != inner).sum())
    return {
        "offset_came": float(to_beta),
        "offset_clipped": clipped,
        "offset_within": len(x) - clipped,
        "offset_all": float(len(x)),
        "offset_none": 0.0,
    }


LESSON = Lesson(
    program=learned_step,
    lab=LAB,
    highlight="v + stop_gradient(code - v)",
    elsewhere=offset,
)
