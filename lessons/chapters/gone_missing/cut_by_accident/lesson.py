"""One loss, spelled in five ways: four of them leave the graph."""

from collections.abc import Mapping
from functools import cache

import torch

from lessons.chapters.gone_missing.cut_by_accident.lab import LAB
from lessons.contract.lesson import Lesson


def cut_by_accident(
    w: torch.Tensor, x: float, target: float, spelling: str, silence: str, penalty: str
) -> torch.Tensor:
    loss = ((w * x - target) ** 2).sum()
    if spelling == "tensor":
        loss = torch.tensor(loss)
    elif spelling == "item":
        loss = torch.tensor(loss.item(), dtype=w.dtype)
    elif spelling == "numpy":
        loss = torch.from_numpy(loss.detach().cpu().numpy())
    elif spelling == "detach":
        loss = loss.detach()
    if silence == "yes":
        loss.requires_grad_()
    if penalty == "yes":
        loss = loss + 0.5 * (w**2).sum()
    return loss


@cache
def a_product() -> Mapping[str, float]:
    """The gradient of a loss times the number of another one, and what one may expect of it."""
    w = torch.tensor(2.0, dtype=torch.float64, requires_grad=True)
    first, second = w**2, 3 * w
    ((gradient,), (plain,)) = (
        torch.autograd.grad(loss, w, retain_graph=True)
        for loss in (first * second.item(), first * second)
    )
    return {
        "product_at": w.item(),
        "product_came": float(gradient),
        "product_one": 2 * w.item() * second.item(),
        "product_both": float(plain),
        "product_other": 3.0 * first.item(),
        "product_nothing": 0.0,
    }


LESSON = Lesson(
    program=cut_by_accident,
    lab=LAB,
    highlight="loss.requires_grad_()",
    elsewhere=a_product,
)
