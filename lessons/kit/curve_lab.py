"""The curve lab: a function of x with settings of the lesson's own, and its gradient by role.

What is differentiated by is called x everywhere. A NaN in a curve is a gap: fill a jump with one.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch

from lessons.contract.lab import Lab
from lessons.contract.parameters import Parameter, Values
from lessons.contract.result import Facts, FactsAsAsked, Result
from lessons.contract.words import Words
from lessons.kit.causes import Cause, notes_on_not_finite
from lessons.kit.curve_figures import CurveText, curve_figures, curve_table
from lessons.kit.experiment import AsAsked, Experiment, Program, Roles, run_of
from lessons.kit.inputs import (
    COMPUTED_IN,
    array,
    grid_around,
    inputs,
    place_of,
    point_in_text,
    series_by_role,
)
from lessons.kit.line_names import NAMES

WORDS = Words(__file__)

Run = Callable[..., Mapping[str, float]]
"""All roles at the chosen x; settings given by name take the place of the learner's."""

Observe = Callable[[Program, torch.Tensor, Values], Facts]
"""Facts from runs of the program itself at the chosen x, shape [1], with these settings."""


@dataclass(frozen=True)
class Curve:
    """A lesson's description of its function; the lab does the rest.

    Args:
        parameters: the lesson's own settings; program, plain and intended take them by name.
        plain: the program's forward pass without any trick: its autograd is the true gradient.
        intended: the gradient that is wanted, as a formula independent of the program.
        words: names of the axes, captions: those of ``CURVE_WORDS``.
        intended_is: the name at the end of the intended gradient.
        limit: the parameter that bounds the gradient: two lines to drag, if there is one.
        x: the inputs at first, as text.
        point: which of them the text speaks of at first, 1 for the first.
        facts: what the prose needs besides the roles and settings at the chosen input; the first
            argument runs the program there with other settings.
        observe: the same, where it takes a look at the program's own run: its ops, what a rule got.
            It is given x, on the lab's device and in its number format; ``.cpu().double()`` to
            compute with it in float64 anywhere.
        causes: pairs of a mask over x and why it is not finite there, in the order to be told.
    """

    parameters: tuple[Parameter, ...]
    plain: Program
    intended: Program
    words: Words
    intended_is: str = NAMES["intended_gradient"]
    limit: str = ""
    x: str = "-2, -1, 1"
    point: int = 1
    facts: Callable[[Run, Values], Facts] = lambda run, settings: {}
    observe: Observe = lambda program, x, settings: {}
    causes: Callable[[torch.Tensor, Roles], Iterable[Cause]] = lambda x, roles: ()

    @property
    def experiment(self) -> Experiment:
        """The run at all of the learner's inputs."""
        settings = [parameter.name for parameter in self.parameters]
        return Experiment(run_of("x", settings=settings), self.plain, self.intended)


def curve_lab(curve: Curve) -> Lab:
    """The lab of one lesson: its own settings first, then inputs, then where torch computes."""
    experiment = curve.experiment

    def compute(program: Program, values: Values) -> Result:
        start = experiment.run(values)
        x, settings = start.leaves["x"].detach(), start.settings
        points = torch.tensor(values["x"], dtype=torch.float64)
        place = place_of(values)
        grid = grid_around(points)
        at_points = experiment.by_role(program, start)
        on_grid = experiment.by_role(program, start.but(x=grid.to(x)))

        def run(**other: Any) -> Mapping[str, float]:
            found = experiment.by_role(program, start.but(x=x[[place]], **other))
            return AsAsked({role: partial(_first, found, role) for role in found})

        def observed() -> Facts:
            return curve.observe(program, x[[place]], settings)

        known = {
            **settings,
            "x": float(points[place]),
            "inputs": len(points),
            **{role: float(value[place]) for role, value in at_points.items()},
        }
        causes = (
            (x.isinf(), WORDS("x_too_large")),
            *curve.causes(x, at_points),
            (at_points["forward"].isinf(), WORDS("value_too_large")),
        )
        return Result(
            series=series_by_role(array(points), at_points),
            curves=series_by_role(array(grid), on_grid),
            facts=FactsAsAsked(known, observed, lambda: curve.facts(run, settings)),
            notes=(*notes_on_not_finite("x", points, at_points, causes, WORDS("step_too_large")),),
            work=WORDS.counted("inputs", len(points)),
        )

    text = CurveText.of(curve.words, intended=curve.intended_is, limit=curve.limit)
    return Lab(
        curve.words,
        (*curve.parameters, inputs(curve.x), point_in_text(str(curve.point)), *COMPUTED_IN),
        compute,
        table=lambda result, values: curve_table(result, text),
        figures=lambda result, values: curve_figures(result, text),
        start=experiment.run,
    )


def _first(values: Roles, role: str) -> float:
    return float(values[role][0])
