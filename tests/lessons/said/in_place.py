"""What the title of the gradient says at the chosen input."""

import numpy as np

from tests.lessons.titles import reads


def at_the_input(s, x, came, true):
    place = int(np.flatnonzero(s.result["forward"].x == s.facts["x"])[0])
    trick, due = (float(s.result[one].y[place]) for one in ("trick_gradient", "true_gradient"))
    size = max(abs(trick), abs(due))
    return reads(x, s.facts["x"]) and reads(came, trick, 3, size) and reads(true, due, 3, size)


SAYS = {
    "gradient_title": at_the_input,
    "refused": lambda s: bool(np.isnan(s.t).all()),
}
