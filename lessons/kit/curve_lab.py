"""The curve lab: a function of x with settings of the lesson's own, and its gradient by role.

We always differentiate with respect to x. NaN draws a gap in a curve: put one at each jump.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar

import torch

from lessons.contract.lab import Lab, Start
from lessons.contract.result import Facts, Result
from lessons.contract.words import Words
from lessons.kit.curve_figures import curve_figure, curve_table
from lessons.kit.experiment import Experiment, Lazy, Program, Roles, run_of
from lessons.kit.inputs import AlongX, array, grid_around, place_of, series_by_role
from lessons.kit.line_names import NAMES
from lessons.kit.nan_notes import Cause, notes_on_not_finite

WORDS = Words(__file__)

S = TypeVar("S", bound=AlongX)


@dataclass(frozen=True)
class Run:
    """The lesson's program at the chosen x, with the learner's settings.

    Args:
        program: takes x and then ``arguments`` by name.
        x: shape [1], on the lab's device and in its number format; ``.cpu().double()`` to compute
            with it in float64 anywhere.
        arguments: the program's settings.
        experiment: what the program is compared with.
    """

    program: Program
    x: torch.Tensor
    arguments: Mapping[str, Any]
    experiment: Experiment[Any]

    def __call__(self, **other: Any) -> Mapping[str, float]:
        """Compute all roles here; settings given by name take the place of the learner's."""
        start = Start({"x": self.x.detach().requires_grad_()}, {**self.arguments, **other})
        found = self.experiment.by_role(self.program, start)
        return Lazy({role: partial(_first, found, role) for role in found})

    def output(self, x: torch.Tensor, **other: Any) -> torch.Tensor:
        """Run the program at other x; settings given by name take the place of the learner's."""
        return self.program(x, **{**self.arguments, **other})


@dataclass(frozen=True)
class Curve(Generic[S]):
    """A lesson's description of its function; the lab does the rest.

    Args:
        settings: the lesson's own settings; program, plain and intended take them by name.
        plain: the program's forward pass without any trick: its autograd is the true gradient.
        intended: the gradient that is wanted, as a formula independent of the program.
        words: names of the axes, captions: those of ``CURVE_WORDS``.
        intended_is: the label of the intended gradient's line.
        limit: the parameter that bounds the gradient: two lines to drag, if there is one.
        facts: compute the facts that the prose quotes, other than the settings and the roles at the
            chosen input. A part is computed only if a text quotes one of its facts.
        causes: pairs (mask over x, why the numbers there are not finite), in the notes' order.
    """

    settings: type[S]
    plain: Program
    intended: Program
    words: Words
    intended_is: str = NAMES["intended_gradient"]
    limit: str = ""
    facts: Sequence[Callable[[Run, S], Facts]] = ()
    causes: Callable[[torch.Tensor, Roles], Iterable[Cause]] = lambda x, roles: ()

    @property
    def experiment(self) -> Experiment[S]:
        """The run at all of the learner's inputs."""
        shared = {parameter.name for parameter in AlongX.parameters}
        own = [one.name for one in self.settings.parameters if one.name not in shared]
        return Experiment(run_of("x", arguments=own), self.plain, self.intended)


def curve_lab(curve: Curve[S]) -> Lab[S]:
    """The lab of one lesson: its own settings first, then inputs, then where torch computes."""
    experiment = curve.experiment

    def compute(program: Program, settings: S) -> Result:
        start, place = experiment.run(settings), place_of(settings)
        x, points = start.leaves["x"].detach(), torch.tensor(settings.x, dtype=torch.float64)
        grid = grid_around(points)
        at_points = experiment.by_role(program, start)
        on_grid = experiment.by_role(program, start.with_(x=grid.to(x)))
        run = Run(program, x[[place]], start.arguments, experiment)
        causes = (
            (x.isinf(), WORDS("x_too_large")),
            *curve.causes(x, at_points),
            (at_points["forward"].isinf(), WORDS("value_too_large")),
        )
        return Result(
            series=series_by_role(array(points), at_points),
            curves=series_by_role(array(grid), on_grid),
            facts={"inputs": len(points)},
            more_facts=[partial(part, run, settings) for part in curve.facts],
            notes=(*notes_on_not_finite("x", points, at_points, causes, WORDS("step_too_large")),),
            work=WORDS.counted("inputs", len(points)),
        )

    words, look = curve.words, (curve.intended_is, curve.limit)
    return Lab(
        words,
        curve.settings,
        compute,
        table=lambda result, settings: curve_table(result, words("value")),
        charts=[lambda result, settings: curve_figure(result, words, *look)],
        start=experiment.run,
    )


def _first(values: Roles, role: str) -> float:
    return float(values[role][0])
