"""A loss whose gradient vanishes as the answer gets worse."""

import numpy as np
import torch

from lessons.chapters.clipping.starved.lab import LAB
from lessons.contract.lesson import Lesson
from lessons.contract.result import Array, Result
from lessons.contract.sketch import Facts, Sketch


def starved(x: torch.Tensor, right: torch.Tensor, loss: str, scale: float) -> torch.Tensor:
    logits = torch.stack([x, right], dim=-1)  # the wrong answer's, the right one's
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


def what_does_not_help(result: Result) -> str:
    """The change after which descent leaves the right answer least probable."""
    changes = ("rate", "adam", "norm", "loss")
    return min(changes, key=lambda one: float(result.facts["p_" + one]))


def largest_elsewhere(result: Result) -> str:
    """Which of four losses of one logit sends back most at a sure mistake."""
    losses = ("sigmoid", "tanh", "times", "logit")
    return max(losses, key=lambda one: abs(float(result.facts["else_" + one])))


LESSON = Lesson(
    program=starved,
    lab=LAB,
    predictions={
        "worse": as_it_gets_worse,
        "rescue": what_does_not_help,
        "transfer": largest_elsewhere,
    },
    sketches={
        "worse": Sketch(
            beliefs=on_the_way,
            x=(0.0, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0),
            near=0.16,
        )
    },
    highlight="error = p[..., 0] ** 2 + (1 - p[..., 1]) ** 2",
)
