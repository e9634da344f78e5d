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


def refused(s, true):
    due = math.hypot(*s.result["true_gradient"].y)
    return all(map(math.isnan, s.t)) and reads(true, due, 3, due)


def nothing(s, true):
    due = math.hypot(*s.result["true_gradient"].y)
    return not s.result.facts["arrives"] and not any(s.t) and reads(true, due, 3, due)


SAYS = {
    rf"No gradient arrives \(None\); due: length {N}": nothing,
    rf"backward\(\) raises; due: length {N}": refused,
    rf"Gradient of length {N} arrives, due {N}": arrives,
    rf"Loss {N} → {N} in (\d+) steps": trains,
}
SILENT = {"The gradient of each weight", "The loss while it trains"}
