"""Reads numbers back from the titles of charts, and lists the numbers that a title may quote."""

import math
import re
from functools import cached_property

import numpy as np

from lessons.contract.roles import GRADIENTS

ROUNDING = 2e-6
"""The share of the largest size below which two numbers count as the same."""

N = r"(−?\d+(?:,\d{3})*(?:\.\d+)?(?:e[+−]\d+)?|−?∞|NaN)"


def pattern(words, name, **within):
    """A regular expression for a text: each placeholder is a group, or what is given for it."""
    found, seen = "", set()
    for place, part in enumerate(re.split(r"\{\{\s*(\w+)[^}]*\}\}", words.texts[name])):
        if place % 2 == 0:
            found += re.escape(part)
        else:
            inside = within.get(part, ".+?")
            found += f"(?P={part})" if part in seen else f"(?P<{part}>{inside})"
            seen.add(part)
    return found


def read_back(words, name, text, **within):
    """The values filled into the text of this name, by placeholder; None for another text."""
    found = re.fullmatch(pattern(words, name, **within), text)
    if found is None:
        return None
    return {key: said for key, said in found.groupdict().items() if key not in within}


def value_of(said):
    return float(said.replace("−", "-").replace("∞", "inf").replace(",", ""))


def reads(said, value, digits=3, size=0.0):
    """Test whether a title's number is this value in so many digits; 0 may stand for rounding."""
    value = float(value)
    told = value_of(said)
    if not math.isfinite(value):
        return str(told) == str(value)
    if told == 0 or value == 0:
        return abs(value) <= ROUNDING * size
    last = 10.0 ** (math.floor(math.log10(abs(value))) - digits + 1)
    return abs(told - value) <= 0.51 * (min(last, 1) if 1000 <= abs(value) < 1e6 else last)


class Shown:
    """A result as its charts show it.

    Attributes:
        x, t, g, d: over x, or at the learner's points where there are no curves: the gradient that
            autograd gives, the true and the intended one; size is the largest number seen of them.
    """

    def __init__(self, result, hidden):
        self.result, self.facts = result, result.facts
        self.curves = {one.name: one for one in result.curves}
        over = self.curves if set(GRADIENTS) <= set(self.curves) else result
        self.x = over["trick_gradient"].x
        self.t, self.g, self.d = (over[name].y for name in GRADIENTS)
        seen = [over[name].y for name in GRADIENTS if name not in hidden]
        known = np.concatenate([np.abs(y[np.isfinite(y)]) for y in seen] or [np.zeros(1)])
        self.size = float(known.max(initial=0.0))

    def same(self, one, other):
        alike = np.isfinite(one) == np.isfinite(other)
        apart = np.abs(one - other)[np.isfinite(one) & np.isfinite(other)]
        return bool(alike.all() and (apart <= ROUNDING * self.size).all())

    def zero(self, where):
        y = self.t[where & np.isfinite(self.t)]
        return len(y) > 0 and (np.abs(y) <= ROUNDING * self.size).all()

    @property
    def value(self):
        one = self.curves["forward"]
        there = np.isfinite(one.y)
        return one.x[there], one.y[there], np.abs(one.y[there]).max()

    def knows(self, said):
        return any(reads(said, one, size=self.size) for one in self.numbers)

    @cached_property
    def numbers(self):
        """The numbers that a title may quote: facts, points, counts, ends and lengths of lines."""
        found = [one for one in self.facts.values() if isinstance(one, (int, float))]
        for one in (*self.result.series, *self.result.curves, *self.result.statistics):
            y = one.y[np.isfinite(one.y)]
            found += [len(one.y), len(y), np.count_nonzero(y), len(y) - np.count_nonzero(y)]
            if len(y):
                found += [y[0], y[-1], y.min(), y.max(), math.hypot(*y)]
        for one in self.result.series:
            found += [*one.x, *one.y]
        return found
