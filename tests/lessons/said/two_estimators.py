"""What the titles of the two estimators' charts say, by closed forms."""

import math

import numpy as np

from tests.lessons.titles import N, reads


def variances(s, baseline):
    """Of the path estimator and of the score function, for the cost (x − 3)²."""
    d, sigma = s.facts["mu"] - 3, s.facts["sigma"]
    c = d * d - baseline
    square = c**2 + 12 * d**2 * sigma**2 + 15 * sigma**4 + 6 * c * sigma**2
    return 4 * sigma**2, square / sigma**2 - 4 * d**2


def exact(s):
    return 2 * (s.facts["mu"] - 3)


def own(s):
    """Mean and variance of the chosen estimator: found by which of them its draws are."""
    path, score = variances(s, s.facts["baseline"])
    if not s.t.any() and exact(s):
        return 0.0, 0.0
    return exact(s), path if np.array_equal(s.t, s.d) else score


def one_mean(s, mean, *told):
    path, score = variances(s, 0.0)
    known = [path, score, own(s)[1]]
    known = known if len(told) == len(known) else [path, known[2]]
    return reads(mean, exact(s), 3, 1.0) and all(
        reads(one, value) for one, value in zip(told, known, strict=True)
    )


def other_mean(s, yours, true):
    return reads(yours, own(s)[0], 3, 1.0) and reads(true, exact(s), 3) and own(s)[0] != exact(s)


def after(s, draws, mean, error, true):
    last = s.curves["running_trick_gradient"].y[-1]
    size = abs(last) + 1.0
    return (
        int(draws.replace(",", "")) == s.facts["draws"]
        and reads(mean, last, 3, size)
        and reads(error, math.sqrt(own(s)[1] / s.facts["draws"]))
        and reads(true, exact(s), 3, 1.0)
    )


def least(s, value, place):
    d, sigma = s.facts["mu"] - 3, s.facts["sigma"]
    best = d * d + 3 * sigma**2
    return reads(place, best) and reads(value, variances(s, best)[1])


SAYS = {
    rf"One mean, {N}; variance {N}, {N}, {N}": one_mean,
    rf"One mean, {N}; variance {N}, {N}": one_mean,
    rf"Yours is {N} on average, not {N}": other_mean,
    rf"After (\d+(?:,\d+)*): {N} ± {N}, exact {N}": after,
    rf"Least variance, {N}, at b = {N}": least,
}
SILENT = (
    "Each draw’s gradient",
    "The mean of the draws so far",
    "The variance over the baseline",
)
TELLS: dict[str, tuple[str, ...]] = {}
