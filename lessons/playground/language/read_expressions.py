"""Turns `ast` into nodes, expression by expression. parse.py says what is handed to it.

An `ast` node that is not in the table at the end of this file has no way into a program.
"""

import ast
from collections.abc import Callable, Sequence

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
from lessons.playground.language.playground_error import PlaygroundError, nearest, suggestion
from lessons.playground.language.read_calls import CallReader
from lessons.playground.language.refusals import not_in_language
from lessons.playground.language.spellings import INSTEAD, method
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
                raise self.error(line, "A comparison here gives no name. To give one, write a "
                                 "single “=”, as in y = x**2.")  # fmt: skip
            self.read(line.value)
            raise self.error(
                line, "This is computed and given to no name. Write a name in front, as in "
                f"y = {visible(ast.unparse(line), 32)}",
            )  # fmt: skip
        if not isinstance(line, ast.Assign):
            raise self.error(line, not_in_language(line))
        if len(line.targets) > 1:
            raise self.error(line.targets[1], "One “=” a line. Give the second name a line.")
        target = line.targets[0]
        several = isinstance(target, ast.Tuple)
        targets = target.elts if isinstance(target, ast.Tuple) else [target]
        if several and len(targets) < 2:
            raise self.error(target, "A comma here asks for several outputs. Remove it.")
        value = self.read(line.value, several=len(targets) if several else 0)
        names = tuple(self._new_name(element, inputs) for element in targets)
        if len(set(names)) < len(names):
            raise self.error(target, "One name stands here twice.")
        for name in names:
            self.names[name] = "tensor" if kind_of(value) == "several" else kind_of(value)
        return Assignment(names, value, words(self.text, line))

    def _new_name(self, target: ast.expr, inputs: Sequence[str]) -> str:
        if isinstance(target, ast.Subscript):
            raise self.error(
                target, "A part of a tensor cannot be changed in place. Write a new name, as in "
                "y2 = y * [0, 1, 1].",
            )  # fmt: skip
        if not isinstance(target, ast.Name):
            raise self.error(target, "On the left of “=” stands a name, as in y = x**2.")
        name = target.id
        if name in inputs:
            raise self.error(target, f"{name} is an input. Give the result another name.")
        if name in self.names:
            raise self.error(
                target, f"{name} is given above already; each name is given once. Write "
                f"{name.rstrip('0123456789')[:28]}{len(self.names) + 1}, say.",
            )  # fmt: skip
        if name in CALLABLE:
            raise self.error(target, f"{name} is a function here. Choose another name.")
        return name

    def gradient(self, node: ast.expr) -> Node:
        if isinstance(node, ast.Constant) and node.value is None:
            return of_kind(ast.Constant(None), "tensor", node)
        value = self.read(node)
        if kind_of(value) == "mask":
            raise self.error(node, "A comparison is no gradient. Write where(condition, a, b).")
        return value

    def read(self, node: ast.expr, several: int = 0) -> Node:
        """One expression; ``several`` is how many names wait for it, 0 for one name."""
        self.depth += 1
        if self.depth > MAX_CHAIN:
            raise self.error(
                node, f"This expression chains more than {MAX_CHAIN} ops. Give a part of it a "
                "name on a line of its own.",
            )  # fmt: skip
        try:
            method = _READ.get(type(node))
            if method is None:
                raise self.error(node, not_in_language(node))
            if several and not isinstance(node, ast.Call):
                raise self.error(
                    node, f"{several} names stand on the left; only unbind(…) and py_func(…) give "
                    "several outputs.",
                )  # fmt: skip
            found = method(self, node, several)
        finally:
            self.depth -= 1
        return found

    def _constant(self, node: ast.Constant, several: int) -> Node:
        if not isinstance(node.value, int | float) or isinstance(node.value, bool):
            raise self.error(node, not_in_language(node))
        value = float(node.value)
        if abs(value) > MAX_NUMBER:
            raise self.error(node, f"This number is larger than {MAX_NUMBER:g}. Use a smaller one.")
        return of_kind(ast.Constant(value), "number", node)

    def _name(self, node: ast.Name, several: int) -> Node:
        if node.id in self.names:
            return of_kind(ast.Name(node.id), self.names[node.id], node)
        if node.id in CALLABLE:
            raise self.error(node, f"{node.id} is a function: write its operand in brackets.")
        raise self.error(node, self.unknown(node.id))

    def unknown(self, name: str) -> str:
        """What is said of a name that was not given."""
        if self.rule:
            return (
                f"There is no {cited(name)} here. A rule reads grad, which arrives, the operand "
                "in1 and the output out1; of several also in2, grad2, out2 and so on."
            )
        more = "" if nearest(name, self.names) else (
            " If it is to be an input, name it among the inputs.")  # fmt: skip
        return f"There is no {cited(name)}. {suggestion(name, self.names)}{more}"

    def _attribute(self, node: ast.Attribute, several: int) -> Node:
        known = method(node)
        hint = "A method is called, as in x.detach()."
        if known in CALLABLE:
            hint = f"Write its operand in brackets, as in {known}(x)."
        hint = INSTEAD.get(known, hint)
        raise self.error(
            node, f"“.{visible(known, 32)}” reaches into an object, and that is not part of the "
            f"language. {hint}",
        )  # fmt: skip

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
                raise self.error(
                    b, f"The exponent {size:g} is larger than {MAX_EXPONENT}. Use a "
                    "smaller one.",
                )  # fmt: skip
        if sign == "@" and "number" in (kind_of(left), kind_of(right)):
            raise self.error(node, "@ multiplies matrices, and a number is none. Write * instead.")
        op = SIGNS[sign].node()
        assert isinstance(op, ast.operator)
        return self._operator(ast.BinOp(left, op, right), node)

    def _compare(self, node: ast.Compare, several: int) -> Node:
        if len(node.ops) > 1:
            raise self.error(
                node.comparators[1], "One comparison at a time. Nest where(a < b, where(b < c, …"
            )
        if not sign(node):
            raise self.error(node, not_in_language(node.ops[0]))
        operands = self.operand(node.left), self.operand(node.comparators[0])
        if all(kind_of(operand) == "number" for operand in operands):
            raise self.error(
                node, "This compares two numbers; the answer is known. Compare a name."
            )
        return self._operator(ast.Compare(operands[0], node.ops, [operands[1]]), node)

    def operand(self, node: ast.expr) -> Node:
        """An operand of an operator: a number or a tensor."""
        value = self.read(node)
        if kind_of(value) == "mask":
            raise self.error(
                node, "A comparison gives yes or no and cannot be computed with. Write "
                "where(condition, 1, 0).",
            )  # fmt: skip
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
            raise self.error(node, f"The program has more than {MAX_OPS} ops. Shorten it.")

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
