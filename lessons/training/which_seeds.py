"""The controls for which seeds are trained and which of them is drawn, the same in each lab.

A seed has a number, from which its random numbers come, and a place among those that are trained.
Charts name it by its number; the control goes by its place, since that is what cannot be missed.
"""

from lessons.contract.parameters import Integer


def seed_drawn(most: int) -> Integer:
    """Which one charts of a single seed show.

    Args:
        most: as many seeds as can be trained.
    """
    help_ = "1 is the first of the seeds. The chart says its number."
    return Integer("shown", "Which seed to draw", "1", help_, advanced=True, low=1, high=most)


def first_seed(most: int = 2**31) -> Integer:
    """The number of the first one.

    Args:
        most: the largest number.
    """
    help_ = "Its number. The other seeds count on from it."
    return Integer("seed", "First seed", "0", help_, advanced=True, low=0, high=most)
