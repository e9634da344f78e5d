"""Compares the numbers of a file, or those of a training that are kept, with the lesson's own."""

import math
from typing import Any

from lessons.check.runs import Runs
from lessons.contract.result import jsonable
from lessons.contract.settings import Settings

MUST = ("forward", "trick_gradient")
AT = "index of the chosen input"


def ours_at(runs: Runs, values: Settings) -> dict[str, Any]:
    """What torch computes at these values: series and facts by name."""
    result = runs.result(values)
    facts = {name: jsonable(value) for name, value in result.facts.items()}
    series = {one.name: jsonable(one.y) for one in result.series}
    at = min(int(values.get("point", 1)), len(series["forward"])) - 1  # as the labs read it
    return {AT: at} | facts | series


def compared(mine: dict[str, Any], theirs: dict[str, Any]) -> dict[str, float]:
    """The largest difference of each number or list that both have, against its own size.

    A fact is a number at the lesson's chosen input; where theirs is a list over all inputs, its
    entry there counts.

    Raises:
        ValueError: what must be there is not, or has another length.
    """
    found = {}
    for name in [*MUST, *(key for key in theirs if key not in MUST)]:
        if name not in theirs or (name in MUST and name not in mine):
            raise ValueError(f"{name} is not there")
        if name in mine and not any(map(_is_sentence, (mine[name], theirs[name]))):
            mine_flat, theirs_flat = flat(mine[name]), flat(theirs[name])
            if not isinstance(mine[name], list) and len(theirs_flat) == len(flat(mine["forward"])):
                theirs_flat = [theirs_flat[mine[AT]]]
            found[name] = _largest_difference(name, mine_flat, theirs_flat)
    return found


def _is_sentence(value: Any) -> bool:
    """An error's wording is each framework's own."""
    return isinstance(value, str) and " " in value


def flat(value: Any) -> list[Any]:
    """List what is in lists of lists, one after the other."""
    return [one for part in value for one in flat(part)] if isinstance(value, list) else [value]


def _largest_difference(name: str, mine: list[Any], theirs: list[Any]) -> float:
    """The largest difference between two numbers at the same place of lists of one length."""
    if len(mine) != len(theirs):
        raise ValueError(f"{name}: {len(theirs)} numbers, {len(mine)} are ours")
    return max((one_apart(a, b) for a, b in zip(mine, theirs, strict=True)), default=0.0)


def one_apart(mine: Any, theirs: Any) -> float:
    """The distance of two numbers, relative to ours if that is above 1; inf for unequal texts."""
    try:
        a, b = float(mine), float(theirs)
    except (TypeError, ValueError):
        return 0.0 if str(mine) == str(theirs) else math.inf
    if not (math.isfinite(a) and math.isfinite(b)):
        return 0.0 if a == b or (math.isnan(a) and math.isnan(b)) else math.inf
    return abs(a - b) / max(1.0, abs(a))
