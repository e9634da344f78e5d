"""Settings that trainings have in common: how much is trained, how fast, and what is drawn of it.

A seed has a number, from which its random numbers come, and a place among those that are trained.
Charts name it by its number; the control takes its place, which always exists.
"""

from lessons.contract.parameters import Integer, Number, shortest
from lessons.contract.settings import Settings, declared
from lessons.contract.words import Words

WORDS = Words(__file__)


def seeds(default: int, most: int) -> int:
    """How many seeds are trained."""
    return declared(WORDS.label(Integer("seeds", str(default), advanced=True, low=1, high=most)))


def steps(default: int, most: int) -> int:
    """How many steps a whole run makes."""
    return declared(WORDS.label(Integer("steps", str(default), advanced=True, low=1, high=most)))


def rate(default: float, slider: tuple[float, float], step: float) -> float:
    """The learning rate of the steps to come."""
    return declared(
        WORDS.label(
            Number(
                "rate",
                shortest(default),
                advanced=True,
                low=1e-6,
                high=10.0,
                slider=slider,
                step=step,
                in_run="steps",
            )
        )
    )


def seed_drawn(most: int) -> int:
    """Which seed the charts of a single seed show."""
    return declared(
        WORDS.label(Integer("shown", "1", advanced=True, low=1, high=most, in_run="looks"))
    )


def first_seed(most: int = 2**31) -> int:
    """The number of the first seed."""
    return declared(WORDS.label(Integer("seed", "0", advanced=True, low=0, high=most)))


def counted_seeds(settings: Settings) -> str:
    """The number of seeds in words."""
    return WORDS.counted("seeds", settings["seeds"])


def two_networks(settings: Settings) -> str:
    """The work of a lab that trains two networks for each seed, in words."""
    return WORDS("two_networks", seeds=counted_seeds(settings))
