"""Compares the numbers of a file, or the saved numbers of a training, with the lesson's own."""

import math
from typing import Any

from lessons.check.runs import Runs
from lessons.contract.result import jsonable
from lessons.contract.settings import Settings

_REQUIRED = ("forward", "trick_gradient")
CHOSEN_INPUT = "index of the chosen input"


def lesson_numbers(runs: Runs, values: Settings) -> dict[str, Any]:
    """Compute series and facts at these values, by name."""
    result = runs.result(values)
    facts = {name: jsonable(value) for name, value in result.facts.items()}
    series = {one.name: jsonable(one.y) for one in result.series}
    at = min(int(values.get("point", 1)), len(series["forward"])) - 1  # as the labs read it
    return {CHOSEN_INPUT: at} | facts | series


def largest_differences(ours: dict[str, Any], theirs: dict[str, Any]) -> dict[str, float]:
    """The largest difference, relative to its size, in each number or list that both have.

    A fact is a number at the lesson's chosen input; where theirs is a list over all inputs, compare
    the entry for that input.

    Raises:
        ValueError: a required list is missing, or two lists have different lengths.
    """
    found = {}
    for name in [*_REQUIRED, *(key for key in theirs if key not in _REQUIRED)]:
        if name not in theirs or (name in _REQUIRED and name not in ours):
            raise ValueError(f"{'the lesson' if name in theirs else 'the file'} has no {name}")
        if name in ours and not any(map(_is_sentence, (ours[name], theirs[name]))):
            ours_flat, theirs_flat = flat(ours[name]), flat(theirs[name])
            if not isinstance(ours[name], list) and len(theirs_flat) == len(flat(ours["forward"])):
                theirs_flat = [theirs_flat[ours[CHOSEN_INPUT]]]
            found[name] = _largest_difference(name, ours_flat, theirs_flat)
    return found


def _is_sentence(value: Any) -> bool:
    """An error's wording is each framework's own."""
    return isinstance(value, str) and " " in value


def flat(value: Any) -> list[Any]:
    """List what is in lists of lists, one after the other."""
    return [one for part in value for one in flat(part)] if isinstance(value, list) else [value]


def _largest_difference(name: str, ours: list[Any], theirs: list[Any]) -> float:
    """The largest difference between two numbers at the same place of lists of one length."""
    if len(ours) != len(theirs):
        raise ValueError(f"{name}: {len(theirs)} numbers in the file, {len(ours)} in the lesson")
    return max((difference(a, b) for a, b in zip(ours, theirs, strict=True)), default=0.0)


def difference(ours: Any, theirs: Any) -> float:
    """The distance of two numbers, relative to ours if that is above 1; inf for unequal texts."""
    try:
        a, b = float(ours), float(theirs)
    except (TypeError, ValueError):
        return 0.0 if str(ours) == str(theirs) else math.inf
    if not (math.isfinite(a) and math.isfinite(b)):
        return 0.0 if a == b or (math.isnan(a) and math.isnan(b)) else math.inf
    return abs(a - b) / max(1.0, abs(a))
