"""What the charts of codebook say before a training."""

import numpy as np

from tests.lessons.titles import N, reads


def pulled(s, z, code):
    y = s.result["trick_gradient"].y
    lengths = np.hypot(*y[:2]), np.hypot(*y[2:4])
    return all(reads(said, one, 3, 1.0) for said, one in zip((z, code), lengths, strict=True))


def as_meant(s, same):
    trick, meant = (s.result[f"{role}_gradient"].y for role in ("trick", "intended"))
    return int(same) == np.isclose(trick, meant, rtol=1e-4, atol=1e-4).sum()


SAYS = {
    rf"Pulled: z by {N}, code by {N}": pulled,
    r"As in the paper: (\d) of 5": as_meant,
}
SILENT = {"An encoding and its nearest code", "Who gets which gradient"}
OF_THEIR_PICTURE = {"plane"}
