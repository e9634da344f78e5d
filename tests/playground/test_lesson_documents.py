"""A lesson's program in the playground's language: the lesson's own values and gradients."""

import pytest
import torch

from lessons.contract.lesson import Lesson
from lessons.outputs import catalogue
from lessons.playground.document.contents import Numbers
from lessons.playground.document.input_text import format_values
from lessons.playground.document.presets import lesson_document
from lessons.playground.running.outcome import run
from tests.playground.said import said
from tests.support.present import present


def leaves(lesson: Lesson) -> int:
    """How many leaves of the lesson's program get a gradient."""
    started = present(lesson.lab.start)(lesson.validate({}))
    return sum(leaf.requires_grad for leaf in started.leaves.values())


WITH_DOCUMENT = [one for one in catalogue.lessons() if lesson_document(one.folder)]
BY_EVERY_INPUT = [one for one in WITH_DOCUMENT if leaves(one) > 1]
"""Lessons whose row of gradients is with respect to every input, one after the other."""
BY_ONE = [one for one in WITH_DOCUMENT if one not in BY_EVERY_INPUT]


def first_setting(lesson: Lesson, name: str, values: Numbers | None) -> bool:
    """Whether an input has the setting's first value; a number may stand once for each entry."""
    given = values if isinstance(values, tuple) else (values,)
    spelt = format_values(values).strip("[]")
    once = format_values(given[0]) if len(set(given)) == 1 else spelt
    return lesson.defaults[name] in (spelt, once)


@pytest.mark.parametrize("lesson", BY_ONE, ids=lambda lesson: lesson.slug)
def test_the_document_is_the_lessons_program_at_its_first_settings(lesson: Lesson) -> None:
    document = present(lesson_document(lesson.folder))
    found = run(document, curves=False)
    given = {one.name for one in document.inputs} & set(lesson.defaults)
    over = found.over
    assert first_setting(lesson, over, document.input(over).values)
    # Noise, where there is some, is set to the document's own draw.
    noise = {
        name: format_values(tuple(found.values[name].flatten().tolist())).strip("[]")
        for name in given - {over}
        if document.input(name).noise
    }
    result = lesson.compute(lesson.validate(noise))
    for name, values in (
        ("forward", found.values[found.output]),
        ("trick_gradient", present(found.gradients["trick_gradient"][over])),
    ):
        assert result[name].y.tolist() == pytest.approx(values.tolist(), rel=1e-12, nan_ok=True)
    never = said("rule_without_op"), said("rule_not_reached"), said("rule_without_gradient")
    assert not any(note.text in never for note in found.notes)


@pytest.mark.parametrize("lesson", BY_EVERY_INPUT, ids=lambda lesson: lesson.slug)
def test_the_document_has_the_lessons_gradient_by_every_input(lesson: Lesson) -> None:
    document = present(lesson_document(lesson.folder))
    for one in document.inputs:
        if one.name in lesson.defaults:
            assert first_setting(lesson, one.name, one.values)
    found = run(document, curves=False)
    values = lesson.validate({"dtype": "float64"})
    for role in ("trick_gradient", "true_gradient"):
        mine = [present(found.gradients[role][one.name]).flatten() for one in document.inputs]
        theirs = lesson.compute(values)[role].y.tolist()
        assert torch.cat(mine).tolist() == pytest.approx(theirs, rel=1e-12)
    if lesson.slug == "critic_leak":
        assert lesson.compute(values)["forward"].y.tolist() == [found.values["loss"].item()]


def test_most_lessons_have_one() -> None:
    assert len(WITH_DOCUMENT) >= 20
