"""Grade the predictions of the lessons on noise."""

import numpy as np

from lessons.contract.result import Array, Result

_TOLERANCE = 1e-6


def line_or_band(result: Result) -> str:
    """line, band or none: does the gradient at the chosen x move with the noise?"""
    if result.number("trick_gradient_deviation") > _TOLERANCE:
        return "band"
    return "none" if abs(result.number("trick_gradient")) < _TOLERANCE else "line"


def formulas(x: Array, u: float) -> dict[str, Array]:
    """The gradient that each belief expects at these x, shape [n], with noise u."""
    sign = np.sign(x)
    root = np.sqrt(u)
    return {"clean": sign, "same": sign * root, "reciprocal": sign / root, "zero": 0 * sign}


def which_formula(result: Result) -> str:
    """clean, same, reciprocal or zero: the formula nearest to autograd's gradient at x."""
    x, u, gradient = result.numbers("x", "u", "trick_gradient")
    expected = formulas(np.array([x]), u)
    return min(expected, key=lambda name: abs(expected[name][0] - gradient))


def value_and_gradient(result: Result) -> str:
    """Grade whether the forward value is noisy, then which formula the gradient follows."""
    noisy = abs(result.number("forward") - abs(result.number("x"))) > _TOLERANCE
    return f"{'noisy' if noisy else 'exact'}_{which_formula(result)}"
