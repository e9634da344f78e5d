"""A quantiser that learns its step size: which gradient the step size gets."""

from functools import lru_cache

import torch

from lessons.chapters.in_the_wild.learned_step.lab import LAB
from lessons.contract.lesson import Lesson
from lessons.contract.result import Result
from lessons.kit.answers import nearest
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


def sum_over_weights(result: Result) -> str:
    """What the step size gets from all weights with straight-through rounding."""
    return nearest(result, "sum_trick", ("straight_sum", "plain_sum", "clipped_sum", "zero"))


def finite_difference(result: Result) -> str:
    """Which of the two gradients a short finite difference of the output agrees with."""
    beliefs = {"straight": "straight_sum", "plain": "plain_sum", "flat": "zero"}
    return nearest(result, "difference", beliefs)


def with_the_factor(result: Result) -> str:
    """What LSQ's gradient scale leaves of the gradient."""
    return nearest(
        result, "scaled_came", ("scaled_sum", "straight_sum", "divided_sum", "times_sum")
    )


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


def to_the_offset(result: Result) -> str:
    """How many weights send a gradient to a learned offset."""
    beliefs = ("offset_clipped", "offset_within", "offset_all", "offset_none")
    return nearest(result, "offset_came", beliefs)


LESSON = Lesson(
    program=learned_step,
    lab=LAB,
    predictions={
        "sum": sum_over_weights,
        "difference": finite_difference,
        "scale": with_the_factor,
        "transfer": to_the_offset,
    },
    highlight="v + stop_gradient(code - v)",
    elsewhere=offset,
)
