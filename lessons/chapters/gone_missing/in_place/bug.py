"""A residual block that adds in place to what its relu has saved."""

import torch

from lessons.contract.bug import Bug, Code, changed


def block(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    residual = x
    out = torch.relu(w * x)
    out += residual
    return out


def check(code: Code) -> None:
    """The input's gradient is that of relu(w · x) + x: w + 1 where w · x > 0, else 1."""
    x = torch.tensor([-1.0, 2.0], requires_grad=True)
    code(x, torch.tensor(3.0)).sum().backward()
    assert x.grad is not None
    came = x.grad.tolist()
    assert came == [1.0, 4.0], f"the gradient of x is {came}, expected [1.0, 4.0]"


BUG = Bug(
    source="argusswift/YOLOv4-pytorch#247",
    broken=block,
    fixes={
        "by_data": changed(block, {"out += residual": "out.data += residual"}),
        "under_no_grad": changed(
            block, {"out += residual": "with torch.no_grad():\n    out += residual"}
        ),
        "a_new_tensor": changed(block, {"out += residual": "out = out + residual"}),
    },
    check=check,
    title="When I set the activate='relu', I met the RuntimeError. (Solved)",
    opened="2022-04-22",
)
