"""Reads a program or a rule: text that scan.py has passed, through Python's `ast`, into nodes.

Nothing is evaluated here but arithmetic between written numbers.
"""

import ast
from collections.abc import Sequence

from lessons.playground.language.expressions import Program, Rule
from lessons.playground.language.playground_error import PlaygroundError
from lessons.playground.language.read_expressions import Reader
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
    tree = _ast(scan(text), "exec")
    reader = Reader(text, dict.fromkeys(inputs, "tensor"))
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
    try:
        clean = scan(text, rule=True)
        if "\n" in clean.strip():
            raise PlaygroundError(WORDS("rule_of_lines"), 1, 1)
        body = _ast(" " * (len(clean) - len(clean.lstrip())) + clean.strip(), "rule").body
        if len(body) != 1 or not isinstance(body[0], ast.Expr):
            raise PlaygroundError(WORDS("rule_assigns"), 1, 1)
        value = body[0].value
        items = value.elts if isinstance(value, ast.Tuple) else [value]
        if not items:
            raise PlaygroundError(WORDS("empty_rule"), 1, 1)
        reader = Reader(text, dict.fromkeys(names, "tensor"), rule=True)
        return Rule(text, tuple(reader.gradient(item) for item in items))
    except PlaygroundError as error:
        raise error.within("rule", subject) from error.__cause__


def _ast(clean: str, what: str) -> ast.Module:
    shift = len(clean) - len(clean.lstrip(" ")) if what == "rule" else 0
    try:
        tree = ast.parse(clean[shift:])
    except SyntaxError as error:
        column = (error.offset or 1) + (shift if error.lineno == 1 else 0)
        if not clean.strip():
            raise PlaygroundError(WORDS("empty_expression"), 1, 1) from None
        said = WORDS("no_rule") if what == "rule" else WORDS("no_line")
        raise PlaygroundError(said, error.lineno or 1, max(column, 1)) from None
    except (RecursionError, MemoryError, ValueError, OverflowError):
        raise PlaygroundError(WORDS("too_deep"), 1, 1) from None
    if shift:
        for node in ast.walk(tree):
            if isinstance(node, ast.expr | ast.stmt | ast.keyword):
                node.col_offset += shift
                node.end_col_offset = (node.end_col_offset or 0) + shift
    return tree
