"""What the titles of the lesson on one bad sample say."""

import math

import numpy as np

from tests.lessons.titles import reads


def cosine(one, other):
    one, other = (np.asarray(y, dtype=float) for y in (one, other))
    return float(one @ other / (np.linalg.norm(one) * np.linalg.norm(other)))


def turned(s, turn):
    used, clean = (s.result[role].y for role in ("trick_gradient", "intended_gradient"))
    across = used[0] * clean[1] - used[1] * clean[0]
    return reads(turn, math.degrees(abs(math.atan2(across, float(used @ clean)))), 3, 1e3)


def kept(s, plain, used):
    clean = s.result["intended_gradient"].y
    pairs = ((plain, "true_gradient"), (used, "trick_gradient"))
    return all(reads(said, cosine(s.result[role].y, clean), 3, 1.0) for said, role in pairs)


SAYS = {
    "arrows_title": turned,
    "direction_title": kept,
}
SILENT = ("arrows_subject", "direction_subject")
TELLS = {"trick": ("_used", "most")}
