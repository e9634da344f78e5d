"""The lab of collapsing features: an encoder as set and one without a stop, trained together."""

import inspect

import numpy as np

from lessons.chapters.in_the_wild.collapse.figures import (
    figures,
    static_figures,
    static_table,
    table,
)
from lessons.chapters.in_the_wild.collapse.net import FEATURES, FULL, POINTS, Pairs, Program
from lessons.chapters.in_the_wild.collapse.pair import (
    FixedPredictor,
    by_role,
    features_of_pair,
    kept_without_predictor,
    settings_of_pair,
)
from lessons.contract.devices import device_and_dtype
from lessons.contract.lab import Lab, Start
from lessons.contract.parameters import Choice, Integer, Number, Values
from lessons.contract.result import Result
from lessons.contract.training import Training
from lessons.kit.inputs import computed_in, series_by_role
from lessons.text import counted
from lessons.training.settings import first_seed, rate, seeds, steps

PARAMETERS = (
    Choice(
        "target",
        "Target branch",
        "stopped",
        "May be changed while it trains.",
        options=(("stopped", "stopped"), ("open", "open")),
        while_training="steps",
    ),
    Choice(
        "head",
        "Predictor",
        "network",
        "May be changed while it trains.",
        options=(("network", "network"), ("none", "none")),
        while_training="steps",
    ),
    Number(
        "noise",
        "Noise of a view",
        "0.3",
        "May be moved while it trains.",
        False,
        0,
        10,
        (0, 1),
        while_training="steps",
    ),
    seeds("8", 16),
    steps("300", 2000),
    rate("0.01", (0.001, 0.05), 0.001),
    Integer(
        "point", "Feature in the graph", "1", "", True, low=1, high=FEATURES, while_training="looks"
    ),
    first_seed(),
    *computed_in("float32"),
)


def compute(program: Program, values: Values) -> Result:
    """One pair's gradients by role, and what the features are before the first step."""
    roles = by_role(program, values, *device_and_dtype(values))
    series = series_by_role(np.arange(1.0, 1 + FEATURES), roles)
    whole = inspect.unwrap(program)  # what is cut in the graph changes none of these facts
    return Result(
        series=series,
        curves=series,
        facts={
            **{name: values[name] for name in ("noise", "seeds")},
            "target": values["target"],
            "features": FEATURES,
            "points": POINTS,
            "full": FULL,
            "kept": kept_without_predictor(whole),
            "kept_half": 0.5,
            "kept_all": 1.0,
            "kept_nothing": 0.0,
        },
        work=f"{counted(values['seeds'], 'seed')}, two networks each",
    )


def start(values: Values) -> Start:
    """The graph of one pair's loss, the predictor one op."""
    one, two = (view.to(*device_and_dtype(values)) for view in features_of_pair())
    fixed = FixedPredictor(one)
    leaves = {"one": one.requires_grad_(), "two": two.requires_grad_()}
    index = (values["point"] - 1, 0)
    return Start(leaves, settings_of_pair(fixed, values), index)


LAB = Lab(
    parameters=PARAMETERS,
    compute=compute,
    figures=static_figures,
    table=static_table,
    start=start,
    training=Training(
        begin=Pairs,
        figures=figures,
        table=table,
        cuts=True,
    ),
)
