"""Checks a lesson by the rules in lessons/chapters/README.md: ``python -m lessons check flip``.

A rule is a function of `Runs`, which computes each setting, graph and training of the lesson once
for all rules. It yields each place that breaks it, and what is wrong there.
"""

import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from lessons.check import experiments, frameworks, numbers, questions, stage, torch_file, trainings
from lessons.check import text as prose
from lessons.check.places import of_error, of_text, own_frame
from lessons.check.runs import Problems, Runs
from lessons.gradient_tricks.text.words import in_language
from lessons.outputs.catalogue import CatalogueError, folder_of, load
from lessons.outputs.process import leave_unsaid
from lessons.prose.steps import Step

Rule = Callable[[Runs], Problems]

RULES: tuple[Rule, ...] = (
    *(
        prose.form,
        prose.order,
        prose.bench,
        prose.typed,
        prose.controls,
        prose.source,
        prose.try_it,
        prose.trainings,
    ),
    *(numbers.results, numbers.match_saved, numbers.cuts, numbers.ops),
    *(experiments.values, experiments.slopes),
    *(questions.options, questions.typed, questions.sketches, questions.quiz, questions.bug),
    *(stage.titles, stage.drags, stage.graph, stage.touch, stage.answers, stage.tasks, stage.moves),
    *(torch_file.form, torch_file.numbers, frameworks.files, trainings.file),
)


@dataclass(frozen=True)
class Problem:
    """A rule that a lesson breaks: in which file, in which line from 1, and how."""

    file: Path
    line: int
    text: str

    def __str__(self) -> str:
        here = self.file.relative_to(Path.cwd()) if Path.cwd() in self.file.parents else self.file
        return f"{here}:{self.line}: {self.text}"


def check(slug: str, thorough: bool = False, *more: Rule) -> list[Problem]:
    """Find what is wrong with a lesson: what keeps it from loading, then from computing, then all.

    Args:
        slug: the lesson's.
        thorough: try all cases of the rules that usually try some, and train again what
            trained.json keeps.
        more: rules besides the usual ones.

    Raises:
        UnknownLessonError: there is no such lesson.
    """
    folder = folder_of(slug)
    try:
        runs = Runs(load(folder), thorough)
    except CatalogueError as error:
        return [_raised(folder, error.__cause__ or error)]
    found: list[Problem] = []
    for rules in ([stage.settings], [numbers.facts], [stage.stages], [*RULES, *more]):
        found = found or problems(runs, *rules)
    return found


def problems(runs: Runs, *rules: Rule) -> list[Problem]:
    """Apply rules to a lesson; an error in its code is a problem, too."""
    found: list[Problem] = []
    with warnings.catch_warnings(action="error"), trainings.reuse_saved_runs(runs):
        leave_unsaid()
        for rule in rules:
            try:
                for where, text in rule(runs):
                    found.append(_problem(runs.lesson.folder, where, text))
            except Exception as error:  # of any kind: the lesson's code is under test
                found.append(_raised(runs.lesson.folder, error))
    return list(dict.fromkeys(found))


def _problem(folder: Path, where: Step | str | None, text: str) -> Problem:
    if isinstance(where, str):
        return Problem(*of_text(folder / where, text), text)
    return Problem(*of_text(in_language(folder), text, where.title if where else ""), text)


def _raised(folder: Path, error: BaseException) -> Problem:
    file, line = of_error(folder, error)
    text = str(error).removeprefix(str(file)).removeprefix(str(folder)).lstrip(":, ")
    if not type(error).__module__.startswith("lessons."):
        text = f"{type(error).__name__}: {text}"
        if own_frame(folder, error) is None:  # perhaps the fault is ours
            ours = traceback.extract_tb(error.__traceback__)[-1]
            text += f" (raised in {ours.filename}, line {ours.lineno})"
    return Problem(file, line, text)
