"""A clip between a scaled backward() and the GradScaler's step: it cuts scaled gradients."""

import torch
from torch.amp import GradScaler
from torch.nn.utils import clip_grad_norm_

from lessons.contract.bug import Bug, Code, changed


def train_step(
    loss: torch.Tensor,
    weight: torch.Tensor,
    optimizer: torch.optim.Optimizer,
    scaler: GradScaler,
    limit: float,
) -> None:
    scaler.scale(loss).backward()
    clip_grad_norm_([weight], limit)
    scaler.step(optimizer)
    scaler.update()


def check(code: Code) -> None:
    """At rate 1 a step is as long as the gradient, and no longer than the limit of 1."""
    for slope, expected in ((0.5, 0.5), (5.0, 1.0)):
        weight = torch.zeros(2, requires_grad=True)
        loss = slope * (0.6 * weight[0] + 0.8 * weight[1])
        code(loss, weight, torch.optim.SGD([weight], lr=1.0), GradScaler("cpu"), 1.0)
        moved = float(weight.detach().norm())
        assert abs(moved - expected) < 1e-3, (
            f"a gradient of length {slope:g} moved the weight by {moved:.4g}, expected {expected:g}"
        )


BUG = Bug(
    source="Lightning-AI/pytorch-lightning#9599",
    broken=train_step,
    fixes={
        "clip_last": changed(
            train_step,
            {
                "clip_grad_norm_([weight], limit)": "",
                "scaler.update()": "clip_grad_norm_([weight], limit)\nscaler.update()",
            },
        ),
        "by_hand": changed(
            train_step, {"clip_grad_norm_": "weight.grad /= scaler.get_scale()\nclip_grad_norm_"}
        ),
        "unscaled": changed(
            train_step, {"clip_grad_norm_": "scaler.unscale_(optimizer)\nclip_grad_norm_"}
        ),
    },
    check=check,
    title="Clip norm after scaler.unscale_ in native fp16 training",
    opened="2021-09-19",
)
