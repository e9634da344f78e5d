"""A function of x with settings, and its gradients by role."""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, TypeVar

import torch

from lessons.kit.gradients import gradient

Program = Callable[..., torch.Tensor]
"""Forward value from x and the lesson's settings by name, entry by entry."""


V = TypeVar("V")


class AsAsked(Mapping[str, V]):
    """Values by name, each made when it is first asked for.

    Args:
        made_by: what makes each.
    """

    def __init__(self, made_by: Mapping[str, Callable[[], V]]) -> None:
        self._made_by = made_by
        self._made: dict[str, V] = {}

    def __getitem__(self, name: str) -> V:
        if name not in self._made:
            self._made[name] = self._made_by[name]()
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._made_by)

    def __len__(self) -> int:
        return len(self._made_by)


def by_role(
    program: Program,
    expression: Program,
    intended: Program,
    x: torch.Tensor,
    settings: Mapping[str, Any],
) -> dict[str, torch.Tensor]:
    """Forward value and the gradient in its three roles.

    Args:
        program: the forward pass with the lesson's trick in it.
        expression: the same forward pass without any trick.
        intended: the gradient that is wanted, as a formula of its own.
        x: shape [n], floating point.
        settings: what all three take besides x.

    Returns:
        forward and trick_gradient of the program, by autograd; true_gradient of the expression,
        by autograd; intended_gradient by its formula.
    """
    return dict(by_role_asked(program, expression, intended, x, settings))


def by_role_asked(
    program: Program,
    expression: Program,
    intended: Program,
    x: torch.Tensor,
    settings: Mapping[str, Any],
) -> AsAsked[torch.Tensor]:
    """The same, each role computed when it is read: who reads one pays for that one."""
    x = x.detach().requires_grad_()

    @cache
    def y() -> torch.Tensor:
        return program(x, **settings)

    return AsAsked(
        {
            "forward": lambda: y().detach(),
            "trick_gradient": lambda: gradient(y(), x),
            "true_gradient": lambda: gradient(expression(x, **settings), x),
            "intended_gradient": lambda: intended(x.detach(), **settings),
        }
    )
