"""A lesson as one short file of plain torch: its in_torch.py with the settings of a screen.

in_torch.py opens with its settings, one assignment each, named as the lab's parameters are; then
come its functions, the lesson's program under its own name and with its own parameters among them;
what prints stands under ``if __name__ == "__main__":`` and leaves its numbers in ``result``, by the
names of the lab's series. The file imports torch and the standard library alone: what in_torch.py
imports from its chapter is written into it. It has at most 40 lines; 90 in the chapter of override
maps, 120 with a training.

The file cuts no edge of the graph; a comment names those that are cut on the screen.
"""

import ast
import json
import math
import re
import textwrap
from collections.abc import Collection, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from lessons.contract.cuts import write_cuts
from lessons.contract.lesson import Lesson
from lessons.contract.settings import Settings
from lessons.gradient_tricks.recorder.cutting import Cut
from lessons.gradient_tricks.recorder.recording.variables import place_of
from lessons.gradient_tricks.text.words import Texts
from lessons.outputs.computed import computed

WORDS = Texts(__file__)


def source_with(lesson: Lesson, cuts: Collection[Cut]) -> str:
    """Return the source, with a line that cuts these edges if there are any."""
    if not cuts:
        return lesson.source
    pairs = ", ".join(f"({op!r}, {operand})" for op, operand in sorted(cuts))
    name = lesson.program.__name__
    return f"{lesson.source}\n\n{name} = cut({name}, [{pairs}])\n"


@cache
def in_torch(lesson: Lesson) -> str:
    """Return in_torch.py with the chapter's map written into it, if it imports the map."""
    text = (lesson.folder / "in_torch.py").read_text("utf-8")
    line = re.search(rf"\nfrom .*\.{lesson.chapter}\.in_torch import .*\n", text)
    if line is None:
        return text
    own = (lesson.folder.parent / "in_torch.py").read_text("utf-8").partition("import torch\n")[2]
    before, _, after = text.replace(line[0], "").partition("\n\n\n")
    return "\n\n\n".join([before, own.strip(), after])


def equivalents(lesson: Lesson) -> dict[str, Path]:
    """Files in the folder with the same program in other frameworks, by label."""
    names = {"TensorFlow 1": "in_tensorflow1.py", "JAX": "in_jax.py"}
    paths = {label: lesson.folder / name for label, name in names.items()}
    return {label: path for label, path in paths.items() if path.exists()}


def plain_torch(lesson: Lesson, values: Settings, cuts: Collection[Cut] = ()) -> str:
    """The file's text with these settings; a comment names the edges that are cut on the screen."""
    text = with_settings(in_torch(lesson), {**values, **lesson.lab.sampled_values(values)})
    head = _comment(WORDS("file_head", lesson=lesson.slug))
    if cuts:
        head += _comment(WORDS("not_cut", cuts=write_cuts(cuts).replace(",", ", ")))
    head += _why_no_number(lesson, values)
    return _below_docstring(text, head)


def _why_no_number(lesson: Lesson, values: Settings) -> list[str]:
    """Comments with what the lab says of a NaN that the file prints with these settings.

    What a training prints is known after its steps alone.
    """
    if lesson.lab.training is not None:
        return []
    result = computed(lesson, values).result
    if not any(np.isnan(series.y).any() for series in result.series):
        return []
    said = " ".join(note.text for note in result.notes if note.level == "warning")
    return _comment(WORDS("why_nan", why=said))


def _comment(text: str) -> list[str]:
    return textwrap.wrap(text, 90, initial_indent="# ", subsequent_indent="# ")


def with_settings(text: str, settings: Mapping[str, Any]) -> str:
    """The text with other values in its settings, the assignments before the first function.

    >>> with_settings("x = [1.0]\\nscale = 2\\ndef f(): ...", {"x": (3.0, math.inf), "y": 1})
    'x = [3.0, float("inf")]\\nscale = 2\\ndef f(): ...'
    """
    raw, edits = text.encode(), []
    for statement in ast.parse(text, "in_torch.py").body:
        if isinstance(statement, (ast.FunctionDef, ast.ClassDef, ast.If)):
            break
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            name = statement.targets[0].id
            if name in settings:
                start, end = _span(text, statement.value)
                edits += [(start, end, _literal(name, settings[name]))]
    for first, last, new in reversed(edits):
        raw = raw[:first] + new.encode() + raw[last:]
    return raw.decode()


def _literal(name: str, value: Any) -> str:
    if name == "dtype":
        return f"torch.{value}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(_literal('', one) for one in value)}]"
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    # A function's text is a kind of str, and says itself how it is written.
    return json.dumps(value) if type(value) is str else repr(value)


def _below_docstring(text: str, lines: list[str]) -> str:
    first = ast.parse(text).body[0]
    after = (first.end_lineno or 0) if isinstance(first, ast.Expr) else 0
    all_lines = text.splitlines()
    return "\n".join([*all_lines[:after], "", *lines, *all_lines[after:]]) + "\n"


def _span(text: str, node: ast.expr) -> tuple[int, int]:
    """The expression's first and last byte offset in the text."""
    starts = [0]
    for raw in text.encode().splitlines(keepends=True):
        starts.append(starts[-1] + len(raw))
    line, end_line, column, end_column = place_of(node)
    return starts[line - 1] + column, starts[end_line - 1] + end_column
