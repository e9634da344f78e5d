"""What the titles say of how many numbers are finite."""

import numpy as np

from lessons.outputs.catalogue import find
from tests.lessons.titles import read_back


def counts(s, role, said):
    words, y = find("not_finite").lab.words, s.result[role].y
    counted = {"finite": str(np.isfinite(y).sum()), "all": str(len(y))}
    return read_back(words, "finite_of", said) == counted


def roots(s, finite):
    return counts(s, "forward", finite)


def slopes(s, before, after):
    return counts(s, "true_gradient", before) and counts(s, "trick_gradient", after)


SAYS = {"gradient_title": slopes, "forward_title": roots}
SILENT = ("gradient_subject",)
