"""Reads a program or a rule: text that scan.py has passed, through Python's `ast`, into nodes.

Nothing is evaluated here but arithmetic between written numbers.
"""

import ast
from collections.abc import Sequence

from lessons.playground.language.errors import PlaygroundError
from lessons.playground.language.expressions import Program, Rule
from lessons.playground.language.read_expressions import Reader
from lessons.playground.language.refusals import NOT_A_LINE
from lessons.playground.language.scan import scan


def parse_program(text: str, inputs: Sequence[str]) -> Program:
    """Read a program.

    Args:
        text: assignments, one a line; line ends are plain newlines.
        inputs: the names that are given beforehand.

    Raises:
        PlaygroundError: the first thing that is wrong, at its line and column.
    """
    tree = _ast(scan(text).text, "exec")
    reader = Reader(text, dict.fromkeys(inputs, "tensor"))
    lines = tuple(reader.assignment(line, inputs) for line in tree.body)
    if not lines:
        raise PlaygroundError("The program is empty. Write an assignment, as in y = x**2.", 1, 1)
    return Program(text, lines)


def parse_rule(text: str, names: Sequence[str], subject: str) -> Rule:
    """Read a rule: one expression, or several with commas between, each a gradient.

    Args:
        text: the rule; None stands for no gradient.
        names: what it may read: grad, grad1, in1, out1 and so on.
        subject: whose rule, for errors.

    Raises:
        PlaygroundError: with the part "rule".
    """
    try:
        clean = scan(text, rule=True).text
        if "\n" in clean.strip():
            raise PlaygroundError("A rule is one line: an expression over grad, in1, out1.", 1, 1)
        body = _ast(" " * (len(clean) - len(clean.lstrip())) + clean.strip(), "rule").body
        if len(body) != 1 or not isinstance(body[0], ast.Expr):
            raise PlaygroundError(
                "A rule is an expression, as in grad * 0.5, not an assignment.", 1, 1
            )
        value = body[0].value
        items = value.elts if isinstance(value, ast.Tuple) else [value]
        if not items:
            raise PlaygroundError("A rule gives a gradient for each operand; this is empty.", 1, 1)
        reader = Reader(text, dict.fromkeys(names, "tensor"), rule=True)
        return Rule(text, tuple(reader.gradient(item) for item in items))
    except PlaygroundError as error:
        raise PlaygroundError(
            error.message, error.line, error.column, "rule", subject
        ) from error.__cause__


def _ast(clean: str, what: str) -> ast.Module:
    shift = len(clean) - len(clean.lstrip(" ")) if what == "rule" else 0
    try:
        tree = ast.parse(clean[shift:])
    except SyntaxError as error:
        column = (error.offset or 1) + (shift if error.lineno == 1 else 0)
        if not clean.strip():
            raise PlaygroundError("This is empty. Write an expression.", 1, 1) from None
        raise PlaygroundError(NOT_A_LINE[what], error.lineno or 1, max(column, 1)) from None
    except (RecursionError, MemoryError, ValueError, OverflowError):
        raise PlaygroundError("This is nested too deep to be read. Use more lines.", 1, 1) from None
    if shift:
        for node in ast.walk(tree):
            if isinstance(node, ast.expr | ast.stmt | ast.keyword):
                node.col_offset += shift
                node.end_col_offset = (node.end_col_offset or 0) + shift
    return tree
