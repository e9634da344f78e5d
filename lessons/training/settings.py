"""Settings that trainings have in common: how much is trained, how fast, and what is drawn of it.

A seed has a number, from which its random numbers come, and a place among those that are trained.
Charts name it by its number; the control takes its place, which always exists.
"""

from lessons.contract.parameters import Integer, Number, Parameter, Values
from lessons.contract.words import Words

WORDS = Words(__file__)


def seeds(default: str, most: int) -> Parameter:
    """How many seeds are trained."""
    return WORDS.label(Integer("seeds", default, advanced=True, low=1, high=most))


def steps(default: str, most: int) -> Parameter:
    """How many steps a whole run makes."""
    return WORDS.label(Integer("steps", default, advanced=True, low=1, high=most))


def rate(default: str, slider: tuple[float, float], step: float) -> Parameter:
    """The learning rate of the steps to come."""
    return WORDS.label(
        Number(
            "rate",
            default,
            advanced=True,
            low=1e-6,
            high=10.0,
            slider=slider,
            step=step,
            in_run="steps",
        )
    )


def seed_drawn(most: int) -> Parameter:
    """Which seed the charts of a single seed show."""
    return WORDS.label(Integer("shown", "1", advanced=True, low=1, high=most, in_run="looks"))


def first_seed(most: int = 2**31) -> Parameter:
    """The number of the first seed."""
    return WORDS.label(Integer("seed", "0", advanced=True, low=0, high=most))


def counted_seeds(values: Values) -> str:
    """The number of seeds in words."""
    return WORDS.counted("seeds", values["seeds"])


def two_networks(values: Values) -> str:
    """The work of a lab that trains two networks for each seed, in words."""
    return WORDS("two_networks", seeds=counted_seeds(values))
