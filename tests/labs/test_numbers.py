"""The numbers in a training lesson's text: marked where they can change, and sent as they stand."""

import html
import re
from collections.abc import Mapping
from typing import Any

import pytest

from lessons.contract.lesson import Lesson
from lessons.outputs.catalogue import find, lessons
from lessons.outputs.glossary import first_uses
from lessons.prose.steps import Step, fill
from pages.labs.messages import TrainingWish, Wish
from pages.labs.training import Watch
from pages.ui import numbers
from pages.ui.glossed import linked
from tests.support.folded import folded
from tests.support.present import present

TRAINED = [lesson.slug for lesson in lessons() if lesson.lab.training is not None]

MARK = re.compile(r'<span class="gt-number" data-number="(.*?)">(.*?)</span>')


def marks(text: str) -> dict[str, str]:
    """What stands in each mark."""
    return {name: html.unescape(shown) for name, shown in MARK.findall(text)}


def after_two_steps(
    lesson: Lesson, **more: Any
) -> tuple[dict[str, str], Mapping[str, float | int | str]]:
    """What a picture says after two steps, and the facts of its run."""
    wish = Wish(lab=lesson.slug, values={"seeds": "2"}, **more)
    watch = Watch(lesson, wish, TrainingWish(phase="run"))
    for _ in range(2):
        watch.advance(0.0)
    return watch.picture()["numbers"], present(watch._run).history.facts


def texts_of(step: Step) -> list[str]:
    """The step's text, its task, and its replies."""
    task = [step.turn.text] if step.turn else []
    return [
        step.text,
        *task,
        *(one.reply for one in (step.question.options if step.question else ())),
    ]


@pytest.mark.parametrize("slug", TRAINED)
def test_a_picture_of_a_run_says_what_the_marks_of_its_page_would_say_of_it(slug: str) -> None:
    lesson = find(slug)
    at_first = lesson.compute(lesson.validate({"seeds": "2"})).facts
    for place, step in enumerate(lesson.prose.steps, start=1):
        asked = [step.question.name] if step.question else []
        by_mark, facts = after_two_steps(lesson, step=place, answers=asked)
        marked = [fill(text, {**at_first, **facts}, numbers.mark) for text in texts_of(step)]
        marked[0] = linked(marked[0], first_uses(slug)[place - 1])
        assert marks("\n".join(marked)) == step.numbers(asked, at_first) | by_mark


@folded("lesson", lessons(), ids=lambda lesson: lesson.slug)
def test_a_page_marks_what_is_told_and_adds_nothing_else_to_the_text(lesson: Lesson) -> None:
    facts = lesson.compute(lesson.validate({})).facts
    for step in lesson.prose.steps:
        asked = {step.question.name} if step.question else set()
        marked = [fill(text, facts, numbers.mark) for text in texts_of(step)]
        assert marks("\n".join(marked)) == step.numbers(asked, facts)
        # Maths is split around a mark: the same but for its dollars and spaces.
        texts = (re.sub(r"</?span[^>]*>", "", marked[0]), fill(step.text, facts))
        bare = [re.sub(r"[$\s]+", "", text) for text in texts]
        assert bare[0] == bare[1]
