"""Which answer of chapter 1's predictions the computed result makes right."""

import math

from lessons.result import Result

_SAME = 1e-6


def line_or_band(result: Result) -> str:
    """line, band or none: does the gradient at the chosen x move with the noise?"""
    if float(result.facts["trick_gradient_deviation"]) > _SAME:
        return "band"
    return "none" if abs(float(result.facts["trick_gradient"])) < _SAME else "line"


def which_formula(result: Result) -> str:
    """clean, same, reciprocal or zero: the formula nearest to autograd's gradient at x."""
    sign = math.copysign(1.0, float(result.facts["x"]))
    root = math.sqrt(float(result.facts["u"]))
    formulas = {"clean": sign, "same": sign * root, "reciprocal": sign / root, "zero": 0.0}
    gradient = float(result.facts["trick_gradient"])
    return min(formulas, key=lambda name: abs(formulas[name] - gradient))


def value_and_gradient(result: Result) -> str:
    """Whether the forward value is noisy, then what formula the gradient follows."""
    noisy = abs(float(result.facts["forward"]) - abs(float(result.facts["x"]))) > _SAME
    return f"{'noisy' if noisy else 'exact'}_{which_formula(result)}"
