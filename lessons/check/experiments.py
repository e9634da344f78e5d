"""Rules for a lesson's experiment: `plain` has the program's value, and torch's true gradient."""

import math
import sys
from collections.abc import Iterable, Iterator
from typing import Any

import torch

from lessons.check.runs import Problems, Runs
from lessons.contract.lab import Start
from lessons.contract.lesson import Lesson
from lessons.contract.settings import Settings
from lessons.gradient_tricks.text import listed
from lessons.kit.experiment import Experiment
from lessons.outputs.trained import key

_H = 1e-6
"""The step of a difference quotient."""


def experiment_of(lesson: Lesson) -> Experiment[Any] | None:
    """Find a lesson's ``CURVE`` or ``EXPERIMENT``, where its program or its run is defined."""
    found: Experiment[Any] | None = None
    for made in (lesson.program, lesson.lab.start):
        module = sys.modules.get(getattr(made, "__module__", ""))
        curve, named = getattr(module, "CURVE", None), getattr(module, "EXPERIMENT", None)
        found = found or (curve.experiment if curve else named)
    return found if lesson.lab.start else None


def values(runs: Runs, more: Iterable[Settings] = ()) -> Problems:
    """A trick changes no value, at the settings of each step and at more."""
    for where, experiment, start in _starts(runs, more):
        plain = start.finish(start.call(experiment.plain)).detach()
        ours = experiment.by_role(runs.lesson.program, start)["forward"]
        if not torch.allclose(ours, plain, rtol=1e-9, atol=1e-12, equal_nan=True):
            gave, other = (listed([f"{y:.4g}" for y in one.flatten()]) for one in (ours, plain))
            mend = "A trick changes no value: mend one of them."
            yield "lesson.py", f"{where} the program gives {gave}, and `plain` {other}. {mend}"
            return


def slopes(runs: Runs, more: Iterable[Settings] = ()) -> Problems:
    """The true gradient is the slope of the value, at the settings of each step and at more."""
    compared = 0  # a rule that compared nothing would pass
    for where, experiment, start in _starts(runs, more):
        true = experiment.by_role(runs.lesson.program, start)["true_gradient"].flatten().tolist()
        for (name, left, right), gradient in zip(_central(experiment, start), true, strict=True):
            if not math.isclose(left, right, rel_tol=1e-3, abs_tol=1e-3):
                continue  # a kink, or NaN
            compared, slope = compared + 1, (left + right) / 2
            if not math.isclose(gradient, slope, rel_tol=1e-4, abs_tol=1e-4):
                found = f"is {gradient:.4g}, and the slope of the value is {slope:.4g}"
                mend = "`plain` must compute the value without a trick or a stop."
                yield "lesson.py", f"{where} the true gradient at {name} {found}: {mend}"
                return
    if not compared and experiment_of(runs.lesson):
        nowhere = "At no step has the value a slope to compare the true gradient with."
        yield "lesson.py", f"{nowhere} Give a step settings where it has one."


def _starts(runs: Runs, more: Iterable[Settings]) -> Iterator[tuple[str, Experiment[Any], Start]]:
    """Each run whose graph is drawn, in float64, with its settings in words."""
    lesson, experiment = runs.lesson, experiment_of(runs.lesson)
    if experiment and lesson.lab.start:
        steps = (lesson.validate({**step.lab, "dtype": "float64"}) for step in lesson.prose.steps)
        for one in (*steps, *more):
            yield f"At {key(lesson, one) or 'its defaults'}", experiment, lesson.lab.start(one)


def _central(experiment: Experiment[Any], start: Start) -> Iterator[tuple[str, float, float]]:
    """The slopes of `plain`'s value on both sides of each trained number, with its name."""
    for name, leaf in start.leaves.items():
        for place in range(leaf.numel() if leaf.requires_grad else 0):
            move = torch.zeros_like(leaf).flatten()
            move[place] = _H
            near = (start.with_(**{name: leaf + by * move.view_as(leaf)}) for by in (-1, 0, 1))
            ends = (one.finish(one.call(experiment.plain)).detach() for one in near)
            low, here, high = (float(one.sum()) for one in ends)
            number = f"{name} = {leaf.flatten()[place].item():.4g}"
            yield number, (here - low) / _H, (high - here) / _H
