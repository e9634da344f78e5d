"""What torch itself says of a checkpoint that no gradient reaches, and a weight as an argument."""

from collections.abc import Mapping
from functools import lru_cache
from types import FunctionType, SimpleNamespace
from typing import Any

import torch
from torch.utils.checkpoint import check_backward_validity, checkpoint


@lru_cache(maxsize=1)
def warning_of_torch() -> str:
    """What torch warns of where no input of a checkpoint needs a gradient.

    The function that a checkpoint calls runs here with another ``warnings``: to catch what the real
    one says would change it for the whole process, and so for every session in it.
    """
    said: list[str] = []
    own = SimpleNamespace(warn=lambda message, **rest: said.append(str(message)))
    check: Any = FunctionType(
        check_backward_validity.__code__, {**check_backward_validity.__globals__, "warnings": own}
    )
    check([torch.zeros(1)])
    return said[0]


@lru_cache(maxsize=1)
def error_of_torch() -> str:
    """What ``backward()`` says where nothing that was recorded needs a gradient."""
    try:
        torch.autograd.backward(torch.zeros(()))
    except RuntimeError as error:
        return str(error).splitlines()[0]
    raise AssertionError("torch took a loss that leads nowhere")


@lru_cache(maxsize=1)
def weight_as_argument() -> Mapping[str, float]:
    """The gradients of two weights of a checkpointed function, one an argument of it, one not."""
    x = torch.tensor(2.0, dtype=torch.float64)
    given, inside = (torch.tensor(0.5, dtype=torch.float64, requires_grad=True) for _ in range(2))
    y = checkpoint(lambda x, a: (a + inside) * x, x, given, use_reentrant=True)
    torch.autograd.backward(y)
    return {
        f"argument_{name}": 0.0 if weight.grad is None else float(weight.grad)
        for name, weight in (("given", given), ("inside", inside))
    }


def elsewhere() -> Mapping[str, Any]:
    """These as facts for the text."""
    return {"warning": warning_of_torch(), "error": error_of_torch(), **weight_as_argument()}
