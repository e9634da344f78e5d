"""Rules and maps that tests of the engine share."""

from typing import Any

import torch

from lessons.gradient_tricks.tricks import gradient_override_map


def ten(op: Any, upstream: torch.Tensor) -> torch.Tensor:
    return 10 * upstream


def slope(y: torch.Tensor, x: torch.Tensor) -> Any:
    return torch.autograd.grad(y.sum(), x, retain_graph=True)[0].tolist()


def mapped(f: Any, rules: dict[Any, Any], *xs: torch.Tensor) -> Any:
    with gradient_override_map(rules):
        return f(*xs)
