"""A chapter's quiz: numbers drawn anew for each seed, asked of the lessons' programs.

A lesson can be asked of where all that its lab lets one set is an argument of its program: then
the program and its settings are the whole question. torch computes it, in the lesson's lab; the
wrong answers are the numbers that one takes it for, the lab's other roles.
"""

import inspect
import math
import random
import re
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from lessons.contract.lesson import Lesson
from lessons.contract.parameters import (
    Choice,
    Index,
    Integer,
    InvalidParametersError,
    Number,
    Numbers,
    Parameter,
    Text,
)
from lessons.contract.roles import ROLES
from lessons.outputs.brief import choices, specialised
from lessons.outputs.catalogue import chapters
from lessons.text import number

LENGTH = 5
"""Questions in a quiz."""
SEEDS = 10**6
"""Quizzes of one chapter."""
_LEAST, _MOST = 3, 4
"""Answers to choose from."""
_APART = 0.02
"""How far two answers are apart at least, as a share of the larger."""
_TRIES = 400
_ASKED = {
    "trick_gradient": "Which gradient{of} does autograd give",
    "true_gradient": "What is the true gradient{of}, without any trick,",
    "forward": "What is the forward value",
}
_WEIGHTS = (3, 1, 1)
_OTHER_SIGN = "right size with the other sign"


@dataclass(frozen=True)
class Answer:
    """One to choose from: the number as text, and what it is."""

    text: str
    what: str


@dataclass(frozen=True)
class Item:
    """One question.

    Args:
        lesson: whose program.
        role: what is asked for.
        settings: text by parameter, as an address has it.
        code: the program without the branches that are not taken.
        given: its arguments, each as ``name = value``.
        answers: in the order of their numbers.
        right: which of them is.
    """

    lesson: Lesson
    role: str
    settings: Mapping[str, str]
    code: str
    given: tuple[str, ...]
    answers: tuple[Answer, ...]
    right: int

    @property
    def question(self) -> str:
        by = self.lesson.lab.by
        asked = _ASKED[self.role].format(of=f" of `{by}`" if by else "")
        return f"{asked} at `{self.given[0]}`?"


@lru_cache(maxsize=64)
def quiz(slug: str, seed: int) -> tuple[Item, ...]:
    """A chapter's questions of this seed, in turn from those of its lessons that can be asked.

    Raises:
        ValueError: no such questions could be drawn, which the tests would have seen.
    """
    draw = random.Random(f"{slug} {seed}")
    chapter = next(one for one in chapters() if one.slug == slug)
    lessons = [lesson for lesson in chapter.lessons if _inputs(lesson)]
    draw.shuffle(lessons)
    items: list[Item] = []
    for index in range(LENGTH * _TRIES):
        item = _item(lessons[(len(items) + index // _TRIES) % len(lessons)], draw)
        if item and item.given not in [one.given for one in items]:
            items.append(item)
        if len(items) == LENGTH:
            return tuple(items)
    raise ValueError(f"{slug}: no {LENGTH} questions for the seed {seed}")


def _inputs(lesson: Lesson) -> Numbers | None:
    """The list of inputs, if all that the lab lets one set is an argument of the program."""
    # What is drawn, noise say, is set by hand here: the settings of the draw do not count.
    if lesson.lab.training or isinstance(lesson.program, type):
        return None
    arguments = inspect.signature(lesson.program).parameters
    set_by_hand = [p for p in lesson.lab.parameters if not p.advanced and not isinstance(p, Index)]
    drawn = lesson.lab.drawn(lesson.validate({}))
    if not drawn and any(p.name not in arguments for p in set_by_hand if not _optional(p)):
        return None
    lists = [p for p in set_by_hand if isinstance(p, Numbers) and p.name in arguments]
    return lists[0] if lists else None


def _optional(parameter: Parameter) -> bool:
    return isinstance(parameter, Numbers) and parameter.optional


def _item(lesson: Lesson, draw: random.Random) -> Item | None:
    """A question with settings drawn; None where they are refused or leave too few answers."""
    inputs = _inputs(lesson)
    assert inputs is not None  # asked before
    names = inspect.signature(lesson.program).parameters
    arguments = [p for p in lesson.lab.parameters if p.name in names]
    settings = {p.name: _drawn(p, draw) for p in arguments}
    role = draw.choices(list(_ASKED), _WEIGHTS)[0]
    try:
        values = lesson.validate(settings)
    except InvalidParametersError:
        return None
    result = lesson.compute(lesson.lab.preview(values))
    found = {name: float(result[name].y[0]) for name in ROLES if name != "noise"}
    answers: dict[float, str] = {}
    for what, value in _candidates(found, role):
        if math.isfinite(value) and all(_differ(value, one) for one in answers):
            answers[value] = what
        elif not answers:
            return None  # there is no right one
    if len(answers) < _LEAST:
        return None
    kept = sorted(list(answers)[:_MOST])
    chosen = choices(lesson, values)
    whole = specialised(textwrap.dedent(lesson.source), lesson.program.__name__, chosen)
    code = whole[whole.index("def ") :]  # what decorates it is of the lab
    first = [inputs, *(p for p in arguments if p is not inputs)]
    return Item(
        lesson,
        role,
        settings,
        code,
        tuple(_given(p, settings[p.name], code) for p in first if _is_read(p, code)),
        tuple(Answer(number(value, 4), answers[value]) for value in kept),
        kept.index(found[role]),
    )


def _is_read(parameter: Parameter, code: str) -> bool:
    return bool(re.search(rf"\b{parameter.name}\b", code))


def _given(parameter: Parameter, text: str, code: str) -> str:
    """An argument as code; a formula that the program calls stands as it is written."""
    word = isinstance(parameter, Choice | Text) and not re.search(rf"\b{parameter.name}\(", code)
    return f'{parameter.name} = "{text}"' if word else f"{parameter.name} = {text}"


def _candidates(found: Mapping[str, float], role: str) -> Iterator[tuple[str, float]]:
    """The right one, the numbers that one takes it for, at last the right one turned around."""
    yield ROLES[role].label, found[role]
    for other, value in found.items():
        yield ROLES[other].label, value
    yield _OTHER_SIGN, -found[role]


def _differ(one: float, other: float) -> bool:
    return abs(one - other) > _APART * max(abs(one), abs(other))


def _drawn(parameter: Parameter, draw: random.Random) -> str:
    """A setting for a question: a number that is easy to compute with, never 0."""
    match parameter:
        case Choice(options=options):
            return draw.choice(options)[0]
        case Integer(low=low, high=high):
            return str(draw.randint(max(low, 1), min(high, low + 3)))
        case Number(slider=(low, high)):
            return _multiple(0.5 if high - low > 2 else 0.1, low, high, draw)
        case Numbers(default=""):
            return _multiple(0.2, 0.2, 2.2, draw)
        case Numbers(default=default):
            among = parameter.parse(default) or (0.0,)
            # No half: what is rounded has no tie.
            return _multiple(0.2, min(among), max(among), draw)
    return parameter.default


def _multiple(step: float, low: float, high: float, draw: random.Random) -> str:
    """A multiple of the step between these, not 0."""
    among = [k for k in range(math.ceil(low / step), math.floor(high / step) + 1) if k]
    return f"{draw.choice(among) * step:.4g}"
