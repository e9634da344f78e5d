"""Where in the training step a clip has to stand."""

import torch
from torch.nn.utils import clip_grad_norm_

from lessons.chapters.clipping.where_to_clip.lab import LAB
from lessons.contract.lesson import Lesson
from lessons.contract.result import Result
from lessons.tricks import clip_gradient


def where_to_clip(
    w: torch.Tensor,
    v: torch.Tensor,
    x: float,
    place: str,
    limit: float,
    optimizer: torch.optim.Optimizer | None = None,
) -> torch.Tensor:
    h = w * x
    if place == "graph":
        h = clip_gradient(h, -limit, limit)
    loss = (v * h) ** 2 / 2
    if optimizer is None or not loss.requires_grad:
        return loss  # only the graph is looked at

    optimizer.zero_grad()
    if place == "early":
        clip_grad_norm_([w, v], limit)
    loss.backward()
    if place == "after":
        clip_grad_norm_([w, v], limit)
    optimizer.step()
    if place == "late":
        clip_grad_norm_([w, v], limit)
    return loss


def late(result: Result) -> str:
    """this, next or never: which step a clip after ``step()`` reaches."""
    limit = float(result.facts["example_limit"])
    for step, answer in ((1, "this"), (2, "next")):
        used, plain = (float(result.facts[f"late_{what}_{step}"]) for what in ("used", "plain"))
        if used < plain and used <= limit * (1 + 1e-6):
            return answer
    return "never"


LESSON = Lesson(
    program=where_to_clip,
    lab=LAB,
    predictions={"late": late},
    highlight='if place == "after":',
)
