"""Titles of charts: one finding on the numbers, true at every setting, or nothing.

Each function gets numbers and looks for the first statement that holds of them all; where none
does, it returns an empty text. Who calls leaves out what a question still hides.
tests/lessons/test_findings.py reads each title back and holds it against the result.
"""

import math
from collections.abc import Iterable
from functools import reduce

import numpy as np

from lessons.contract.result import Array, Result, Series
from lessons.contract.roles import GRADIENTS
from lessons.contract.words import Words
from lessons.text import number

WORDS = Words(__file__)

_SAME = 1e-6
"""Of the largest size: numbers nearer than this are one number, up to rounding."""


def brief(value: float, beside: float = 0.0, digits: int = 3) -> str:
    """A number for a title, written out below a million; 0 for what is rounding beside another."""
    if 10**digits - 0.5 <= abs(value) < 1e6:
        return f"{value:,.0f}".replace("-", "−")
    return number(0.0 if abs(value) <= _SAME * abs(beside) else value, digits)


def titled(subject: str, finding: str, otherwise: str) -> str:
    """The title of a chart: what is found of its subject; else what the subject is."""
    if finding:
        return WORDS("found", subject=subject, finding=finding)
    return WORDS("not_found", subject=subject.rstrip(":"), otherwise=otherwise)


def of_gradient(
    trick: Series, true: Series | None, intended: Series | None, called: str = "x"
) -> str:
    """Autograd's gradient over x, compared with the true and the intended one.

    Args:
        trick, true, intended: over x; None if the lab has no such curve. Only shared x count.
        called: what x is called.
    """
    trick, true, intended = _over_the_same(trick, true, intended)
    x, t = trick.x, trick.y
    size = _size(t, *(one.y for one in (true, intended) if one is not None))
    said = _alone(x, t, size, called)
    if true is not None and not said:
        both = _finite_in_both(t, true.y)
        said = _multiple(*both, size) or _apart(*both, size)
    if not said or intended is None:
        return said
    if _same(t, intended.y, size):
        return WORDS("as_intended", found=said)
    return WORDS("not_as_intended", found=said)


def are_apart(trick: Series, true: Series) -> bool:
    """Test whether ``of_gradient`` has nothing simpler to say than how far both gradients reach."""
    size = _size(trick.y, true.y)
    both = _finite_in_both(trick.y, true.y)
    simple = _alone(trick.x, trick.y, size, "x") or _multiple(*both, size)
    return not simple and len(both[0]) > 0


def of_curves(curves: Iterable[Series], called: str = "x") -> str:
    """Autograd's gradient over x; for draws, their largest distance."""
    by_role = {series.name: series for series in curves}
    trick, true, intended = (by_role.get(role) for role in GRADIENTS)
    if trick is None:
        return ""
    found = of_bands(true, trick) if trick.low is not None else ""
    return found or of_gradient(trick, true, intended, called)


def of_points(result: Result) -> str:
    """Autograd's gradient at the learner's x, compared with the true and the intended one."""
    return of_gradient(result[GRADIENTS[0]], result[GRADIENTS[1]], result[GRADIENTS[2]])


def of_value(value: Series, called: str = "x") -> str:
    """The course of a function of x; ``called`` is the name of x."""
    there = np.isfinite(value.y)
    x, y = value.x[there], value.y[there]
    if not len(y):
        return WORDS("nowhere")
    if len(y) < 2:
        return WORDS("one_place", x=called, value=brief(float(x[0])))
    low, high = float(y.min()), float(y.max())
    size = max(abs(low), abs(high))
    if high - low <= _SAME * size:
        return WORDS("level", value=brief(high))
    few = np.unique(y)
    if len(few) <= 3:
        return WORDS("takes_only", values=", ".join(brief(float(one), size) for one in few))
    steps = np.diff(y)
    if (steps >= -_SAME * size).all() or (steps <= _SAME * size).all():
        first, last = brief(y[0], size), brief(y[-1], size)
        if y[-1] > y[0]:
            return WORDS("rises", first=first, last=last)
        return WORDS("falls", first=first, last=last)
    at = int(y.argmin())
    if 0 < at < len(y) - 1 and (y <= low + _SAME * size).sum() == 1:
        return WORDS(
            "smallest",
            value=brief(low, size),
            called=called,
            x=brief(x[at], float(np.abs(x).max())),
        )
    return WORDS("goes", low=brief(low, size), high=brief(high, size))


def of_spread(true: float | None, trick: float, size: float) -> str:
    """The distance between draws, without the trick and with it; nothing where there is none.

    Args:
        true, trick: standard deviations; true is None if the lab computes none.
        size: of what the draws are of.
    """
    if not all(map(math.isfinite, (trick, size, true or 0.0))):
        return ""
    now = brief(trick, size, 2)
    before = now if true is None else brief(true, size, 2)
    if before != now:
        return WORDS("spread_changes", before=before, now=now)
    return "" if now == "0" else WORDS("spread", now=now)


def times(one: Array, other: Array) -> float | None:
    """The factor from the other's numbers to the one's; None where there is no single one."""
    if not (np.isfinite(one).all() and np.isfinite(other).all() and other.any()):
        return None
    at = int(np.abs(other).argmax())
    factor = float(one[at] / other[at])
    size = max(_size(one, other), abs(factor) * _size(other))
    return factor if math.isfinite(factor) and _same(one, factor * other, size) else None


def of_bands(true: Series | None, trick: Series) -> str:
    """The widest band of draws, without the trick and with it; nothing where there is none."""
    wide = [_width(one) for one in (true, trick) if one is not None]
    if not all(map(math.isfinite, wide)):
        return ""
    size = _size(trick.y)
    before, now = (brief(one, size, 2) for one in (wide[0], wide[-1]))
    if before != now:
        return WORDS("band_changes", before=before, now=now)
    return "" if now == "0" else WORDS("band", now=now)


def _width(series: Series) -> float:
    if series.low is None or series.high is None:
        return 0.0
    return float(np.nanmax(series.high - series.low, initial=0.0))


def _over_the_same(
    trick: Series, true: Series | None, intended: Series | None
) -> tuple[Series, Series | None, Series | None]:
    there = [one for one in (true, intended) if one is not None]
    if all(np.array_equal(trick.x, one.x) for one in there):
        return trick, true, intended
    x = reduce(np.intersect1d, [one.x for one in there], trick.x)

    def at(one: Series) -> Series:
        places = np.intersect1d(one.x, x, return_indices=True)[1]
        return Series(one.name, one.role, x, one.y[places])

    return at(trick), true and at(true), intended and at(intended)


def extent(y: Array) -> float:
    """From the least to the largest of these numbers; infinite past the largest float."""
    with np.errstate(over="ignore"):
        return float(np.ptp(y))


def _alone(x: Array, t: Array, size: float, called: str) -> str:
    """Of one gradient: 0 or constant, all along or on one side."""
    there = np.isfinite(t)
    x, t = x[there], t[there]
    if not len(t):
        return WORDS("nowhere")
    if len(t) < 2:
        return ""
    zero = np.abs(t) <= _SAME * size
    if zero.all():
        return WORDS("zero")
    if extent(t) <= _SAME * size:
        return WORDS("level", value=brief(float(t[0])))
    if zero[x < 0].all() and (x < 0).any() and not zero[x > 0].any():
        return WORDS("zero_below", called=called)
    if zero[x > 0].all() and (x > 0).any() and not zero[x < 0].any():
        return WORDS("zero_above", called=called)
    return ""


def _finite_in_both(t: Array, g: Array) -> tuple[Array, Array]:
    there = np.isfinite(t) & np.isfinite(g)
    return t[there], g[there]


def _multiple(t: Array, g: Array, size: float) -> str:
    """Say that a gradient is the true one, or a multiple of it; nothing if it is neither."""
    if not len(t):
        return ""
    if _same(t, g, size):
        return WORDS("is_true")
    factor = times(t, g)
    if factor is None or brief(factor) == "1":
        return ""
    return WORDS("times", factor=brief(factor))


def _apart(t: Array, g: Array, size: float) -> str:
    """Say how far a gradient and the true one reach; if equally far, how much they differ."""
    if not len(t):
        return ""
    here, true = (brief(_furthest(one), size, 2) for one in (t, g))
    if here != true:
        return WORDS("reaches", here=here, true=true)
    with np.errstate(over="ignore"):
        return WORDS("differs", gap=brief(float(np.abs(t - g).max()), size, 2))


def _furthest(y: Array) -> float:
    """The number furthest from 0, with its sign; of two as far, the positive one."""
    low, high = float(y.min()), float(y.max())
    return low if -low > high * (1 + _SAME) else high


def _same(one: Array, other: Array, size: float) -> bool:
    there = np.isfinite(one) & np.isfinite(other)
    alike = np.isfinite(one) == np.isfinite(other)
    return bool(alike.all() and (np.abs(one[there] - other[there]) <= _SAME * size).all())


def _size(*values: Array) -> float:
    known = np.concatenate([np.abs(one[np.isfinite(one)]) for one in values])
    return float(known.max(initial=0.0))
