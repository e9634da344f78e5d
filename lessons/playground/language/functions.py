"""Every function of the playground's language: signature, help, and its code in torch.

One row is one function. To add one, add a row: the interpreter, the help, the errors and torch's
spelling come from here. What a row's `run` calls is torch as the engine's map sees it, so that an
override of its op type reaches it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch.nn import functional

from lessons import tricks
from lessons.playground.language.words import HELP
from lessons.tricks.playground import onehot_argmax, onehot_sample, step

ParameterKind = Literal["tensor", "number", "whole", "either", "mask", "any"]
"""A tensor (a number is made one); a number only; a whole one, written out; either as it is; a
comparison; where's branch."""


@dataclass(frozen=True)
class Parameter:
    """One parameter: its name, what it takes, and its default as a number, if it has one."""

    name: str
    kind: ParameterKind
    default: float | None = None
    optional: bool = False


@dataclass(frozen=True)
class Function:
    """One function.

    Args:
        name: as in programs.
        parameters: in order.
        op: the engine's op type that it runs, or None where it runs none that a map could meet.
        run: takes tensors (floats for number parameters) and gives a tensor, or a tuple of them.
        help: one sentence in Markdown.
        code: the same in torch, as an expression over the parameters' names.
        trick: it hands its first argument on and changes the gradient only.
        several: it gives a tuple of tensors.
    """

    name: str
    parameters: tuple[Parameter, ...]
    op: str | None
    run: Callable[..., Any]
    help: str
    code: str
    trick: bool = False
    several: bool = False

    @property
    def signature(self) -> str:
        """As shown in help and errors: ``clamp(x, low, high)``, ``sum(x, axis?)``."""
        shown = (p.name + ("?" if p.optional else "") for p in self.parameters)
        return f"{self.name}({', '.join(shown)})"

    @property
    def elementary(self) -> bool:
        """Whether it can be named within straight_through and forward_backward."""
        required = [p for p in self.parameters if not p.optional]
        return len(required) == 1 and not self.trick and not self.several


def _reduce(function: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
    def reduced(x: torch.Tensor, axis: float | None = None) -> torch.Tensor:
        return function(x) if axis is None else function(x, int(axis))

    return reduced


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


def _row(
    signature: str,
    op: str | None,
    run: Callable[..., Any],
    code: str,
    trick: bool = False,
    several: bool = False,
) -> Function:
    name, *words = signature.split()
    parameters = tuple(_parameter(word) for word in words)
    return Function(name, parameters, op, run, HELP[name], code, trick, several)


_ROWS = (
    _row("sqrt x", "sqrt", torch.sqrt, "torch.sqrt(x)"),
    _row("square x", "square", torch.square, "torch.square(x)"),
    _row("exp x", "exp", torch.exp, "torch.exp(x)"),
    _row("log x", "log", torch.log, "torch.log(x)"),
    _row("abs x", "abs", torch.abs, "torch.abs(x)"),
    _row("sign x", "sign", torch.sign, "torch.sign(x)"),
    _row("round x", "round", torch.round, "torch.round(x)"),
    _row("floor x", "floor", torch.floor, "torch.floor(x)"),
    _row("ceil x", "ceil", torch.ceil, "torch.ceil(x)"),
    _row("step x", None, step, "step(x)"),
    _row("sin x", "sin", torch.sin, "torch.sin(x)"),
    _row("cos x", "cos", torch.cos, "torch.cos(x)"),
    _row("tanh x", "tanh", torch.tanh, "torch.tanh(x)"),
    _row("sigmoid x", "sigmoid", torch.sigmoid, "torch.sigmoid(x)"),
    _row("relu x", "relu", torch.relu, "torch.relu(x)"),
    _row("softplus x", "softplus", functional.softplus, "torch.nn.functional.softplus(x)"),
    _row("softmax x", "softmax", lambda x: torch.softmax(x, -1), "torch.softmax(x, -1)"),
    _row("log_softmax x", "log_softmax", lambda x: torch.log_softmax(x, -1),
         "torch.log_softmax(x, -1)"),
    _row("logsumexp x", "logsumexp", lambda x: torch.logsumexp(x, -1), "torch.logsumexp(x, -1)"),
    _row("topk x k%", "topk", lambda x, k: torch.topk(x, int(k)).values, "torch.topk(x, k).values"),
    _row("select x index%", "select", lambda x, index: torch.select(x, -1, int(index)),
         "torch.select(x, -1, index)"),
    _row("onehot_argmax x", None, onehot_argmax, "onehot_argmax(x)"),
    _row("onehot_sample p u", None, onehot_sample, "onehot_sample(p, u)"),
    _row("maximum a b", "maximum", torch.maximum, "torch.maximum(a, b)"),
    _row("minimum a b", "minimum", torch.minimum, "torch.minimum(a, b)"),
    _row("clamp x low#=-1e30 high#=1e30", "clamp", torch.clamp, "torch.clamp(x, low, high)"),
    _row("where condition? a! b!", "where", torch.where, "torch.where(condition, a, b)"),
    _row("full_like x value#", None, lambda x, value: torch.full_like(x, value),
         "torch.full_like(x, value)"),
    _row("sum x axis%?", "sum", _reduce(torch.sum), "torch.sum(x, axis)"),
    _row("mean x axis%?", "mean", _reduce(torch.mean), "torch.mean(x, axis)"),
    _row("matmul a b", "matmul", torch.matmul, "torch.matmul(a, b)"),
    _row("transpose x", "transpose", lambda x: torch.transpose(x, -1, -2),
         "torch.transpose(x, -1, -2)"),
    _row("unbind x", "unbind", torch.unbind, "torch.unbind(x)", several=True),
    _row("identity x", "identity", tricks.identity, "identity(x)", trick=True),
    _row("stop_gradient x", "stop_gradient", tricks.stop_gradient, "stop_gradient(x)", trick=True),
    _row("detach x", "stop_gradient", tricks.stop_gradient, "x.detach()", trick=True),
    _row("flip_gradient x scale~=1", None, tricks.flip_gradient,
         "flip_gradient(x, scale)", trick=True),
    _row("scale_gradient x factor~", None, tricks.scale_gradient,
         "scale_gradient(x, factor)", trick=True),
    _row("clip_gradient x low# high#", None, tricks.clip_gradient,
         "clip_gradient(x, low, high)", trick=True),
    _row("clip_gradient_norm x max_norm#", None, tricks.clip_gradient_norm,
         "clip_gradient_norm(x, max_norm)", trick=True),
)  # fmt: skip

FUNCTIONS: dict[str, Function] = {row.name: row for row in _ROWS}

FORMS: dict[str, tuple[str, str]] = {
    "straight_through": ("straight_through(f)(x)", HELP["straight_through"]),
    "forward_backward": ("forward_backward(f, g)(x)", HELP["forward_backward"]),
    "py_func": ("py_func(a + b, a * b)", HELP["py_func"]),
}
"""What is called like a function and is not one: how it is written, and its help."""

CALLABLE = (*FUNCTIONS, *FORMS)
"""Every name that can stand before brackets."""
