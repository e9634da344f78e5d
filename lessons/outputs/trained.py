"""The ends of the trainings that a lesson's text tells of, kept with the lesson.

A notebook has a training's numbers without waiting for it. The command ``python -m lessons keep``
writes the files, and a long test trains again.
"""

import json

from lessons.contract.history import History
from lessons.contract.lesson import Lesson
from lessons.contract.settings import Settings
from lessons.gradient_tricks.text.words import ProseError
from lessons.prose.steps import TRAINING, Step, quoted

FILE = "trained.json"


def tells(lesson: Lesson, step: Step) -> bool:
    """Whether a step asks how a training ends, or quotes one of its numbers."""
    if lesson.lab.training is None:
        return False
    if step.question and (TRAINING in step.question.holds or step.says_start):
        return True
    known = lesson.lab.training.facts_at_first(lesson.program, case(lesson, step))
    return any(name in known for name, _ in quoted(step.text))


def case(lesson: Lesson, step: Step) -> Settings:
    """The settings of a step's training: those that answering its question sets, if it has one."""
    return lesson.case(step.question) if step.question else lesson.validate(step.lab)


def end_of(lesson: Lesson, step: Step) -> History | None:
    """For readers without a lab: the end of the training that a step tells of, None if of none.

    Raises:
        ProseError: the lesson's trained.json lacks it.
    """
    if not tells(lesson, step):
        return None
    path, name = lesson.folder / FILE, key(lesson, case(lesson, step))
    ends = json.loads(path.read_text("utf-8"))["ends"] if path.is_file() else {}
    if name not in ends:
        raise ProseError(
            f"{path} lacks the training of step {step.title!r} at {name or 'the defaults'}. "
            f"`python -m lessons keep {lesson.slug}` writes it."
        )
    return History.at_end(ends[name])


def key(lesson: Lesson, values: Settings) -> str:
    """The name of a training in the file: the settings that differ from the lesson's defaults."""
    return " ".join(f"{name}={text}" for name, text in lesson.changed(values).items())
