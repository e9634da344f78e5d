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
    **dict.fromkeys(("sign", "round", "floor", "ceil", "trunc"), _unary("0")),
    "add": _row(a="1", b="@alpha"),
    "sub": _row(a="1", b="-@alpha"),
    "mul": _row(a="@b", b="@a"),
    "div": _row(a=r"\frac{1}{@b}", b=r"-\frac{@a}{@b^{2}}"),
    "remainder": _row(a="1", b=r"-\left\lfloor\frac{@a}{@b}\right\rfloor"),
    "fmod": _row(a="1", b=r"-\operatorname{trunc}\frac{@a}{@b}"),
    "pow": _row(a=r"@b\cdot @a^{@b-1}", b=r"@a^{@b}\ln @a | @z\cdot\ln @a"),
    "square": _unary(r"2\cdot @a"),
    "sqrt": _unary(r"\frac{1}{2\sqrt{@a}} | \frac{1}{2\cdot @z}"),
    "rsqrt": _unary(r"-\frac{1}{2\,@a\sqrt{@a}} | -\frac{@z^{3}}{2}"),
    "reciprocal": _unary(r"-\frac{1}{@a^{2}}"),
    "neg": _unary("-1"),
    "abs": _unary(r"\operatorname{sign}(@a)"),
    "exp": _unary("e^{@a}"),
    "expm1": _unary("e^{@a}"),
    "log": _unary(r"\frac{1}{@a}"),
    "log1p": _unary(r"\frac{1}{1+@a}"),
    "log2": _unary(r"\frac{1}{@a\ln 2}"),
    "log10": _unary(r"\frac{1}{@a\ln 10}"),
    "xlogy": _row(a=r"\ln @b", b=r"\frac{@a}{@b}"),
    "sin": _unary(r"\cos(@a)"),
    "cos": _unary(r"-\sin(@a)"),
    "tan": _unary(r"1+\tan^{2}(@a) | 1+@z^{2}"),
    "asin": _unary(r"\frac{1}{\sqrt{1-@a^{2}}}"),
    "acos": _unary(r"-\frac{1}{\sqrt{1-@a^{2}}}"),
    "atan": _unary(r"\frac{1}{1+@a^{2}}"),
    "atan2": _row(a=r"\frac{@b}{@a^{2}+@b^{2}}", b=r"-\frac{@a}{@a^{2}+@b^{2}}"),
    "sinh": _unary(r"\cosh(@a)"),
    "cosh": _unary(r"\sinh(@a)"),
    "tanh": _unary(r"1-\tanh^{2}(@a) | 1-@z^{2}"),
    "sigmoid": _unary(r"\sigma(@a)\,(1-\sigma(@a)) | @z\cdot(1-@z)"),
    "erf": _unary(r"\frac{2}{\sqrt{\pi}}e^{-@a^{2}}"),
    "erfc": _unary(r"-\frac{2}{\sqrt{\pi}}e^{-@a^{2}}"),
    "lgamma": _unary(r"\psi(@a)"),
    "relu": _unary(r"\mathbf{1}[@a > 0]"),
    "relu6": _unary(r"\mathbf{1}[0 < @a < 6]"),
    "hardtanh": _row(a=r"\mathbf{1}[@low < @a < @high]"),
    "leaky_relu": _row(a=r"\mathbf{1}[@a > 0] + @slope\cdot\mathbf{1}[@a \le 0]"
    ),
    "elu": _row(a=r"\mathbf{1}[@a > 0] + @alpha\,e^{@a}\,\mathbf{1}[@a \le 0]"),
    "selu": _unary(r"1.0507\,(\mathbf{1}[@a > 0] + 1.6733\,e^{@a}\,\mathbf{1}[@a \le 0])"),
    "gelu": _row(a=r"\Phi(@a) + @a\,\varphi(@a)"),
    "silu": _unary(r"\sigma(@a)\,(1 + @a\,(1-\sigma(@a)))"),
    "softplus": _row(a=r"\sigma(@beta\cdot @a)"),
    "softsign": _unary(r"\frac{1}{(1+|@a|)^{2}}"),
    "dropout": _row(a=r"\frac{m}{1-@p} | \frac{@z}{@a}"),
    "maximum": _row(a=r"\mathbf{1}[@a > @b]", b=r"\mathbf{1}[@b > @a]"),
    "minimum": _row(a=r"\mathbf{1}[@a < @b]", b=r"\mathbf{1}[@b < @a]"),
    "clamp": _row(a=r"\mathbf{1}[@low \le @a \le @high]",
        low=r"\mathbf{1}[@a < @low]",
        high=r"\mathbf{1}[@a > @high]",
    ),
    "where": _row(a=r"\mathbf{1}[@c]", b=r"\mathbf{1}[\neg @c]"),
    "masked_fill": _row(a=r"\mathbf{1}[\neg @c]", b=r"\mathbf{1}[@c]"),
}  # fmt: skip
