"""What the titles of one loss in five spellings say."""

import math

from tests.lessons.titles import N, reads


def arrives(s, trick, true):
    lengths = [math.hypot(*s.result[one].y) for one in ("trick_gradient", "true_gradient")]
    return all(
        reads(said, one, 3, max(lengths)) for said, one in zip((trick, true), lengths, strict=True)
    )


def trains(s, first, last, steps):
    losses = s.curves["trick_gradient"].y
    ends = reads(first, losses[0]) and reads(last, losses[-1])
    return ends and int(steps) == len(losses)


SAYS = {
    rf"Gradient of length {N} arrives, due {N}": arrives,
    rf"Loss {N} → {N} in (\d+) steps": trains,
}
SILENT = {"The gradient of each weight", "The loss while it trains"}
