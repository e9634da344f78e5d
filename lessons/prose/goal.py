"""When a learner's task is done: comparisons of facts, as `trick_gradient = 18 and x > 2`."""

import math
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from lessons.gradient_tricks.text import suggestion

Facts = Mapping[str, float | int | str]
"""What a text can quote, by name."""


class GoalError(ValueError):
    """A goal that cannot be read; says what was expected."""


def _close(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=1e-3, abs_tol=1e-6)


_SIGNS: dict[str, Callable[[float, float], bool]] = {
    "=": _close,
    "!=": lambda one, other: not _close(one, other),
    "<": operator.lt,
    ">": operator.gt,
}
_PART = re.compile(r"(\w+) (=|!=|<|>) (\S+)")


@dataclass(frozen=True)
class Goal:
    """Comparisons that all have to hold; each is a fact, a sign, and a number, word or fact."""

    parts: tuple[tuple[str, str, str], ...]

    @classmethod
    def read(cls, text: str) -> "Goal":
        """Read a goal.

        >>> Goal.read("gradient = 18 and x > 2").parts
        (('gradient', '=', '18'), ('x', '>', '2'))

        Raises:
            GoalError: a part is no comparison.
        """
        found = [(part, _PART.fullmatch(part)) for part in text.strip().split(" and ")]
        for part, match in found:
            if match is None:
                raise GoalError(f"{part!r} is not a fact, one of {[*_SIGNS]} and a number or fact")
        return cls(tuple((m[1], m[2], m[3]) for _, m in found if m))

    def __str__(self) -> str:
        return " and ".join(map(" ".join, self.parts))

    def is_reached(self, facts: Facts) -> bool:
        """Whether all of it holds; numbers are equal to one part in a thousand.

        >>> Goal.read("gradient = other and mode = first").is_reached(
        ...     {"gradient": 2.0, "other": 2, "mode": "first"})
        True

        Raises:
            GoalError: no such fact.
        """
        return all(_holds(facts, *part) for part in self.parts)


def is_reached(goal: Goal | str, facts: Facts) -> bool | None:
    """Whether a goal is reached; None if its text can't be read or the facts don't say."""
    try:
        return (Goal.read(goal) if isinstance(goal, str) else goal).is_reached(facts)
    except GoalError:
        return None


def _holds(facts: Facts, name: str, sign: str, other: str) -> bool:
    if name not in facts:
        raise GoalError(f"no fact {name!r}. {suggestion(name, facts)}")
    left, right = facts[name], facts.get(other, other)
    if isinstance(left, str):
        return (left == right) == (sign == "=")
    try:
        return _SIGNS[sign](float(left), float(right))
    except ValueError:
        raise GoalError(f"{other!r} is neither a number nor a fact") from None
