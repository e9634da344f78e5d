"""A whole layer of tokens in float32; and attention in which a token sees only itself."""

from collections.abc import Mapping
from functools import lru_cache

import torch

TOKENS, WIDTH, EXPERTS = 32, 8, 4


def router_gradient(
    k: int, gate: str, dtype: torch.dtype = torch.float32, epsilon: float = 0.0
) -> torch.Tensor:
    """The gradient of the router's weights from a squared error, shape [EXPERTS, WIDTH].

    Args:
        k: experts a token.
        gate: ``normalised``, ``raw`` or ``stopped``, as in the lesson's program.
        dtype: to compute in.
        epsilon: what is added to the divisor.
    """
    generator = torch.Generator().manual_seed(0)
    weights = torch.randn(EXPERTS, WIDTH, generator=generator).to(dtype).requires_grad_()
    experts = torch.randn(EXPERTS, WIDTH, WIDTH, generator=generator).to(dtype)
    x = torch.randn(TOKENS, WIDTH, generator=generator).to(dtype)
    v, kept = torch.softmax(x @ weights.T, -1).topk(k, -1)
    total = v.sum(-1, keepdim=True) + epsilon
    if gate != "raw":
        v = v / (total.detach() if gate == "stopped" else total)
    y = (v.unsqueeze(-1) * torch.einsum("tkij,tj->tki", experts[kept], x)).sum(1)
    return torch.autograd.grad(((y - 1) ** 2).mean(), weights)[0]


@lru_cache(maxsize=1)
def batches() -> Mapping[str, float]:
    """The length of that gradient for each kind of gate, and how many entries are exactly 0."""
    found = {
        "batch_normalised_1": router_gradient(1, "normalised"),
        "batch_raw_1": router_gradient(1, "raw"),
        "batch_normalised_2": router_gradient(2, "normalised"),
        "batch_bfloat16_1": router_gradient(1, "normalised", torch.bfloat16),
    }
    lengths = {name: float(gradient.norm()) for name, gradient in found.items()}
    return {
        **lengths,
        "batch_exact": int((found["batch_normalised_1"] == 0).sum()),
        "batch_entries": EXPERTS * WIDTH,
        "batch_tokens": TOKENS,
    }


@lru_cache(maxsize=1)
def attention_to_one() -> Mapping[str, float]:
    """The gradients of the first token's query, key and value from its own output.

    The mask is causal: that token attends to itself alone.
    """
    generator = torch.Generator().manual_seed(0)
    query, key, value = (
        torch.randn(3, 4, dtype=torch.float64, generator=generator).requires_grad_()
        for _ in range(3)
    )
    mask = torch.ones(3, 3, dtype=torch.bool).tril()
    scores = (query @ key.T / 2).masked_fill(~mask, -torch.inf)
    out = torch.softmax(scores, -1) @ value
    named = {"query": query, "key": key, "value": value}
    gradients = torch.autograd.grad((out[0] ** 2).sum(), list(named.values()))
    return {
        f"first_{name}": float(slope[0].norm())
        for name, slope in zip(named, gradients, strict=True)
    }
