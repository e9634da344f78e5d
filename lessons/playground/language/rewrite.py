"""Rewrites an expression of pasted code: what the language spells otherwise, in its own words."""

import ast
import copy
import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from lessons.playground.language.functions import CALLABLE
from lessons.playground.language.spellings import (
    MODULES,
    NEARLY,
    NUMBERS,
    OPERATORS,
    WITHOUT_EFFECT,
    WRITTEN_OUT,
    WrittenOut,
    path,
)
from lessons.playground.language.words import WORDS

ROOTS = {"self", "cls", "ctx", "args", "opt", "cfg", "config", "hparams", "params"}
"""What settings hang on: ``self.beta`` is ``beta``."""
_AXIS = ("dim", "axis")
_REDUCED = {"sum", "mean", "softmax", "log_softmax", "logsumexp"}
_LIMITS = {"min": "maximum", "low": "maximum", "max": "minimum", "high": "minimum"}
_NO_EFFECT = {"inplace", "keepdim", "keepdims", "requires_grad", "non_blocking"}
"""Settings that change no number."""
_OPERANDS = {"input": "x", "target": "t", "x1": "a", "x2": "b", "other": "b"}
"""Torch's names of operands, and those in the texts of ``WRITTEN_OUT``."""
_VALUES = {"'fro'": "2"}
"""Another spelling of a setting's value."""


class Partial(NamedTuple):
    """A function with settings, as ``nn.LeakyReLU(0.2)`` is one."""

    name: str
    given: Sequence[ast.expr] = ()
    keywords: Mapping[str, ast.expr] = {}


def _squashed(name: str) -> str:
    return name.lower().replace("_", "").removesuffix("loss").replace("binarycrossentropy", "bce")


_CLASSES = {_squashed(name): name for name in (*CALLABLE, *WRITTEN_OUT)}


class Rewriter(ast.NodeTransformer):
    """Rewrites expressions.

    Args:
        clean: a name as the language can have it.
    """

    def __init__(self, clean: Callable[[str], str]) -> None:
        self.clean = clean
        self.names: dict[str, str] = {}  # what each is called in the program by now
        self.functions: dict[str, Partial] = {}  # what a name stands for: self.act = nn.ReLU()
        self.settings: set[str] = set()  # what hangs on self
        self.left: dict[str, None] = {}
        self.remarks: dict[tuple[int, str], None] = {}  # by line
        self.stopped = False  # within no_grad

    def read(self, node: ast.expr) -> ast.expr:
        """The expression in the language's words, as far as there are any."""
        made: ast.expr = self.visit(copy.deepcopy(node))
        return call("stop_gradient", made) if self.stopped else made

    def settle(self, name: str, value: ast.expr) -> bool:
        """Whether this makes the name a function of the language, as in ``mse = nn.MSELoss()``."""
        made = self._class(value)
        if made:
            self.functions[name] = made
        return bool(made)

    def _class(self, node: ast.expr) -> Partial | None:
        """The function that a module of torch.nn is: ``nn.MSELoss()`` is ``mse_loss``."""
        if not isinstance(node, ast.Call) or not (name := path(node.func)[-1])[:1].isupper():
            return None
        if not (found := _CLASSES.get(_squashed(name))):
            return None
        keywords = {k.arg or "**": self.visit(k.value) for k in node.keywords}
        return Partial(found, [self.visit(one) for one in node.args], keywords)

    def visit(self, node: ast.AST) -> Any:
        shown = ast.unparse(node) if isinstance(node, ast.Call | ast.Subscript) else ""
        made = super().visit(node)
        if shown:
            made.written = shown  # for what is said of it
        return made

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id in self.names or node.id not in (*CALLABLE, *MODULES):
            return ast.copy_location(ast.Name(self.names.get(node.id) or self.clean(node.id)), node)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        root, *names = path(node)
        if root in ROOTS and root not in self.names:
            found = self.visit_Name(ast.Name("_".join(names), lineno=node.lineno, col_offset=0))
            self.settings |= (
                {found.id} if len(names) == 1 and isinstance(found, ast.Name) else set()
            )
            return found
        if names[-1] == "pi" and root in MODULES:
            return ast.Constant(math.pi)
        node.value = self.visit(node.value)
        instead = {"data": "stop_gradient", "T": "transpose"}.get(node.attr)
        return call(instead, node.value) if instead else node

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        return call("where", *map(self.visit, (node.test, node.body, node.orelse)))

    def visit_Subscript(self, node: ast.Subscript) -> Any:
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if all(ast.unparse(part) in (":", "None", "...") for part in parts):
            return self.visit(node.value)
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> Any:
        func, on, partial = self._called(node.func)
        name = path(func)[-1]
        given = [*(self.visit(argument) for argument in node.args), *partial.given]
        keywords = {k.arg or "**": self.visit(k.value) for k in node.keywords}
        keywords = {**partial.keywords, **keywords}
        keywords = {k: v for k, v in keywords.items() if k not in _NO_EFFECT and not _is_none(v)}
        operands = [*on, *given]
        mask = bool(operands) and isinstance(operands[0], ast.Compare)
        if mask and name in (*WITHOUT_EFFECT, "int", "long"):
            self.left[name] = None
            return call("where", operands[0], ast.Constant(1), ast.Constant(0))
        if name in WITHOUT_EFFECT and operands:
            self.left[name] = None
            return operands[0]
        if name in NUMBERS:
            return ast.Constant(NUMBERS[name])
        if name in ("max", "min") and len(operands) == 2 and _has_name(operands[1], _AXIS):
            return call(f"{name}imum", *operands)
        if name in ("clamp", "clip") and (limits := _limits(operands[1:], keywords)):
            made = operands[0]
            for function, limit in limits:
                made = call(function, made, limit)
            return made
        if name in _REDUCED:
            # A list has one axis, which is the first and the last.
            given = self._without_axis(node, given, 1 - len(on))
            keywords = {
                k: v for k, v in keywords.items() if k not in _AXIS or self._is_axis(node, v)
            }
        row = None if name in self.names else WRITTEN_OUT.get(name)
        if row and (written := self._written_out(node, name, row, operands, keywords)):
            return written
        pairs = [ast.keyword(None if k == "**" else k, v) for k, v in keywords.items()]
        return ast.copy_location(ast.Call(func, given, pairs), node)

    def _without_axis(self, node: ast.expr, given: list[ast.expr], first: int) -> list[ast.expr]:
        """The arguments without an axis that a list has not, and what follows it."""
        if len(given) <= first or self._is_axis(node, given[first]):
            return given[: first + 1]
        return given[:first]

    def _is_axis(self, node: ast.expr, axis: ast.expr) -> bool:
        """Whether a list has this axis; it is remarked where it has not."""
        if (code := ast.unparse(axis)) in ("0", "-1"):
            return True
        self.remarks[node.lineno, WORDS("one_axis", setting=f"dim={code}")] = None
        return False

    def _written_out(
        self,
        node: ast.expr,
        name: str,
        row: WrittenOut,
        operands: Sequence[ast.expr],
        keywords: Mapping[str, ast.expr],
    ) -> ast.expr | None:
        """A function that is written with others; None where it is called in an unknown way."""
        if not (bound := _bound(row, operands, keywords)):
            return None
        settings = {k: ast.unparse(v) for k, v in bound.items() if k in row.settings}
        settings = {k: _VALUES.get(v, v) for k, v in settings.items() if k not in _NO_EFFECT}
        changed = {k for k, v in settings.items() if not _is_same(v, row.settings[k])}
        if name in (*CALLABLE, *OPERATORS) and not changed:
            return None
        # A value that reads names is put in below, with the operands: it may read an x of its own.
        text = row.code({k: k if names_in(bound[k]) else f"({v})" for k, v in settings.items()})
        reduction = settings.get("reduction", "'mean'")
        if text.startswith("mean(") and reduction in ("'none'", "'sum'"):
            text = f"sum{text[4:]}" if reduction == "'sum'" else text[4:]
            changed.discard("reduction")
        if name == "kl_div" and reduction == "'batchmean'":
            self.remarks[node.lineno, WORDS("batchmean")] = None
            changed.discard("reduction")
        for axis in {"dim"} & changed:
            self._is_axis(node, bound[axis])
        if changed - {*re.findall(r"[a-z_]+", row.text), "dim", *NEARLY.get(name, ())}:
            return None
        if name in NEARLY:
            setting, value, said = NEARLY[name]
            if settings.get(setting, value) == value:
                self.remarks[node.lineno, said] = None
        if text == "stop_gradient(x)" and not names_in(bound["x"]):
            return bound["x"]
        made: ast.expr = Put(bound).visit(ast.parse(text, mode="eval").body)
        return made

    def _called(self, func: ast.expr) -> tuple[ast.expr, list[ast.expr], Partial]:
        """What is called, what it is called on if it is a method, and the settings that it has."""
        root, *names = path(func)
        if made := self._class(func):
            return ast.Name(made.name), [], made
        if not isinstance(func, ast.Attribute):
            made = self.functions.get(root, Partial(root))
            return (ast.Name(made.name) if root else self.visit(func)), [], made
        if root in MODULES and root not in self.names:
            return func, [], Partial("")
        if root in ROOTS and len(names) == 1:
            made = self.functions.get(self.clean(func.attr), Partial(func.attr))
            return ast.Name(made.name), [], made
        func.value = self.visit(func.value)
        return func, [func.value], Partial("")


class Put(ast.NodeTransformer):
    """Puts expressions in place of names."""

    def __init__(self, given: Mapping[str, ast.expr]) -> None:
        self.given = given

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.given.get(node.id, node)


def _bound(
    row: WrittenOut, operands: Sequence[ast.expr], keywords: Mapping[str, ast.expr]
) -> dict[str, ast.expr]:
    """Which argument is which parameter, as torch binds them; nothing where it would refuse."""
    names = [*row.operands, *row.settings]
    bound = dict(zip(names, operands, strict=False))
    named = {_OPERANDS.get(name, name): value for name, value in keywords.items()}
    if len(operands) > len(names) or bound.keys() & named or named.keys() - {*names}:
        return {}
    bound |= named
    return bound if bound.keys() >= {*row.operands} else {}


def _is_same(one: str, other: str) -> bool:
    """Whether two values are the same: ``1`` and ``1.0`` are."""
    try:
        return bool(ast.literal_eval(one) == ast.literal_eval(other))
    except ValueError:
        return False


def _limits(given: Sequence[ast.expr], keywords: dict[str, ast.expr]) -> list[tuple[str, ast.expr]]:
    """The limits of a clamp as minimum and maximum, unless they are numbers that are written."""
    limits = [*zip(("maximum", "minimum"), given, strict=False)]
    limits += [(_LIMITS[name], value) for name, value in keywords.items() if name in _LIMITS]
    return limits if any(_has_name(value) for _, value in limits) else []


def call(name: str, *arguments: ast.expr) -> ast.Call:
    """Write a call of a function of the language."""
    return ast.Call(ast.Name(name), [*arguments], [])


def names_in(node: ast.expr) -> set[str]:
    """The names that an expression reads."""
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def _has_name(node: ast.expr, but: Sequence[str] = ()) -> bool:
    return bool(names_in(node) - {*but})


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
