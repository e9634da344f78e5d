"""Titles of charts: one sentence with the numbers at the learner's point."""

from collections.abc import Iterable

from lessons.contract.words import Words
from lessons.gradient_tricks.text import number

WORDS = Words(__file__)

_ROUNDING = 1e-6
"""A number below this share of another one counts as a rounding error next to it."""


def brief(value: float, beside: float = 0.0, digits: int = 3) -> str:
    """Write a number for a title: in full below a million, and rounding errors as 0.

    Args:
        value: the number.
        beside: another number; a value far smaller than it is written as 0.
        digits: significant ones.

    >>> brief(374.6, digits=2), brief(-12345.6), brief(0.0612, digits=2), brief(1e-12, beside=2.0)
    ('375', '−12,346', '0.061', '0')
    """
    if 10**digits - 0.5 <= abs(value) < 1e6:
        return f"{value:,.0f}".replace("-", "−")
    return number(0.0 if abs(value) <= _ROUNDING * abs(beside) else value, digits)


def gradient_at(gradient: str, point: Iterable[float], called: str = "x") -> str:
    """Say what autograd returns at one place, and what the true gradient is there.

    Args:
        gradient: its name.
        point: the place, autograd's gradient, the true gradient.
        called: the name of the input that the gradient is with respect to.
    """
    at, came, true = point
    return WORDS(
        "gradient_at",
        called=called,
        at=brief(at),
        name=gradient,
        came=brief(came, true),
        true=brief(true, came),
    )


def value_and_gradient_at(
    value: str, gradient: str, point: Iterable[float], intended: float | None = None
) -> str:
    """Say at one x what the value is, what autograd returns and what the true gradient is.

    Where autograd returns the true gradient and another one is intended, say the intended one.

    Args:
        value, gradient: their names.
        point: x, the value, autograd's gradient, the true gradient.
        intended: the intended gradient, if the lesson has one.
    """
    at, y, came, true = point
    told = {"value": value, "y": brief(y), "name": gradient}
    if intended is not None and brief(came, true) == brief(true, came) != brief(intended, came):
        return WORDS("intended_at", **told, came=brief(came), intended=brief(intended, came))
    told |= {"at": brief(at), "came": brief(came, true), "true": brief(true, came)}
    return WORDS("value_and_gradient_at", **told)


def value_at(value: str, point: Iterable[float], called: str = "x") -> str:
    """Say what the forward value is at one place.

    Args:
        value: its name.
        point: the place, the value.
        called: the name of the input.
    """
    at, y = point
    return WORDS("value_at", called=called, at=brief(at), name=value, y=brief(y))
