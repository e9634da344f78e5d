"""The moons lab: domain-adversarial training of many seeds at once, against source-only training.

What is not in the paper: the larger of the two networks, and Adam on all points in place of one
example at a time.
"""

from collections.abc import Callable

import numpy as np
import torch

from lessons.chapters.reversal.moons.figures import figures, static_figures, static_table, table
from lessons.chapters.reversal.moons.net import Moons
from lessons.chapters.reversal.moons.single_point import (
    UNITS,
    Heads,
    by_role,
    features_of_point,
    settings_of_point,
)
from lessons.contract.devices import device_and_dtype
from lessons.contract.lab import Lab, Start
from lessons.contract.parameters import Choice, Integer, Number, Values
from lessons.contract.result import Result
from lessons.contract.training import Training
from lessons.kit.inputs import computed_in, series_by_role
from lessons.text import counted
from lessons.training.settings import first_seed, rate, seed_drawn, seeds, steps

WIRINGS = (
    ("reversal", "one reversal"),
    ("twice", "reversed twice"),
    ("lost", "λ lost"),
    ("never", "reversal never called"),
    ("subtract", "domain loss subtracted"),
    ("labels", "domain labels flipped"),
)

PARAMETERS = (
    Number(
        "scale",
        "Full λ",
        "1",
        "May be moved while it trains.",
        False,
        0.0,
        1e6,
        (0.0, 6.0),
        0.1,
        while_training="steps",
    ),
    Number("angle", "Target turned by, degrees", "35", "", True, -360.0, 360.0, (0.0, 180.0), 1.0),
    Choice(
        "wiring", "How the two losses meet", "reversal", options=WIRINGS, while_training="steps"
    ),
    Choice(
        "network",
        "Network",
        "two_layers",
        advanced=True,
        options=(("two_layers", "2→32→32"), ("paper", "paper's 2→15")),
    ),
    Choice(
        "schedule",
        "λ as it trains",
        "rising",
        options=(("rising", "rising"), ("fixed", "fixed")),
        while_training="steps",
    ),
    Choice(
        "whose",
        "Graph and gradients of",
        "target",
        advanced=True,
        options=(("target", "target point"), ("source", "source point")),
        while_training="looks",
    ),
    seed_drawn(40),
    Integer("point", "Unit in the graph", "1", "", True, low=1, high=UNITS, while_training="looks"),
    seeds("20", 40),
    steps("1000", 20_000),
    rate("0.02", (0.001, 0.1), 0.001),
    Choice(
        "decay",
        "Learning rate falls",
        "falling",
        advanced=True,
        options=(("falling", "as in the paper"), ("none", "not at all")),
        while_training="steps",
    ),
    first_seed(),
    *computed_in("float32", "Where torch computes. A GPU helps here."),
)

Program = Callable[..., torch.Tensor]


def other_shares(source: float = 0.5, target: float = 0.1, photos: int = 100) -> dict[str, float]:
    """The last step's photos: the best accuracy on the target, and what each belief expects.

    Where features are equal, the label head calls as many sick in the target as in the source. It
    is right most often where those are the sick ones first.

    Args:
        source, target: the share of sick ones.
        photos: of the target.
    """
    sick = torch.arange(photos) < round(target * photos)
    called = torch.arange(photos) < round(source * photos)
    return {
        "shares": float((sick == called).double().mean()),
        "shares_best": 1 - abs(source - target),
        "shares_all": 1.0,
        "shares_majority": 1 - target,
        "shares_half": 0.5,
    }


def compute(program: Program, values: Values) -> Result:
    """One point's gradients by role, and what the networks are before the first step."""
    roles = by_role(program, values, *device_and_dtype(values))
    unit = np.arange(1.0, 1 + len(roles["forward"]))
    series = series_by_role(unit, roles)
    return Result(
        series=series,
        curves=series,
        facts={
            **{name: values[name] for name in ("scale", "angle", "seeds")},
            **other_shares(),
        },
        work=f"{counted(values['seeds'], 'seed')}, two networks each",
    )


def start(values: Values) -> Start:
    """The graph of one point's loss, its two heads one op each."""
    features = features_of_point(*device_and_dtype(values))
    heads = Heads(features)
    settings = settings_of_point(heads, values)
    besides = {"w_label": heads.label, "w_domain": heads.inner}
    for weights in besides.values():
        weights.requires_grad_()
    return Start(
        {"features": features.requires_grad_()}, settings, (values["point"] - 1,), besides=besides
    )


LAB = Lab(
    parameters=PARAMETERS,
    compute=compute,
    figures=static_figures,
    table=static_table,
    start=start,
    training=Training(
        begin=Moons,
        figures=figures,
        table=table,
        cuts=True,
    ),
)
