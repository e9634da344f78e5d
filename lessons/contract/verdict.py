"""The numbers that a verdict names: what torch computes for the case asked, and what was said."""

from collections.abc import Mapping
from dataclasses import dataclass

from lessons.contract.prose import Question, quoted, written

Facts = Mapping[str, float | int | str]


@dataclass(frozen=True)
class Named:
    """One of them.

    Args:
        label: whose it is, or what.
        text: as it reads.
        value: None where it is no number.
        computed: False for what the learner said.
    """

    label: str
    text: str
    value: float | None
    computed: bool = True

    @classmethod
    def of(cls, label: str, fact: float | int | str, form: str, computed: bool = True) -> "Named":
        """A fact."""
        value = None if isinstance(fact, str) else float(fact)
        return cls(label, written(fact, form), value, computed)


def names(question: Question, key: str) -> tuple[tuple[str, str], ...]:
    """The facts that an answer names, each with its format: those in its own words.

    The answer to a typed number is a fact itself.
    """
    option = next(one for one in question.options if one.key == key)
    named = quoted(option.text)
    if question.kind == "number" and option.fact not in dict(named):
        return ((option.fact, ".4g"), *named)
    return named


def compared(question: Question, right: str, said: str | Named, facts: Facts) -> list[Named]:
    """What a verdict is about, as numbers to set side by side.

    What the question says is computed, else the number of the right answer; then the learner's.

    Args:
        question: which one.
        right: the key of the right answer.
        said: the key of the learner's answer, or what the learner typed.
        facts: of the case asked.
    """
    found = [Named.of(label, facts[name], form) for label, name, form in question.computed]
    if not found:
        numbers = names(question, right)[:1]
        found = [Named.of("torch computes", facts[name], form) for name, form in numbers]
    elif question.kind != "number":
        return found
    if not found or said == right:
        return found
    if isinstance(said, str):
        named = names(question, said)[:1]
        return found + [Named.of("you said", facts[n], form, False) for n, form in named]
    return [*found, said]
