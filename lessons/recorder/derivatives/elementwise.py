"""The elementwise op types: what each operand's local derivative is, in LaTeX and as a number.

Data. A row: the operands' names, then one `Local` an operand. In LaTeX `@a` stands for an operand
or parameter and `@z` for the output; with the numbers put in, the second text is used where there
is one. The number is computed in float64 by torch, so that 1/0 is an infinity, and follows
autograd's conventions at kinks. along_edge.py puts it together; a test holds each to autograd.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import torch

Numbers = dict[str, Any]
"""Operands, parameters and `z` by name: float64 scalar tensors, or the plain argument."""


class Local(NamedTuple):
    """One local derivative: LaTeX, LaTeX for numbers, the number from all that the row names."""

    latex: str
    value: Callable[[Numbers], Any]
    in_numbers: str = ""


class Row(NamedTuple):
    """`operands`: the arguments, in torch's order, `name=default` where one may be left out."""

    operands: str
    locals: dict[str, Local]


def _constant(value: float = 1.0) -> Local:
    return Local(f"{value:g}", lambda n: value)


def _row(operands: str, **locals: Local) -> Row:
    return Row(operands, locals)


def _unary(latex: str, value: Callable[[Numbers], Any], in_numbers: str = "") -> Row:
    return Row("a", {"a": Local(latex, value, in_numbers)})


_FLAT = _unary("0", lambda n: 0.0)
_PASS = _unary("1", lambda n: 1.0)


def _is(condition: Any) -> Any:
    return torch.as_tensor(condition).double()


def _tie(first: Any, second: Any) -> Any:
    """1 where the first wins, ½ at a tie: torch's convention."""
    return _is(first > second) + 0.5 * _is(first == second)


def _pow_base(n: Numbers) -> Any:
    a, b = n["a"], n["b"]
    return 0.0 if b == 0 else b * a ** (b - 1)


def _pow_exponent(n: Numbers) -> Any:
    return 0.0 if n["a"] == 0 and n["b"] >= 0 else n["z"] * torch.log(n["a"])


def _gelu(n: Numbers) -> Any:
    a = n["a"]
    if n["approximate"] == "tanh":
        k = math.sqrt(2 / math.pi)
        t = torch.tanh(k * (a + 0.044715 * a**3))
        return 0.5 * (1 + t) + 0.5 * a * (1 - t**2) * k * (1 + 3 * 0.044715 * a**2)
    density = torch.exp(-0.5 * a**2) / math.sqrt(2 * math.pi)
    return 0.5 * (1 + torch.erf(a / math.sqrt(2))) + a * density


def _at_bound(low: Any, one: int) -> float:
    """What torch gives the value or its bound where the two are equal: it differs by release."""
    given = [torch.zeros((), requires_grad=True), low]
    return float(torch.autograd.grad(torch.clamp(*given), given[one])[0])


_VALUE_AT_NUMBER = _at_bound(0.0, 0)
_VALUE_AT_TENSOR, _TENSOR = (_at_bound(torch.zeros((), requires_grad=True), one) for one in (0, 1))


def _clamped(n: Numbers) -> Any:
    bounds = [n["low"], n["high"]]
    if at := [bound for bound in bounds if bound is not None and bound == n["a"]]:
        return _VALUE_AT_TENSOR if isinstance(at[0], torch.Tensor) else _VALUE_AT_NUMBER
    low, high = bounds
    return _is((low is None or n["a"] > low) and (high is None or n["a"] < high))


def _low(n: Numbers) -> Any:
    if n["high"] is not None and n["high"] <= n["low"]:
        return 0.0
    return _TENSOR if n["a"] == n["low"] else _is(n["a"] < n["low"])


def _high(n: Numbers) -> Any:
    if n["low"] is not None and n["high"] < n["low"]:
        return 1.0
    return _TENSOR if n["a"] == n["high"] else _is(n["a"] > n["high"])


_SELU = 1.0507009873554805, 1.6732632423543772

ELEMENTWISE: dict[str, Row] = {
    **dict.fromkeys(("identity", "to", "clone"), _PASS),
    **dict.fromkeys(("sign", "round", "floor", "ceil", "trunc"), _FLAT),
    "add": _row("a b alpha=1", a=_constant(), b=Local("@alpha", lambda n: n["alpha"])),
    "sub": _row("a b alpha=1", a=_constant(), b=Local("-@alpha", lambda n: -n["alpha"])),
    "mul": _row("a b", a=Local("@b", lambda n: n["b"]), b=Local("@a", lambda n: n["a"])),
    "div": _row(
        "a b",
        a=Local(r"\frac{1}{@b}", lambda n: 1 / n["b"]),
        b=Local(r"-\frac{@a}{@b^{2}}", lambda n: -(n["a"] / n["b"]) / n["b"]),
    ),
    "remainder": _row(
        "a b",
        a=_constant(),
        b=Local(
            r"-\left\lfloor\frac{@a}{@b}\right\rfloor", lambda n: -torch.floor(n["a"] / n["b"])
        ),
    ),
    "fmod": _row(
        "a b",
        a=_constant(),
        b=Local(
            r"-\operatorname{trunc}\frac{@a}{@b}", lambda n: -torch.trunc(n["a"] / n["b"])
        ),
    ),
    "pow": _row(
        "a b",
        a=Local(r"@b\cdot @a^{@b-1}", _pow_base),
        b=Local(r"@a^{@b}\ln @a", _pow_exponent, r"@z\cdot\ln @a"),
    ),
    "square": _unary(r"2\cdot @a", lambda n: 2 * n["a"]),
    "sqrt": _unary(r"\frac{1}{2\sqrt{@a}}", lambda n: 0.5 / n["z"], r"\frac{1}{2\cdot @z}"),
    "rsqrt": _unary(
        r"-\frac{1}{2\,@a\sqrt{@a}}", lambda n: -0.5 * n["z"] ** 3, r"-\frac{@z^{3}}{2}"
    ),
    "reciprocal": _unary(r"-\frac{1}{@a^{2}}", lambda n: -(n["z"] ** 2)),
    "neg": _unary("-1", lambda n: -1.0),
    "abs": _unary(r"\operatorname{sign}(@a)", lambda n: torch.sign(n["a"])),
    "exp": _unary("e^{@a}", lambda n: n["z"]),
    "expm1": _unary("e^{@a}", lambda n: n["z"] + 1),
    "log": _unary(r"\frac{1}{@a}", lambda n: 1 / n["a"]),
    "log1p": _unary(r"\frac{1}{1+@a}", lambda n: 1 / (1 + n["a"])),
    "log2": _unary(r"\frac{1}{@a\ln 2}", lambda n: 1 / (n["a"] * math.log(2))),
    "log10": _unary(r"\frac{1}{@a\ln 10}", lambda n: 1 / (n["a"] * math.log(10))),
    "xlogy": _row(
        "a b",
        a=Local(
            r"\ln @b",
            lambda n: 0.0 if n["a"] == 0 and n["b"] <= 0 else torch.log(n["b"]),
        ),
        b=Local(r"\frac{@a}{@b}", lambda n: n["a"] / n["b"]),
    ),
    "sin": _unary(r"\cos(@a)", lambda n: torch.cos(n["a"])),
    "cos": _unary(r"-\sin(@a)", lambda n: -torch.sin(n["a"])),
    "tan": _unary(r"1+\tan^{2}(@a)", lambda n: 1 + n["z"] ** 2, "1+@z^{2}"),
    "asin": _unary(r"\frac{1}{\sqrt{1-@a^{2}}}", lambda n: torch.rsqrt(1 - n["a"] ** 2)),
    "acos": _unary(r"-\frac{1}{\sqrt{1-@a^{2}}}", lambda n: -torch.rsqrt(1 - n["a"] ** 2)),
    "atan": _unary(r"\frac{1}{1+@a^{2}}", lambda n: 1 / (1 + n["a"] ** 2)),
    "atan2": _row(
        "a b",
        a=Local(
            r"\frac{@b}{@a^{2}+@b^{2}}", lambda n: n["b"] / (n["a"] ** 2 + n["b"] ** 2)
        ),
        b=Local(
            r"-\frac{@a}{@a^{2}+@b^{2}}", lambda n: -n["a"] / (n["a"] ** 2 + n["b"] ** 2)
        ),
    ),
    "sinh": _unary(r"\cosh(@a)", lambda n: torch.cosh(n["a"])),
    "cosh": _unary(r"\sinh(@a)", lambda n: torch.sinh(n["a"])),
    "tanh": _unary(r"1-\tanh^{2}(@a)", lambda n: 1 - n["z"] ** 2, "1-@z^{2}"),
    "sigmoid": _unary(
        r"\sigma(@a)\,(1-\sigma(@a))", lambda n: n["z"] * (1 - n["z"]), r"@z\cdot(1-@z)"
    ),
    "erf": _unary(
        r"\frac{2}{\sqrt{\pi}}e^{-@a^{2}}",
        lambda n: 2 / math.sqrt(math.pi) * torch.exp(-(n["a"] ** 2)),
    ),
    "erfc": _unary(
        r"-\frac{2}{\sqrt{\pi}}e^{-@a^{2}}",
        lambda n: -2 / math.sqrt(math.pi) * torch.exp(-(n["a"] ** 2)),
    ),
    "lgamma": _unary(r"\psi(@a)", lambda n: torch.digamma(n["a"])),
    "relu": _unary(r"\mathbf{1}[@a > 0]", lambda n: _is(n["a"] > 0)),
    "relu6": _unary(r"\mathbf{1}[0 < @a < 6]", lambda n: _is(0 < n["a"] < 6)),
    "hardtanh": _row(
        "a low=-1 high=1",
        a=Local(
            r"\mathbf{1}[@low < @a < @high]", lambda n: _is(n["low"] < n["a"] < n["high"])
        ),
    ),
    "leaky_relu": _row(
        "a slope=0.01",
        a=Local(
            r"\mathbf{1}[@a > 0] + @slope\cdot\mathbf{1}[@a \le 0]",
            lambda n: 1.0 if n["a"] > 0 else n["slope"],
        ),
    ),
    "elu": _row(
        "a alpha=1",
        a=Local(
            r"\mathbf{1}[@a > 0] + @alpha\,e^{@a}\,\mathbf{1}[@a \le 0]",
            lambda n: n["alpha"] * torch.exp(n["a"]) if n["a"] <= 0 else 1.0,
        ),
    ),
    "selu": _unary(
        r"1.0507\,(\mathbf{1}[@a > 0] + 1.6733\,e^{@a}\,\mathbf{1}[@a \le 0])",
        lambda n: _SELU[0] * (_SELU[1] * torch.exp(n["a"]) if n["a"] <= 0 else 1.0),
    ),
    "gelu": _row("a approximate=none", a=Local(r"\Phi(@a) + @a\,\varphi(@a)", _gelu)),
    "silu": _unary(
        r"\sigma(@a)\,(1 + @a\,(1-\sigma(@a)))",
        lambda n: torch.sigmoid(n["a"]) * (1 + n["a"] * (1 - torch.sigmoid(n["a"]))),
    ),
    "softplus": _row(
        "a beta=1 threshold=20",
        a=Local(
            r"\sigma(@beta\cdot @a)",
            lambda n: (
                1.0
                if n["a"] * n["beta"] > n["threshold"]
                else torch.sigmoid(n["a"] * n["beta"])
            ),
        ),
    ),
    "softsign": _unary(
        r"\frac{1}{(1+|@a|)^{2}}", lambda n: 1 / (1 + torch.abs(n["a"])) ** 2
    ),
    "dropout": _row(
        "a p=0.5 training=True",
        a=Local(r"\frac{m}{1-@p}", lambda n: n["z"] / n["a"], r"\frac{@z}{@a}"),
    ),
    "maximum": _row(
        "a b",
        a=Local(r"\mathbf{1}[@a > @b]", lambda n: _tie(n["a"], n["b"])),
        b=Local(r"\mathbf{1}[@b > @a]", lambda n: _tie(n["b"], n["a"])),
    ),
    "minimum": _row(
        "a b",
        a=Local(r"\mathbf{1}[@a < @b]", lambda n: _tie(n["b"], n["a"])),
        b=Local(r"\mathbf{1}[@b < @a]", lambda n: _tie(n["a"], n["b"])),
    ),
    "clamp": _row(
        "a low=None high=None",
        a=Local(r"\mathbf{1}[@low \le @a \le @high]", _clamped),
        low=Local(r"\mathbf{1}[@a < @low]", _low),
        high=Local(r"\mathbf{1}[@a > @high]", _high),
    ),
    "where": _row(
        "c a b",
        a=Local(r"\mathbf{1}[@c]", lambda n: _is(n["c"] != 0)),
        b=Local(r"\mathbf{1}[\neg @c]", lambda n: _is(n["c"] == 0)),
    ),
    "masked_fill": _row(
        "a c b",
        a=Local(r"\mathbf{1}[\neg @c]", lambda n: _is(n["c"] == 0)),
        b=Local(r"\mathbf{1}[@c]", lambda n: _is(n["c"] != 0)),
    ),
}  # fmt: skip

KEYWORDS: dict[str, str] = {
    # torch's keyword → the name in a row.
    "input": "a",
    "self": "a",
    "other": "b",
    "exponent": "b",
    "value": "b",
    "condition": "c",
    "mask": "c",
    "min": "low",
    "max": "high",
    "min_val": "low",
    "max_val": "high",
    "negative_slope": "slope",
}
