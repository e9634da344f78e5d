"""A hook returns zeros, to freeze a weight; the optimiser has a weight decay."""

import torch

from lessons.contract.bug import Bug, Code, changed


def freeze(w: torch.Tensor) -> None:
    w.register_hook(torch.zeros_like)


def dropped(w: torch.Tensor) -> None:
    def drop(w: torch.Tensor) -> None:
        w.grad = None

    w.register_post_accumulate_grad_hook(drop)


def check(code: Code) -> None:
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    code(w)
    optimiser = torch.optim.SGD([w], lr=0.1, weight_decay=1)
    (3 * w).sum().backward()
    optimiser.step()
    got = [round(one, 4) for one in w.tolist()]
    assert got == [1.0, 2.0], f"after one step: got {got}, expected [1.0, 2.0]"


BUG = Bug(
    source="pytorch/pytorch#38581",
    title="Weight_decay in SGD doesn't respect hooks",
    opened="2020-05-15",
    broken=freeze,
    fixes={
        "in_place": changed(freeze, {"torch.zeros_like": "torch.Tensor.zero_"}),
        "nothing": changed(freeze, {"torch.zeros_like": "lambda upstream: None"}),
        "dropped": dropped,
    },
    check=check,
)
