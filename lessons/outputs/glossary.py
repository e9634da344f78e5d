"""The glossary: its terms, and where a lesson's text uses one first."""

import itertools
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from lessons.contract.lesson import Lesson
from lessons.gradient_tricks.text.words import ProseError, in_language, sections
from lessons.outputs.catalogue import find, lessons

_FILE = in_language(Path(__file__).with_name("terms"))

# What is no running text: code, maths, links, values to fill in, headings, comments, HTML.
_APART = re.compile(
    r"```.*?```|`[^`\n]*`|\$\$.*?\$\$|\$[^$\n]*\$|!?\[[^\]\n]*\]\([^)\n]*\)|\{\{.*?\}\}"
    r"|^#+ .*?$|<[^>]*>",
    re.DOTALL | re.MULTILINE,
)


@dataclass(frozen=True)
class Term:
    """One entry.

    Args:
        name: as it is headed.
        also: other spellings that mean the same.
        text: two sentences of Markdown.
    """

    name: str
    also: tuple[str, ...]
    text: str

    @property
    def slug(self) -> str:
        """The name as addresses carry it."""
        return re.sub(r"\W+", "-", self.name.lower()).strip("-")

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Any of its spellings, as whole words, the longest first."""
        names = sorted((self.name, *self.also), key=len, reverse=True)
        words = "|".join(re.escape(name).replace(r"\ ", r"\s+") for name in names)
        flags = re.NOFLAG if self.name.isupper() or self.name == "NaN" else re.IGNORECASE
        # Stack Overflow is a site, whatever overflow means.
        return re.compile(rf"(?<![\w-])(?<!Stack )(?:{words})(?![\w-])", flags)


@cache
def terms() -> tuple[Term, ...]:
    """Every term, by name.

    Raises:
        ProseError: a term without text, or a spelling that two terms claim.
    """
    _, *entries = sections(_FILE.read_text("utf-8"))
    found = sorted(itertools.starmap(_term, entries), key=lambda term: term.name.lower())
    spellings = [name.lower() for term in found for name in (term.name, *term.also)]
    twice = {name for name in spellings if spellings.count(name) > 1}
    if twice:
        raise ProseError(f"two terms are spelt {', '.join(sorted(twice))}")
    return tuple(found)


def find_term(slug: str) -> Term | None:
    """The term that an address names, if there is one."""
    return next((term for term in terms() if term.slug == slug), None)


@cache
def first_uses(slug: str) -> tuple[frozenset[str], ...]:
    """For each step of the lesson, the slugs of the terms that its text is the first to use."""
    left, steps = {term.slug for term in terms()}, []
    for step in find(slug).prose.steps:
        here = {term.slug for _, _, term in uses(step.text, left)}
        left -= here
        steps.append(frozenset(here))
    return tuple(steps)


@cache
def lessons_of(term: Term) -> tuple[Lesson, ...]:
    """The lessons whose text or code speaks of it, in course order."""
    return tuple(lesson for lesson in lessons() if term.pattern.search(_whole(lesson)))


def uses(text: str, allowed: Collection[str]) -> Iterator[tuple[int, int, Term]]:
    """Where in a Markdown text each of these terms stands first, outside code and maths.

    Args:
        allowed: slugs of terms.

    Yields:
        start, end and term, in the order of the text; no two overlap.
    """
    running = _APART.sub(_blank, text)
    places = [
        (match.start(), -match.end(), term)
        for term in terms()
        for match in term.pattern.finditer(running)
    ]
    end, left = 0, set(allowed)
    for start, minus_end, term in sorted(places, key=lambda place: place[:2]):
        if start >= end:  # a longer term holds the shorter one within it
            end = -minus_end
            if term.slug in left:
                left.discard(term.slug)
                yield start, end, term


def _term(name: str, text: str) -> Term:
    also: tuple[str, ...] = ()
    text = text.strip()
    if text.startswith("also:"):
        line, _, text = text.partition("\n")
        also = tuple(part.strip() for part in line.removeprefix("also:").split(","))
    if not text.strip():
        raise ProseError(f"{name}: there is no text")
    return Term(name.strip(), also, " ".join(text.split()))


def _whole(lesson: Lesson) -> str:
    return "\n".join([lesson.title, lesson.summary, *(step.text for step in lesson.prose.steps)])


def _blank(match: re.Match[str]) -> str:
    """Blank a match out, with as many characters, so that later places stay."""
    return re.sub(r"[^\n]", "\0", match.group())
