"""What the charts of learned_step say."""

from tests.lessons.titles import reads


def slopes(s, x, found):
    plain, trick = (one.rpartition(" ")[2] for one in found.split(", "))
    told = reads(plain, s.facts["true_gradient"], 3, 1.0)
    return told and reads(x, s.facts["x"]) and reads(trick, s.facts["trick_gradient"], 3, 1.0)


def sums(s, sums):
    trick, plain = (one.rpartition(" ")[2] for one in sums.split(", "))
    y = [s.result[role].y.sum() for role in ("trick_gradient", "true_gradient")]
    return reads(trick, y[0], 3, 1.0) and reads(plain, y[1], 3, 1.0)


def ratios(s, many, none, lsq):
    last = (s.planes[f"ratio_{name}"][-1] for name in ("none", "lsq"))
    told = all(reads(said, one, 2) for said, one in zip((none, lsq), last, strict=True))
    return told and int(many.replace(",", "")) == s.planes["counts"][-1]


SAYS = {
    "slopes_title": slopes,
    "weights_title": sums,
    "ratio_title": ratios,
}
SILENT = ("slopes_subject", "weights_subject", "ratio_subject")
