"""A loss whose gradient dies as the answer gets worse."""

import numpy as np
import torch

from lessons.chapters.clipping.starved.lab import LAB
from lessons.contract.lesson import Lesson
from lessons.contract.result import Array, Result
from lessons.contract.sketch import Facts, Sketch


def starved(x: torch.Tensor, right: float, loss: str, scale: float) -> torch.Tensor:
    logits = torch.stack([x, torch.full_like(x, right)], dim=-1)  # the wrong answer, the right one
    if loss == "squared":
        p = torch.softmax(logits, dim=-1)
        error = p[..., 0] ** 2 + (1 - p[..., 1]) ** 2
    else:
        error = -torch.log_softmax(logits, dim=-1)[..., 1]
    return scale * error


def as_it_gets_worse(result: Result) -> str:
    """zero, grows or starves: what the gradient does as the wrong answer's logit grows."""
    start, peak, end = (float(result.facts[name]) for name in ("even", "peak", "far"))
    if peak < 1e-6:
        return "zero"
    return "starves" if end < start else "grows"


def on_the_way(x: Array, facts: Facts) -> dict[str, Array]:
    """As ``as_it_gets_worse``: the gradient that each belief expects, at these x."""
    wrong = 1 / (1 + np.exp(float(facts["right"]) - x))
    return {"grows": wrong, "zero": 0 * wrong, "starves": 4 * wrong**2 * (1 - wrong)}


def what_rescues(result: Result) -> str:
    """The remedy with the largest gradient where float32 has none left."""
    return max(
        ("scale", "norm", "digits", "loss"), key=lambda one: abs(float(result.facts["by_" + one]))
    )


LESSON = Lesson(
    program=starved,
    lab=LAB,
    predictions={"worse": as_it_gets_worse, "rescue": what_rescues},
    sketches={
        "worse": Sketch(
            beliefs=on_the_way,
            x=(0.0, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0),
            low=0.0,
            high=1.2,
            near=0.16,
            label="dL/dx",
        )
    },
    highlight="error = p[..., 0] ** 2 + (1 - p[..., 1]) ** 2",
)
