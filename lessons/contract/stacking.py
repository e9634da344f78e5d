"""Keeps the names at the ends of a chart's lines apart."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

_LINE = 16.0
"""Pixels from one name to the next below it."""
_SMALLEST_VISIBLE_GAP = 4.0
"""Pixels; line ends closer than this look like one."""


class Stack(NamedTuple):
    """The place of a name that makes way for others.

    Args:
        end: of its line, in pixels above the chart's foot.
        tall: how tall the chart is, in pixels.
        low, high: what its axis spans.
    """

    end: float
    tall: float
    low: float
    high: float


def stacked(traces: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The traces, their visible names moved apart so that none lies on another.

    Args:
        traces: of one chart; a name to move has its ``stack``.
    """
    stacks: dict[int, Stack] = {
        place: trace["stack"]
        for place, trace in enumerate(traces)
        if "stack" in trace and trace.get("visible", True)
    }
    order = _upwards({place: stack.end for place, stack in stacks.items()})
    tall = max((stack.tall for stack in stacks.values()), default=0.0)
    heights = apart([stacks[place].end for place in order], tall)
    found = list(traces)
    for place, height in zip(order, heights, strict=True):
        _, tall, low, high = stacks[place]
        found[place] = found[place] | {"y": [low + height / tall * (high - low)]}
    return found


def _upwards(ends: Mapping[int, float]) -> list[int]:
    """The places from the lowest end to the highest.

    Those of lines that end together keep their order, so that no name jumps while one drags.
    """
    together: list[list[int]] = []
    for place in sorted(ends, key=ends.__getitem__):
        if together and ends[place] - ends[together[-1][-1]] < _SMALLEST_VISIBLE_GAP:
            together[-1].append(place)
        else:
            together.append([place])
    given = list(ends)
    return [place for group in together for place in sorted(group, key=given.index)]


def apart(places: list[float], tall: float) -> list[float]:
    """Move ascending places as little as needed to be a line apart, from 0 to ``tall`` pixels."""
    groups: list[list[float]] = []  # names that touch stand around the middle of their places
    for place in places:
        groups.append([place])
        while len(groups) > 1 and _ends(groups[-2], tall)[1] + _LINE > _ends(groups[-1], tall)[0]:
            last = groups.pop()
            groups[-1] += last
    starts = [(_ends(group, tall)[0], len(group)) for group in groups]
    # Whole pixels: what moves by less stands still, and costs the browser nothing.
    return [round(start) + _LINE * index for start, count in starts for index in range(count)]


def _ends(group: list[float], tall: float) -> tuple[float, float]:
    """Where the lowest and the highest name of a group stand."""
    high = _LINE * (len(group) - 1)
    low = sum(group) / len(group) - high / 2
    low = max(min(low, tall - _LINE / 2 - high), _LINE / 2)
    return low, low + high
