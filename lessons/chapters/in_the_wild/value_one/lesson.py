"""A policy loss whose ratio is 1 in the forward pass and carries the whole gradient."""

import torch
from torch.nn import functional

from lessons.chapters.in_the_wild.value_one.lab import LAB
from lessons.contract.lesson import Lesson
from lessons.contract.result import Result
from lessons.kit.answers import nearest
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


def of_the_loss(result: Result) -> str:
    """What autograd gives for the chosen logit."""
    beliefs = {"flat": "zero", "policy": "intended_gradient", "whole": "minus_advantage"}
    return nearest(result, "trick_gradient", beliefs)


def twice(result: Result) -> str:
    """Which form has the second derivative of the expected loss, on average."""
    beliefs = {"ratio": "second_ratio", "plain": "second_plain", "none": "zero"}
    return nearest(result, "second_true", beliefs)


def after_an_update(result: Result) -> str:
    """The derivative of the ratio by logp, once logp has moved away from what was stored."""
    return nearest(result, "later_slope", ("later_ratio", "later_one", "later_gap"))


LESSON = Lesson(
    program=value_one,
    lab=LAB,
    predictions={"slope": of_the_loss, "second": twice, "transfer": after_an_update},
    highlight="torch.exp(logp - stop_gradient(logp))",
)
