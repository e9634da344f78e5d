"""What the titles of the critic's charts say."""

from tests.lessons.titles import N, reads


def gets(s, came, own):
    size = max(abs(s.t[0]), abs(s.d[0]))
    return reads(came, s.t[0], 3, size) and reads(own, s.d[0], 3, size)


def updated(s, updates, v, mean):
    value, paid = s.curves["value"].y, s.curves["mean_reward"].y
    return int(updates) == len(value) - 1 and reads(v, value[-1]) and reads(mean, paid[-1])


def starts(s, v, mean):
    value, paid = s.curves["value"].y, s.curves["mean_reward"].y
    return len(value) == 1 and reads(v, value[0]) and reads(mean, paid[0])


SAYS = {
    rf"Gradient for v: {N}, of its own loss {N}": gets,
    rf"After (\d+) updates? v = {N}; mean reward {N}": updated,
    rf"No update yet: v starts at {N}; mean reward {N}": starts,
}
SILENT = ("What critic and actor get", "The value, update by update")
