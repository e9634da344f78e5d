"""The derivative a lab draws: one number for each input."""

from collections.abc import Sequence

import torch

from lessons.recorder.torch_private import sent_to


def gradient(y: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """dy/dx, entry by entry: each y depends on its own x alone, so the sum's gradient is it.

    Zeros where nothing leads from y back to x.
    """
    return gradients(y, [x])[0]


def gradients(y: torch.Tensor, leaves: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    """The gradient of y's sum with respect to each leaf; zeros where nothing leads back to it."""
    if not y.requires_grad:
        return [torch.zeros_like(leaf) for leaf in leaves]
    # Ones from above are what the sum would send, without the sum.
    found = sent_to(leaves, y, torch.ones_like(y))
    pairs = zip(leaves, found, strict=True)
    return [torch.zeros_like(leaf) if one is None else one for leaf, one in pairs]
