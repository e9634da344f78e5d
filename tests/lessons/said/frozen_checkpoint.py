"""What the charts of the lesson on a checkpoint under a frozen embedding say."""

import numpy as np

from lessons.chapters.gone_missing.frozen_checkpoint.network import NAMES
from tests.lessons.titles import reads


def arrived(s, count, trained):
    """At the values of these tests a gradient that is there is not 0."""
    trainable = 4 if s.facts["trained"] == 4 else 3
    return int(count) == np.count_nonzero(s.t) and int(trained) == trainable


def last(s, own, plain):
    ends = (s.curves[role].y[-1] for role in ("trick_gradient", "true_gradient"))
    return all(reads(said, end) for said, end in zip((own, plain), ends, strict=True))


def in_the_graph(s, ops, weights, trained):
    names = s.facts["graph_names"].split("|")
    found = sum(name in NAMES for name in names)
    rest = sum(name not in (*NAMES, "x") for name in names)
    return (int(ops), int(weights), int(trained)) == (rest, found, s.facts["trained"])


SAYS = {
    "gradient_title": arrived,
    "training_title": last,
    "recorded_title": in_the_graph,
}
SILENT = ("gradient_subject", "training_subject", "recorded_subject")
TELLS = {"trick": ("with_gradient", "ops", "in_graph"), "intended": ()}
