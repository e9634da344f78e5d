"""What the titles of one loss in five spellings say."""

import math

from tests.lessons.titles import reads


def arrives(s, came, due):
    lengths = [math.hypot(*s.result[one].y) for one in ("trick_gradient", "true_gradient")]
    return all(
        reads(said, one, 3, max(lengths)) for said, one in zip((came, due), lengths, strict=True)
    )


def trains(s, first, last, steps):
    losses = s.curves["trick_gradient"].y
    ends = reads(first, losses[0]) and reads(last, losses[-1])
    return ends and int(steps) == len(losses)


def refused(s, due):
    length = math.hypot(*s.result["true_gradient"].y)
    return all(map(math.isnan, s.t)) and reads(due, length, 3, length)


def nothing(s, due):
    length = math.hypot(*s.result["true_gradient"].y)
    return not s.result.facts["arrives"] and not any(s.t) and reads(due, length, 3, length)


SAYS = {
    "nothing_arrives": nothing,
    "raises": refused,
    "gradient_title": arrives,
    "training_title": trains,
}
SILENT = ("gradient_subject", "training_subject")
