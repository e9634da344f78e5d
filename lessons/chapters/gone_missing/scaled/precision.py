"""Gradients that pass float16 on their way back: in each role, and over the loss scale."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import torch
from torch.nn.utils import clip_grad_norm_

from lessons.kit.gradients import gradient

Program = Callable[[torch.Tensor, int, float, str, float, str], torch.Tensor]
"""From x [n], the tokens of the mean, the loss scale, where a clip stands, its limit, and the
number format that the gradients pass: its loss."""


@dataclass(frozen=True)
class Setting:
    """All that the program takes besides x and the scale."""

    tokens: int
    clip: str
    limit: float
    narrow: str

    def loss(self, program: Program, x: torch.Tensor, scale: float) -> torch.Tensor:
        return program(x, self.tokens, scale, self.clip, self.limit, self.narrow)


def smallest(narrow: str) -> float:
    """The smallest number of a format above 0. What is at most half of it is rounded to 0."""
    format_ = torch.finfo(getattr(torch, narrow))
    return float(format_.smallest_normal * format_.eps)


def largest(narrow: str) -> float:
    return float(torch.finfo(getattr(torch, narrow)).max)


def fresh() -> torch.amp.GradScaler:
    """torch's own scaler, as it is when one makes it."""
    return torch.amp.GradScaler("cpu")


def shortened(slopes: torch.Tensor, limit: float) -> torch.Tensor:
    """A gradient, shape [n], float64, clipped by norm; its length may be beyond the format."""
    most = float(slopes.abs().max())
    length = most * float((slopes / most).norm()) if most else 0.0
    return slopes if length <= limit else slopes / most * (limit / float((slopes / most).norm()))


def by_role(
    program: Program, x: torch.Tensor, scale: float, setting: Setting, dtype: torch.dtype
) -> dict[str, torch.Tensor]:
    """The squares' mean and the gradient of their sum, each of shape [n].

    Args:
        program: the lesson's.
        x: float64, shape [n].
        scale: of the loss.
        setting: what the program takes besides.
        dtype: in which the program gets x: float32, as weights are kept in mixed precision.

    Returns:
        forward; trick_gradient: as autograd brings it back to x; true_gradient: 2 x / tokens, in
        float64; intended_gradient: that one clipped, where there is a clip.
    """
    weights = x.detach().to(dtype, copy=True).requires_grad_()
    loss = setting.loss(program, weights, scale)
    true = 2 * x / setting.tokens
    return {
        "forward": loss.detach(),
        "trick_gradient": gradient(loss, weights),
        "true_gradient": true,
        "intended_gradient": true if setting.clip == "none" else shortened(true, setting.limit),
    }


def over_scales(
    program: Program,
    x: torch.Tensor,
    scales: Sequence[float],
    setting: Setting,
    dtype: torch.dtype,
) -> torch.Tensor:
    """As ``trick_gradient`` of ``by_role`` at each of these scales, shape [m, n].

    One backward pass for them all: each has weights of its own.
    """
    weights = x.detach().to(dtype).repeat(len(scales), 1).requires_grad_()
    pairs = zip(weights.unbind(), scales, strict=True)
    losses = [setting.loss(program, row, scale) for row, scale in pairs]
    return gradient(torch.stack(losses), weights)


class _Descent:
    """Plain gradient descent at rate 1, with what a GradScaler asks of an optimizer.

    The first of torch's own optimizers takes seconds in a process: it imports the compiler.
    """

    def __init__(self, weight: torch.Tensor) -> None:
        self.param_groups = [{"params": [weight]}]

    def step(self) -> None:
        with torch.no_grad():
            for weight in self.param_groups[0]["params"]:
                weight -= weight.grad  # type: ignore[arg-type]


@lru_cache(maxsize=8)
def skipped(
    program: Program, x: tuple[float, ...], scale: float, setting: Setting
) -> tuple[float, float]:
    """How far one step of a real GradScaler moves its weights, and its scale after the step.

    The program, which scales and unscales by itself, is run with no scale of its own and no clip.
    """
    weight = torch.tensor(x, dtype=torch.float32, requires_grad=True)
    before = weight.detach().clone()
    optimizer: Any = _Descent(weight)
    scaler = torch.amp.GradScaler("cpu", init_scale=scale)
    scaled = scaler.scale(replace(setting, clip="none").loss(program, weight, 1.0).sum())
    if not scaled.requires_grad:  # nothing leads back to the weights
        return 0.0, scale
    torch.autograd.backward(scaled)
    scaler.step(optimizer)
    scaler.update()
    same = torch.equal(weight.detach(), before)
    return 0.0 if same else float((weight.detach() - before).norm()), scaler.get_scale()


@lru_cache(maxsize=1)
def accumulated() -> Mapping[str, float]:
    """The gradient of a batch of 32 tokens at once, and in micro-batches of 2 and 30.

    The loss of a token is the squared distance of one weight, at 0, from its target.
    """
    generator = torch.Generator().manual_seed(0)
    parts = torch.randn(2, generator=generator) + 3, torch.randn(30, generator=generator) - 1
    w = torch.zeros(1, requires_grad=True)

    def slope(*losses: torch.Tensor) -> float:
        return float(sum(torch.autograd.grad(one, w)[0] for one in losses))

    means = [((w - part) ** 2).mean() for part in parts]
    whole = ((w - torch.cat(parts)) ** 2).mean()
    sums = [((w - part) ** 2).sum() for part in parts]
    return {
        "acc_few": len(parts[0]),
        "acc_many": len(parts[1]),
        "acc_all": len(parts[0]) + len(parts[1]),
        "acc_first": slope(((w - parts[0]) ** 2).mean()),
        "acc_second": slope(((w - parts[1]) ** 2).mean()),
        "acc_came": slope(*(one / len(means) for one in means)),
        "acc_whole": slope(whole),
        "acc_mended": slope(*(one / (len(parts[0]) + len(parts[1])) for one in sums)),
    }


@lru_cache(maxsize=1)
def one_step() -> Mapping[str, float]:
    """How long a step is whose gradient of length a half is clipped at 1, before it is unscaled."""
    weight = torch.zeros(2, requires_grad=True)
    scale = fresh().get_scale()
    weight.grad = torch.tensor([0.3, 0.4]) * scale
    clip_grad_norm_([weight], 1.0)
    return {"step_right": 0.5, "step_came": float((weight.grad / scale).norm())}
