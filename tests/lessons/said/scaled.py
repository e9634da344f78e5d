"""What the titles of the lesson on the loss scale say."""

import numpy as np

from tests.lessons.titles import N, reads


def arrived(s, many, zeros, lost):
    y = s.result["trick_gradient"].y
    counted = len(y), (y == 0).sum(), (~np.isfinite(y)).sum()
    return counted == (int(many), int(zeros), int(lost))


def shrunk(s, many, share):
    used, right = (s.result[f"{role}_gradient"].y for role in ("trick", "intended"))
    factor = np.linalg.norm(used) / np.linalg.norm(right)
    return int(many) == np.count_nonzero(np.isfinite(used) & (used != 0)) and reads(
        share, factor, 2
    )


def with_no_clip(s, zeros, many, lost):
    """As `arrived` where there is no clip; a clip of what is not finite makes other zeros."""
    y = s.result["trick_gradient"].y
    if len(y) != int(many):
        return False
    if np.isfinite(y).all():
        return (int(zeros), int(lost)) == ((y == 0).sum(), 0) or s.facts["limit"] == 0
    return 0 < int(lost) <= int(many) and int(zeros) <= (y == 0).sum()


def lengths(s, used, right):
    pairs = ((used, "trick_gradient"), (right, "intended_gradient"))
    return all(reads(said, np.linalg.norm(s.result[role].y)) for said, role in pairs)


SAYS = {
    r"Of (\d+) gradients (\d+) arrive as 0, (\d+) not finite": arrived,
    rf"All (\d+) gradients arrive, {N} × as long as right": shrunk,
    r"No clip: (\d+) of (\d+) are 0, (\d+) not finite": with_no_clip,
    rf"Length {N} arrives, {N} is right": lengths,
}
SILENT = (
    "The gradient at each input, by powers of ten",
    "The share that is lost, over the scale",
    "The length of the gradient, over the scale",
)
TELLS = {"trick": ("used", "zeros", "infinite"), "intended": ("length_right",)}
