"""A chapter's quiz: predictions of its lessons, at other settings than the lessons ask them at."""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import zip_longest

from lessons.contract.lesson import Lesson
from lessons.contract.prose import Option, Question, Step, fill
from lessons.contract.result import Result
from lessons.outputs.catalogue import chapters_by_slug

LENGTH = 5
"""Questions in a quiz."""
SEEDS = 10**6
"""Quizzes of one chapter."""


@dataclass(frozen=True)
class Item:
    """One question.

    Args:
        lesson: the lesson that asks it.
        number: the lesson's step, counted from 1.
        settings: what the lab is set to, as text by parameter.
        keys: the answers in the order of their tiles.
    """

    lesson: Lesson
    number: int
    settings: Mapping[str, str]
    keys: tuple[str, ...]

    @property
    def step(self) -> Step:
        """The step that asks it."""
        return self.lesson.prose.steps[self.number - 1]

    @property
    def question(self) -> Question:
        """The lesson's question."""
        question = self.step.question
        assert question is not None  # the lesson's text can't be read otherwise
        return question

    @cached_property
    def result(self) -> Result:
        """What the lab computes at these settings."""
        return self.lesson.compute(self.lesson.validate(self.settings))

    @property
    def right(self) -> str:
        """The key of the right answer."""
        return self.lesson.right(self.question, self.result)

    @property
    def text(self) -> str:
        """The question with its numbers, Markdown."""
        return fill(self.step.text, self.result.facts)

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
    settings = lesson.spelled({**lesson.defaults, **step.lab, **draw.choice(step.quiz)})
    keys = [option.key for option in step.question.options] if step.question else []
    return Item(lesson, number, settings, tuple(draw.sample(keys, len(keys))))
