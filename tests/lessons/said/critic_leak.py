"""What the titles of the critic's charts say."""

from lessons.chapters.in_the_wild.critic_leak.lesson import WORDS
from tests.lessons.titles import read_back, reads


def gets(s, came, own):
    size = max(abs(s.t[0]), abs(s.d[0]))
    return reads(came, s.t[0], 3, size) and reads(own, s.d[0], 3, size)


def reward(said):
    return read_back(WORDS, "mean", said)["mean"]


def updated(s, updates, v, mean):
    value, paid = s.curves["value"].y, s.curves["mean_reward"].y
    counted = updates == WORDS.counted("updates", len(value) - 1)
    return counted and reads(v, value[-1]) and reads(reward(mean), paid[-1])


def starts(s, v, mean):
    value, paid = s.curves["value"].y, s.curves["mean_reward"].y
    return len(value) == 1 and reads(v, value[0]) and reads(reward(mean), paid[0])


SAYS = {"visit_title": gets, "updated": updated, "starts": starts}
SILENT = ("visit_subject", "updates_subject")
