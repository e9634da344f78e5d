"""Settings that trainings have in common: how much is trained, how fast, and what is drawn of it.

A seed has a number, from which its random numbers come, and a place among those that are trained.
Charts name it by its number; the control takes its place, which always exists.
"""

from lessons.contract.parameters import Integer, Number

MOVED = "You can move it while the lab trains."
CHANGED = "You can change it while the lab trains."


def seeds(default: str, most: int) -> Integer:
    """How many seeds are trained."""
    help_ = "All of them train at once."
    return Integer("seeds", "Seeds", default, help_, advanced=True, low=1, high=most)


def steps(default: str, most: int) -> Integer:
    """How many steps a whole run makes."""
    return Integer("steps", "Steps", default, advanced=True, low=1, high=most)


def rate(default: str, slider: tuple[float, float], step: float) -> Number:
    """The learning rate of the steps to come."""
    label, help_ = "Learning rate", ""
    return Number("rate", label, default, help_, True, 1e-6, 10.0, slider, step, in_run="steps")


def seed_drawn(most: int) -> Integer:
    """Which seed the charts of a single seed show.

    Args:
        most: as many seeds as can be trained.
    """
    label, help_ = "Which seed to draw", "1 is the first seed. The chart gives the seed's number."
    return Integer("shown", label, "1", help_, True, low=1, high=most, in_run="looks")


def first_seed(most: int = 2**31) -> Integer:
    """The number of the first seed.

    Args:
        most: the largest number.
    """
    help_ = "The other seeds count up from this number."
    return Integer("seed", "First seed", "0", help_, advanced=True, low=0, high=most)
