"""Reads an autograd Function of pasted code as a plain function with tricks of the language.

It can read a backward that multiplies, reverses or clamps the upstream gradient. Any other backward
gets a note.
"""

import ast
import copy
from collections.abc import Iterable, Sequence

from lessons.playground.language.expressions import SIGNS
from lessons.playground.language.rewrite import Put, call, names_in
from lessons.playground.language.spellings import (
    MODULES,
    OPERATORS,
    TENSORS,
    WITHOUT_EFFECT,
    path,
)
from lessons.playground.language.words import WORDS
from lessons.text import visible

_UNCHANGED = {*WITHOUT_EFFECT, "clone"}
_TENSORS = {*TENSORS, "new_tensor"}


def as_plain_functions(
    tree: Iterable[ast.stmt],
) -> tuple[list[ast.stmt], set[str], list[str], list[str]]:
    """Write each autograd Function as a plain function, and call that in place of ``apply``.

    Returns:
        The statements, the names of those functions, a note on each backward that is a trick of
        the language, and one on each that can't be read: its function has the gradient of its
        forward.
    """
    found: list[ast.stmt] = []
    names: set[str] = set()
    read: list[str] = []
    notes: list[str] = []
    for node in tree:
        methods = _methods(node)
        if isinstance(node, ast.ClassDef) and methods.keys() >= {"forward", "backward"}:
            forward, backward = methods["forward"], methods["backward"]
            body = _body(forward, backward)
            name = visible(node.name, 32)
            if body is None:
                notes.append(WORDS("unread_backward", line=backward.lineno, name=name))
            elif isinstance(last := body[-1], ast.Return) and last.value:
                context = forward.args.args[0].arg
                code = visible(ast.unparse(last.value).replace(f"{context}.", ""), 60)
                read.append(WORDS("backward_is", name=name, code=code))
            arguments = ast.arguments(
                [], forward.args.args[1:], None, [], [], None, forward.args.defaults
            )
            plain = ast.FunctionDef(node.name, arguments, body or forward.body, [])
            found.append(ast.copy_location(plain, node))
            names.add(node.name)
        else:
            found.append(node)
    applied = _Applied(names)
    return [one for one in map(applied.visit, found) if one], names, read, notes


class _Applied(ast.NodeTransformer):
    """Writes Flip for ``Flip.apply`` and for each name that the code assigns it to."""

    def __init__(self, names: set[str]) -> None:
        self.names = {name: name for name in names}

    def visit_Assign(self, node: ast.Assign) -> ast.stmt | None:
        self.generic_visit(node)
        (target, *others), value = node.targets, node.value
        if others or not (isinstance(target, ast.Name) and isinstance(value, ast.Name)):
            return node
        if value.id not in self.names:
            return node
        self.names[target.id] = value.id
        return None

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        self.generic_visit(node)
        named, value = node.attr == "apply", node.value
        return value if named and isinstance(value, ast.Name) and value.id in self.names else node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        node.id = self.names.get(node.id, node.id)
        return node


def _methods(node: ast.stmt) -> dict[str, ast.FunctionDef]:
    """The methods of an autograd Function; none of any other statement."""
    if not isinstance(node, ast.ClassDef) or "Function" not in [path(b)[-1] for b in node.bases]:
        return {}
    return {one.name: one for one in node.body if isinstance(one, ast.FunctionDef)}


def _body(forward: ast.FunctionDef, backward: ast.FunctionDef) -> list[ast.stmt] | None:
    """The body of forward, which returns its value with tricks; None if backward can't be read."""
    last, gradients = forward.body[-1], _gradients(forward, backward)
    given = [one.arg for one in forward.args.args[1:]]
    if not isinstance(last, ast.Return) or last.value is None or len(backward.args.args) != 2:
        return None
    read = [place for place, one in enumerate(gradients) if ast.unparse(one) != "None"]
    if len(read) != 1 or read[0] >= len(given):
        return None
    names = {t.id: s.value for s in forward.body if isinstance(s, ast.Assign)
             for t in s.targets if isinstance(t, ast.Name)}  # fmt: skip
    x = ast.Name(given[read[0]], ast.Load())
    made = _through(gradients[read[0]], backward.args.args[1].arg, x)
    if made is None or x.id in names:
        return None
    value, lines = last.value, forward.body[:-1]
    if _bare(Put(names).visit(copy.deepcopy(value))) == x.id:
        lines = [s for s in lines if not (isinstance(s, ast.Assign) and _bare(s.value) == x.id
                 and isinstance(s.targets[0], ast.Name))]  # fmt: skip
    else:  # another value than x, with this gradient
        made = ast.BinOp(made, ast.Add(), call("stop_gradient", ast.BinOp(value, ast.Sub(), x)))
    return [*lines, ast.copy_location(ast.Return(made), last)]


def _gradients(forward: ast.FunctionDef, backward: ast.FunctionDef) -> list[ast.expr]:
    """What backward returns for each argument, in names of forward; empty if it can't be read."""
    calls = [s.value for s in forward.body if isinstance(s, ast.Expr)]
    saved = next((c.args for c in calls if isinstance(c, ast.Call)
                  and path(c.func)[-1] == "save_for_backward"), [])  # fmt: skip
    known: dict[str, ast.expr] = {}
    for line in _flat(backward.body):
        if isinstance(line, ast.Return) and line.value is not None:
            parts = line.value.elts if isinstance(line.value, ast.Tuple) else [line.value]
            return [Put(known).visit(part) for part in parts]
        if isinstance(line, ast.Assign) and path(line.value)[-1] == "saved_tensors":
            (target,) = line.targets
            names = target.elts if isinstance(target, ast.Tuple) else [target]
            known |= {ast.unparse(n): value for n, value in zip(names, saved, strict=False)}
        elif isinstance(line, ast.Assign) and isinstance(line.targets[0], ast.Name):
            value = line.value
            if isinstance(value, ast.Call) and path(value.func)[-1] in _TENSORS and value.args:
                value = value.args[0]
            known[line.targets[0].id] = Put(known).visit(value)
        elif not (isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant)):
            return []
    return []


def _flat(body: Sequence[ast.stmt]) -> Iterable[ast.stmt]:
    """The statements, with the body of each ``if ctx.needs_input_grad[…]`` in place of the if."""
    for line in body:
        if isinstance(line, ast.If) and "needs_input_grad" in ast.unparse(line.test):
            yield from _flat(line.body)
        else:
            yield line


def _through(
    node: ast.expr, grad: str, x: ast.expr, sign: int = 1, factor: ast.expr | None = None
) -> ast.expr | None:
    """Write x with the tricks that give it this gradient; None if the expression can't be read.

    Args:
        node: the part of backward's expression that is still to be read.
        grad: the upstream gradient's name.
        x: the tensor, with the tricks for the parts that were read.
        sign, factor: multiply the gradient that ``node`` gives.
    """
    if isinstance(node, ast.Call):
        name = path(node.func)[-1].removesuffix("_")
        operands = node.args
        if isinstance(node.func, ast.Attribute) and path(node.func)[0] not in MODULES:
            operands = [node.func.value, *operands]
        by_name = {keyword.arg or "": keyword.value for keyword in node.keywords}
        limits = [*operands[1:], *(by_name[one] for one in ("min", "max") if one in by_name)]
        if name in ("clamp", "clip") and len(limits) == 2 and all(map(_is_number, limits)):
            clipped = call("clip_gradient", _multiplied(x, sign, factor), *limits)
            return _through(operands[0], grad, clipped)
        if name in ("neg", "negative") and len(operands) == 1:
            node = ast.UnaryOp(ast.USub(), operands[0])
        elif name in OPERATORS and len(operands) == 2:
            op = SIGNS[OPERATORS[name]].node()
            assert isinstance(op, ast.operator)
            node = ast.BinOp(operands[0], op, operands[1])
        elif name in _UNCHANGED and operands:
            return _through(operands[0], grad, x, sign, factor)
    if isinstance(node, ast.Name) and node.id == grad:
        return _multiplied(x, sign, factor)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return _through(node.operand, grad, x, -sign, factor)
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Mult | ast.Div):
        return None
    own, other = node.left, node.right
    if isinstance(node.op, ast.Mult) and grad in names_in(other):
        own, other = other, own
    if grad in names_in(other):
        return None
    if isinstance(other, ast.UnaryOp) and isinstance(other.op, ast.USub):
        sign, other = -sign, other.operand
    if factor or isinstance(node.op, ast.Div):
        other = ast.BinOp(factor or ast.Constant(1), node.op, other)
    return _through(own, grad, x, sign, other)


def _multiplied(x: ast.expr, sign: int, factor: ast.expr | None) -> ast.expr:
    """Write x with the trick that multiplies its gradient by the sign and the factor."""
    factors = [] if factor is None or ast.unparse(factor) in ("1", "1.0") else [factor]
    if sign < 0:
        return call("flip_gradient", x, *factors)
    return call("scale_gradient", x, *factors) if factors else x


def _bare(node: ast.expr) -> str:
    """The name of the tensor that this is, or is a copy or view of; empty for anything else."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr not in _UNCHANGED:
            return ""
        node = node.func.value
    return node.id if isinstance(node, ast.Name) else ""


def _is_number(node: ast.expr) -> bool:
    return isinstance(node.operand if isinstance(node, ast.UnaryOp) else node, ast.Constant)
