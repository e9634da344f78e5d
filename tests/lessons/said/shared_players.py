"""What the titles of the players' charts say."""

import numpy as np

from tests.lessons.titles import reads, value_of


def shares(s, extractor, classifier):
    parts = ((extractor, slice(0, 4)), (classifier, slice(4, 6)))
    factors = [(value_of(said), part) for said, part in parts]
    return all(
        np.allclose(s.t[part], factor * s.g[part], rtol=0.006, atol=1e-5 * s.size)
        for factor, part in factors
    )


def one_step(s, before, after):
    return reads(before, s.facts["loss_now"]) and reads(after, s.facts["loss_after_extractor"])


SAYS = {"gradient_title": shares, "plane_title": one_step}
SILENT = ("gradient_subject", "plane_subject")
