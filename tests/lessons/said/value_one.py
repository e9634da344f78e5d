"""What the titles of the sampled tokens' charts say."""

import numpy as np

from tests.lessons.titles import reads


def loss_and_length(s, loss, length):
    added, slopes = s.result["forward"].y, s.t
    size = np.abs(added).sum()
    scale = np.abs(slopes).max(initial=0.0) or 1.0
    known = scale * np.sqrt(((slopes / scale) ** 2).sum())
    return reads(loss, added.sum(), 3, size) and reads(length, known)


def stands_still(s):
    """Whatever the logit: the sum that a weight of 1 gives, or no advantage at all."""
    drawn = [one.y for name, one in s.curves.items() if name.startswith("value_")]
    return all((np.abs(y - y[0]) <= 2e-6 * np.abs(y).max())[np.isfinite(y)].all() for y in drawn)


def second(s):
    return s.curves["second_trick_gradient"].y, sigmoid_twice(s.curves["second_trick_gradient"].x)


def sigmoid_twice(x):
    """The second derivative of minus sigmoid(x), by hand."""
    p = 1 / (1 + np.exp(-x))
    return -p * (1 - p) * (1 - 2 * p)


def right(s):
    trick, true = second(s)
    return np.abs(trick - true).max() <= 1e-5


def off(s, off):
    trick, true = second(s)
    return reads(off, np.abs(trick - true).max()) and not right(s)


SAYS = {
    "gradient_title": loss_and_length,
    "values_stay": stands_still,
    "flat": lambda s: stands_still(s) and not s.t.any(),
    "flat_slopes": lambda s, slope: stands_still(s) and reads(slope, np.abs(s.t).max()),
    "values_move": lambda s: not stands_still(s),
    "second_right": right,
    "second_off": off,
}
SILENT = ("values_subject", "gradient_subject", "second_subject")
TELLS: dict[str, tuple[str, ...]] = {}
