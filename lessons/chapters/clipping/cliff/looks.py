"""What the cliff's charts share: how each descent looks, the shades of steepness, words."""

import numpy as np

from lessons.contract.result import Array, Result
from lessons.text import number

HEIGHT = 300

# Each arm's role, and its name; drawn in this order. The roles are those of lesson 1.
LOOKS = {
    "none": ("true_gradient", "no clipping"),
    "value": ("trick_gradient", "by value"),
    "norm": ("intended_gradient", "by norm"),
}
ROLE_OF = {arm: role for arm, (role, _) in LOOKS.items()}

STEEPNESS = [[0.0, "ink:panel"], [0.5, "ink:axis"], [1.0, "ink:text"]]
FLATTEST = -4.0
"""The smallest power of ten in the chart of norms; a norm of 0 has none."""


def powers_of_ten(values: Array, lowest: float) -> Array:
    """Powers of ten, none below the lowest; where a number is no number, NaN."""
    known = np.where(np.isfinite(values), np.maximum(values, 10.0**lowest), np.nan)
    return np.asarray(np.log10(known))


def said(result: Result, hidden: frozenset[str]) -> str:
    """The three paths in words."""
    parts = []
    for arm, (role, name) in LOOKS.items():
        if role in hidden:
            continue
        left = result.facts[f"{arm}_left_at"]
        went = f"leaves the window at update {left}" if left else "stays in the window"
        parts.append(f"{name}: {went}, error {number(float(result.facts[f'{arm}_error']), 3)}")
    w, b = (number(float(v), 4) for v in result.planes["places"][0, :, 0])
    return f"From w {w}, b {b}, at the end: {'; '.join(parts)}."
