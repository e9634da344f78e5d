"""What the charts of codebook say before a training."""

import numpy as np

from lessons.chapters.in_the_wild.codebook.lesson import WORDS
from tests.lessons.titles import read_back, reads


def way_and_length(said):
    filled = {way: read_back(WORDS, way, said) for way in ("pulled", "pushed")}
    return next((way, one["length"]) for way, one in filled.items() if one)


def moved(s, z, code):
    z_way, z = way_and_length(z)
    code_way, code = way_and_length(code)
    y, place = s.result["trick_gradient"].y, s.result["forward"].y
    apart = place[2:4] - place[:2]
    nearer = -y[:2] @ apart, y[2:4] @ apart
    ways = (z_way, nearer[0]), (code_way, nearer[1])
    lengths = np.hypot(*y[:2]), np.hypot(*y[2:4])
    return all(
        way == "pulled" if by > 0 else by > -1e-5 or way == "pushed" for way, by in ways
    ) and all(reads(said, one, 3, 1.0) for said, one in zip((z, code), lengths, strict=True))


SAYS = {"pulls_title": moved}
SILENT = ("pulls_subject",)
OF_THEIR_PICTURE = {"plane"}
