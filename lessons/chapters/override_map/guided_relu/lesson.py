"""A rule for every relu of a network that was trained without it."""

from collections.abc import Callable
from typing import Any

import torch

from lessons.chapters.override_map.guided_relu.lab import LAB
from lessons.contract.lesson import Lesson
from lessons.contract.result import Result
from lessons.kit.answers import which
from lessons.training.under_way import numbers_at_end
from lessons.tricks import gradient_override_map, override_gradients


def guided_relu(
    x: torch.Tensor, network: Callable[[torch.Tensor], torch.Tensor], rule: str, when: str
) -> torch.Tensor:
    def guided(op: Any, upstream: torch.Tensor) -> torch.Tensor:
        return torch.where(op.outputs[0] > 0, upstream.clamp(min=0), 0.0)

    def deconvnet(op: Any, upstream: torch.Tensor) -> torch.Tensor:
        return upstream.clamp(min=0)

    relu = {"plain": "Relu", "guided": guided, "deconvnet": deconvnet}[rule]
    if when == "runs":  # for each relu that runs in the block
        with gradient_override_map({"Relu": relu}, warn=False):
            return network(x)
    score = network(x)  # for each relu of a graph that is there already
    override_gradients(score, {"Relu": relu}, warn=False)
    return score


def never_differs(result: Result) -> str:
    """What it takes that a guided relu's gradient differs from a relu's."""
    if result.facts["differ_sum"]:
        return "inputs"
    return "signs" if result.facts["differ_weights"] else "never"


def who_notices(result: Result, program: Callable[..., torch.Tensor] = guided_relu) -> str:
    """Whose map becomes another one when the last layer is randomised."""
    ends = numbers_at_end(LAB, program, seeds="2", steps="75")
    plain, guided = (ends[f"{rule}_1"] < 0.5 for rule in ("plain", "guided"))
    return which(plain=plain, guided=guided)


LESSON = Lesson(
    program=guided_relu,
    lab=LAB,
    predictions={"equal": never_differs, "random": who_notices},
    highlight='with gradient_override_map({"Relu": relu}, warn=False):',
)
