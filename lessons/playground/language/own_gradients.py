"""Reads an autograd Function of pasted code as a plain function with tricks of the language.

It can read a backward that multiplies, reverses or clamps the upstream gradient. Any other backward
gets a note.
"""

import ast
import copy
from collections.abc import Iterable

from lessons.gradient_tricks.text import visible
from lessons.playground.language.functions import Put
from lessons.playground.language.pasted_expressions import call, names_in
from lessons.playground.language.spellings import (
    MODULES,
    TABLE,
    TENSORS,
    WITHOUT_EFFECT,
    operator_of,
    path,
)
from lessons.playground.language.words import WORDS

_UNCHANGED = {*WITHOUT_EFFECT, "clone"}
_TENSORS = {*TENSORS, "new_tensor"}


def as_plain_functions(
    tree: Iterable[ast.stmt],
) -> tuple[list[ast.stmt], dict[str, bool], list[str]]:
    """Write each autograd Function as a plain function.

    Returns:
        The statements; of each of those functions, by name, whether its backward can be read; and
        a note on each. A function whose backward can't be read has the gradient of its forward.
    """
    found: list[ast.stmt] = []
    own: dict[str, bool] = {}
    notes: list[str] = []
    for node in tree:
        methods = _methods(node)
        if not isinstance(node, ast.ClassDef) or not methods.keys() >= {"forward", "backward"}:
            found.append(node)
            continue
        forward, backward = methods["forward"], methods["backward"]
        context, *given = forward.args.args
        body = _body(forward, backward)
        name = visible(node.name, 32)
        if body is None:
            notes.append(WORDS("unread_backward", line=backward.lineno, name=name))
        elif isinstance(last := body[-1], ast.Return) and last.value:
            code = visible(ast.unparse(last.value).replace(f"{context.arg}.", ""), 60)
            notes.append(WORDS("backward_is", name=name, code=code))
        arguments = ast.arguments([], given, None, [], [], None, forward.args.defaults)
        plain = ast.FunctionDef(node.name, arguments, body or forward.body, [])
        found.append(ast.copy_location(plain, node))
        own[node.name] = body is not None
    return found, own, notes


class _WithOperators(ast.NodeTransformer):
    """Writes ``-grad`` for ``grad.neg()``, and x for a copy or a view of it."""

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        name, operands = path(node.func)[-1].removesuffix("_"), node.args
        if isinstance(node.func, ast.Attribute) and path(node.func)[0] not in MODULES:
            operands = [node.func.value, *operands]
        if name in _UNCHANGED and operands and not isinstance(operands[0], ast.Compare):
            return operands[0]
        by_name = {keyword.arg or "": keyword.value for keyword in node.keywords}
        limits = [*operands[1:], *(by_name[one] for one in ("min", "max") if one in by_name)]
        if name in ("clamp", "clip"):
            return call("clamp", operands[0], *limits)
        row = TABLE.get(name)
        if row and operator_of(row) and len(operands) == len(row.parameters):
            return row.written_out(dict(zip(row.order, operands, strict=False)))
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
    lines = forward.body[:-1]
    parts = (part for line in lines for part in ast.walk(line) if isinstance(part, ast.Name))
    if changed := x.id in [part.id for part in parts if isinstance(part.ctx, ast.Store)]:
        if x.id in names_in(gradients[read[0]]):
            return None  # which of its values is meant depends on where it was saved
        kept = ast.Assign([ast.Name(f"{x.id}_given", ast.Store())], x, lineno=lines[0].lineno)
        lines, x = [kept, *lines], ast.Name(f"{x.id}_given", ast.Load())
    made = _with_tricks(x, gradients[read[0]], backward.args.args[1].arg)
    if made is None:
        return None
    if not changed and _is_x(Put(names).visit(copy.deepcopy(last.value)), x):
        lines = [s for s in lines if not (isinstance(s, ast.Assign) and _is_x(s.value, x)
                 and isinstance(s.targets[0], ast.Name))]  # fmt: skip
    else:  # another value than x, with this gradient
        rest = call("stop_gradient", ast.BinOp(last.value, ast.Sub(), x))
        made = ast.BinOp(made, ast.Add(), rest)
    return [*lines, ast.copy_location(ast.Return(made), last)]


def _is_x(node: ast.expr, x: ast.Name) -> bool:
    """Whether an expression is this tensor, a copy or a view of it."""
    return ast.unparse(_WithOperators().visit(copy.deepcopy(node))) == x.id


def _gradients(forward: ast.FunctionDef, backward: ast.FunctionDef) -> list[ast.expr]:
    """What backward returns for each argument, in names of forward; empty if it can't be read."""
    calls = [s.value for s in forward.body if isinstance(s, ast.Expr)]
    saved = next((c.args for c in calls if isinstance(c, ast.Call)
                  and path(c.func)[-1] == "save_for_backward"), [])  # fmt: skip
    known: dict[str, ast.expr] = {}
    rest = [*backward.body]
    while rest:
        line = rest.pop(0)
        if isinstance(line, ast.If) and _asks_for_gradient(line.test):
            rest[:0] = line.body
            continue
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


def _with_tricks(x: ast.expr, gradient: ast.expr, grad: str) -> ast.expr | None:
    """Write x with the tricks that give it a gradient; None if the expression can't be read.

    Args:
        gradient: backward's expression.
        grad: the upstream gradient's name.
    """
    node: ast.expr = _WithOperators().visit(gradient)
    sign, factor = 1, None  # of the gradient that the node gives
    while not (isinstance(node, ast.Name) and node.id == grad):
        if isinstance(node, ast.Call) and path(node.func) == ["clamp"]:
            node, *limits = node.args
            if len(limits) != 2 or not all(map(_is_number, limits)):
                return None
            x, sign, factor = call("clip_gradient", _multiplied(x, sign, factor), *limits), 1, None
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            node, sign = node.operand, -sign
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Div):
            op, own, other = node.op, node.left, node.right
            if isinstance(op, ast.Mult) and grad in names_in(other):
                own, other = other, own
            if grad in names_in(other):
                return None
            if isinstance(other, ast.UnaryOp) and isinstance(other.op, ast.USub):
                sign, other = -sign, other.operand
            if factor or isinstance(op, ast.Div):
                other = ast.BinOp(factor or ast.Constant(1), op, other)
            node, factor = own, other
        else:
            return None
    return _multiplied(x, sign, factor)


def _multiplied(x: ast.expr, sign: int, factor: ast.expr | None) -> ast.expr:
    """Write x with the trick that multiplies its gradient by the sign and the factor."""
    factors = [] if factor is None or ast.unparse(factor) in ("1", "1.0") else [factor]
    if sign < 0:
        return call("flip_gradient", x, *factors)
    return call("scale_gradient", x, *factors) if factors else x


def _is_number(node: ast.expr) -> bool:
    return isinstance(node.operand if isinstance(node, ast.UnaryOp) else node, ast.Constant)


def _asks_for_gradient(test: ast.expr) -> bool:
    """Whether a condition holds where there is something to differentiate."""
    parts = [*ast.walk(test)]
    asked = (isinstance(one, ast.Attribute) and one.attr == "needs_input_grad" for one in parts)
    return any(asked) or any(isinstance(one, ast.IsNot) for one in parts)
