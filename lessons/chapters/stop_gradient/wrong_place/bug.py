"""The two losses of a VQ-VAE, with the weight on the wrong one."""

import torch

from lessons.contract.bug import Bug, Code, changed


def vq_loss(encoded: torch.Tensor, code: torch.Tensor) -> torch.Tensor:
    to_code = (code.detach() - encoded) ** 2
    commitment = (code - encoded.detach()) ** 2
    return to_code + 0.25 * commitment


def swapped(encoded: torch.Tensor, code: torch.Tensor) -> torch.Tensor:
    to_code = (code - encoded.detach()) ** 2
    commitment = (code.detach() - encoded) ** 2
    return to_code + 0.25 * commitment


def check(loss: Code) -> None:
    """The code gets the full pull, and the encoding a quarter of it."""
    encoded, code = (torch.tensor(value, requires_grad=True) for value in (1.0, 3.0))
    found = torch.autograd.grad(loss(encoded, code), (code, encoded))
    to_code, to_encoded = (one.item() for one in found)
    assert to_code == 4.0, f"the code gets {to_code:g}, expected 2 · (3 − 1) = 4"
    assert to_encoded == -1.0, f"the encoding gets {to_encoded:g}, expected 0.25 · −4 = −1"


BUG = Bug(
    source="karpathy/deep-vector-quantization#2",
    title="According to the paper, these two summands should be exchanged, should they not?",
    opened="2021-02-16",
    broken=vq_loss,
    fixes={
        "unstopped": changed(vq_loss, {"code.detach()": "code", "encoded.detach()": "encoded"}),
        "weighted": changed(
            vq_loss, {"to_code + 0.25 * commitment": "0.25 * (to_code + commitment)"}
        ),
        "swapped": swapped,
    },
    check=check,
)
