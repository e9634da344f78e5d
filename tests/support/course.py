"""Computes a lesson by its name, or a program at leaves that the test chooses."""

from collections.abc import Collection, Mapping
from typing import Any

import torch

from lessons.contract.lab import Start
from lessons.contract.lesson import Lesson
from lessons.contract.parameters import Values
from lessons.contract.result import Result
from lessons.kit.experiment import Experiment, Program, Roles
from lessons.outputs.catalogue import find
from lessons.recorder.cutting import Cut


def run(slug: str, cuts: Collection[Cut] = (), **given: str) -> Result:
    """The result of a lesson with these settings, given as text."""
    lesson = find(slug)
    return lesson.compute(lesson.validate(given), cuts=cuts)


def by_role(
    experiment: Experiment, program: Program, settings: Mapping[str, Any], **leaves: torch.Tensor
) -> Roles:
    """Value and gradients of a program at these leaves, all of them trained."""
    trained = {name: leaf.detach().requires_grad_() for name, leaf in leaves.items()}
    return dict(experiment.by_role(program, Start(trained, settings)))


def right(lesson: Lesson, name: str, result: Result) -> str:
    """The answer to this question that a result makes right."""
    (question,) = (one for one in lesson.prose.questions if one.name == name)
    return lesson.right(question, result)


def settings(lesson: Lesson, **given: Any) -> Values:
    """All settings of a lesson, these among them."""
    return lesson.validate({name: str(value) for name, value in given.items()})
