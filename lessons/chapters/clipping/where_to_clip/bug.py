"""A clip after step(): the optimizer has already used the gradient."""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn.utils import clip_grad_norm_
from torch.optim import Optimizer

from lessons.contract.bug import Bug

Step = Callable[[Tensor, Optimizer, float], None]


def train_step(weight: Tensor, optimizer: Optimizer, limit: float) -> None:
    optimizer.zero_grad()
    (weight**2).sum().backward()
    optimizer.step()
    clip_grad_norm_([weight], limit)


def before_backward(weight: Tensor, optimizer: Optimizer, limit: float) -> None:
    optimizer.zero_grad()
    clip_grad_norm_([weight], limit)
    (weight**2).sum().backward()
    optimizer.step()


def the_weights(weight: Tensor, optimizer: Optimizer, limit: float) -> None:
    optimizer.zero_grad()
    (weight**2).sum().backward()
    optimizer.step()
    with torch.no_grad():
        weight *= min(1.0, limit / float(weight.norm()))


def between(weight: Tensor, optimizer: Optimizer, limit: float) -> None:
    optimizer.zero_grad()
    (weight**2).sum().backward()
    clip_grad_norm_([weight], limit)
    optimizer.step()


def check(code: Step) -> None:
    """A step of learning rate 1 moves the weight by the limit and no further."""
    weight = torch.tensor([30.0, 40.0], requires_grad=True)
    before = weight.detach().clone()
    code(weight, torch.optim.SGD([weight], lr=1.0), 1.0)
    moved = float((weight.detach() - before).norm())
    assert abs(moved - 1.0) < 1e-3, f"the step moved the weight by {moved:.4g}, expected 1"


BUG = Bug(
    source="awslabs/graphstorm#1366",
    url="https://github.com/awslabs/graphstorm/issues/1366",
    broken=train_step,
    fixes={"before_backward": before_backward, "the_weights": the_weights, "between": between},
    check=check,
    title="possible max_grad_norm implementation error",
    opened="2025-12-12",
)
