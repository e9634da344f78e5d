"""Writes expressions in torch's own spelling: `ast` in, `ast` out.

`ast.unparse` then sets the brackets, so no string is ever glued together.
"""

import ast
import re
from collections import Counter
from collections.abc import Mapping, Sequence

import torch

from lessons.playground.language.constants import value_of
from lessons.playground.language.expressions import (
    Node,
    Program,
    called,
    children,
    kind_of,
    row_of,
    span,
    surrogates,
    walk,
    written,
)
from lessons.playground.language.functions import Function
from lessons.playground.language.rewrite import Put
from lessons.playground.language.spellings import MODULES, path


def in_torch(program: Program) -> str:
    """The program's text with each expression that torch spells otherwise written as torch does.

    >>> from lessons.playground.language.parse import parse_program
    >>> print(in_torch(parse_program("y = sqrt(x)  # the root\\nz = x.sum() * y", ["x"])))
    y = torch.sqrt(x)  # the root
    z = x.sum() * y
    """
    text = program.text
    for line in reversed(program.assignments):
        start, end = span(text, line.value)
        # A named number is computed with further down: a whole one could overflow, and has no -0.
        floats = kind_of(line.value) == "number"
        made = _spelt(program.text, line.value, floats)
        there, kept = (Counter(re.findall("#.*", code)) for code in (text[start:end], made))
        lost = "".join(f"{one}\n" for one in (there - kept).elements())
        above = text.rfind("\n", 0, start) + 1
        text = f"{text[:above]}{lost}{text[above:start]}{made}{text[end:]}"
    return text


def _spelt(text: str, node: Node, floats: bool) -> str:
    """What stands at an expression, with as little as possible written anew."""
    start, end = span(text, node)
    source, made = text[start:end], in_torch_of(node, floats)
    if _alike(source, made):
        return source
    for child in sorted(children(node), key=lambda one: span(text, one), reverse=True):
        first, last = span(text, child)
        if (first, last) != (start, end):  # a default stands where its call does
            source = source[: first - start] + _spelt(text, child, floats) + source[last - start :]
    return source if _alike(source, made) else made


def in_torch_of(node: Node, floats: bool = False) -> str:
    """One expression as torch spells it; ``floats`` writes whole numbers as 2.0."""
    return python(expression(node, floats))


def python(made: ast.expr) -> str:
    """An expression as text, with powers as people write them: x**2."""
    return ast.unparse(ast.fix_missing_locations(made)).replace(" ** ", "**")


def expression(node: Node, floats: bool = False) -> ast.expr:
    """Translate one expression; ``floats`` writes whole numbers as 2.0."""
    if isinstance(node, ast.Constant):
        if node.value is None:
            return node
        number = _constant(written(node), floats or kind_of(node) == "tensor")
        return number if kind_of(node) == "number" else _tensor(number)
    if isinstance(node, ast.Name):
        return node
    floats = floats or (kind_of(node) == "number" and not _the_same_in_whole_numbers(node))
    if isinstance(node, ast.List):
        return _tensor(node)
    if named := surrogates(node):
        return _surrogate(node, named)
    if isinstance(node, ast.Call) and called(node) == "py_func":
        return _py_func(node)
    operands = [expression(child, floats) for child in children(node)]
    if isinstance(node, ast.UnaryOp):
        return ast.UnaryOp(node.op, operands[0])
    if isinstance(node, ast.Compare):
        return ast.Compare(operands[0], node.ops, [operands[1]])
    if isinstance(node, ast.BinOp):
        return ast.BinOp(operands[0], node.op, operands[1])
    row = row_of(node)
    assert row is not None
    return _call(row, children(node), operands)


def _the_same_in_whole_numbers(node: Node) -> bool:
    """Whether Python, which has no -0 among whole numbers, computes what the playground does."""
    values = (value_of(part) for part in walk(node))
    return all(v is None or (abs(v) < 2**31 and str(v) != "-0.0") for v in values)


def _call(function: Function, arguments: Sequence[Node], operands: Sequence[ast.expr]) -> ast.expr:
    given: dict[str, ast.expr] = {}
    branches = [a for p, a in zip(function.parameters, arguments, strict=False) if p.kind == "any"]
    numbers = bool(branches) and all(kind_of(branch) == "number" for branch in branches)
    for parameter, argument, operand in zip(function.parameters, arguments, operands, strict=False):
        made = operand
        if parameter.kind == "whole":
            made = ast.Constant(int(value_of(argument) or 0))
        elif kind_of(argument) == "number":
            # Of two whole numbers, torch.where and torch.tensor would make whole numbers.
            tensor = parameter.kind == "tensor"
            made = expression(argument, tensor or numbers)
            made = _tensor(made) if tensor else made
            is_default = parameter.default is not None and value_of(argument) == parameter.default
            if is_default and function.trick:
                continue
        given[parameter.name] = made
    return fill(function.code, given)


def _surrogate(node: Node, named: Sequence[Function]) -> ast.expr:
    (given,) = children(node)
    operand = expression(given)
    if kind_of(given) == "number":
        operand = _tensor(expression(given, floats=True))
    functions = [as_value(one) for one in named]
    return ast.Call(ast.Call(ast.Name(called(node)), functions, []), [operand], [])


def as_value(function: Function) -> ast.expr:
    """The function itself, as a value: ``torch.round``, or the name of one of ours."""
    first, *others = function.parameters
    template = fill(function.code, {first.name: ast.Name(first.name)})
    one_operand = isinstance(template, ast.Call) and len(template.args) == 1
    if one_operand and all(other.default is None for other in others):
        assert isinstance(template, ast.Call)
        return template.func
    return ast.Name(function.name)


def _py_func(node: ast.Call) -> ast.expr:
    names = [one.id for one in children(node) if isinstance(one, ast.Name)]
    outputs = [expression(output) for output in node.args]
    body = ast.Tuple(outputs) if kind_of(node) == "several" else outputs[0]
    given = [ast.arg(name) for name in names]
    arguments = ast.arguments(
        posonlyargs=[], args=given, kwonlyargs=[], kw_defaults=[], defaults=[]
    )
    inputs: list[ast.expr] = [ast.Name(name) for name in names]
    return ast.Call(ast.Name("py_func"), [ast.Lambda(arguments, body), *inputs], [])


def _tensor(number: ast.expr) -> ast.expr:
    return fill("torch.tensor(value)", {"value": number})


def fill(template: str, given: Mapping[str, ast.expr]) -> ast.expr:
    """A template with expressions for its names; an argument that is not given falls away.

    >>> ast.unparse(fill("torch.sum(x, axis)", {"x": ast.Name("y")}))
    'torch.sum(y)'
    """
    tree = ast.parse(template, mode="eval").body
    if isinstance(tree, ast.Call):
        known = set(given)
        tree.args = [a for a in tree.args if not isinstance(a, ast.Name) or a.id in known]
    made: ast.expr = Put(given).visit(tree)
    return made


def _constant(value: float, floats: bool) -> ast.expr:
    whole = value == int(value) and abs(value) < 2**31
    return ast.Constant(int(value) if whole and not floats else value)


class _AsFunctions(ast.NodeTransformer):
    """Writes ``torch.sum(x)`` for ``x.sum()``, and 2 for 2.0, to compare two spellings."""

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        func = node.func
        if not isinstance(func, ast.Attribute) or path(func)[0] in MODULES:
            return node
        # A tensor's own ``where`` takes its operands in another order.
        if func.attr != "where" and hasattr(torch.Tensor, func.attr):
            torch_s = ast.Attribute(ast.Name("torch", ast.Load()), func.attr, ast.Load())
            return ast.Call(torch_s, [func.value, *node.args], node.keywords)
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        whole = isinstance(node.value, float) and node.value.is_integer()
        return ast.Constant(int(written(node))) if whole else node


def _alike(source: str, made: str) -> bool:
    """Whether two texts are one expression to torch."""
    try:
        trees = [ast.parse(f"({text}\n)", mode="eval").body for text in (source, made)]
    except SyntaxError:  # a part was written anew that needs brackets now
        return False
    numbers = [[n.value for n in ast.walk(t) if isinstance(n, ast.Constant)] for t in trees]
    for mine, its in zip(*numbers, strict=False):
        if isinstance(mine, int) and isinstance(its, float):
            return False
    first, second = (ast.dump(_AsFunctions().visit(tree)) for tree in trees)
    return first == second
