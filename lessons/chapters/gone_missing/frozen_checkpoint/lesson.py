"""Adapters inside checkpointed layers, under a frozen embedding."""

from collections.abc import Sequence

import torch
from torch.utils.checkpoint import checkpoint

from lessons.chapters.gone_missing.frozen_checkpoint.beside_the_lab import elsewhere
from lessons.chapters.gone_missing.frozen_checkpoint.lab import LAB
from lessons.chapters.gone_missing.frozen_checkpoint.network import Layer
from lessons.contract.lesson import Lesson
from lessons.contract.result import Result


def frozen_checkpoint(
    embedding: torch.Tensor,
    layers: Sequence[Layer],
    head: torch.Tensor,
    way: str,
    lookup: str,
    since: int,
) -> torch.Tensor:
    x = embedding[0]
    if lookup == "woken":
        x.requires_grad_()
    for number, layer in enumerate(layers, start=1):
        if way == "off" or number < since:
            x = layer(x)
        else:
            x = checkpoint(layer, x, use_reentrant=way == "reentrant")
    return (head * x - 1) ** 2


def who_trains(result: Result) -> str:
    """Which of the trained weights get a gradient: all, head alone or none."""
    count = int(result.facts["with_gradient"])
    return "all" if count == result.facts["trained"] else "head" if count else "none"


def from_layer_two(result: Result) -> str:
    """The same where layer 1 runs without a checkpoint: all, both (adapter 1 and head), or head."""
    count = int(result.facts["since_2_with_gradient"])
    return {1: "head", 2: "both"}.get(count, "all")


def as_an_argument(result: Result) -> str:
    """Which weights of a layer get a gradient where one of them is an argument: it, both, none."""
    given, inside = (bool(result.facts[f"argument_{name}"]) for name in ("given", "inside"))
    return "both" if given and inside else "given" if given else "none"


LESSON = Lesson(
    program=frozen_checkpoint,
    lab=LAB,
    predictions={"who": who_trains, "since": from_layer_two, "transfer": as_an_argument},
    highlight='checkpoint(layer, x, use_reentrant=way == "reentrant")',
    elsewhere=elsewhere,
)
