"""A codebook loss that is computed after the straight-through line."""

import torch

from lessons.contract.bug import Bug, Code, changed

Pair = tuple[torch.Tensor, torch.Tensor]


def quantise(encoded: torch.Tensor, code: torch.Tensor) -> Pair:
    quantized = encoded + (code - encoded).detach()
    loss = (quantized - encoded.detach()) ** 2
    return quantized, loss


def before(encoded: torch.Tensor, code: torch.Tensor) -> Pair:
    loss = (code - encoded.detach()) ** 2
    quantized = encoded + (code - encoded).detach()
    return quantized, loss


def check(quantise: Code) -> None:
    """The codebook loss pulls the code to the encoding, and leaves the encoding alone."""
    encoded, code = (torch.tensor(value, requires_grad=True) for value in (1.0, 3.0))
    _, loss = quantise(encoded, code)
    found = torch.autograd.grad(loss, (encoded, code), allow_unused=True)
    to_encoded, to_code = (None if one is None else float(one) for one in found)
    assert to_code == 4.0, f"the code gets {to_code}, expected 2 · (3 − 1) = 4.0"
    assert not to_encoded, f"the encoding gets {to_encoded}, expected nothing"


BUG = Bug(
    source="andylolu2/jax-vqvae-gpt#2",
    title="Possible bug in VQ loss gradient",
    opened="2022-09-08",
    broken=quantise,
    fixes={
        "swap": changed(quantise, {"quantized - encoded.detach()": "quantized.detach() - encoded"}),
        "before": before,
        "unstopped": changed(quantise, {"encoded.detach()": "encoded"}),
    },
    check=check,
)
