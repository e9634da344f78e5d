"""Noisy forward and clean backward as a layer, in the middle of a network."""

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import torch

from lessons.chapters.stop_gradient.noise_layer.lab import LAB, TRAINING
from lessons.contract.lesson import Lesson
from lessons.contract.parameters import validate
from lessons.contract.result import Result
from lessons.training.under_way import numbers_at_end
from lessons.tricks import stop_gradient


class NoiseLayer(torch.nn.Module):
    """Times u ~ U(1 − s, 1 + s) on the way forward; on the way back as if it were not there."""

    def __init__(
        self,
        strength: float,
        clean_backward: bool = True,
        draw: Callable[[torch.Tensor], torch.Tensor] = torch.rand_like,
    ) -> None:
        super().__init__()
        self.strength, self.clean_backward, self.draw = strength, clean_backward, draw

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if not self.training:  # net.eval() turns the noise off
            return x
        u = 1 - self.strength + 2 * self.strength * self.draw(x)
        noisy = x * u
        added = noisy - x
        return x + (stop_gradient(added) if self.clean_backward else added)


def quieter_where(result: Result, program: Callable[..., Any] = NoiseLayer) -> str:
    """On which side of the layer the clean backward takes a third of the variance or more."""
    start = TRAINING.facts_at_first(program, validate(LAB.parameters, {"seeds": "4"}))
    sides = (float(start["quieter"]) > 1.5, float(start["quieter_behind"]) > 1.5)
    beliefs = {(True, True): "all", (True, False): "before", (False, True): "after"}
    return beliefs.get(sides, "none")


def how_it_ends(result: Result, program: Callable[..., Any] = NoiseLayer) -> str:
    """The loss with the clean backward, against the loss without it."""
    ends = numbers_at_end(LAB, program, seeds="4", steps="100", draws="4", place="9")
    share = ends["trick_loss"] / ends["plain_loss"]
    beliefs = {"lower": 0.7, "same": 1.0, "higher": 1.4}
    return min(beliefs, key=lambda key: abs(math.log(share / beliefs[key])))


@lru_cache(maxsize=1)
def changed_by_a_stop() -> dict[str, float]:
    """How much of the gradient a clean backward changes, for noise in three sizes."""
    x = torch.linspace(-2, 2, 9, dtype=torch.float64, requires_grad=True)
    n = torch.linspace(-0.5, 1, 9, dtype=torch.float64)
    sorts = {"a": x + 0.1 * n, "b": x * (1 + 0.1 * n), "c": x + 0.1 * x.abs().mean() * n}
    found = {}
    for name, noisy in sorts.items():
        clean = x + stop_gradient(noisy - x)
        slopes = [torch.autograd.grad(torch.tanh(y).sum(), x)[0] for y in (noisy, clean)]
        found[name] = float((slopes[0] - slopes[1]).abs().max())
    return found


def which_noise_it_changes(result: Result) -> str:
    """For which of the three sorts of noise the clean backward is another gradient."""
    names = {"b": "product", "bc": "size", "abc": "every", "ac": "sums"}
    return names["".join(name for name in "abc" if float(result.facts[f"changed_{name}"]) > 1e-9)]


LESSON = Lesson(
    program=NoiseLayer,
    lab=LAB,
    predictions={
        "where": quieter_where,
        "loss": how_it_ends,
        "transfer": which_noise_it_changes,
    },
    highlight="stop_gradient(added)",
    elsewhere=lambda: {f"changed_{name}": by for name, by in changed_by_a_stop().items()},
)
