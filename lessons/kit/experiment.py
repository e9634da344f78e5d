"""An experiment: a program's run at a lab's settings, and its gradient by role."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cache, partial
from typing import Any, Generic, TypeVar

import numpy as np
import torch

from lessons.contract.figure import Figure, Table
from lessons.contract.lab import Lab, Start
from lessons.contract.result import Facts, Note, Result, Series
from lessons.contract.settings import Settings
from lessons.contract.words import Words
from lessons.kit.gradients import gradients, joined
from lessons.kit.inputs import array, leaf, place_of, series_by_role

Program = Callable[..., torch.Tensor]
"""A lesson's program: takes its leaves and settings by name."""

V = TypeVar("V")
S = TypeVar("S", bound=Settings)


class Lazy(Mapping[str, V]):
    """Values by name; each is computed on first access.

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
class Trial(Generic[S]):
    """One run of an experiment, of which a lab tells more than the roles.

    Args:
        program, settings: what ran, and what the learner has set.
        start: the leaves and arguments of the run.
        roles: its value and its gradient in each role.
    """

    program: Program
    settings: S
    start: Start
    roles: Roles

    def leaf(self, name: str) -> torch.Tensor:
        """A leaf of the run without its gradient."""
        return self.start.leaves[name].detach()


@dataclass(frozen=True)
class Experiment(Generic[S]):
    """A program's start, the gradients that its own is compared with, and what a lab tells of them.

    Args:
        run: from a lab's settings, the leaves and settings of one run; its graph is drawn.
        plain: the same forward pass without the trick, from the same leaves and settings: its
            autograd gives the true gradient.
        intended: the gradient that is wanted, as a formula of the same leaves and settings: one
            tensor, or one for each trained leaf.
        value: the leaf that is shown as the forward value, if it isn't what the program returns.
        along: the setting with a number for each component; if empty, they are numbered from 1.
        curves, notes: what else the result has.
        facts: compute what the text needs besides the settings and the roles at the chosen point.
            A part is computed only if a text or a chart reads one of its facts.
        work: says how much was computed.
    """

    run: Callable[[S], Start]
    plain: Program
    intended: Callable[..., torch.Tensor | Sequence[torch.Tensor]]
    _: KW_ONLY
    value: str = ""
    along: str = ""
    curves: Callable[[Trial[S]], Iterable[Series]] = lambda trial: ()
    notes: Callable[[Trial[S]], Iterable[Note]] = lambda trial: ()
    facts: Sequence[Callable[[Trial[S]], Facts]] = ()
    work: Callable[[S], str] = lambda settings: ""

    def compute(self, program: Program, settings: S) -> Result:
        """What a lab computes: the roles at the learner's settings, and what is told of them."""
        start = self.run(settings)
        roles = self.by_role(program, start)
        if self.value:
            roles = {**roles, "forward": start.leaves[self.value].detach()}
        trial = Trial(program, settings, start, roles)
        x = np.array(settings[self.along]) if self.along else None
        return Result(
            components(roles) if x is None else series_by_role(x, roles),
            tuple(self.curves(trial)),
            more_facts=[partial(part, trial) for part in self.facts],
            notes=tuple(self.notes(trial)),
            work=self.work(settings),
        )

    def lab(
        self,
        words: Words,
        settings: type[S],
        table: Callable[[Result, S], Table],
        charts: Sequence[Callable[[Result, S], Figure]] = (),
        **more: Any,
    ) -> Lab[S]:
        """A lab that computes this experiment and shows its graph; ``more`` are other fields."""
        return Lab(words, settings, self.compute, table, charts, start=self.run, **more)

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
    meant, leaf = (roles[role].shape for role in ("intended_gradient", "true_gradient"))
    if meant != leaf:
        raise ValueError(f"intended_gradient has shape {[*meant]}, the trained leaf {[*leaf]}")
    return tuple(
        series
        for role, y in roles.items()
        for series in series_by_role(array(torch.arange(1, y.numel() + 1)), {role: y.flatten()})
    )
