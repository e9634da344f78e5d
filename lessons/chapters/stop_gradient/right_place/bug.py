"""A hard mask that is to learn, in a line that looks longer than it need be."""

from collections.abc import Callable

import torch

from lessons.contract.bug import Bug

Masked = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


def broken(plane: torch.Tensor, logits: torch.Tensor) -> torch.Tensor:
    mask = torch.sigmoid(logits)
    return (plane * (mask >= 0.5)).detach()


def plain(plane: torch.Tensor, logits: torch.Tensor) -> torch.Tensor:
    mask = torch.sigmoid(logits)
    return plane * (mask >= 0.5)


def soft(plane: torch.Tensor, logits: torch.Tensor) -> torch.Tensor:
    mask = torch.sigmoid(logits)
    return plane * mask


def both(plane: torch.Tensor, logits: torch.Tensor) -> torch.Tensor:
    mask = torch.sigmoid(logits)
    return (plane * (mask >= 0.5) - plane * mask).detach() + plane * mask


def check(masked: Masked) -> None:
    """Value of the hard mask; gradient of the soft one, to the plane and to the mask's logits."""
    plane = torch.tensor([3.0, 4.0], requires_grad=True)
    logits = torch.tensor([-1.0, 2.0], requires_grad=True)
    value = masked(plane, logits)
    came = [round(one, 4) for one in value.tolist()]
    assert came == [0.0, 4.0], f"the value is {came}, expected [0.0, 4.0]"
    assert value.requires_grad, "the value has no gradient: neither plane nor mask can learn"
    found = torch.autograd.grad(value.sum(), (plane, logits), allow_unused=True)
    wanted = torch.autograd.grad((plane * torch.sigmoid(logits)).sum(), (plane, logits))
    for name, one, right in zip(("plane", "mask"), found, wanted, strict=True):
        said = "nothing" if one is None else [round(entry, 3) for entry in one.tolist()]
        expected = [round(entry, 3) for entry in right.tolist()]
        assert said == expected, f"the {name} gets {said}, expected {expected}"


BUG = Bug(
    source="daniel03c1/masked_wavelet_nerf#10",
    url="https://github.com/daniel03c1/masked_wavelet_nerf/issues/10",
    broken=broken,
    fixes={"plain": plain, "both": both, "soft": soft},
    check=check,
)
