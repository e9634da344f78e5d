"""One point's encoding, its code and a decoder of one weight: which loss moves what, by role."""

from collections.abc import Callable
from typing import Any

import torch

from lessons.chapters.in_the_wild.codebook.net import Program, nearest, squared_error
from lessons.contract.parameters import Values
from lessons.tricks.as_one import one_op

FIXED = ((0.5, 0.4), (-0.6, 0.3), (-0.3, -0.6), (0.6, -0.5))
"""The codebook of the one point."""
WEIGHT = 0.8
"""The decoder's weight: it multiplies."""
POINT = (1.0, -0.2)
"""What is to be reconstructed."""

NAMES = ("z₁", "z₂", "code₁", "code₂", "decoder")
PARTS = ("reconstruction", "codebook", "commitment")


class Leaves:
    """What a gradient can move: z and its code, shape [2, 1], and the decoder's weight.

    Args:
        values: the settings.
        device, dtype: where and in what to compute.
    """

    def __init__(self, values: Values, device: torch.device, dtype: torch.dtype) -> None:
        z = torch.tensor([[values["z1"]], [values["z2"]]], dtype=torch.float64)
        picked, chosen = nearest(z[None], torch.tensor([FIXED], dtype=torch.float64))
        self.chosen = int(chosen)
        self.z, self.code = (one.to(device, dtype).requires_grad_() for one in (z, picked[0]))
        self.weight = torch.tensor(WEIGHT, dtype=dtype, device=device).requires_grad_()
        self.point = torch.tensor(POINT, dtype=dtype, device=device).reshape(2, 1)

    @one_op("decode")
    def decode(self, code: torch.Tensor) -> torch.Tensor:
        """A point, shape [2, 1]."""
        return self.weight * code

    def losses(self, program: Callable[..., Any], beta: float, wiring: str) -> Any:
        """The three losses, each with its weight, no dimensions."""
        return program(self.z, self.code, self.decode, self.point, beta, wiring)

    def gradient(self, loss: torch.Tensor) -> torch.Tensor:
        """Of z, the code and the weight in a row, shape [5]."""
        leaves = [self.z, self.code, self.weight]
        if not loss.requires_grad:
            return torch.zeros(len(NAMES)).to(self.z)
        found = torch.autograd.grad(loss, leaves, retain_graph=True, materialize_grads=True)
        return torch.cat([one.reshape(-1) for one in found])

    def formula(self, part: str, beta: float) -> torch.Tensor:
        """What the paper means each loss to move, by hand, shape [5]."""
        z, code, weight = (one.detach() for one in (self.z, self.code, self.weight))
        none = torch.zeros_like(z)
        off = weight * code - self.point
        to_z, to_code, to_weight = {
            "reconstruction": (weight * off, none, (off * code).sum()),
            "codebook": (none, code - z, none.sum()),
            "commitment": (beta * (z - code), none, none.sum()),
        }[part]
        return torch.cat([to_z.reshape(-1), to_code.reshape(-1), to_weight.reshape(1)])


def no_stops(
    z: torch.Tensor,
    code: torch.Tensor,
    decode: Callable[[torch.Tensor], torch.Tensor],
    x: torch.Tensor,
    beta: float,
    wiring: str,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The same three values with nothing stopped: the decoder gets the code."""
    weights = (beta, 1.0) if wiring == "swapped" else (1.0, beta)
    apart = squared_error(z, code)
    return squared_error(decode(code), x), weights[0] * apart, weights[1] * apart


def by_loss(
    program: Program, values: Values, device: torch.device, dtype: torch.dtype
) -> dict[str, dict[str, torch.Tensor]]:
    """For each loss the gradient of z, code and weight in its roles, shape [5].

    Returns:
        By loss: trick_gradient, of the program; true_gradient, with nothing stopped;
        intended_gradient, by the paper's formula.
    """
    leaves, beta = Leaves(values, device, dtype), float(values["beta"])
    found: dict[str, dict[str, torch.Tensor]] = {}
    tricked = leaves.losses(program, beta, values["wiring"])
    plain = leaves.losses(no_stops, beta, values["wiring"])
    for part, trick, true in zip(PARTS, tricked, plain, strict=True):
        found[part] = {
            "trick_gradient": leaves.gradient(trick),
            "true_gradient": leaves.gradient(true),
            "intended_gradient": leaves.formula(part, beta),
        }
    return found


def chosen_sum(losses: dict[str, dict[str, torch.Tensor]], part: str) -> dict[str, torch.Tensor]:
    """By role, of one loss or of all three."""
    parts = PARTS if part == "all" else (part,)
    roles = ("trick_gradient", "true_gradient", "intended_gradient")
    return {role: torch.stack([losses[one][role] for one in parts]).sum(0) for role in roles}
