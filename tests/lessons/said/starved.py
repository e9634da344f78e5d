"""What the title of the gradient's size says."""

import numpy as np

from tests.lessons.titles import reads


def faded(s, most, last, x):
    size = np.abs(s.t)
    ends = (reads(said, one) for said, one in ((most, size.max()), (last, size[-1]), (x, s.x[-1])))
    return all(ends)


SAYS = {"size_title": faded}
SILENT = ("size",)
