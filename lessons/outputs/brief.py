"""A program in a few lines: without what its settings leave out.

Where a lesson lets one choose between spellings, its program has a branch for each. A few lines to
take home are those of the choice that was made.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from typing import Any

import numpy as np

from lessons.contract.lesson import Lesson
from lessons.contract.parameters import Choice, InvalidParametersError
from lessons.contract.settings import Settings
from lessons.outputs.catalogue import find
from lessons.outputs.plain_torch import in_torch
from lessons.text.words import Texts

WORDS = Texts(__file__)

LONGEST = 10
"""Lines of plain torch to take home: with more, the program's helpers are left out."""


MISTAKE = "  # " + WORDS("the_mistake")


@lru_cache(maxsize=64)
def in_plain_torch(slug: str) -> str:
    """The program of a lesson's in_torch.py at its `kept` settings, its mistake marked as one."""
    lesson = find(slug)
    right, shown = (
        _lines(lesson, values) for values in (as_meant(lesson), interesting_settings(lesson))
    )
    return "\n".join(line if line in right else line + MISTAKE for line in shown)


def interesting_settings(lesson: Lesson) -> Settings:
    """Settings whose program has the lesson's point in it: its trick, or else its mistake.

    Where the right program lacks the highlighted line, its point may be what it leaves out: then
    the case of the first question that has that line and a longer program.
    """
    meant = as_meant(lesson)
    right = "\n".join(_lines(lesson, meant))
    for question in filter(lambda one: one.is_of_lab, lesson.prose.questions):
        with suppress(InvalidParametersError):
            case = lesson.case(question)
            wrong = "\n".join(_lines(lesson, case))
            new = lesson.highlight in wrong and lesson.highlight not in right
            if new and len(wrong) > len(right):
                return case
    return meant


def _lines(lesson: Lesson, values: Settings) -> list[str]:
    text = in_torch(lesson)
    name, names = lesson.program.__name__, choices(lesson, values)
    program = specialised(text, name, names)
    tops = [one for one in ast.parse(text).body if isinstance(one, ast.FunctionDef)]
    read = {one.id for one in ast.walk(ast.parse(program)) if isinstance(one, ast.Name)}
    helpers = [specialised(text, one.name, names) for one in tops if one.name in read - {name}]
    whole = "\n\n".join([*helpers, program])
    return (whole if whole.count("\n") < LONGEST else program).split("\n")


def as_meant(lesson: Lesson) -> Settings:
    """The last step's settings, with one choice changed where that gives the intended gradient.

    As they are where they give it themselves, or no one change does.
    """
    tried = list(_one_changed(lesson))
    return next((one for one in tried if _does_what_is_meant(lesson, one)), tried[0])


def choices(lesson: Lesson, values: Settings) -> dict[str, str]:
    """What is chosen from a list of names, by parameter."""
    return {p.name: values[p.name] for p in _of_names(lesson)}


def _of_names(lesson: Lesson) -> list[Choice]:
    return [p for p in lesson.lab.parameters if isinstance(p, Choice) and not p.advanced]


def _one_changed(lesson: Lesson) -> Iterator[Settings]:
    """The settings of the last step, then with one choice changed; those that are refused not."""
    given = lesson.prose.steps[-1].lab
    yield lesson.validate(given)
    for parameter in _of_names(lesson):
        for name in parameter.names:
            try:
                yield lesson.validate({**given, parameter.name: name})
            except InvalidParametersError:
                continue


def _does_what_is_meant(lesson: Lesson, values: Settings) -> bool:
    result = lesson.compute(lesson.lab.preview(values))
    given, meant = (result[role].y for role in ("trick_gradient", "intended_gradient"))
    return bool(np.allclose(given, meant))


def specialised(text: str, name: str, chosen: Mapping[str, str]) -> str:
    """The function or class of this name, without docstrings, types and branches not taken.

    >>> text = "def f(x: float, way: str) -> float:\\n    return 2 * x if way == 'on' else x\\n"
    >>> print(specialised(text, "f", {"way": "on"}))
    def f(x):
        return 2 * x
    """
    found = next(
        node
        for node in ast.parse(text).body
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name
    )
    folded = _Fold(chosen).visit(found)
    if isinstance(folded, ast.FunctionDef):
        _drop_unread(folded)
    written = f"{ast.unparse(folded)}\n"
    # What ast.unparse does and this project's code does not: brackets around a tuple, single
    # quotes, empty lines.
    for node in ast.walk(folded):
        if isinstance(node, ast.Assign | ast.Return) and isinstance(node.value, ast.Tuple):
            whole = ast.unparse(node.value)
            written = written.replace(f" {whole}\n", f" {whole[1:-1]}\n")
    written = re.sub(r"'([^'\"\\]*)'", r'"\1"', written)
    return "\n".join(filter(str.strip, written.splitlines()))


class _Fold(ast.NodeTransformer):
    """Decides each comparison of a known name with what stands there literally."""

    def __init__(self, known: Mapping[str, str]) -> None:
        self._known = known

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        if not (isinstance(node.left, ast.Name) and node.left.id in self._known):
            return node
        value = self._known[node.left.id]
        try:
            beside: Any = ast.literal_eval(node.comparators[0])
        except ValueError:
            return node
        match node.ops:
            case [ast.Eq()]:
                return ast.Constant(value == beside)
            case [ast.NotEq()]:
                return ast.Constant(value != beside)
            case [ast.In()]:
                return ast.Constant(value in beside)
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        self.generic_visit(node)
        decides = isinstance(node.op, ast.Or)
        if any(_is(one, decides) for one in node.values):
            return ast.Constant(decides)
        node.values = left = [one for one in node.values if not _is(one, not decides)]
        return node if len(left) > 1 else left[0] if left else ast.Constant(not decides)

    def visit_If(self, node: ast.If | ast.IfExp) -> Any:
        self.generic_visit(node)
        return node.body if _is(node.test, True) else node.orelse if _is(node.test, False) else node

    visit_IfExp = visit_If  # noqa: N815 - as ast names it

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        self.generic_visit(node)
        node.body = _without_docstring(node.body)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        self.generic_visit(node)
        body = _without_docstring(node.body)
        ends = [index for index, one in enumerate(body) if isinstance(one, ast.Return)]
        node.body = body[: ends[0] + 1] if ends else body
        node.returns = None
        for one in (*node.args.args, *node.args.kwonlyargs):
            one.annotation = None
        return node


def _drop_unread(function: ast.FunctionDef) -> None:
    """Take away the arguments that only the branches not taken read."""
    parts = [one for statement in function.body for one in ast.walk(statement)]
    read = {one.id for one in parts if isinstance(one, ast.Name)}
    given = function.args
    always = len(given.args) - len(given.defaults)
    kept = [place for place, one in enumerate(given.args) if one.arg in read]
    given.defaults = [given.defaults[place - always] for place in kept if place >= always]
    given.args = [given.args[place] for place in kept]


def _is(node: ast.expr, value: bool) -> bool:
    return isinstance(node, ast.Constant) and node.value is value


def _without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    first = body[0]
    told = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    return body[1:] if told else body
