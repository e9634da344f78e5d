"""Titles of the cliff's charts."""

import numpy as np

from lessons.chapters.clipping.cliff.space import LOOKS, WORDS

NAMES = [name for _, name in LOOKS.values()]
SILENT = ("map_subject", "surface_subject")


def thrown(s, names=None):
    w, b = s.planes["places"].transpose(1, 2, 0)
    outside = ~((w >= 3) & (w <= 7) & (b >= -3.5) & (b <= -1.5))
    left = [
        WORDS("thrown_at", name=name, update=path.argmax())
        for name, path in zip(NAMES, outside, strict=True)
        if path.any()
    ]
    return names == (", ".join(left) or None)


def arrived(s, names):
    there = np.array(NAMES)[s.planes["errors"][-1] < s.facts["valley"]]
    return names == (", ".join(there) or WORDS("no_path"))


SAYS = {
    "thrown": thrown,
    "not_thrown": thrown,
    "map_title": arrived,
}
