"""A state of one number, unrolled: how much each step back contributes to its gradient."""

from collections.abc import Callable, Iterator
from typing import Any

import torch

Program = Callable[..., torch.Tensor]
"""The last state from the weight, shape [n], the number of steps, the distance of the stops and
the input at each step."""

FIRST = 1.0
"""The state before the first step."""


def plain(w: torch.Tensor, steps: int, x: float) -> torch.Tensor:
    """The same forward pass with no stop, shape [n]."""
    h = torch.full_like(w, FIRST)
    for _ in range(steps):
        h = w * h + x
    return h


def full_gradient(w: torch.Tensor, steps: int, x: float) -> torch.Tensor:
    """dh/dw through all steps, by formula and without autograd, shape [n].

    The derivative is carried forward with the state: dhₜ/dw = hₜ₋₁ + w · dhₜ₋₁/dw.
    """
    w = w.detach()
    h, slope = torch.full_like(w, FIRST), torch.zeros_like(w)
    for _ in range(steps):
        slope = h + w * slope
        h = w * h + x
    return slope


def by_role(
    program: Program, w: torch.Tensor, steps: int, every: int, x: float
) -> dict[str, torch.Tensor]:
    """The last state and its gradient by w in its roles, each of shape [n].

    Returns:
        forward; trick_gradient: with the stops, by autograd; true_gradient: through all steps, by
        autograd; intended_gradient: the same by formula.
    """
    h, slope = _run(lambda leaf: program(leaf, steps, every, x), w)
    return {
        "forward": h,
        "trick_gradient": slope,
        "true_gradient": _run(lambda leaf: plain(leaf, steps, x), w)[1],
        "intended_gradient": full_gradient(w, steps, x),
    }


def contributions(
    run: Callable[[torch.Tensor], torch.Tensor], w: torch.Tensor, steps: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """What each step's use of w adds to dh/dw, read off autograd's graph.

    Args:
        run: from w to the last state, one product with w a step.
        w: shape [n].
        steps: how many.

    Returns:
        The contributions, shape [steps, n], the last step first; and which steps' products lead to
        w at all, shape [steps].
    """
    leaf = w.detach().requires_grad_()
    h = run(leaf)
    found = torch.zeros(steps, len(leaf), dtype=w.dtype, device=w.device)
    reached = torch.zeros(steps, dtype=torch.bool)
    for back, product in enumerate(_products(h.grad_fn)):
        if product.next_functions[0][0] is not None:
            reached[back] = True
            product.register_hook(_keep(found, back))
    if reached.any():
        torch.autograd.grad(h.sum(), leaf)
    return found, reached


def kept(steps: int, every: int) -> int:
    """How many steps lie after the last stop.

    >>> kept(50, 5), kept(50, 50), kept(4, 3)
    (5, 50, 1)
    """
    return steps - (steps - 1) // every * every


def _run(
    run: Callable[[torch.Tensor], torch.Tensor], w: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    leaf = w.detach().requires_grad_()
    h = run(leaf)
    if not h.requires_grad:
        return h, torch.zeros_like(w)
    (slope,) = torch.autograd.grad(h.sum(), leaf, materialize_grads=True)
    return h.detach(), slope


def _products(node: Any) -> Iterator[Any]:
    """The nodes of w · h on the way back from the last state, as far as the graph leads."""
    while node is not None and node.next_functions:
        product = node.name().startswith("MulBackward")
        if product:
            yield node
        node = node.next_functions[1 if product else 0][0]


def _keep(found: torch.Tensor, back: int) -> Callable[[Any, Any], None]:
    def keep(to_inputs: tuple[torch.Tensor | None, ...], _: Any) -> None:
        if to_inputs[0] is not None:
            found[back] = to_inputs[0].detach()

    return keep
