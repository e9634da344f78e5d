"""What the charts of the lesson on a checkpoint under a frozen embedding say."""

import numpy as np

from tests.lessons.titles import N, reads


def arrived(s, some, trained):
    """At the values of these tests a gradient that is there is not 0."""
    trainable = 4 if s.facts["trained"] == 4 else 3
    return int(some) == np.count_nonzero(s.t) and int(trained) == trainable


def last(s, own, plain):
    ends = (s.curves[role].y[-1] for role in ("trick_gradient", "true_gradient"))
    return all(reads(said, end) for said, end in zip((own, plain), ends, strict=True))


def in_the_graph(s, ops, weights, trained):
    leaves = ("adapter 1", "adapter 2", "head", "embedding")
    names = s.facts["graph_names"].split("|")
    found = sum(name in leaves for name in names)
    rest = sum(name not in (*leaves, "x") for name in names)
    return (int(ops), int(weights), int(trained)) == (rest, found, s.facts["trained"])


SAYS = {
    r"(\d) of (\d) trained weights get a gradient": arrived,
    rf"Last loss {N}; no checkpoint {N}": last,
    r"Before backward\(\): (\d+) ops; (\d) of (\d) weights": in_the_graph,
}
SILENT = {
    "Which weights get a gradient",
    "The loss, step by step",
    "What torch has recorded before backward()",
}
TELLS = {"trick": ("with_gradient", "ops", "in_graph"), "intended": ()}
