"""Finds where the code says each op of the graph, and which inputs' gradients the charts show."""

import inspect
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from lessons.contract.lab import Start
from lessons.contract.lesson import Lesson
from lessons.contract.result import Result
from lessons.gradient_tricks.recorder import Recording
from lessons.playground.document.as_text import IMPORTS, Reading
from lessons.playground.document.check import Checked
from lessons.playground.running.recorded import operations
from pages.labs.graph_messages import Stretch


def stretches(lesson: Lesson, recording: Recording) -> list[Stretch]:
    """Where each op of the graph stands in the program's source, as the code pane shows it.

    An op of a function that the program calls stands where the call does.
    """
    file, count, first = _source(lesson.program)
    found: dict[str, Stretch] = {}
    for node in recording:
        for where in (node.caller, node.place):
            if where is None or where[0] != file:
                continue
            line, last = where[1][0] - first, where[1][1] - first
            if line >= 0 and last < count:
                start, end = where[1][2:]
                found[node.name] = Stretch(
                    node=node.name, line=line, start=start, last=last, end=end
                )
    return list(found.values())


def stretches_of_program(checked: Checked, reading: Reading) -> list[Stretch]:
    """Where each op stands in the file of a playground's program, and in what the learner typed.

    Args:
        reading: the program's text, with the places of its lines.
    """
    found = []
    for name, node in operations(checked.program).items():
        (line, indent), (last, _) = (
            reading.lines[at - 1] for at in (node.lineno, node.end_lineno or node.lineno)
        )
        start, end = node.col_offset + indent, (node.end_col_offset or 0) + indent * (line == last)
        head = IMPORTS.count("\n")  # and a blank line
        stretch = Stretch(node=name, line=line + head, start=start, last=last + head, end=end)
        found.append(stretch | {"typed": line - 1})
    return found


@lru_cache(64)
def _source(program: Callable[..., Any]) -> tuple[str | None, int, int]:
    """A program's file, how many lines it has there, and the number of the first."""
    program = inspect.unwrap(program)
    lines, first = inspect.getsourcelines(program)
    return inspect.getsourcefile(program), len(lines), first


def leaves_in_charts(start: Start, result: Result) -> list[str]:
    """Name the inputs of the recorded run whose gradients, end to end, are the trick gradient.

    A run with other inputs than the lab's has more numbers, or fewer: then there are none.
    """
    trained = {name: leaf for name, leaf in start.leaves.items() if leaf.requires_grad}
    count = sum(leaf.numel() for leaf in trained.values())
    shown = (len(one.y) for one in result.series if one.name == "trick_gradient")
    return [*trained] if count in shown else []
