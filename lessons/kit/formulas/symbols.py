"""Names, numbers and shapes as LaTeX, and templates of formulas that they are put into."""

import re
from collections.abc import Sequence
from functools import lru_cache

from lessons.gradient_tricks.text import number

DIGITS = 4
"""Significant digits of a number in a formula."""


def latex_number(value: float | None) -> str:
    r"""A number in a formula: negative ones and powers of ten in brackets.

    >>> latex_number(0.24514516), latex_number(-2.0), latex_number(1e-7), latex_number(None)
    ('0.2451', '(-2)', '(1\\cdot 10^{-7})', '\\cdot')
    """
    if value is None:
        return r"\cdot"
    text = number(value, DIGITS).replace("−", "-").replace("∞", r"\infty")
    if text == "NaN":
        return r"\text{NaN}"
    mantissa, power, exponent = text.partition("e")
    if power:
        return rf"({mantissa}\cdot 10^{{{int(exponent)}}})"
    return f"({text})" if text.startswith("-") else text


def filled(latex: str, names: dict[str, str]) -> str:
    """`latex` with each @name replaced."""
    text = list(_pieces(latex))
    text[1::2] = [names.get(name, r"\cdot") for name in text[1::2]]
    return "".join(text)


@lru_cache(1024)
def _pieces(latex: str) -> tuple[str, ...]:
    """Text and names in turn, a text first and last."""
    return tuple(re.split(r"@([a-z]+)", latex))


@lru_cache(1024)
def symbol(label: str) -> str:
    r"""A name as one symbol.

    >>> symbol("x"), symbol("y_u"), symbol("yu_fixed")
    ('x', 'y_{u}', '\\text{yu\\_fixed}')
    """
    if re.fullmatch(r"[A-Za-z]", label):
        return label
    split = re.fullmatch(r"([A-Za-z])_?(\w)", label)
    if split:
        return f"{split[1]}_{{{split[2]}}}"
    return words(label)


def words(text: str) -> str:
    r"""Any text, a learner's too, as nothing but its letters.

    >>> words("x_1^2"), words(r"\sqrt{a}")
    ('\\text{x\\_1\\textasciicircum 2}', '\\text{\\textbackslash sqrt\\{a\\}}')
    """
    return r"\text{" + re.sub(r"[\\^~_&%#${}]", _escaped, text) + "}"


def said(text: str) -> str:
    r"""A text from en.md as LaTeX; what stands between dollar signs in it is maths.

    >>> said(r"at the$\ n\ $entries"), said("none")
    ('\\text{at the}\\ n\\ \\text{entries}', '\\text{none}')
    """
    pieces = text.split("$")
    pieces[::2] = [words(piece) if piece else "" for piece in pieces[::2]]
    return "".join(pieces)


def _escaped(found: re.Match[str]) -> str:
    named = {"\\": "backslash", "^": "asciicircum", "~": "asciitilde"}
    return rf"\text{named[found[0]]} " if found[0] in named else rf"\{found[0]}"


def shape_of(shape: Sequence[int]) -> str:
    return r"\times ".join(map(str, shape)) or "1"
