"""Reads an autograd Function of pasted code as a plain function with tricks of the language.

It can read a backward that multiplies, reverses, clamps or masks the upstream gradient. For any
other backward it says which piece it can't read.
"""

import ast
import copy
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from lessons.gradient_tricks.text import visible
from lessons.playground.language.functions import Put, Signature, own_name
from lessons.playground.language.pasted_expressions import (
    WHOLE_NUMBERS,
    call,
    is_mask,
    names_in,
    number_in,
    replaced,
)
from lessons.playground.language.spellings import (
    MODULES,
    NUMBERS,
    TABLE,
    TENSORS,
    WITHOUT_EFFECT,
    operator_of,
    path,
)
from lessons.playground.language.words import WORDS

_MOST_PARTS = 1000
"""AST nodes that a name in backward may expand to. Each name that is read twice doubles them."""
_OTHER_SHAPE = {"sum", "mean", "norm", "logsumexp", "matmul", "max", "min", "amax", "amin", "prod"}
"""Functions whose value has another shape than their operand."""
_VIEWS = {*WITHOUT_EFFECT, "detach"} - {"expand", "expand_as", "unsqueeze"}
_UNCHANGED = {*_VIEWS, "clone"}
_LIMITS = {"clamp": (-1e30, 1e30), "hardtanh": (-1, 1)}
"""What these keep a value between by default."""


class _UnreadError(ValueError):
    """A piece of a Function that can't be read."""

    def __init__(self, node: ast.AST) -> None:
        self.node = node


class PlainFunctions(NamedTuple):
    """Statements in which each autograd Function is a plain function."""

    statements: list[ast.stmt]
    names: set[str]  # of the Functions
    notes: list[str]  # for each backward that we could read
    unread: list[tuple[int, str]]  # line and message of the others, which get forward's gradient


def as_plain_functions(tree: Iterable[ast.stmt]) -> PlainFunctions:
    """Write each autograd Function as a plain function."""
    made = PlainFunctions([], set(), [], [])
    for node in tree:
        methods = _methods(node)
        if not isinstance(node, ast.ClassDef) or not methods.keys() >= {"forward", "backward"}:
            made.statements.append(node)
            continue
        forward, backward = methods["forward"], methods["backward"]
        parameters = forward.args.args[0 if "setup_context" in methods else 1 :]
        name, body = visible(node.name, 32), _computing(forward.body)
        made.names.add(node.name)
        try:
            if "setup_context" in methods:
                raise _UnreadError(ast.Name("setup_context"))
            body = _body(forward, backward)
            code = ast.unparse(body[-1]).removeprefix("return ")
            code = visible(code.replace(f"{forward.args.args[0].arg}.", ""), 120)
            made.notes.append(WORDS("backward_is", name=name, code=code))
        except _UnreadError as error:
            code = visible(ast.unparse(error.node).partition("\n")[0], 40)
            made.unread.append((backward.lineno, WORDS("unread_backward", name=name, code=code)))
        arguments = ast.arguments([], parameters, None, [], [], None, forward.args.defaults)
        plain = ast.FunctionDef(node.name, arguments, body, [])
        made.statements.append(ast.copy_location(plain, node))
    return made


class _WithOperators(ast.NodeTransformer):
    """Writes ``-grad`` for ``grad.neg()``, and x for a copy or a view of it."""

    def visit_Call(self, node: ast.Call) -> ast.expr:
        name = path(node.func)[-1].removesuffix("_")
        if name in _OTHER_SHAPE:
            return node  # ones_like(x).sum() is the number of entries, not 1
        self.generic_visit(node)
        operands = node.args
        if isinstance(node.func, ast.Attribute) and path(node.func)[0] not in MODULES:
            operands = [node.func.value, *operands]
            if name == "where":
                operands[:2] = operands[1::-1]
        if name in NUMBERS:
            return ast.Constant(NUMBERS[name])
        if name in TENSORS and node.args:
            return node.args[0]
        if name in _UNCHANGED and operands and not WHOLE_NUMBERS.search(ast.unparse(node)):
            return operands[0]
        row = TABLE.get(name := own_name(name))
        given = _bound(row, operands, node.keywords) if row else None
        if row is None or given is None:
            return node
        if name in _LIMITS:
            limits = zip(row.order[1:3], _LIMITS[name], strict=True)
            low, high = (given.get(one) or ast.Constant(limit) for one, limit in limits)
            return call("clamp", given["x"], low, high)
        if name == "where":
            return call("where", *given.values())
        written = operator_of(row) or name == "masked_fill"
        if written and given.keys() <= names_in(ast.parse(row.text)):
            return row.written_out(given)
        return node


def _bound(
    row: Signature, operands: Sequence[ast.expr], keywords: Iterable[ast.keyword]
) -> dict[str, ast.expr] | None:
    """The arguments of a call that are not None, by parameter; None for a call of another form."""
    pairs = [*zip(row.order, operands, strict=False)]
    pairs += [(row.parameter(one.arg or ""), one.value) for one in keywords]
    given = {name: value for name, value in pairs if ast.unparse(value) != "None"}
    needed = {one.name for one in row.parameters if not one.optional and one.default is None}
    known = "" not in given and len(operands) <= len(row.order) and needed <= given.keys()
    return given if known else None


class _Inlined(ast.NodeTransformer):
    """Replaces backward's names, and what forward saved, by the expressions they stand for."""

    def __init__(self, known: Mapping[str, ast.expr], grad: str) -> None:
        self.known, self.grad = known, grad

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return copy.deepcopy(self.known.get(node.id, node))

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        if saved := self.known.get(ast.unparse(node)):
            return copy.deepcopy(saved)
        self.generic_visit(node)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        self.generic_visit(node)
        places = enumerate(getattr(node.value, "elts", []))
        return next((one for place, one in places if ast.unparse(node.slice) == str(place)), node)

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        self.generic_visit(node)
        taken = _taken(node.test, self.grad)
        return node if taken is None else node.body if taken else node.orelse


def _methods(node: ast.stmt) -> dict[str, ast.FunctionDef]:
    """The methods of an autograd Function; none of any other statement."""
    if not isinstance(node, ast.ClassDef) or "Function" not in [path(b)[-1] for b in node.bases]:
        return {}
    return {one.name: one for one in node.body if isinstance(one, ast.FunctionDef)}


def _body(forward: ast.FunctionDef, backward: ast.FunctionDef) -> list[ast.stmt]:
    """The body of forward, which returns its value with tricks."""
    last, given = forward.body[-1], [one.arg for one in forward.args.args[1:]]
    if not isinstance(last, ast.Return) or last.value is None:
        raise _UnreadError(last)
    if len(backward.args.args) != 2:
        raise _UnreadError(backward.args)
    pairs = [*assigned(forward.body)]
    names = {path(target)[-1]: value for target, value in pairs}
    returned = _returned(forward, backward, pairs)
    gradients = [_WithOperators().visit(one) for one in getattr(returned, "elts", [returned])]
    read = [place for place, one in enumerate(gradients) if ast.unparse(one) != "None"]
    if len(read) != 1 or read[0] >= len(given):
        raise _UnreadError(returned)
    gradient = gradients[read[0]]
    x = ast.Name(given[read[0]], ast.Load())
    lines = forward.body[:-1]
    parts = (part for line in lines for part in ast.walk(line) if isinstance(part, ast.Name))
    stored = [part.id for part in parts if isinstance(part.ctx, ast.Store)]
    known = [*given, *stored]
    attributes = {one.attr for one in ast.walk(gradient) if isinstance(one, ast.Attribute)}
    if any(known.count(name) > 1 for name in names_in(gradient)) or {*known} & attributes:
        raise _UnreadError(gradient)  # which value is meant depends on where it was saved
    if changed := x.id in stored:
        kept = ast.Assign([ast.Name(f"{x.id}_given", ast.Store())], x, lineno=lines[0].lineno)
        lines, x = [kept, *lines], ast.Name(f"{x.id}_given", ast.Load())
    made = _with_tricks(x, gradient, backward.args.args[1].arg)
    if not changed and _is_x(Put(names).visit(copy.deepcopy(last.value)), x):
        lines = [s for s in lines if not (isinstance(s, ast.Assign) and _is_x(s.value, x)
                 and isinstance(s.targets[0], ast.Name))]  # fmt: skip
    elif not changed and x.id not in _names_behind(last.value, forward):
        raise _UnreadError(last)  # it has another shape than x
    else:  # another value than x, with this gradient: no digit of it gets lost next to a large x
        zero = ast.BinOp(made, ast.Sub(), call("stop_gradient", x))
        made = ast.BinOp(call("stop_gradient", last.value), ast.Add(), zero)
    return [*_computing(lines, attributes), ast.copy_location(ast.Return(made), last)]


def _computing(lines: Iterable[ast.stmt], read: Collection[str] = ()) -> list[ast.stmt]:
    """The statements of forward without what only keeps something for backward.

    Args:
        read: the attributes of the context that are read.
    """
    targets = ((line, [target for target, _ in assigned([line])]) for line in lines)
    return [line for line, given in targets if not given or any(
            not isinstance(one, ast.Attribute) or one.attr in read for one in given)]  # fmt: skip


def _is_x(node: ast.expr, x: ast.Name) -> bool:
    """Whether an expression is this tensor, a copy or a view of it."""
    return ast.unparse(_WithOperators().visit(copy.deepcopy(node))) == x.id


def assigned(lines: Iterable[ast.AST]) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield the target and the value of each assignment; those of a tuple one by one."""
    pairs: list[tuple[ast.expr, ast.expr]] = []
    for line in lines:
        if isinstance(line, ast.Assign):
            pairs += [(target, line.value) for target in line.targets]
        elif isinstance(line, ast.AnnAssign) and line.value:
            pairs.append((line.target, line.value))
    for target, value in pairs:
        parts: list[ast.expr] = getattr(target, "elts", [])
        if parts and isinstance(value, ast.Tuple):
            yield from zip(parts, value.elts, strict=False)
        else:
            yield from ((part, value) for part in parts or [target])


def _names_behind(value: ast.expr, function: ast.FunctionDef) -> set[str]:
    """Return the names that a value is computed from entry by entry, so that it has their shape."""
    given = [(path(target)[-1], made) for target, made in assigned(ast.walk(function))]
    found, waiting = set[str](), list[ast.AST]([value])
    while waiting:
        node = waiting.pop()
        called = path(node.func)[-1] if isinstance(node, ast.Call) else ""
        if called in _OTHER_SHAPE or isinstance(getattr(node, "op", None), ast.MatMult):
            continue
        if isinstance(node, ast.Name) and node.id not in found:
            found.add(node.id)
            waiting += [made for name, made in given if name == node.id]
        waiting += ast.iter_child_nodes(node)
    return found


def _returned(
    forward: ast.FunctionDef,
    backward: ast.FunctionDef,
    given: Sequence[tuple[ast.expr, ast.expr]],
) -> ast.expr:
    """Return what backward returns, in names of forward.

    Args:
        given: what forward assigns.
    """
    calls = [s.value for s in forward.body if isinstance(s, ast.Expr)]
    saved = next((c.args for c in calls if isinstance(c, ast.Call)
                  and path(c.func)[-1] == "save_for_backward"), [])  # fmt: skip
    context, grad = (one.arg for one in backward.args.args)
    known: dict[str, ast.expr] = {f"{context}.saved_tensors": ast.Tuple(saved)}
    for target, value in given:
        if isinstance(target, ast.Attribute) and isinstance(value, ast.Name | ast.Tuple):
            known[f"{context}.{target.attr}"] = value
    names = {path(target)[-1]: value for target, value in given}
    put = _Inlined(known, grad)
    local: set[str] = set()  # names of tensors that backward may change in place
    rest = [*backward.body]
    while rest:
        line = rest.pop(0)
        if isinstance(line, ast.If) and (taken := _taken(line.test, grad)) is not None:
            rest[:0] = line.body if taken else line.orelse
        elif isinstance(line, ast.Return) and line.value is not None:
            returned: ast.expr = put.visit(line.value)
            return returned
        elif not (isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant)):
            for target, value in [*_given(line, put, names)]:
                changed = target.value if isinstance(target, ast.Subscript) else target
                in_place = changed is not target or not isinstance(line, ast.Assign)
                if not isinstance(changed, ast.Name) or (in_place and changed.id not in local):
                    raise _UnreadError(line)
                if not in_place:
                    (local.discard if _shares(line) else local.add)(changed.id)
                if sum(1 for _ in ast.walk(value)) > _MOST_PARTS:
                    raise _UnreadError(line)
                known[changed.id] = value
    raise _UnreadError(backward)


def _given(
    line: ast.stmt, put: _Inlined, names: Mapping[str, ast.expr]
) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield each target of a statement in backward, and its value.

    Args:
        names: the values that forward assigns, by name or attribute.
    """
    pairs: list[tuple[ast.expr, ast.expr]] = []
    if isinstance(line, ast.Assign):
        pairs = [(target, line.value) for target in line.targets]
    elif isinstance(line, ast.AugAssign):
        pairs = [(line.target, ast.BinOp(line.target, line.op, line.value))]
    elif isinstance(line, ast.Expr) and isinstance(used := line.value, ast.Call):
        called = used.func
        if isinstance(called, ast.Attribute) and called.attr.endswith("_"):
            pairs = [(called.value, used)]
    if not pairs:
        raise _UnreadError(line)
    for target, value in pairs:
        if isinstance(target, ast.Subscript):
            if not is_mask(put.visit(copy.deepcopy(target.slice)), names):
                raise _UnreadError(line)
            value = replaced(target, value)
        made = put.visit(copy.deepcopy(value))
        parts = getattr(made, "elts", [])
        if not isinstance(target, ast.Tuple):
            yield target, made
        elif len(parts) == len(target.elts):
            yield from zip(target.elts, parts, strict=True)
        else:
            raise _UnreadError(line)


def _shares(line: ast.stmt) -> bool:
    """Whether a statement's value may share memory with another tensor, as a view does."""
    node: ast.AST | None = getattr(line, "value", None)
    while isinstance(node, ast.Call) and path(node.func)[-1] in _VIEWS:
        node = node.func.value if isinstance(node.func, ast.Attribute) else None
    return not isinstance(node, ast.Call | ast.BinOp | ast.UnaryOp | ast.Compare)


def _with_tricks(x: ast.expr, gradient: ast.expr, grad: str, masked: bool = False) -> ast.expr:
    """Write x with the tricks that give it a gradient.

    Args:
        gradient: backward's expression.
        grad: the upstream gradient's name.
        masked: whether the upstream gradient is 0 at some entries, which must stay 0.
    """
    node, sign, factor = gradient, 1, None  # of the gradient that the node gives
    while not (isinstance(node, ast.Name) and node.id == grad):
        if isinstance(node, ast.Call) and path(node.func) in (["clamp"], ["where"]):
            x, sign, factor = _multiplied(x, sign, factor), 1, None
            first, *others = node.args
            if len(others) != 2:
                raise _UnreadError(node)
            if path(node.func) == ["where"]:
                if grad in names_in(first):
                    raise _UnreadError(node)
                zero = call("stop_gradient", x)
                return call("where", first, *(zero if ast.unparse(one) in ("0", "0.0")
                            else _with_tricks(x, one, grad, True) for one in others))  # fmt: skip
            limits = [number_in(one) for one in others]
            if not all(limits) or (masked and not float(limits[0]) <= 0 <= float(limits[1])):
                raise _UnreadError(node)
            node, x = first, call("clip_gradient", x, *others)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            node, sign = node.operand, -sign
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Div):
            op, own, other = node.op, node.left, node.right
            if isinstance(op, ast.Mult) and grad in names_in(other):
                own, other = other, own
            if grad in names_in(other):
                raise _UnreadError(node)
            if isinstance(other, ast.UnaryOp) and isinstance(other.op, ast.USub):
                sign, other = -sign, other.operand
            if factor or isinstance(op, ast.Div):
                other = ast.BinOp(factor or ast.Constant(1), op, other)
            node, factor = own, other
        else:
            raise _UnreadError(node)
    return _multiplied(x, sign, factor)


def _multiplied(x: ast.expr, sign: int, factor: ast.expr | None) -> ast.expr:
    """Write x with the trick that multiplies its gradient by the sign and the factor."""
    factors = [] if factor is None or ast.unparse(factor) in ("1", "1.0") else [factor]
    if sign < 0:
        return call("flip_gradient", x, *factors)
    return call("scale_gradient", x, *factors) if factors else x


def _taken(test: ast.expr, grad: str) -> bool | None:
    """Whether a condition holds: an input needs its gradient; None for any other condition."""
    if isinstance(test, ast.BoolOp):
        first, *others = (_taken(one, grad) for one in test.values)
        return first if {*others} == {first} else None
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        holds = _taken(test.operand, grad)
        return None if holds is None else not holds
    if isinstance(test, ast.Subscript) and path(test.value)[-1] == "needs_input_grad":
        return True
    asked = {f"{grad} is None": False, f"{grad} is not None": True}
    return asked.get(ast.unparse(test))
