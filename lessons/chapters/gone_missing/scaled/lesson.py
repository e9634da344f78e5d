"""A loss scale: gradients made larger for the way through float16, and smaller after it."""

import torch

from lessons.chapters.gone_missing.scaled.lab import LAB
from lessons.contract.lesson import Lesson
from lessons.contract.result import Result
from lessons.tricks import clip_gradient_norm, scale_gradient


def scaled(
    x: torch.Tensor, tokens: int, scale: float, clip: str, limit: float, narrow: str
) -> torch.Tensor:
    if clip == "after":  # of unscaling: on the way back the lower lines run first
        x = clip_gradient_norm(x, limit)
    x = scale_gradient(x, 1 / scale)  # unscale
    if clip == "before":
        x = clip_gradient_norm(x, limit)
    half = x.to(getattr(torch, narrow))
    loss = (half**2).to(x.dtype) / tokens
    return scale_gradient(loss, scale)


def one_infinity(result: Result) -> str:
    """others, clipped or skipped: what a GradScaler's step does with one infinity."""
    moved, after = (float(result.facts[name]) for name in ("skip_moved", "skip_after"))
    if moved == 0 and after < float(result.facts["scale"]):
        return "skipped"
    # The infinite one is the largest: without it little is left of the length.
    return "others" if moved < float(result.facts["length_true"]) / 2 else "clipped"


LESSON = Lesson(
    program=scaled,
    lab=LAB,
    predictions={"overflow": one_infinity},
    highlight="scale_gradient(loss, scale)",
)
