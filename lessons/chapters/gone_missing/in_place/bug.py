"""A residual block that adds in place to what its relu has saved."""

from collections.abc import Callable

import torch

from lessons.contract.bug import Bug

Block = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


def block(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    residual = x
    out = torch.relu(w * x)
    out += residual
    return out


def by_data(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    residual = x
    out = torch.relu(w * x)
    out.data += residual
    return out


def under_no_grad(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    residual = x
    out = torch.relu(w * x)
    with torch.no_grad():
        out += residual
    return out


def a_new_tensor(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    residual = x
    out = torch.relu(w * x)
    out = out + residual
    return out  # noqa: RET504  (one line differs from the code with the mistake)


def check(code: Block) -> None:
    """The input's gradient is that of relu(w · x) + x: w + 1 where w · x > 0, else 1."""
    x = torch.tensor([-1.0, 2.0], requires_grad=True)
    code(x, torch.tensor(3.0)).sum().backward()
    assert x.grad is not None
    came = x.grad.tolist()
    assert came == [1.0, 4.0], f"the gradient of x is {came}, expected [1.0, 4.0]"


BUG = Bug(
    source="argusswift/YOLOv4-pytorch#247",
    url="https://github.com/argusswift/YOLOv4-pytorch/issues/247",
    broken=block,
    fixes={"by_data": by_data, "under_no_grad": under_no_grad, "a_new_tensor": a_new_tensor},
    check=check,
    title="When I set the activate='relu', I met the RuntimeError. (Solved)",
    opened="2022-04-22",
)
