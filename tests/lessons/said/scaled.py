"""What the titles of the lesson on the loss scale say."""

import numpy as np

from tests.lessons.titles import reads


def arrived(s, all, zeros, lost):
    y = s.result["trick_gradient"].y
    counted = len(y), (y == 0).sum(), (~np.isfinite(y)).sum()
    return counted == (int(all), int(zeros), int(lost))


def shrunk(s, all, share):
    used, right = (s.result[f"{role}_gradient"].y for role in ("trick", "intended"))
    factor = np.linalg.norm(used) / np.linalg.norm(right)
    return int(all) == np.count_nonzero(np.isfinite(used) & (used != 0)) and reads(share, factor, 2)


def with_no_clip(s, zeros, all, lost):
    """As `arrived` where there is no clip; a clip of what is not finite makes other zeros."""
    y = s.result["trick_gradient"].y
    if len(y) != int(all):
        return False
    if np.isfinite(y).all():
        return (int(zeros), int(lost)) == ((y == 0).sum(), 0) or s.facts["limit"] == 0
    return 0 < int(lost) <= int(all) and int(zeros) <= (y == 0).sum()


def lengths(s, used, right):
    pairs = ((used, "trick_gradient"), (right, "intended_gradient"))
    return all(reads(said, np.linalg.norm(s.result[role].y)) for said, role in pairs)


SAYS = {
    "some_lost": arrived,
    "all_arrive": shrunk,
    "shares_title": with_no_clip,
    "length_title": lengths,
}
SILENT = ("sizes_subject", "shares_subject", "length_subject")
TELLS = {"trick": ("used", "zeros", "infinite"), "intended": ("length_right",)}
