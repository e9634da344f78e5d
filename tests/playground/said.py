"""What a learner is told, by the names of its texts, so that a test has no words of the prose."""

import re

from lessons.contract import parameters
from lessons.gradient_tricks import text
from lessons.playground.document import presets
from lessons.playground.document.words import WORDS as DOCUMENT
from lessons.playground.language.words import WORDS as LANGUAGE
from lessons.playground.running.words import WORDS as RUNNING
from tests.lessons.titles import pattern

ROOMS = (parameters.WORDS, text.WORDS, LANGUAGE, DOCUMENT, RUNNING, presets.WORDS)


def joined(program: str) -> str:
    """A program's text with each of its comments on one line."""
    return program.replace("\n#   ", " ")


class said:  # noqa: N801
    """Equals a message that has these texts in it, filled in with anything, and these parts.

    >>> said("no_function did_you_mean", "sqr") == "There is no function “sqr”. Did you mean sqrt?"
    True

    Args:
        names: of texts, with spaces between them.
        parts: what is filled in, or some of it.
    """

    def __init__(self, names: str, *parts: str) -> None:
        self.names, self.parts = names.split(), parts

    def __eq__(self, message: object) -> bool:
        found = joined(str(message))
        texts = ([pattern(one, name) for one in ROOMS if name in one.texts] for name in self.names)
        there = (any(re.search(one, found, re.DOTALL) for one in same) for same in texts)
        return all(part in found for part in self.parts) and all(there)

    def __hash__(self) -> int:
        return hash((*self.names, *self.parts))

    def __repr__(self) -> str:
        return f"said({', '.join(map(repr, (' '.join(self.names), *self.parts)))})"
