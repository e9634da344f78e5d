"""Networks of many seeds as one: each weight carries a leading dimension, one entry a seed.

Torch only: exported files carry it. Points are columns, so that every product is one batched
matrix product: weight [seeds, out, in] times points [seeds, in, points].
"""

import math

import torch


def drawn_layer(inputs: int, outputs: int, generator: torch.Generator) -> list[torch.Tensor]:
    """Weight and bias of one layer, uniform within ±1/√inputs: float64, on the CPU.

    The numbers are drawn on the CPU in float64 and moved later, so that every device and number
    format starts from the same ones.
    """
    bound = 1 / math.sqrt(inputs)
    shapes = ((outputs, inputs), (outputs, 1))
    return [
        (2 * torch.rand(shape, dtype=torch.float64, generator=generator) - 1) * bound
        for shape in shapes
    ]


def linear(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    """A layer of every seed at its own points: [seeds, in, points] to [seeds, out, points]."""
    return torch.baddbmm(bias, weight, x)


def tanh(x: torch.Tensor) -> torch.Tensor:
    """The hyperbolic tangent, by the logistic function: on a CPU a fraction of torch.tanh's time.

    tanh x = 2σ(2x) − 1. Where many small networks train, it is the dearest function of all.
    """
    return 2 * torch.sigmoid(2 * x) - 1


def cross_entropy(
    logit: torch.Tensor, target: torch.Tensor, weight: torch.Tensor | None = None
) -> torch.Tensor:
    """Of a logit and a label 0 or 1: the mean over the points, one a seed, shape [seeds].

    Args:
        logit: shape [seeds, 1, points].
        target: shape [points].
        weight: shape [points], 1 for the points that count and 0 for the others; None: all count.
    """
    loss = torch.nn.functional.softplus(logit) - target * logit
    if weight is None:
        return loss.mean((1, 2))
    return (loss * weight).sum((1, 2)) / weight.sum().clamp(min=1)


def accuracy(logit: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    """The share of points on the right side of 0, one a seed, shape [seeds]; NaN stays NaN."""
    right = ((logit > 0) == (target > 0.5)).to(torch.float64).mean((1, 2))
    return torch.where(logit.isfinite().all(2).all(1), right, torch.nan)


class Adam:
    """Adam on stacked weights (Kingma and Ba, 2015), every entry by itself as always.

    Args:
        weights: leaves; changed in place.
    """

    def __init__(self, weights: list[torch.Tensor]) -> None:
        self.weights = weights
        self._optimizer = torch.optim.Adam(weights, foreach=True)

    def step(self, loss: torch.Tensor, rate: float) -> None:
        """One update, with the gradient of ``loss`` summed over the seeds.

        No seed's loss depends on another's weights, so each gets its own gradient.
        """
        gradients = torch.autograd.grad(loss.sum(), self.weights, materialize_grads=True)
        for weight, gradient in zip(self.weights, gradients, strict=True):
            weight.grad = gradient
        self._optimizer.param_groups[0]["lr"] = rate
        self._optimizer.step()
