"""Writes expressions in torch's own spelling: `ast` in, `ast` out.

`ast.unparse` then sets the brackets, so no string is ever glued together.
"""

import ast
import re
from collections.abc import Mapping, Sequence

import torch

from lessons.playground.language.expressions import (
    Node,
    Program,
    called,
    children,
    kind_of,
    row_of,
    span,
    surrogates,
    value_of,
    walk,
    written,
)
from lessons.playground.language.functions import Function, Put
from lessons.playground.language.spellings import path


def in_torch(program: Program) -> str:
    """The program's text with each line that torch spells otherwise written as torch does.

    >>> from lessons.playground.language.parse import parse_program
    >>> print(in_torch(parse_program("y = sqrt(x)  # the root\\nz = x.sum() * y", ["x"])))
    y = torch.sqrt(x)  # the root
    z = x.sum() * y
    """
    text = program.text
    for line in reversed(program.assignments):
        start, end = span(text, line.value)
        source, made = text[start:end], in_torch_of(line.value)
        if ast.dump(ast.parse(f"({source}\n)")) != ast.dump(ast.parse(f"({made})")):
            above = text.rfind("\n", 0, start) + 1
            lost = "".join(f"{comment}\n" for comment in re.findall("#.*", source))
            text = f"{text[:above]}{lost}{text[above:start]}{made}{text[end:]}"
    return text


def in_torch_of(node: Node, floats: bool = False) -> str:
    """One expression as torch spells it; ``floats`` writes whole numbers as 2.0."""
    # A named number is computed with further down: a whole one could overflow, and has no -0.
    return python(expression(node, floats or kind_of(node) == "number"))


def python(made: ast.expr) -> str:
    """An expression as text, with powers as people write them: x**2."""
    return ast.unparse(ast.fix_missing_locations(made)).replace(" ** ", "**")


def expression(node: Node, floats: bool = False) -> ast.expr:
    """Translate one expression; ``floats`` writes whole numbers as 2.0."""
    if isinstance(node, ast.Constant):
        if node.value is None:
            return node
        number = _constant(node, floats or kind_of(node) == "tensor")
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
    made = _call(row, children(node), operands)
    return _as_method(made) if vars(node).get("method") else made


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


def _as_method(made: ast.expr) -> ast.expr:
    """``x.sum(0)`` for ``torch.sum(x, 0)``, where a tensor has that method."""
    if not isinstance(made, ast.Call) or path(made.func)[:-1] != ["torch"]:
        return made
    (_, name), (first, *others) = path(made.func), made.args
    # A tensor's own ``where`` takes its operands in another order.
    if name == "where" or not hasattr(torch.Tensor, name):
        return made
    return ast.Call(ast.Attribute(first, name), others, [])


def _surrogate(node: Node, named: Sequence[Function]) -> ast.expr:
    (given,) = children(node)
    operand = expression(given)
    if kind_of(given) == "number":
        operand = _tensor(expression(given, floats=True))
    functions = [_as_value(one) for one in named]
    return ast.Call(ast.Call(ast.Name(called(node)), functions, []), [operand], [])


def _as_value(function: Function) -> ast.expr:
    """The function itself, as a value: ``torch.round``, or the name of one of ours."""
    code = function.code.replace("(x, axis)", "(x)")
    name = code.removesuffix("(x)") if code.endswith("(x)") else function.name
    return ast.parse(name, mode="eval").body


def _py_func(node: ast.Call) -> ast.expr:
    names = ", ".join(one.id for one in children(node) if isinstance(one, ast.Name))
    outputs = [expression(output) for output in node.args]
    body = ast.Tuple(outputs) if kind_of(node) == "several" else outputs[0]
    call = ast.parse(f"py_func(lambda {names}: _, {names})", mode="eval").body
    made: ast.expr = Put({"_": body}).visit(call)
    return made


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


def _constant(node: ast.Constant, floats: bool) -> ast.expr:
    """A number as the program has it, 2 or 2.0."""
    value = written(node)
    whole = value == int(value) and abs(value) < 2**31 and not floats
    return ast.Constant(int(value) if whole and vars(node).get("whole", True) else value)
