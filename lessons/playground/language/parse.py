"""Reads a program or a rule: text that scan.py has passed, through Python's `ast`, into nodes.

Nothing is evaluated here but arithmetic between written numbers.
"""

import ast
from collections.abc import Sequence
from functools import lru_cache

from lessons.playground.language.expressions import Program, Rule
from lessons.playground.language.playground_error import PlaygroundError
from lessons.playground.language.read_calls import Reader
from lessons.playground.language.scan import scan
from lessons.playground.language.words import WORDS


def parse_program(text: str, inputs: Sequence[str]) -> Program:
    """Read a program.

    Args:
        text: assignments, one a line; line ends are plain newlines.
        inputs: the names that are given beforehand.

    Raises:
        PlaygroundError: the first thing that is wrong, at its line and column.
    """
    return _program(text, tuple(inputs))


@lru_cache(maxsize=64)
def _program(text: str, inputs: tuple[str, ...]) -> Program:
    """Read a program once while its numbers move: reading it takes as long as running it."""
    scan(text)
    tree = _ast(text, WORDS("no_line"))
    reader = Reader(dict.fromkeys(inputs, "tensor"))
    lines = tuple(reader.assignment(line, inputs) for line in tree.body)
    if not lines:
        raise PlaygroundError(WORDS("empty_program"), 1, 1)
    return Program(text, lines)


def parse_rule(text: str, names: Sequence[str], subject: str) -> Rule:
    """Read a rule: one expression, or several with commas between, each a gradient.

    Args:
        text: the rule; None stands for no gradient.
        names: what it may read: grad, grad1, in1, out1 and so on.

    Raises:
        PlaygroundError: with the part "rule".
    """
    text = text.strip()
    try:
        scan(text, rule=True)
        empty = ast.Expr(ast.Tuple([]))
        line, *others = _ast(text, WORDS("no_rule")).body or [empty]
        if others or not isinstance(line, ast.Expr):
            raise PlaygroundError(WORDS("rule_assigns"), 1, 1)
        items = line.value.elts if isinstance(line.value, ast.Tuple) else [line.value]
        if not items:
            raise PlaygroundError(WORDS("empty_rule"), 1, 1)
        reader = Reader(dict.fromkeys(names, "tensor"), rule=True)
        return Rule(text, tuple(reader.gradient(item) for item in items))
    except PlaygroundError as error:
        raise error.within("rule", subject) from error.__cause__


def _ast(text: str, refusal: str) -> ast.Module:
    try:
        return ast.parse(text)
    except SyntaxError as error:
        raise PlaygroundError(refusal, error.lineno or 1, error.offset or 1) from None
    except (RecursionError, MemoryError, ValueError, OverflowError):
        raise PlaygroundError(WORDS("too_deep"), 1, 1) from None
