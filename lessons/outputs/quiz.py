"""A chapter's quiz: predictions of its lessons, at other settings than the lessons ask them at."""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import zip_longest

from lessons.contract.lesson import Lesson
from lessons.contract.result import Result
from lessons.outputs.address import spelled
from lessons.outputs.catalogue import chapters_by_slug
from lessons.prose.steps import Option, Question, Step

LENGTH = 5
"""Questions in a quiz."""
SEEDS = 10**6
"""Quizzes of one chapter."""


@dataclass(frozen=True)
class Item:
    """One question.

    Args:
        lesson, number, step: the lesson that asks it, and at which of its steps, counted from 1.
        question: the lesson's question.
        settings: what the lab is set to, as text by parameter.
        keys: the answers in the order of their tiles.
    """

    lesson: Lesson
    number: int
    step: Step
    question: Question
    settings: Mapping[str, str]
    keys: tuple[str, ...]

    @cached_property
    def result(self) -> Result:
        """What the lab computes at these settings."""
        return self.lesson.compute(self.lesson.validate(self.settings))

    @property
    def right(self) -> str:
        """The key of the right answer."""
        return self.lesson.right(self.question, self.result)

    @property
    def options(self) -> dict[str, Option]:
        """The answers by key, with their numbers."""
        filled = self.question.filled(self.result.facts)
        return {key: filled[key] for key in self.keys}


@lru_cache(maxsize=64)
def quiz(slug: str, seed: int) -> tuple[Item, ...]:
    """Draw a chapter's questions for this seed, in the order of its lessons.

    No step asks twice, and a lesson asks again only if there are too few others.
    """
    draw = random.Random(f"{slug} {seed}")
    lessons = chapters_by_slug()[slug].lessons
    by_lesson = [
        [(place, n) for n, step in enumerate(lesson.prose.steps, start=1) if step.quiz]
        for place, lesson in enumerate(lessons)
    ]
    draw.shuffle(by_lesson)
    turns = zip_longest(*(draw.sample(steps, len(steps)) for steps in by_lesson))
    steps = [step for turn in turns for step in turn if step]
    return tuple(_item(lessons[place], number, draw) for place, number in sorted(steps[:LENGTH]))


def _item(lesson: Lesson, number: int, draw: random.Random) -> Item:
    """Draw the settings of a step's question and the order of its answers."""
    step = lesson.prose.steps[number - 1]
    settings = spelled(lesson, {**lesson.defaults, **step.lab, **draw.choice(step.quiz)})
    question = step.question
    assert question is not None  # the lesson's text can't be read otherwise
    keys = [option.key for option in question.options]
    return Item(lesson, number, step, question, settings, tuple(draw.sample(keys, len(keys))))
