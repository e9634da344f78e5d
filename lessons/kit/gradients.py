"""The derivative a lab draws: one number for each input."""

from collections.abc import Sequence

import torch

from lessons.gradient_tricks.recorder.torch_private import sent_to


def gradient(y: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """dy/dx, entry by entry: each y depends on its own x alone, so the sum's gradient is it.

    Zeros where nothing leads from y back to x.
    """
    return gradients(y, [x])[0]


def gradients(
    y: torch.Tensor,
    leaves: Sequence[torch.Tensor],
    upstream: torch.Tensor | None = None,
    *,
    retain_graph: bool = False,
) -> list[torch.Tensor]:
    """The gradient of y's sum with respect to each leaf; zeros where nothing leads back to it.

    Args:
        upstream: of y's shape, a factor for each entry of y in the sum.
    """
    if not y.requires_grad:
        return [torch.zeros_like(leaf) for leaf in leaves]
    # Ones from above are what the sum would send, without the sum.
    ones = torch.ones_like(y) if upstream is None else upstream
    found = sent_to(leaves, y, ones, retain_graph=retain_graph)
    pairs = zip(leaves, found, strict=True)
    return [torch.zeros_like(leaf) if one is None else one for leaf, one in pairs]


def joined(parts: torch.Tensor | Sequence[torch.Tensor]) -> torch.Tensor:
    """One tensor as it is, several flat in one row."""
    if isinstance(parts, torch.Tensor):
        return parts
    return parts[0] if len(parts) == 1 else torch.cat([part.flatten() for part in parts])
