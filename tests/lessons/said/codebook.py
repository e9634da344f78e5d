"""What the charts of codebook say before a training."""

import numpy as np

from tests.lessons.titles import N, reads


def moved(s, z_way, z, code_way, code):
    y, place = s.result["trick_gradient"].y, s.result["forward"].y
    apart = place[2:4] - place[:2]
    nearer = -y[:2] @ apart, y[2:4] @ apart
    ways = (z_way, nearer[0]), (code_way, nearer[1])
    lengths = np.hypot(*y[:2]), np.hypot(*y[2:4])
    return all(
        way == "pulled" if by > 0 else by > -1e-5 or way == "pushed" for way, by in ways
    ) and all(reads(said, one, 3, 1.0) for said, one in zip((z, code), lengths, strict=True))


SAYS = {
    rf"z (pulled|pushed) by {N}, its code (pulled|pushed) by {N}": moved,
}
SILENT = {"An encoding and its nearest code"}
OF_THEIR_PICTURE = {"plane"}
