"""What the titles of the two estimators' charts say, by closed forms."""

import math

import numpy as np

from tests.lessons.titles import reads


def both_variances(s, baseline):
    """Of the path estimator and of the score function, for the cost (x − 3)²."""
    d, sigma = s.facts["mu"] - 3, s.facts["sigma"]
    c = d * d - baseline
    square = c**2 + 12 * d**2 * sigma**2 + 15 * sigma**4 + 6 * c * sigma**2
    return 4 * sigma**2, square / sigma**2 - 4 * d**2


def gradient(s):
    return 2 * (s.facts["mu"] - 3)


def own(s):
    """Mean and variance of the chosen estimator: found by which of them its draws are."""
    path, score = both_variances(s, s.facts["baseline"])
    if not s.t.any() and gradient(s):
        return 0.0, 0.0
    return gradient(s), path if np.array_equal(s.t, s.d) else score


def one_mean(s, mean, variances):
    told = variances.split(", ")
    path, score = both_variances(s, 0.0)
    known = [path, score, own(s)[1]]
    known = known if len(told) == len(known) else [path, known[2]]
    return reads(mean, gradient(s), 3, 1.0) and all(
        reads(one, value) for one, value in zip(told, known, strict=True)
    )


def other_mean(s, yours, exact):
    return (
        reads(yours, own(s)[0], 3, 1.0)
        and reads(exact, gradient(s), 3)
        and own(s)[0] != gradient(s)
    )


def after(s, draws, mean, error, exact):
    last = s.curves["running_trick_gradient"].y[-1]
    size = abs(last) + 1.0
    return (
        int(draws.replace(",", "")) == s.facts["draws"]
        and reads(mean, last, 3, size)
        and reads(error, math.sqrt(own(s)[1] / s.facts["draws"]))
        and reads(exact, gradient(s), 3, 1.0)
    )


def least_variance(s, least, best):
    d, sigma = s.facts["mu"] - 3, s.facts["sigma"]
    place = d * d + 3 * sigma**2
    return reads(best, place) and reads(least, both_variances(s, place)[1])


SAYS = {
    "draws_title": one_mean,
    "biased": other_mean,
    "running_title": after,
    "variance_title": least_variance,
}
SILENT = ("draws_subject", "running_subject", "variance_subject")
TELLS: dict[str, tuple[str, ...]] = {}
