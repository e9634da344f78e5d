"""Titles of the cliff's charts."""

import numpy as np

NAMES = ("no clipping", "by value", "by norm")
SILENT = {"The error from above", "The error as a landscape"}


def thrown(s, said=None):
    w, b = s.planes["places"].transpose(1, 2, 0)
    outside = ~((w >= 3) & (w <= 7) & (b >= -3.5) & (b <= -1.5))
    left = [
        f"{name} at update {path.argmax()}"
        for name, path in zip(NAMES, outside, strict=True)
        if path.any()
    ]
    return said == (", ".join(left) or None)


def arrived(s, said):
    there = np.array(NAMES)[s.planes["errors"][-1] < s.facts["valley"]]
    return said == (", ".join(there) or "no path")


SAYS = {
    r"Thrown out: (.+)": thrown,
    r"No path is thrown out": thrown,
    r"In the valley at the end: (.+)": arrived,
}
