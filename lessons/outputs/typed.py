"""A prediction typed as a number: which answer it equals, by the facts that the answers name."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from lessons.contract.parameters import read_number
from lessons.gradient_tricks.text import cited, number
from lessons.gradient_tricks.text.words import Texts
from lessons.prose.steps import Question

WORDS = Texts(__file__)

TOLERANCE = 0.02
"""How far from a fact a typed number may lie and still equal it, as a share of the fact."""


@dataclass(frozen=True)
class Typed:
    """A number as typed and as graded.

    Args:
        value: what was typed.
        key: the answer whose fact it equals; empty where it equals none.
        computed: what was right when it was graded.
    """

    value: float
    key: str
    computed: float

    def __str__(self) -> str:
        """Write the answer as text that ``parse`` reads."""
        return f"{self.value:.6g}~{self.key}~{self.computed:.6g}"

    @classmethod
    def parse(cls, question: Question, text: str) -> Typed:
        """Read what ``str`` wrote; the text is untrusted.

        Raises:
            ValueError: it is not such a text, or names no answer of the question.
        """
        value, key, computed = text[:100].split("~")
        if key and key not in {option.key for option in question.options}:
            raise ValueError(f"no answer {key!r}")
        return cls(read_number(value), key, read_number(computed))

    def followed_by(self, words: str) -> str:
        """The number, then these words of the answer that it equals unless they begin with it."""
        shown = number(self.value)
        if not words:
            return shown
        return words if words.startswith(shown) else f"{shown}. {words}"

    def distance(self) -> str:
        """Say how far a number that is no answer is from the right one."""
        apart, computed = self.value - self.computed, _counted_out(self.computed, 4)
        gap = _counted_out(abs(apart), 3)
        if apart > 0:
            return WORDS("typed_above", gap=gap, computed=computed)
        return WORDS("typed_below", gap=gap, computed=computed)


def _counted_out(value: float, digits: int) -> str:
    """Round to significant digits, but keep whole numbers below a million: 1193, not 1.19e+03."""
    whole = len(f"{abs(value):.0f}") if abs(value) < 1e6 else 0
    return number(value, max(digits, whole))


def grade(
    question: Question, right: str, text: str, facts: Mapping[str, float | int | str]
) -> Typed:
    """The typed number beside the facts that the question's answers name.

    It equals a fact within 2 %, or if the fact rounds to it at the digits that were typed, two or
    more. Of several such facts the nearest counts.

    Args:
        right: the key of the right answer.
        text: as it came from the learner; “1/4” is a number too.
        facts: the ones that the learner saw.

    Raises:
        ValueError: the text is not a number, or the right answer is none or too far from it to
            compare; the sentence says what to do.
    """
    value = _read(text)
    beliefs = {option.key: _as_float(option.value(facts)) for option in question.options}
    computed = beliefs[right]
    if not math.isfinite(computed):
        raise ValueError(WORDS("typed_nothing", computed=number(computed)))
    if not math.isfinite(value - computed):
        shown = number(computed, 4)
        raise ValueError(WORDS("typed_too_far", number=number(value), computed=shown))
    apart = {key: abs(value - fact) for key, fact in beliefs.items() if _equal(value, text, fact)}
    return Typed(value, min(apart, key=apart.__getitem__, default=""), computed)


def _read(text: str) -> float:
    """A number, or one over another, as one writes a derivative.

    Raises:
        ValueError: it is neither.
    """
    if not text.strip():
        raise ValueError(WORDS("type_a_number"))
    above, _, below = text.partition("/")
    try:
        number_, by = read_number(above), read_number(below)
    except ValueError:
        return read_number(text)  # what is said is about all of it
    if not by:
        raise ValueError(WORDS("divides_by_zero", text=cited(text.strip())))
    return number_ / by


def _as_float(fact: float | int | str) -> float:
    """A fact as torch would hold it: a whole number past the largest float is infinite."""
    try:
        return float(fact)
    except OverflowError:
        return math.inf if isinstance(fact, int) and fact > 0 else -math.inf


def _equal(value: float, text: str, fact: float) -> bool:
    """Whether a learner who typed this may have meant the fact."""
    if not math.isfinite(fact):
        return False
    if abs(value - fact) <= TOLERANCE * abs(fact):
        return True
    mantissa = text.lower().split("e")[0]
    digits = len("".join(filter(str.isdigit, mantissa)).lstrip("0"))
    return digits >= 2 and float(f"{fact:.{min(digits, 15)}g}") == value
