"""The value of f, the gradient of g, and each of them alone, by role.

Torch only: exported files carry these very functions.
"""

from collections.abc import Callable

import torch

from lessons.kit.gradients import gradient

Function = Callable[[torch.Tensor], torch.Tensor]
Program = Callable[[torch.Tensor, Function, Function, str], torch.Tensor]
"""The lesson's forward pass from x, the value's function, the gradient's, and the spelling."""


def by_role(
    program: Program,
    f: Function,
    g: Function,
    spelling: str,
    x: torch.Tensor,
    weights: torch.Tensor,
) -> dict[str, torch.Tensor]:
    """Forward value, and the gradients of the weighted sum of the values.

    Args:
        program: value of f, gradient of g.
        f, g: of one list x, shape [n], to the same shape.
        spelling: the program's.
        x: floating point, shape [rows, n]; each row is a list of its own.
        weights: shape [n]: the upstream gradient that comes to each value.

    Returns:
        Shape [rows, n] each: forward and trick_gradient of the program, true_gradient of f alone,
        intended_gradient of g alone.
    """

    def slope(function: Function) -> tuple[torch.Tensor, torch.Tensor]:
        rows = x.detach().requires_grad_()
        values = torch.vmap(function)(rows)
        return values.detach(), gradient(values * weights, rows)

    forward, trick = slope(lambda row: program(row, f, g, spelling))
    return {
        "forward": forward,
        "trick_gradient": trick,
        "true_gradient": slope(f)[1],
        "intended_gradient": slope(g)[1],
    }
