"""Turns `ast` into nodes: assignments, names, numbers, lists, operators. parse.py adds calls.

An `ast` node that is not in the table at the end of this file has no way into a program.
"""

import ast
from collections.abc import Sequence

from lessons.gradient_tricks.text import cited, nearest, suggestion, visible
from lessons.playground.language.expressions import (
    Assignment,
    Kind,
    Node,
    called,
    children,
    kind_of,
    of_kind,
    sign,
    value_of,
    written,
)
from lessons.playground.language.functions import CALLABLE, FORMS, FUNCTIONS, own_name
from lessons.playground.language.limits import (
    MAX_CHAIN,
    MAX_ELEMENTS,
    MAX_EXPONENT,
    MAX_NUMBER,
    MAX_OPS,
)
from lessons.playground.language.playground_error import PlaygroundError
from lessons.playground.language.refusals import no_name, not_in_language
from lessons.playground.language.spellings import instead
from lessons.playground.language.words import WORDS


class Expressions:
    """Turns `ast` into nodes; knows which names there are and what kind each is."""

    def __init__(self, names: dict[str, Kind], rule: bool = False) -> None:
        self.names = names
        self.rule = rule
        self.ops = 0
        self.depth = 0
        self.in_py_func = False

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
        value = self.read_several(line.value, len(targets)) if several else self.read(line.value)
        names = tuple(self._new_name(element, inputs) for element in targets)
        if len(set(names)) < len(names):
            raise self.error(target, WORDS("name_twice"))
        for name in names:
            self.names[name] = "tensor" if kind_of(value) == "several" else kind_of(value)
        return Assignment(names, value)

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

    def read_several(self, node: ast.expr, names: int) -> Node:
        """An expression that gives as many tensors as there are names on the left."""
        value = self._read_node(node)
        if not isinstance(value, ast.Call):
            raise self.error(node, WORDS("several_names", names=names))
        if kind_of(value) != "several":
            raise self.error(node, WORDS("one_output", name=called(value), names=names))
        if called(value) == "py_func" and len(value.args) != names:
            raise self.error(node, WORDS("py_func_outputs", outputs=len(value.args), names=names))
        return value

    def read(self, node: ast.expr) -> Node:
        """An expression that gives one value."""
        value = self._read_node(node)
        if kind_of(value) == "several":
            row = FUNCTIONS.get(called(value))
            shown = row.signature if row else FORMS["py_func"][0]
            raise self.error(node, WORDS("several_outputs", name=called(value), signature=shown))
        return value

    def _read_node(self, node: ast.expr) -> Node:
        self.depth += 1
        if self.depth > MAX_CHAIN:
            raise self.error(node, WORDS("long_chain", most=MAX_CHAIN))
        try:
            method = _READ.get(type(node))
            if method is None:
                raise self.error(node, not_in_language(node))
            found: Node = getattr(self, method)(node)
        finally:
            self.depth -= 1
        return found

    def _constant(self, node: ast.Constant) -> Node:
        if not isinstance(node.value, int | float) or isinstance(node.value, bool):
            raise self.error(node, not_in_language(node))
        value = float(node.value)
        if abs(value) > MAX_NUMBER:
            raise self.error(node, WORDS("large_number", most=MAX_NUMBER))
        made = of_kind(ast.Constant(value), "number", node)
        vars(made)["whole"] = isinstance(node.value, int)
        return made

    def _name(self, node: ast.Name) -> Node:
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

    def _attribute(self, node: ast.Attribute) -> Node:
        known = own_name(node.attr)
        hint = WORDS("in_brackets", name=known) if known in CALLABLE else WORDS("call_a_method")
        said = WORDS("attribute", name=visible(known, 32), hint=instead(known) or hint)
        raise self.error(node, said)

    def _list(self, node: ast.List) -> Node:
        rows = [item.elts if isinstance(item, ast.List) else [item] for item in node.elts]
        count = sum(map(len, rows))
        if not 0 < count <= MAX_ELEMENTS:
            raise self.error(node, WORDS("list_size", count=count, most=MAX_ELEMENTS))
        if not any(isinstance(item, ast.List) for item in node.elts):
            return of_kind(ast.List([self._entry(item) for item in node.elts]), "tensor", node)
        made: list[ast.expr] = []
        for item, row in zip(node.elts, rows, strict=True):
            if not isinstance(item, ast.List):
                raise self.error(item, WORDS("mixed_list"))
            made.append(ast.List([self._entry(entry) for entry in row]))
            if len(row) != len(rows[0]):
                raise self.error(item, WORDS("ragged", here=len(row), first=len(rows[0])))
        return of_kind(ast.List(made), "tensor", node)

    def _entry(self, node: ast.expr) -> ast.Constant:
        """A number in a list, with at most one sign in front of it."""
        signed = node if isinstance(node, ast.UnaryOp) else None
        if signed and not isinstance(signed.op, ast.USub | ast.UAdd):
            raise self.error(node, WORDS("only_numbers"))
        digits = signed.operand if signed else node
        if not isinstance(digits, ast.Constant):
            raise self.error(digits, WORDS("only_numbers"))
        value = written(self._constant(digits))
        return ast.Constant(-value if signed and isinstance(signed.op, ast.USub) else value)

    def _unary(self, node: ast.UnaryOp) -> Node:
        if not isinstance(node.op, (ast.USub, ast.UAdd)):
            raise self.error(node, not_in_language(node.op))
        operand = self.operand(node.operand)
        if isinstance(node.op, ast.UAdd):
            return operand
        return self._operator(ast.UnaryOp(node.op, operand), node)

    def _binary(self, node: ast.BinOp) -> Node:
        if not sign(node):
            raise self.error(node, not_in_language(node.op))
        left, right = self.operand(node.left), self.operand(node.right)
        if sign(node) == "**":
            size = value_of(right)
            if size is not None and abs(size) > MAX_EXPONENT:
                raise self.error(node.right, WORDS("large_exponent", size=size, most=MAX_EXPONENT))
        if sign(node) == "@" and "number" in (kind_of(left), kind_of(right)):
            raise self.error(node, WORDS("matmul_of_number"))
        return self._operator(ast.BinOp(left, node.op, right), node)

    def _compare(self, node: ast.Compare) -> Node:
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
            value_of(made)  # refuses what cannot be computed
        return made

    def count(self, node: ast.expr) -> None:
        self.ops += 1
        if self.ops > MAX_OPS:
            raise self.error(node, WORDS("too_many_ops", most=MAX_OPS))

    def error(self, node: ast.stmt | ast.expr | ast.keyword, message: str) -> PlaygroundError:
        return PlaygroundError.at(node, message)


_READ: dict[type[ast.AST], str] = {
    ast.Constant: "_constant",
    ast.Name: "_name",
    ast.Attribute: "_attribute",
    ast.List: "_list",
    ast.UnaryOp: "_unary",
    ast.BinOp: "_binary",
    ast.Compare: "_compare",
    ast.Call: "_call",
}
"""The method that reads each; ``_call`` is in parse.py."""
