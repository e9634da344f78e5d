"""What the program's source says at the place where an op ran."""

import ast
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

import torch

from ..recorder import Node, Where, line_of
from ..recorder.recording.variables import parsed, place_of

AT_ONE_LINE = 60
"""Characters of a call that are cited; a longer one is cited by its name."""


def at_line(path: str, line: int | None) -> str:
    """ "train.py:12"."""
    return line_of((path, (line or 0, line or 0, 0, 0)))


def callee(where: Where | None) -> str:
    """The last word of what is called there: "deepcopy" of `copy.deepcopy(net)`."""
    return next((_word(call.func) for call in _at(where, ast.Call)), "")


def cited(where: Where | None) -> str:
    """The call at this place as the program spells it; "" where it is none."""
    for call in _at(where, ast.Call):
        text = ast.unparse(call)
        return text if len(text) <= AT_ONE_LINE else f"{ast.unparse(call.func)}(…)"
    return ""


def attribute_at(where: Where | None) -> str:
    """The attribute that the expression there is assigned to, such as "self.mean"."""
    targets = (one.targets[0] for one in _at(where, ast.Assign, "value"))
    return next((ast.unparse(one) for one in targets if isinstance(one, ast.Attribute)), "")


def owner(where: Where | None) -> str:
    """ "self.v", where the expression there is self.v.data."""
    return next((ast.unparse(one.value) for one in _at(where, ast.Attribute)), "")


def spelled_at(path: str, kind: type[ast.AST], part: str, text: str) -> Where | None:
    """Find the first syntax node of a kind in a file that has a part spelled like this."""
    for one in _nodes(path):
        parts = getattr(one, part) if isinstance(one, kind) else []
        if any(
            ast.unparse(each) == text for each in (parts if isinstance(parts, list) else [parts])
        ):
            return path, place_of(one)  # type: ignore[arg-type]
    return None


def is_statement(where: Where | None) -> bool:
    """Whether the expression there is all of a statement, so that its value is dropped."""
    return any(_at(where, ast.Expr, "value"))


def _at(where: Where | None, kind: type[ast.AST], part: str = "") -> Iterator[Any]:
    """Find the syntax nodes at exactly this place, or those with a part there."""
    path, place = where or ("", None)
    for one in _nodes(path):
        standing: Any = getattr(one, part, None) if part else one
        if isinstance(one, kind) and place_of(standing) == place:
            yield one


def _word(function: ast.expr) -> str:
    """The last word of a name with dots."""
    return getattr(function, "attr", getattr(function, "id", ""))


def switched_off(paths: Iterable[str]) -> Where | None:
    """Find where these files set requires_grad, if only once outside loops over parameters."""
    found: list[Where] = []
    for path in paths:
        loops = [ast.unparse(one.target) for one in _nodes(path) if isinstance(one, ast.For)]
        for one in _nodes(path):
            target = one.targets[0] if isinstance(one, ast.Assign) else None
            if isinstance(target, ast.Attribute) and target.attr == "requires_grad":
                name = ast.unparse(target.value)
                if not any(name in loop.split(", ") for loop in loops):
                    found.append((path, place_of(target)))
    return found[0] if len(found) == 1 else None


def gives(path: str, line: int) -> bool:
    """Whether the function that begins in this line of the program returns a value."""
    return "site-packages" not in path and any(
        isinstance(part, ast.Return) and part.value is not None
        for one in _nodes(path)
        if isinstance(one, ast.FunctionDef)
        and line in (one.lineno, *(each.lineno for each in one.decorator_list))
        for part in ast.walk(one)
    )  # fmt: skip


def making(names: frozenset[str], node: Node, read: Where | None) -> Where | None:
    """The call of one of `names` that is given what `node` made, last before it is `read`."""
    path, last = (read[0], read[1][1]) if read else ("", 0)
    first = node.place[1][0] if node.place is not None and node.place[0] == path else 0
    found = None
    for call in (one for one in _nodes(path) if isinstance(one, ast.Call)):
        given = [one for each in call.args for one in ast.walk(each) if isinstance(one, ast.expr)]
        is_given = any(
            node.place == (path, place_of(one)) or (node.variable and _word(one) == node.variable)
            for one in given
        )
        if is_given and _word(call.func) in names and first <= call.lineno <= last:
            found = path, place_of(call)
    return found


def floats_around(path: str, line: int) -> frozenset[float]:
    """The floats that stand in the innermost function around this line, of both signs."""
    return _floats(parsed(path), line)


@lru_cache(512)
def _floats(tree: ast.Module, line: int) -> frozenset[float]:
    functions = [
        one for one in _walked(tree)
        if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
        and one.lineno <= line <= (one.end_lineno or one.lineno)
    ]  # fmt: skip
    inside = min(functions, key=lambda one: (one.end_lineno or 0) - one.lineno, default=tree)
    found = {
        one.value for one in ast.walk(inside)
        if isinstance(one, ast.Constant) and isinstance(one.value, float)
    }  # fmt: skip
    return frozenset(found | {-one for one in found})


def _nodes(path: str) -> tuple[ast.AST, ...]:
    """All of a file as it is now: a module may be reloaded with other lines."""
    return _walked(parsed(path))


@lru_cache(64)
def _walked(tree: ast.Module) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(tree))


def backward_of(name: str) -> str:
    """ " in train.py:12", the return in the backward of the program's own `autograd.Function`."""
    kinds = [torch.autograd.Function]
    for kind in kinds:  # grows while it is walked
        kinds += kind.__subclasses__()
    function = next((one for one in reversed(kinds) if one.__name__ == name), None)
    code = getattr(getattr(function, "backward", None), "__code__", None)
    if code is None:
        return ""
    return f" in {at_line(code.co_filename, max(line for *_, line in code.co_lines() if line))}"
