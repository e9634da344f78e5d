"""Every function that a program may call: signature, help, and its code in torch.

One row is one function, with its parameters in torch's order. From the row follow the reader of
typed and of pasted calls, the interpreter, the help, the refusals and torch's spelling. What a
row's `run` calls is torch as the engine's map sees it, so that an override of its op type reaches
it.
"""

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch.nn import functional

from lessons.gradient_tricks import tricks
from lessons.gradient_tricks.tricks import playground
from lessons.gradient_tricks.tricks.playground import onehot_argmax, onehot_sample, step
from lessons.playground.language.words import HELP

ParameterKind = Literal["tensor", "number", "whole", "either", "mask", "any"]
"""A tensor (a number is made one); a number only; a whole one, written out; either as it is; a
comparison; where's branch."""

_CALLED_HERE = {"input": ("x", "a"), "target": ("t",), "other": ("b",), "exponent": ("b",),
                "x1": ("a",), "x2": ("b",), "min": ("low",), "max": ("high",),
                "mask": ("condition",), "dim": ("axis",), "axis": ("dim",)}  # fmt: skip
"""Torch's names of parameters, and what they are called here."""


@dataclass(frozen=True)
class Parameter:
    """One parameter: its name, what it takes, and its default as a number, if it has one."""

    name: str
    kind: ParameterKind
    default: float | None = None
    optional: bool = False


@dataclass(frozen=True)
class Signature:
    """How a function is called.

    Args:
        name: as in programs.
        parameters: in order.
        order: the names of these parameters and of torch's other settings, as torch has them.
        settings: torch's other settings, each with its default as code: the function does the
            same without them.
        text: the function written with others, settings included; empty if no setting but the
            defaults can be read.
    """

    name: str
    parameters: tuple[Parameter, ...]
    order: tuple[str, ...]
    settings: Mapping[str, str]
    text: str

    @property
    def signature(self) -> str:
        """As shown in help and errors: ``clamp(x, low, high)``, ``sum(x, axis?)``."""
        shown = (p.name + ("?" if p.optional else "") for p in self.parameters)
        return f"{self.name}({', '.join(shown)})"

    def parameter(self, keyword: str) -> str:
        """The parameter that a keyword of torch or of ours names; empty if there is none."""
        return next((n for n in (keyword, *_CALLED_HERE.get(keyword, ())) if n in self.order), "")

    def written_out(self, bound: Mapping[str, ast.expr] = {}, text: str = "") -> ast.expr:
        """The function written with others, with these arguments and the other settings' defaults.

        Args:
            text: in place of its own.
        """
        settings = {
            name: bound.get(name) or _template(code) for name, code in self.settings.items()
        }
        made: ast.expr = _Filled(settings, bound).visit(_template(text or self.text))
        return made


@dataclass(frozen=True)
class Function(Signature):
    """A function that runs.

    Args:
        op: the engine's op type that it runs, or None where it runs none that a map could meet.
        run: takes tensors (floats for number parameters) and gives a tensor, or a tuple of them.
        help: one sentence in Markdown.
        code: the same in torch, as an expression over the parameters' names.
        trick: it hands its first argument on and changes the gradient only.
        several: it gives a tuple of tensors.
    """

    op: str | None
    run: Callable[..., Any]
    help: str
    code: str
    trick: bool = False
    several: bool = False

    @property
    def elementary(self) -> bool:
        """Whether it can be named within straight_through and forward_backward."""
        required = [p for p in self.parameters if not p.optional]
        return len(required) == 1 and not self.trick and not self.several


def _template(code: str) -> ast.expr:
    """An expression that has no place in any text yet."""
    tree = ast.parse(code, mode="eval").body
    for part in ast.walk(tree):
        vars(part).pop("lineno", None)
    return tree


class Put(ast.NodeTransformer):
    """Puts expressions in place of names."""

    def __init__(self, given: Mapping[str, ast.expr]) -> None:
        self.given = given

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.given.get(node.id, node)


class _Filled(Put):
    """Leaves out a factor or a divisor, too, if it is a setting that is 1."""

    def __init__(self, settings: Mapping[str, ast.expr], given: Mapping[str, ast.expr]) -> None:
        super().__init__({**settings, **given})
        self.ones = [one for one in settings.values() if ast.unparse(one) in ("1", "1.0")]

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.op, ast.Mult) and node.left in self.ones:
            return node.right
        divides = isinstance(node.op, ast.Mult | ast.Div) and node.right in self.ones
        return node.left if divides else node


def _parameter(word: str) -> Parameter:
    """``x`` a tensor, ``low#`` a number, ``k%`` a whole one, ``scale~`` either, ``c?`` a mask,
    ``a!`` a branch; ``=1`` after it a default, ``axis%?`` one that may be left out."""
    name, equals, default = word.partition("=")
    optional = bool(equals) or name.endswith("%?")
    name = name.removesuffix("?") if name.endswith("%?") else name
    kinds: dict[str, ParameterKind] = {
        "#": "number", "%": "whole", "~": "either", "?": "mask", "!": "any",
    }  # fmt: skip
    kind = kinds.get(name[-1], "tensor")
    return Parameter(name.rstrip("#%~?!"), kind, float(default) if default else None, optional)


def read_signature(row: str, text: str) -> tuple[list[str], Signature]:
    """Read ``name parameter … setting:default …``; several names are joined by a bar."""
    names, *words = row.split()
    settings = dict(word.split(":") for word in words if ":" in word)
    parameters = tuple(_parameter(word) for word in words if ":" not in word)
    known = iter(parameters)
    order = tuple(word.split(":")[0] if ":" in word else next(known).name for word in words)
    first, *others = names.split("|")
    return [first, *others], Signature(first, parameters, order, settings, text)


def _row(
    signature: str,
    run: Callable[..., Any] | None = None,
    code: str = "",
    text: str = "",
    op: str | None = "",
    trick: bool = False,
    several: bool = False,
) -> dict[str, Function]:
    """One function; torch's own of that name, called with all parameters, unless a row says more.

    A trick is one of ours, and runs no op that a map could meet.
    """
    names, read = read_signature(signature, text)
    name, arguments = read.name, ", ".join(one.name for one in read.parameters)
    function = Function(
        **vars(read),
        op=op if op or op is None else None if trick else name,
        run=run or getattr(tricks if trick else torch, name),
        help=HELP[name],
        code=code or f"{'' if trick else 'torch.'}{name}({arguments})",
        trick=trick,
        several=several,
    )
    return dict.fromkeys(names, function)


_ROWS = (
    *(_row(f"{name} x") for name in ("sqrt", "square", "exp", "log", "abs", "sign|sgn")),
    _row("round x decimals:0", code="torch.round(x)"),
    *(_row(f"{name} x") for name in ("floor", "ceil")),
    _row("step x", step, "step(x)", op=None),
    *(_row(f"{name} x") for name in ("sin", "cos", "tanh", "sigmoid")),
    _row("relu x inplace:False"),
    _row("softplus x beta:1 threshold:20", functional.softplus, "torch.nn.functional.softplus(x)",
         "softplus(beta * x) / beta"),
    _row("softmax x dim:-1", playground.softmax, "torch.softmax(x, -1)"),
    _row("log_softmax x dim:-1", playground.log_softmax, "torch.log_softmax(x, -1)"),
    _row("logsumexp|reduce_logsumexp x dim:-1 keepdim:False", playground.logsumexp,
         "torch.logsumexp(x, -1)"),
    _row("topk|top_k x k% dim:-1 largest:True sorted:True",
         lambda x, k: torch.topk(x, k).values, "torch.topk(x, k).values"),
    _row("select x dim:-1 index%", lambda x, index: torch.select(x, -1, index),
         "torch.select(x, -1, index)"),
    _row("onehot_argmax x", onehot_argmax, "onehot_argmax(x)", op=None),
    _row("onehot_sample p u", onehot_sample, "onehot_sample(p, u)", op=None),
    _row("maximum a b"),
    _row("minimum a b"),
    _row("clamp|clip|clip_by_value x low#=-1e30 high#=1e30"),
    _row("where condition? a! b!"),
    _row("full_like x value#", op=None),
    _row("sum|reduce_sum x axis%? keepdim:False"),
    _row("mean|reduce_mean x axis%? keepdim:False"),
    _row("matmul a b"),
    _row("transpose|t x dim0:-1 dim1:-2", playground.transpose, "torch.transpose(x, -1, -2)"),
    _row("unbind x dim:0", several=True),
    _row("identity|clone x", trick=True, op="identity"),
    _row("stop_gradient x", trick=True, op="stop_gradient"),
    _row("detach x", tricks.stop_gradient, "x.detach()", trick=True, op="stop_gradient"),
    _row("flip_gradient x scale~=1", trick=True),
    _row("scale_gradient x factor~", trick=True),
    _row("clip_gradient x low# high#", trick=True),
    _row("clip_gradient_norm x max_norm#", trick=True),
)  # fmt: skip

_BY_NAME = {name: function for row in _ROWS for name, function in row.items()}

FUNCTIONS = {function.name: function for function in _BY_NAME.values()}

FORMS: dict[str, tuple[str, str]] = {
    "straight_through": ("straight_through(f)(x)", HELP["straight_through"]),
    "forward_backward": ("forward_backward(f, g)(x)", HELP["forward_backward"]),
    "py_func": ("py_func(a + b, a * b)", HELP["py_func"]),
}
"""What is called like a function and is not one: how it is written, and its help."""

CALLABLE = (*FUNCTIONS, *FORMS)
"""Every name that can stand before brackets."""


def own_name(name: str) -> str:
    """The language's own name for a function or method that a framework names otherwise."""
    return _BY_NAME[name].name if name in _BY_NAME else name
