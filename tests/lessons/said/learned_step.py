"""What the charts of learned_step say."""

from tests.lessons.titles import N, reads


def slopes(s, x, plain, trick):
    told = reads(plain, s.facts["true_gradient"], 3, 1.0)
    return told and reads(x, s.facts["x"]) and reads(trick, s.facts["trick_gradient"], 3, 1.0)


def sums(s, trick, plain):
    y = [s.result[role].y.sum() for role in ("trick_gradient", "true_gradient")]
    return reads(trick, y[0], 3, 1.0) and reads(plain, y[1], 3, 1.0)


def ratios(s, count, none, lsq):
    last = (s.planes[f"ratio_{name}"][-1] for name in ("none", "lsq"))
    told = all(reads(said, one, 2) for said, one in zip((none, lsq), last, strict=True))
    return told and int(count.replace(",", "")) == s.planes["counts"][-1]


SAYS = {
    rf"Slope for x = {N}: plain {N}, autograd {N}": slopes,
    rf"Summed: autograd {N}, plain round {N}": sums,
    rf"R at ([\d,]+) weights: {N}, LSQ’s {N}": ratios,
}
SILENT = {
    "One quantised weight over s",
    "What each weight sends to s",
    "A step of s relative to one of the weights",
}
