"""Computes a lesson by its name, or a program at leaves that the test chooses."""

from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from random import Random
from typing import Any

import torch

from lessons.contract.lab import Start
from lessons.contract.lesson import Lesson
from lessons.contract.parameters import (
    Choice,
    Integer,
    InvalidParametersError,
    Number,
    Numbers,
    Parameter,
)
from lessons.contract.result import Result
from lessons.gradient_tricks.recorder.cutting import Cut
from lessons.kit.experiment import Experiment, Program, Roles
from lessons.outputs.catalogue import find


def run(slug: str, cuts: Collection[Cut] = (), /, **given: str) -> Result:
    """The result of a lesson with these settings, given as text."""
    lesson = find(slug)
    return lesson.compute(lesson.validate(given), cuts=cuts)


def by_role(
    experiment: Experiment[Any],
    program: Program,
    settings: Mapping[str, Any],
    **leaves: torch.Tensor,
) -> Roles:
    """Value and gradients of a program at these leaves, all of them trained."""
    trained = {name: leaf.detach().requires_grad_() for name, leaf in leaves.items()}
    return dict(experiment.by_role(program, Start(trained, settings)))


def right(lesson: Lesson, name: str, result: Result) -> str:
    """The answer to this question that a result makes right."""
    (question,) = (one for one in lesson.prose.questions if one.name == name)
    return lesson.right(question, result)


def settings(lesson: Lesson, **given: Any) -> Any:
    """All settings of a lesson, these among them, of the class that the lesson declares."""
    return lesson.validate({name: str(value) for name, value in given.items()})


def numbers(facts: Mapping[str, Any]) -> Mapping[str, float]:
    """Facts of which a test reads only numbers."""
    return facts


def another(parameter: Parameter, value: Any) -> Any:
    """Another value of a parameter than this one."""
    if isinstance(parameter, Choice):
        return next(name for name in parameter.names if name != value)
    if isinstance(parameter, Integer):
        return value - 1 if value > parameter.low else value + 1
    assert isinstance(parameter, Number)
    return next(end for end in parameter.slider if end != value)


def at_random(lesson: Lesson, luck: Random) -> dict[str, str]:
    """Random settings, each within the range of its slider."""
    given = {}
    for one in lesson.lab.parameters:
        if isinstance(one, Number):
            low, high = one.slider
            given[one.name] = f"{luck.uniform(low, high):.2g}"
        elif isinstance(one, Numbers) and not one.optional:
            many = luck.randint(1, 5)
            given[one.name] = ", ".join(f"{luck.uniform(-3, 3):.2g}" for _ in range(many))
        elif type(one) is Integer:
            given[one.name] = str(luck.randint(one.low, min(one.high, one.low + 8)))
        elif isinstance(one, Choice) and one.name != "dtype":
            given[one.name] = luck.choice(one.names)
    return given


def with_each_choice(lesson: Lesson, **given: str) -> Iterator[Any]:
    """Random values, the same in every run: a few sets with all options, then two for each option.

    Args:
        given: settings that stay as they are.
    """
    lesson.validate(given)  # an option that is gone must not leave a test without a case
    luck = Random(lesson.slug)
    choices = {
        one.name: one.names
        for one in lesson.lab.parameters
        if isinstance(one, Choice) and one.name != "dtype"
    }
    turns = range(max(map(len, choices.values()), default=2))
    fixed = [{one: names[n % len(names)] for one, names in choices.items()} for n in turns]
    for one, names in choices.items():
        fixed += 2 * [{one: name} for name in names]
    for chosen in fixed:
        with suppress(InvalidParametersError):
            yield lesson.validate(at_random(lesson, luck) | chosen | given)
