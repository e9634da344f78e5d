"""A hard mask that should train; its correct line looks longer than necessary."""

import torch

from lessons.contract.bug import Bug, Code, changed


def masked_plane(plane: torch.Tensor, logits: torch.Tensor) -> torch.Tensor:
    mask = torch.sigmoid(logits)
    return (plane * (mask >= 0.5)).detach()


def both(plane: torch.Tensor, logits: torch.Tensor) -> torch.Tensor:
    mask = torch.sigmoid(logits)
    return (plane * (mask >= 0.5) - plane * mask).detach() + plane * mask


def check(masked: Code) -> None:
    """The value is the hard mask's; plane and logits get the soft mask's gradients."""
    plane = torch.tensor([3.0, 4.0], requires_grad=True)
    logits = torch.tensor([-1.0, 2.0], requires_grad=True)
    value = masked(plane, logits)
    got = [round(entry, 4) for entry in value.tolist()]
    assert got == [0.0, 4.0], f"the value is {got}, expected [0.0, 4.0]"
    assert value.requires_grad, "the value has no gradient: neither plane nor mask can learn"
    found = torch.autograd.grad(value.sum(), (plane, logits), allow_unused=True)
    wanted = torch.autograd.grad((plane * torch.sigmoid(logits)).sum(), (plane, logits))
    for name, slope, right in zip(("plane", "mask"), found, wanted, strict=True):
        shown = "nothing" if slope is None else [round(entry, 3) for entry in slope.tolist()]
        expected = [round(entry, 3) for entry in right.tolist()]
        assert shown == expected, f"the {name} gets {shown}, expected {expected}"


BUG = Bug(
    source="daniel03c1/masked_wavelet_nerf#10",
    title="About detach() function",
    opened="2023-10-23",
    broken=masked_plane,
    fixes={
        "plain": changed(
            masked_plane, {"(plane * (mask >= 0.5)).detach()": "plane * (mask >= 0.5)"}
        ),
        "both": both,
        "soft": changed(masked_plane, {"(plane * (mask >= 0.5)).detach()": "plane * mask"}),
    },
    check=check,
)
