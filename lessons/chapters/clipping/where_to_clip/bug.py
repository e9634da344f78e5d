"""A clip after step(): the optimizer has already used the gradient."""

import torch
from torch import Tensor
from torch.nn.utils import clip_grad_norm_
from torch.optim import Optimizer

from lessons.contract.bug import Bug, Code, changed


def train_step(weight: Tensor, optimizer: Optimizer, limit: float) -> None:
    optimizer.zero_grad()
    (weight**2).sum().backward()
    optimizer.step()
    clip_grad_norm_([weight], limit)


def check(code: Code) -> None:
    """A step of learning rate 1 moves the weight by the limit and no further."""
    weight = torch.tensor([30.0, 40.0], requires_grad=True)
    before = weight.detach().clone()
    code(weight, torch.optim.SGD([weight], lr=1.0), 1.0)
    moved = float((weight.detach() - before).norm())
    assert abs(moved - 1.0) < 1e-3, f"the step moved the weight by {moved:.4g}, expected 1"


CLIP = "clip_grad_norm_([weight], limit)"

BUG = Bug(
    source="awslabs/graphstorm#1366",
    broken=train_step,
    fixes={
        "before_backward": changed(train_step, {CLIP: "", "(weight**2)": f"{CLIP}\n(weight**2)"}),
        "the_weights": changed(
            train_step,
            {CLIP: "with torch.no_grad():\n    weight *= min(1.0, limit / float(weight.norm()))"},
        ),
        "between": changed(train_step, {CLIP: "", "optimizer.step": f"{CLIP}\noptimizer.step"}),
    },
    check=check,
    title="possible max_grad_norm implementation error",
    opened="2025-12-12",
)
