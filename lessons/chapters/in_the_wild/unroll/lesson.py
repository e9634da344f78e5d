"""A hidden state carried over many steps: what a stop between them keeps and what it costs."""

import torch

from lessons.chapters.in_the_wild.unroll.lab import LAB
from lessons.contract.lesson import Lesson
from lessons.contract.result import Result
from lessons.kit.answers import nearest
from lessons.tricks import stop_gradient


def unroll(w: torch.Tensor, steps: int, every: int, x: float) -> torch.Tensor:
    h = torch.ones_like(w)
    for t in range(steps):
        if t and t % every == 0:
            h = stop_gradient(h)
        h = w * h + x
    return h


def left(result: Result) -> str:
    """What a stop every five steps leaves of the gradient of fifty."""
    return nearest(result, "five_came", ("five_steps", "one_step", "all_steps"))


def forgets(result: Result) -> str:
    """Which share of the gradient the same stop leaves where the state forgets."""
    return nearest(result, "forgets_came", ("forgets_tenth", "forgets_half", "forgets_most"))


def encoder(result: Result) -> str:
    """What reaches an encoder when the decoder's state is cut."""
    return nearest(result, "encoder_came", ("encoder_all", "encoder_first", "encoder_none"))


LESSON = Lesson(
    program=unroll,
    lab=LAB,
    predictions={"left": left, "forgets": forgets, "transfer": encoder},
    highlight="h = stop_gradient(h)",
)
