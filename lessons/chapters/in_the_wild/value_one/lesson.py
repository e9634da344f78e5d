"""A policy loss whose ratio is 1 in the forward pass and carries the whole gradient."""

import torch
from torch.nn import functional

from lessons.chapters.in_the_wild.value_one.lab import LAB
from lessons.contract.lesson import Lesson
from lessons.tricks import stop_gradient


def value_one(x: torch.Tensor, advantages: torch.Tensor, form: str) -> torch.Tensor:
    logp = functional.logsigmoid(x)
    if form == "ratio":
        weight = torch.exp(logp - stop_gradient(logp))
    elif form == "no_stop":
        weight = torch.exp(logp - logp)
    else:
        weight = logp
    return -weight * advantages


LESSON = Lesson(
    program=value_one,
    lab=LAB,
    highlight="torch.exp(logp - stop_gradient(logp))",
)
