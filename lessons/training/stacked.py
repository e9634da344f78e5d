"""Networks of many seeds as one: each weight carries a leading dimension, one entry a seed.

A lesson writes its network as for one seed, of these layers and torch's own. ``torch.vmap`` over
plain modules took 1.4 times as long a step, and rounds in another way.

Points are columns, so that every product is one batched
matrix product: weight [seeds, out, in] times points [seeds, in, points].
"""

import copy
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import torch

from lessons.gradient_tricks.tricks.as_one import one_op
from lessons.gradient_tricks.tricks.plain import run_function

M = TypeVar("M", bound=torch.nn.Module)


class Draws:
    """A generator for each seed; its numbers are drawn on the CPU in float64.

    They are moved later, so that every device and number format starts from the same ones.

    Args:
        seeds: numbers, of which torch's generator reads the lower 32 bits alone.
    """

    def __init__(self, seeds: Iterable[int]) -> None:
        self._generators = [torch.Generator().manual_seed(seed) for seed in seeds]

    def uniform(self, *shape: int) -> torch.Tensor:
        """Numbers in [0, 1), [seeds, *shape]."""
        return self._drawn(torch.rand, shape)

    def normal(self, *shape: int) -> torch.Tensor:
        """Standard normal numbers, [seeds, *shape]."""
        return self._drawn(torch.randn, shape)

    def _drawn(self, draw: Callable[..., torch.Tensor], shape: tuple[int, ...]) -> torch.Tensor:
        each = (draw(shape, dtype=torch.float64, generator=one) for one in self._generators)
        return torch.stack(list(each))


def linear(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    """A layer of every seed at its own points: [seeds, in, points] to [seeds, out, points]."""
    return torch.baddbmm(bias, weight, x)


class Linear(torch.nn.Module):
    """A linear layer of every seed, its numbers at first uniform within ±1/√inputs."""

    def __init__(self, inputs: int, outputs: int, draws: Draws) -> None:
        super().__init__()
        bound = 1 / math.sqrt(inputs)
        self.weight, self.bias = (
            torch.nn.Parameter((2 * draws.uniform(outputs, columns) - 1) * bound)
            for columns in (inputs, 1)
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return linear(x, self.weight, self.bias)


class Tanh(torch.nn.Module):
    """tanh in place, as ``tanh_``."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return tanh_(x)


def one_seed(networks: M, index: int) -> M:
    """A copy that has one seed's weights alone, as they are now."""
    one = copy.deepcopy(networks)
    for weight in one.parameters():
        weight.data = weight.data[index : index + 1]
    return one


class _Tanh(torch.autograd.Function):
    """tanh(x) as 2σ(2x) − 1, in place.

    On a CPU torch takes six times as long for tanh as for σ. The two differ by rounding, by about
    1e-7 in float32.
    """

    @staticmethod
    def forward(x: torch.Tensor) -> torch.Tensor:
        return x.mul_(2).sigmoid_().mul_(2).sub_(1)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[torch.Tensor], output: torch.Tensor) -> None:
        ctx.mark_dirty(*inputs)
        ctx.save_for_backward(output)

    @staticmethod
    def backward(ctx: Any, *upstream: torch.Tensor) -> Any:
        return torch.ops.aten.tanh_backward(*upstream, *ctx.saved_tensors)


def tanh_(x: torch.Tensor) -> torch.Tensor:
    """tanh in place, in a fraction of the time that ``torch.tanh_`` takes on a CPU."""
    return x.tanh_() if x.is_cuda else run_function(_Tanh, x)


@one_op("cross_entropy", operands=1)
def cross_entropy(
    logit: torch.Tensor, target: torch.Tensor, weight: torch.Tensor | None = None
) -> torch.Tensor:
    """Mean cross-entropy of a logit and a label 0 or 1 over the points; shape [..., seeds].

    Args:
        logit: shape [..., seeds, 1, points].
        target: shape [points].
        weight: shape [points], 1 for the points that count and 0 for the others; None: all count.
    """
    loss = torch.nn.functional.softplus(logit) - target * logit
    if weight is None:
        return loss.mean((-2, -1))
    return (loss * weight).sum((-2, -1)) / weight.sum().clamp(min=1)


def accuracy(logit: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    """The share of points on the right side of 0, one a seed, shape [..., seeds]; NaN stays NaN."""
    right = ((logit > 0) == (target > 0.5)).to(torch.float64).mean((-2, -1))
    finite = logit.abs().amax((-2, -1)) < torch.inf  # a NaN is the largest of all, and not below
    return torch.where(finite, right, torch.nan)


class Descent:
    """Plain gradient descent on stacked weights.

    Args:
        weights: leaves of one dtype on one device; changed in place.
    """

    def __init__(self, weights: Iterable[torch.Tensor]) -> None:
        self.weights = list(weights)

    def step(self, loss: torch.Tensor, rate: float) -> None:
        """One update, with the gradient of ``loss`` summed over the seeds.

        No seed's loss depends on another's weights, so each gets its own gradient. A loss that
        no weight leads to, every edge to it cut, teaches nothing.
        """
        if not loss.requires_grad:
            return
        gradients = torch.autograd.grad(loss.sum(), self.weights, materialize_grads=True)
        with torch.no_grad():
            self.update(gradients, rate)

    def update(self, gradients: Sequence[torch.Tensor], rate: float) -> None:
        """Change the weights."""
        for weight, gradient in zip(self.weights, gradients, strict=True):
            weight -= rate * gradient


class Adam(Descent):
    """Adam on stacked weights (Kingma and Ba, 2015), every entry by itself as always.

    Written out: torch.optim loads torch's compiler and sympy with it, seconds and a hundred
    thousand objects that the app's garbage collection would walk after every message from then on.
    All weights' gradients lie in a row, so that each of Adam's operations is one call, not one a
    weight: with small networks the calls cost more than the numbers.
    """

    MEAN, SQUARE, LEAST = 0.9, 0.999, 1e-8

    def __init__(self, weights: Iterable[torch.Tensor]) -> None:
        super().__init__(weights)
        self._mean, self._square, self._size = (
            torch.zeros_like(_in_a_row(self.weights)).detach() for _ in range(3)
        )
        self._means, self._sizes = self._like_weights(self._mean), self._like_weights(self._size)
        self._steps = 0

    def update(self, gradients: Sequence[torch.Tensor], rate: float) -> None:
        self._steps += 1
        mean_share, square_share = (1 - of**self._steps for of in (self.MEAN, self.SQUARE))
        gradient = _in_a_row(gradients)
        self._mean.lerp_(gradient, 1 - self.MEAN)
        self._square.mul_(self.SQUARE).addcmul_(gradient, gradient, value=1 - self.SQUARE)
        torch.sqrt(self._square, out=self._size)
        self._size.div_(math.sqrt(square_share)).add_(self.LEAST)
        torch._foreach_addcdiv_(self.weights, self._means, self._sizes, -rate / mean_share)

    def _like_weights(self, row: torch.Tensor) -> list[torch.Tensor]:
        """Views of a row of numbers in the weights' shapes."""
        parts = torch.split(row, [weight.numel() for weight in self.weights])
        return [part.view_as(weight) for part, weight in zip(parts, self.weights, strict=True)]


def _in_a_row(tensors: Iterable[torch.Tensor]) -> torch.Tensor:
    return torch.cat([tensor.reshape(-1) for tensor in tensors])
