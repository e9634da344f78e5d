"""What the titles of the two clips' charts say."""

import math

import numpy as np

from tests.lessons.titles import reads


def turned(s, value, norm):
    def by(role):
        (x0, y0), (x, y) = s.result["true_gradient"].y, s.result[role].y
        return abs(math.degrees(math.atan2(x0 * y - y0 * x, x0 * x + y0 * y)))

    roles = ("trick_gradient", "intended_gradient")
    return all(
        reads(said, by(role), 3, 10.0) for said, role in zip((value, norm), roles, strict=True)
    )


def turned_most(s, most):
    off = np.radians(s.curves["trick_gradient"].y - s.curves["true_gradient"].y)
    furthest = np.degrees(np.nanmax(np.abs(np.arctan2(np.sin(off), np.cos(off)))))
    return reads(most, furthest, 3, 10.0)


def no_direction(s):
    return not np.isfinite(s.curves["trick_gradient"].y).any()


def longest(s, value, norm):
    most = (np.nanmax(s.curves[f"{r}_length"].y) for r in ("trick_gradient", "intended_gradient"))
    return all(reads(said, one) for said, one in zip((value, norm), most, strict=True))


SAYS = {
    "arrows_title": turned,
    "angle_title": turned_most,
    "no_direction": no_direction,
    "length_title": longest,
}
SILENT = ("arrows_subject", "angle_subject", "length_subject")
