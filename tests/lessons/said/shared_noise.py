"""What the titles of the noise lab's charts say."""

import math

import numpy as np

from lessons.kit.findings import WORDS as KIT
from tests.lessons.titles import ROUNDING, read_back, reads, value_of


def spread(s, said, role="trick_gradient"):
    """Draws of a uniform noise: the band is about three standard deviations wide."""
    mean, width = s.at_point(role)
    told = value_of(said)
    if told == 0:
        return width <= 4 * ROUNDING * max(abs(mean), abs(s.at_point("true_gradient")[0]))
    return s.facts["draws"] < 40 or 1.5 * told <= width <= 5 * told


def changes(s, found):
    """The spread of the gradient, or how it changes with the trick."""
    both = read_back(KIT, "spread_changes", found)
    if both is None:
        return spread(s, read_back(KIT, "spread", found)["now"])
    return spread(s, both["before"], "true_gradient") and spread(s, both["now"])


def of_the_value(s, found, x):
    now = read_back(KIT, "spread", found)["now"]
    return reads(x, s.facts["x"]) and spread(s, now, "forward")


def finite_in_no_draw(s, x):
    bars = {one.role: one.mean for one in s.result.histograms}
    return reads(x, s.facts["x"]) and not math.isfinite(bars.get("trick_gradient", math.nan))


def draws_mean(s, mean, target):
    place = int(np.flatnonzero(s.result["forward"].x == s.facts["x"])[0])
    wanted = s.result["intended_gradient"].y[place]
    return reads(mean, s.at_point("trick_gradient")[0]) and reads(target, wanted)


SAYS = {
    "gradient_spread": changes,
    "forward_spread": of_the_value,
    "finite_in_none": finite_in_no_draw,
    "histogram_title": draws_mean,
}
SILENT = ("histogram_subject",)
