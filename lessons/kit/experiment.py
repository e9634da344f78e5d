"""An experiment: a program's run at a lab's settings, and its gradient by role."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Generic, TypeVar

import torch

from lessons.contract.lab import Start
from lessons.contract.result import Series
from lessons.contract.settings import Settings
from lessons.kit.gradients import gradients, joined
from lessons.kit.inputs import array, leaf, place_of, series_by_role

Program = Callable[..., torch.Tensor]
"""A lesson's program: takes its leaves and settings by name."""

V = TypeVar("V")
S = TypeVar("S", bound=Settings)


class Lazy(Mapping[str, V]):
    """Settings by name, each made when it is first asked for.

    Args:
        made_by: what makes each.
    """

    def __init__(self, made_by: Mapping[str, Callable[[], V]]) -> None:
        self._made_by = {name: cache(make) for name, make in made_by.items()}

    def __getitem__(self, name: str) -> V:
        return self._made_by[name]()

    def __iter__(self) -> Iterator[str]:
        return iter(self._made_by)

    def __len__(self) -> int:
        return len(self._made_by)


Roles = Mapping[str, torch.Tensor]
"""The forward value and the gradient in its three roles."""


@dataclass(frozen=True)
class Experiment(Generic[S]):
    """A program's start, and the gradients that its own is compared with.

    Args:
        run: from a lab's settings, the leaves and settings of one run; its graph is drawn.
        plain: the same forward pass without the trick, from the same leaves and settings: its
            autograd gives the true gradient.
        intended: the gradient that is wanted, as a formula of the same leaves and settings: one
            tensor, or one for each trained leaf.
    """

    run: Callable[[S], Start]
    plain: Program
    intended: Callable[..., torch.Tensor | Sequence[torch.Tensor]]

    def by_role(self, program: Program, start: Start) -> Roles:
        """The value of a run and its gradient in each role, each computed on first access.

        The gradient is that of the sum of all values. It has the shape of the trained leaf; those
        of several leaves stand flat in one row, one after the other.
        """
        trained = [leaf for leaf in start.leaves.values() if leaf.requires_grad]

        @cache
        def value() -> torch.Tensor:
            return start.finish(start.call(program))

        def wanted() -> torch.Tensor:
            fixed = {name: leaf.detach() for name, leaf in start.leaves.items()}
            return joined(self.intended(**fixed, **start.arguments))

        return Lazy(
            {
                "forward": lambda: value().detach(),
                "trick_gradient": lambda: joined(gradients(value(), trained)),
                "true_gradient": lambda: joined(
                    gradients(start.finish(start.call(self.plain)), trained)
                ),
                "intended_gradient": wanted,
            }
        )


def run_of(*leaves: str, arguments: Sequence[str] = ()) -> Callable[[Settings], Start]:
    """A run whose leaves are parameters of these names, all of them trained.

    Args:
        leaves: names of parameters, numbers or lists.
        arguments: the names of those that the program gets as they are.
    """

    def run(settings: Settings) -> Start:
        tensors = {name: leaf(settings, name).requires_grad_() for name in leaves}
        place = next(((place_of(settings, name),) for name in leaves if tensors[name].ndim), ())
        return Start(tensors, {name: settings[name] for name in arguments}, place)

    return run


def components(roles: Roles) -> tuple[Series, ...]:
    """A series of each role over its components, 1 for the first."""
    return tuple(
        series
        for role, y in roles.items()
        for series in series_by_role(array(torch.arange(1, y.numel() + 1)), {role: y.flatten()})
    )
