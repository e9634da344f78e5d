"""What the titles of the unrolled state's charts say."""

import numpy as np

from lessons.chapters.gone_missing.unroll.lesson import WORDS
from tests.lessons.titles import reads


def reach(s, reached, steps, cut, full):
    parts = s.curves["parts"].y
    known = np.isfinite(parts).all()
    place = int(np.flatnonzero(s.result["forward"].x == s.facts["w"])[0])
    ends = (s.result[role].y[place] for role in ("trick_gradient", "true_gradient"))
    counts = int(steps) == len(parts) and (not known or int(reached) >= np.count_nonzero(parts))
    return counts and all(reads(a, b) for a, b in zip((cut, full), ends, strict=True))


def cheap(s, cost, w=None):
    """Up to this size no w loses more than a twentieth."""
    if cost != WORDS("stops_cost", share=5):
        return False
    lost = np.abs(s.t - s.g) > 0.05 * np.abs(s.g)
    if w is None:
        return not lost.any()
    sizes = np.abs(s.x)
    under = [one for one in sizes if not lost[sizes <= one].any()]
    return len(under) < len(sizes) and reads(w, max(under))


SAYS = {
    "parts_title": reach,
    "up_to_w": cheap,
    "at_each_w": cheap,
}
SILENT = ("parts_subject",)
