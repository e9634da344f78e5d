"""What the titles of the first step and of the training say."""

import numpy as np

from tests.lessons.titles import reads


def trained(s, first, last):
    return all(reads(said, s.t[at]) for said, at in ((first, 0), (last, -1)))


def step_uses(s, used, limit):
    return reads(used, np.hypot(*s.result["trick_gradient"].y)) and reads(
        limit, s.facts["limit"], 3
    )


SAYS = {"gradient_title": step_uses, "training_title": trained}
SILENT = ("gradient_subject", "training_subject")
