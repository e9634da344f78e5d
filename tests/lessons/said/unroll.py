"""What the titles of the unrolled state's charts say."""

import numpy as np

from tests.lessons.titles import N, reads


def reach(s, reached, steps, cut, full):
    parts = s.curves["parts"].y
    known = np.isfinite(parts).all()
    place = int(np.flatnonzero(s.result["forward"].x == s.facts["w"])[0])
    ends = (s.result[role].y[place] for role in ("trick_gradient", "true_gradient"))
    counts = int(steps) == len(parts) and (not known or int(reached) >= np.count_nonzero(parts))
    return counts and all(reads(a, b) for a, b in zip((cut, full), ends, strict=True))


def cheap(s, size=None):
    """Up to this size no w loses more than a twentieth."""
    lost = np.abs(s.t - s.g) > 0.05 * np.abs(s.g)
    if size is None:
        return not lost.any()
    sizes = np.abs(s.x)
    under = [one for one in sizes if not lost[sizes <= one].any()]
    return len(under) < len(sizes) and reads(size, max(under))


SAYS = {
    rf"(\d+) of (\d+) steps reach w: {N} of {N}": reach,
    rf"The stops cost under 5 % up to \|w\| = {N}": cheap,
    r"The stops cost under 5 % at each w shown": cheap,
}
SILENT = ("How much each step back adds to dh/dw",)
