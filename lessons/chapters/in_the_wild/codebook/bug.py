"""A codebook loss that compares the straight-through output: the codes never move."""

import torch

from lessons.contract.bug import Bug, Code, changed


def codebook_loss(z: torch.Tensor, code: torch.Tensor) -> torch.Tensor:
    z_q = z + (code - z).detach()
    return ((z_q - z.detach()) ** 2).mean()


def the_code(z: torch.Tensor, code: torch.Tensor) -> torch.Tensor:
    return ((code - z.detach()) ** 2).mean()


def check(code: Code) -> None:
    """The codebook loss moves the code towards z, and leaves z where it is."""
    z, e = torch.tensor([1.0, 0.0]), torch.tensor([0.5, 0.5])
    z.requires_grad_(), e.requires_grad_()
    loss = code(z, e)
    assert abs(loss.item() - 0.25) < 1e-6, f"the loss is {loss.item():.3g}, expected 0.25"
    to_z, to_code = torch.autograd.grad(loss, (z, e), allow_unused=True)
    got = None if to_code is None else to_code.tolist()
    assert got == [-0.5, 0.5], f"the code gets {got}, expected [-0.5, 0.5]"
    assert to_z is None or not to_z.any(), f"z gets {to_z.tolist()}, expected nothing"


BUG = Bug(
    source="showlab/Olaf-World#8",
    title="VQLAM: codebook never receives gradients "
    "(codebook loss uses the straight-through output)",
    opened="2026-09-15",
    broken=codebook_loss,
    fixes={
        "no_stop": changed(codebook_loss, {"z.detach()": "z"}),
        "half_open": changed(codebook_loss, {"(code - z).detach()": "code - z.detach()"}),
        "the_code": the_code,
    },
    check=check,
)
