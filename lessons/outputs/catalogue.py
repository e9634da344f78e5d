"""The catalogue: every chapter and lesson, found on disk.

A lesson is a folder ``lessons/chapters/<chapter>/<lesson>/`` with a lesson.py that names a
``LESSON`` and an en.md with its text; a chapter is a folder with an en.md. Adding a lesson edits
nothing else. A broken one is an error that names the folder.
"""

import importlib
import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from lessons import chapters as course
from lessons.contract.bug import Bug
from lessons.contract.lesson import Lesson
from lessons.gradient_tricks.text import cited, suggestion
from lessons.gradient_tricks.text.words import ProseError, Texts, in_language
from lessons.prose.steps import Prose, read

WORDS = Texts(__file__)

ROOT = Path(course.__path__[0])


class CatalogueError(RuntimeError):
    """A lesson or chapter folder that cannot be used, and why."""


class UnknownLessonError(LookupError):
    """No lesson has this slug; the message has those like it, or all."""


@dataclass(frozen=True)
class Chapter:
    """One trick: its slug (the folder's name), its text, its lessons in order."""

    slug: str
    prose: Prose
    lessons: tuple[Lesson, ...]

    @property
    def title(self) -> str:
        return self.prose.front["title"]

    @property
    def summary(self) -> str:
        return self.prose.front["summary"]

    def find(self, slug: str) -> Lesson | None:
        """Return the chapter's lesson with this slug, if there is one."""
        return next((lesson for lesson in self.lessons if lesson.slug == slug), None)


@cache
def chapters() -> tuple[Chapter, ...]:
    """Every chapter in order, each with its lessons in order.

    Raises:
        CatalogueError: a folder that is not a proper lesson or chapter.
    """
    found = [_chapter(path.parent) for path in ROOT.glob("*/en.md")]
    found.sort(key=lambda chapter: _order(chapter.prose))
    slugs = [lesson.slug for chapter in found for lesson in chapter.lessons]
    twice = {slug for slug in slugs if slugs.count(slug) > 1}
    if twice:
        raise CatalogueError(f"two lessons have the same slug: {', '.join(sorted(twice))}")
    return tuple(found)


def lessons() -> tuple[Lesson, ...]:
    """Every lesson, in course order."""
    return tuple(lesson for chapter in chapters() for lesson in chapter.lessons)


@cache
def chapters_by_slug() -> dict[str, Chapter]:
    """Every chapter, in order."""
    return {chapter.slug: chapter for chapter in chapters()}


@cache
def lessons_by_slug() -> dict[str, Lesson]:
    """Every lesson, in course order."""
    return {lesson.slug: lesson for lesson in lessons()}


@cache
def lessons_by_earlier_slug() -> dict[str, Lesson]:
    """The lesson that an earlier slug leads to: its front matter has the slug under `formerly`."""
    return {
        slug: one
        for one in lessons()
        for slug in filter(None, one.prose.front.get("formerly", "").split(", "))
    }


def find(slug: str) -> Lesson:
    """The lesson with this slug.

    Raises:
        UnknownLessonError: there is none.
    """
    known = lessons_by_slug()
    if slug not in known:
        raise _unknown(slug, known)
    return known[slug]


def folder_of(slug: str) -> Path:
    """Find a lesson's folder; loads no lesson.

    Raises:
        UnknownLessonError: there is none.
    """
    known = {path.parent.name: path.parent for path in ROOT.glob("*/*/lesson.py")}
    if slug not in known:
        raise _unknown(slug, known)
    return known[slug]


def _unknown(slug: str, known: Collection[str]) -> UnknownLessonError:
    among = suggestion(slug, known)
    return UnknownLessonError(WORDS("no_lesson", slug=cited(slug, 40), nearest=among))


def load(folder: Path) -> Lesson:
    """The lesson in this folder.

    Raises:
        CatalogueError: its text or code is missing or broken.
    """
    try:
        prose = read(in_language(folder))
        package = f"{course.__name__}.{folder.parent.name}.{folder.name}"
        module = importlib.import_module(f"{package}.lesson")
        declared: Lesson = module.LESSON
        bug = _bug(folder, package)
    except Exception as error:  # of any kind: it is the lesson's code
        raise CatalogueError(f"{folder}: {error}") from error
    missing = {"order", "short", "title", "summary", "remember"} - set(prose.front)
    if missing:
        raise CatalogueError(f"{folder}: front matter lacks {', '.join(sorted(missing))}")
    if not re.fullmatch(r"-?\d+(\.\d+)?", order := prose.front["order"]):
        raise CatalogueError(f"{folder}: `order: {order}` is no number, as in order: 25")
    finding = any(question.kind == "bug" for question in prose.questions)
    if finding != (bug is not None):
        raise CatalogueError(f"{folder}: a bug to find needs bug.py and a step with <!-- bug: -->")
    asked = {one.name for one in prose.questions if one.kind != "bug" and not one.asks}
    if asked != set(declared.predictions):
        raise CatalogueError(
            f"{folder}: the text asks {sorted(asked)} without naming a fact (asks=), "
            f"lesson.py answers {sorted(declared.predictions)}"
        )
    drawn = {question.name for question in prose.questions if question.kind == "sketch"}
    if drawn != set(declared.sketches):
        raise CatalogueError(
            f"{folder}: the text has {sorted(drawn)} drawn, lesson.py {sorted(declared.sketches)}"
        )
    return replace(declared, folder=folder, prose=prose, bug=bug)


def _bug(folder: Path, package: str) -> Bug | None:
    """What bug.py in this folder declares, if there is one."""
    if not (folder / "bug.py").exists():
        return None
    declared: Bug = importlib.import_module(f"{package}.bug").BUG
    return declared


def _chapter(folder: Path) -> Chapter:
    try:
        prose = read(in_language(folder))
    except ProseError as error:
        raise CatalogueError(str(error)) from error
    folders = sorted(path.parent for path in folder.glob("*/lesson.py"))
    found = sorted(map(load, folders), key=lambda one: _order(one.prose))
    return Chapter(folder.name, prose, tuple(found))


def _order(prose: Prose) -> float:
    return float(prose.front["order"])
