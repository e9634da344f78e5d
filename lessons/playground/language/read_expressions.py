"""Turns `ast` into nodes, expression by expression. parse.py says what is handed to it.

An `ast` node that is not in the table at the end of this file has no way into a program.
"""

import ast
from collections.abc import Callable, Sequence

from lessons.contract.parameters import nearest, suggestion
from lessons.playground.language.constants import apply, list_of_numbers
from lessons.playground.language.expressions import (
    SIGNS,
    Assignment,
    Kind,
    Node,
    children,
    kind_of,
    of_kind,
    sign,
    words,
    written,
)
from lessons.playground.language.functions import CALLABLE
from lessons.playground.language.limits import MAX_CHAIN, MAX_EXPONENT, MAX_NUMBER, MAX_OPS
from lessons.playground.language.playground_error import PlaygroundError
from lessons.playground.language.read_calls import CallReader
from lessons.playground.language.refusals import no_name, not_in_language
from lessons.playground.language.spellings import INSTEAD, method
from lessons.playground.language.words import WORDS
from lessons.text import cited, visible


class Reader:
    """Turns `ast` into nodes; knows which names there are and what kind each is."""

    def __init__(self, text: str, names: dict[str, Kind], rule: bool = False) -> None:
        self.names = names
        self.rule = rule
        self.ops = 0
        self.depth = 0
        self.text = text
        self._calls = CallReader(self)

    def assignment(self, line: ast.stmt, inputs: Sequence[str]) -> Assignment:
        if isinstance(line, ast.Expr):
            if isinstance(line.value, ast.Compare) and isinstance(line.value.left, ast.Name):
                raise self.error(line, WORDS("compares_alone"))
            self.read(line.value)
            raise self.error(line, WORDS("given_to_no_name", code=visible(ast.unparse(line), 32)))
        if not isinstance(line, ast.Assign):
            raise self.error(line, not_in_language(line))
        if len(line.targets) > 1:
            raise self.error(line.targets[1], WORDS("two_equals"))
        target = line.targets[0]
        several = isinstance(target, ast.Tuple)
        targets = target.elts if isinstance(target, ast.Tuple) else [target]
        if several and len(targets) < 2:
            raise self.error(target, WORDS("comma_after_name"))
        value = self.read(line.value, several=len(targets) if several else 0)
        names = tuple(self._new_name(element, inputs) for element in targets)
        if len(set(names)) < len(names):
            raise self.error(target, WORDS("name_twice"))
        for name in names:
            self.names[name] = "tensor" if kind_of(value) == "several" else kind_of(value)
        return Assignment(names, value, words(self.text, line))

    def _new_name(self, target: ast.expr, inputs: Sequence[str]) -> str:
        if isinstance(target, ast.Subscript):
            raise self.error(target, WORDS("part_assigned"))
        if not isinstance(target, ast.Name):
            raise self.error(target, WORDS("no_name_on_the_left"))
        name = target.id
        if name in inputs:
            raise self.error(target, WORDS("name_of_an_input", name=name))
        if name in self.names:
            other = f"{name.rstrip('0123456789')[:28]}{len(self.names) + 1}"
            raise self.error(target, WORDS("name_above", name=name, other=other))
        if said := no_name(name):
            raise self.error(target, said)
        return name

    def gradient(self, node: ast.expr) -> Node:
        if isinstance(node, ast.Constant) and node.value is None:
            return of_kind(ast.Constant(None), "tensor", node)
        value = self.read(node)
        if kind_of(value) == "mask":
            raise self.error(node, WORDS("comparison_as_gradient"))
        return value

    def read(self, node: ast.expr, several: int = 0) -> Node:
        """One expression; ``several`` is how many names wait for it, 0 for one name."""
        self.depth += 1
        if self.depth > MAX_CHAIN:
            raise self.error(node, WORDS("long_chain", most=MAX_CHAIN))
        try:
            method = _READ.get(type(node))
            if method is None:
                raise self.error(node, not_in_language(node))
            if several and not isinstance(node, ast.Call):
                raise self.error(node, WORDS("several_names", names=several))
            found = method(self, node, several)
        finally:
            self.depth -= 1
        return found

    def _constant(self, node: ast.Constant, several: int) -> Node:
        if not isinstance(node.value, int | float) or isinstance(node.value, bool):
            raise self.error(node, not_in_language(node))
        value = float(node.value)
        if abs(value) > MAX_NUMBER:
            raise self.error(node, WORDS("large_number", most=MAX_NUMBER))
        return of_kind(ast.Constant(value), "number", node)

    def _name(self, node: ast.Name, several: int) -> Node:
        if node.id in self.names:
            return of_kind(ast.Name(node.id), self.names[node.id], node)
        if node.id in CALLABLE:
            raise self.error(node, WORDS("function_alone", name=node.id))
        raise self.error(node, self.unknown(node.id))

    def unknown(self, name: str) -> str:
        """Say that there is no such name, and which name is near."""
        if self.rule:
            return WORDS("no_name_in_rule", name=cited(name))
        near = suggestion(name, self.names)
        if nearest(name, self.names):
            return WORDS("no_name", name=cited(name), near=near)
        return WORDS("no_name_nor_input", name=cited(name), near=near)

    def _attribute(self, node: ast.Attribute, several: int) -> Node:
        known = method(node)
        hint = WORDS("in_brackets", name=known) if known in CALLABLE else WORDS("call_a_method")
        name, hint = visible(known, 32), INSTEAD.get(known, hint)
        raise self.error(node, WORDS("attribute", name=name, hint=hint))

    def _list(self, node: ast.List, several: int) -> Node:
        return list_of_numbers(node, self.error)

    def _unary(self, node: ast.UnaryOp, several: int) -> Node:
        if not isinstance(node.op, (ast.USub, ast.UAdd)):
            raise self.error(node, not_in_language(node.op))
        operand = self.operand(node.operand)
        if isinstance(node.op, ast.UAdd):
            return operand
        return self._operator(ast.UnaryOp(node.op, operand), node)

    def _binary(self, node: ast.BinOp, several: int) -> Node:
        if not sign(node):
            raise self.error(node, not_in_language(node.op))
        return self.binary(sign(node), node.left, node.right, node)

    def binary(self, sign: str, a: ast.expr, b: ast.expr, node: ast.expr) -> Node:
        """An operator between two operands, however the program spells it."""
        left, right = self.operand(a), self.operand(b)
        if sign == "**":
            size = _written(right)
            if size is not None and abs(size) > MAX_EXPONENT:
                raise self.error(b, WORDS("large_exponent", size=size, most=MAX_EXPONENT))
        if sign == "@" and "number" in (kind_of(left), kind_of(right)):
            raise self.error(node, WORDS("matmul_of_number"))
        op = SIGNS[sign].node()
        assert isinstance(op, ast.operator)
        return self._operator(ast.BinOp(left, op, right), node)

    def _compare(self, node: ast.Compare, several: int) -> Node:
        if len(node.ops) > 1:
            raise self.error(node.comparators[1], WORDS("two_comparisons"))
        if not sign(node):
            raise self.error(node, not_in_language(node.ops[0]))
        operands = self.operand(node.left), self.operand(node.comparators[0])
        if all(kind_of(operand) == "number" for operand in operands):
            raise self.error(node, WORDS("compares_numbers"))
        return self._operator(ast.Compare(operands[0], node.ops, [operands[1]]), node)

    def operand(self, node: ast.expr) -> Node:
        """An operand of an operator: a number or a tensor."""
        value = self.read(node)
        if kind_of(value) == "mask":
            raise self.error(node, WORDS("comparison_as_operand"))
        return value

    def _operator(self, made: Node, node: ast.expr) -> Node:
        self.count(node)
        numbers = all(kind_of(operand) == "number" for operand in children(made))
        compares = isinstance(made, ast.Compare)
        of_kind(made, "mask" if compares else "number" if numbers else "tensor", node)
        if numbers:
            _written(made)  # refuses what cannot be computed
        return made

    def _call(self, node: ast.Call, several: int) -> Node:
        self.count(node)
        return self._calls.read(node, several)

    def count(self, node: ast.expr) -> None:
        self.ops += 1
        if self.ops > MAX_OPS:
            raise self.error(node, WORDS("too_many_ops", most=MAX_OPS))

    def error(self, node: ast.stmt | ast.expr | ast.keyword, message: str) -> PlaygroundError:
        return PlaygroundError(message, node.lineno, node.col_offset + 1)


def _written(node: Node) -> float | None:
    """The value of an expression of written numbers alone; None where a name is read."""
    if isinstance(node, ast.Constant):
        return written(node)
    if kind_of(node) == "number" and (operator := sign(node)):
        values = [_written(operand) for operand in children(node)]
        known = [value for value in values if value is not None]
        return apply(operator, known, node) if len(known) == len(values) else None
    return None


_READ: dict[type[ast.AST], Callable[..., Node]] = {
    ast.Constant: Reader._constant,
    ast.Name: Reader._name,
    ast.Attribute: Reader._attribute,
    ast.List: Reader._list,
    ast.UnaryOp: Reader._unary,
    ast.BinOp: Reader._binary,
    ast.Compare: Reader._compare,
    ast.Call: Reader._call,
}
