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
from lessons.contract.history import Snapshot
from lessons.contract.lab import Lab, Progress, Start
from lessons.contract.parameters import Choice, Integer, Number, Values, validate
from lessons.contract.result import Result, warned
from lessons.contract.training import Training
from lessons.kit.devices import DTYPES, resolve
from lessons.kit.inputs import array, computed_in, format_refused, series_by_role
from lessons.text import counted
from lessons.training.under_way import facts_at_first
from lessons.training.which_seeds import first_seed, seed_drawn

PARAMETERS = (
    Choice(
        "target",
        "Target branch",
        "stopped",
        "May be changed while it trains.",
        options=(("stopped", "stopped"), ("open", "open")),
    ),
    Choice(
        "head",
        "Predictor",
        "network",
        "May be changed while it trains.",
        options=(("network", "network"), ("none", "none")),
    ),
    Number(
        "noise", "Noise of a view", "0.3", "May be moved while it trains.", False, 0, 10, (0, 1)
    ),
    Integer("seeds", "Seeds", "8", "All of them train at once.", True, low=1, high=16),
    seed_drawn(16),
    Integer("steps", "Steps", "300", advanced=True, low=1, high=2000),
    Number("rate", "Learning rate", "0.01", "", True, 1e-6, 10.0, (0.001, 0.05), 0.001),
    Integer("point", "Feature in the graph", "1", "", True, low=1, high=FEATURES),
    first_seed(),
    *computed_in("float32"),
)


class Watched:
    """The networks in training, and how they look. The picture is of one seed, numbers of all."""

    def __init__(self, program: Program, values: Values) -> None:
        device, _ = resolve(values["device"])
        self.pairs = Pairs(program, values, device, DTYPES[values["dtype"]])

    def step(self, done: int, values: Values) -> None:
        self.pairs.step(values)

    def look(self, done: int, values: Values, drawn: bool = True) -> Snapshot:
        numbers = {name: array(one) for name, one in self.pairs.numbers(values).items()}
        if not drawn:
            return Snapshot(numbers)
        index = min(int(values["shown"]), len(self.pairs.seeds)) - 1
        picture = {name: array(one) for name, one in self.pairs.directions(index).items()}
        return Snapshot(numbers, picture | {"seed": np.array([float(self.pairs.seeds[index])])})


TRAINING = Training(
    begin=Watched,
    live=frozenset({"target", "head", "noise", "rate", "shown", "point"}),
    trained=frozenset({"target", "head", "noise", "rate"}),
    figures=figures,
    table=table,
    cuts=True,
)

_DEFAULTS = validate(PARAMETERS, {})
# What has no part in the facts before the first step.
_IDLE = {name: _DEFAULTS[name] for name in (TRAINING.live - {"head", "noise"}) | {"steps"}}


def compute(program: Program, values: Values, progress: Progress) -> Result:
    """One pair's gradients by role, and what the features are before the first step."""
    device, missing = resolve(values["device"])
    roles = by_role(program, values, device, DTYPES[values["dtype"]])
    series = series_by_role(np.arange(1.0, 1 + FEATURES), roles)
    whole = inspect.unwrap(program)  # what is cut in the graph changes none of these facts
    progress(1.0)
    return Result(
        series=series,
        curves=series,
        facts={
            **{name: values[name] for name in ("noise", "seeds")},
            "features": FEATURES,
            "points": POINTS,
            "full": FULL,
            "kept": kept_without_predictor(whole),
            "kept_half": 0.5,
            "kept_all": 1.0,
            "kept_nothing": 0.0,
            **facts_at_first(TRAINING, whole, values, _IDLE),
            "steps": values["steps"],
        },
        notes=warned(missing),
        work=f"{counted(values['seeds'], 'seed')}, two networks each",
        device=str(device),
    )


def start(values: Values) -> Start:
    """The graph of one pair's loss, the predictor one op."""
    device, _ = resolve(values["device"])
    one, two = (view.to(device, DTYPES[values["dtype"]]) for view in features_of_pair())
    fixed = FixedPredictor(one)
    leaves = {"one": one.requires_grad_(), "two": two.requires_grad_()}
    index = (values["point"] - 1, 0)
    return Start(leaves, settings_of_pair(fixed, values), index)


LAB = Lab(
    parameters=PARAMETERS,
    compute=compute,
    figures=static_figures,
    table=static_table,
    check=format_refused,
    start=start,
    training=TRAINING,
)
