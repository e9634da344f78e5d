"""What a learner predicted in a lesson, next to what torch computes, question by question."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from lessons.contract.lesson import Lesson
from lessons.contract.result import Facts
from lessons.gradient_tricks.text.words import Texts
from lessons.outputs.catalogue import find
from lessons.outputs.typed import Typed
from lessons.prose.steps import Option, Question, fill

WORDS = Texts(__file__)


@dataclass(frozen=True)
class Predicted:
    """One question of a lesson, looked back at.

    Args:
        step: where it was asked, 1 for the first.
        title: of that step.
        said: the answer in words; empty where none was given.
        computed: the right answer in words; empty without an answer, which can still be given.
        right: whether they are the same.
        by: who computed it.
    """

    step: int
    title: str
    said: str
    computed: str
    right: bool
    by: str = "Torch"


def review(lesson: Lesson, answers: Mapping[str, str]) -> list[Predicted]:
    """Each question in turn, judged at the settings of its own step.

    Args:
        answers: the last answer to each question, as a ``Trail`` has it.
    """
    return [
        _predicted(lesson, number, step.title, step.question, answers.get(step.question.name))
        for number, step in enumerate(lesson.prose.steps, start=1)
        if step.question
    ]


@lru_cache(maxsize=256)
def reviewed(slug: str, answers: tuple[tuple[str, str], ...]) -> tuple[Predicted, ...]:
    """Review a lesson once for the same answers: it takes up to 250 ms.

    Args:
        answers: as for ``review``, as sorted pairs.
    """
    return tuple(review(find(slug), dict(answers)))


def _predicted(
    lesson: Lesson, step: int, title: str, question: Question, answer: str | None
) -> Predicted:
    if answer is None:
        return Predicted(step, title, "", "", False)
    asked_about = lesson.asked_about(question)
    facts, right, key, typed = asked_about.facts, lesson.right(question, asked_about), answer, None
    if question.kind == "number":
        typed = Typed.parse(question, answer)
        key = typed.key
    elif question.kind == "sketch":
        key = lesson.sketch(question).grade(answer, asked_about).key
    said = _words(question, key, facts) if key else "" if typed else WORDS("another_curve")
    if typed:
        said = typed.followed_by(said)
    return Predicted(step, title, said, _words(question, right, facts), key == right, question.by)


def _words(question: Question, key: str, facts: Facts) -> str:
    option: Option = next(one for one in question.options if one.key == key)
    return fill(option.text, facts)
