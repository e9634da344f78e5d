"""What the title of the gradient says at the chosen input."""

import numpy as np

from tests.lessons.titles import N, reads


def at_the_input(s, x, trick, true):
    place = int(np.flatnonzero(s.result["forward"].x == s.facts["x"])[0])
    came, due = (float(s.result[one].y[place]) for one in ("trick_gradient", "true_gradient"))
    size = max(abs(came), abs(due))
    return reads(x, s.facts["x"]) and reads(trick, came, 3, size) and reads(true, due, 3, size)


SAYS = {
    rf"dz/dx at x = {N} is {N}, true {N}": at_the_input,
    r"dz/dx: torch refuses, and gives none": lambda s: bool(np.isnan(s.t).all()),
}
