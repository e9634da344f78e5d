"""The elementwise op types: what each operand's local derivative is, in LaTeX.

Data: for each argument that has a derivative, by the name that the recorder's `derivatives` gives
it, a formula, `@a` for an argument and `@z` for the output. The numbers are autograd's.
"""

from typing import NamedTuple


class Local(NamedTuple):
    """A local derivative, and how it reads with the numbers put in, where that is another text."""

    latex: str
    in_numbers: str = ""


def _row(**texts: str) -> dict[str, Local]:
    """The texts of a `Local` stand one after the other, with a bar between them."""
    return {name: Local(*text.split(" | ")) for name, text in texts.items()}


def _unary(text: str) -> dict[str, Local]:
    return _row(a=text)


FORMULAS: dict[str, dict[str, Local]] = {
    **dict.fromkeys(("identity", "to", "clone"), _unary("1")),
    **dict.fromkeys(("sign", "round", "floor", "ceil"), _unary("0")),
    "add": _row(a="1", b="@alpha"),
    "sub": _row(a="1", b="-@alpha"),
    "mul": _row(a="@b", b="@a"),
    "div": _row(a=r"\frac{1}{@b}", b=r"-\frac{@a}{@b^{2}}"),
    "pow": _row(a=r"@b\cdot @a^{@b-1}", b=r"@a^{@b}\ln @a | @z\cdot\ln @a"),
    "square": _unary(r"2\cdot @a"),
    "sqrt": _unary(r"\frac{1}{2\sqrt{@a}} | \frac{1}{2\cdot @z}"),
    "neg": _unary("-1"),
    "abs": _unary(r"\operatorname{sign}(@a)"),
    "exp": _unary("e^{@a}"),
    "log": _unary(r"\frac{1}{@a}"),
    "sin": _unary(r"\cos(@a)"),
    "cos": _unary(r"-\sin(@a)"),
    "tanh": _unary(r"1-\tanh^{2}(@a) | 1-@z^{2}"),
    "sigmoid": _unary(r"\sigma(@a)\,(1-\sigma(@a)) | @z\cdot(1-@z)"),
    "relu": _unary(r"\mathbf{1}[@a > 0]"),
    "softplus": _row(a=r"\sigma(@beta\cdot @a)"),
    "maximum": _row(a=r"\mathbf{1}[@a > @b]", b=r"\mathbf{1}[@b > @a]"),
    "minimum": _row(a=r"\mathbf{1}[@a < @b]", b=r"\mathbf{1}[@b < @a]"),
    "clamp": _row(a=r"\mathbf{1}[@low \le @a \le @high]",
        low=r"\mathbf{1}[@a < @low]",
        high=r"\mathbf{1}[@a > @high]",
    ),
    "where": _row(a=r"\mathbf{1}[@c]", b=r"\mathbf{1}[\neg @c]"),
}  # fmt: skip
