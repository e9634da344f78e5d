"""The long network's lab: one noise layer, two backward passes, trained side by side."""

from collections.abc import Iterator
from typing import Any

import torch

from lessons.chapters.stop_gradient.noise_layer.figures import (
    figures,
    static_figures,
    static_table,
    table,
)
from lessons.chapters.stop_gradient.noise_layer.net import (
    INPUTS,
    LAYERS,
    MOST_DRAWS,
    POINTS,
    WIDTH,
    Long,
    Program,
    alone,
    by_itself,
)
from lessons.contract.devices import DTYPES, device_and_dtype
from lessons.contract.history import Snapshot
from lessons.contract.lab import Lab, Start
from lessons.contract.parameters import Choice, Integer, Number, Values
from lessons.contract.result import Array, Note, Result
from lessons.contract.training import Training
from lessons.kit.inputs import array, computed_in, series_by_role
from lessons.text import counted
from lessons.training.settings import first_seed, rate, steps

PREVIEW_DRAWS = 8
"""Draws of noise measured while the learner drags."""

MEASURED = 25
"""How often the gradients' noise is measured in a whole run: it costs more than a step."""

PARAMETERS = (
    Integer(
        "place",
        "Noise after layer",
        "4",
        "May be moved while it trains.",
        low=1,
        high=9,
        while_training="steps",
    ),
    Number(
        "strength",
        "Noise strength s",
        "0.9",
        "u from 1 − s to 1 + s.",
        False,
        0,
        1e3,
        (0, 2),
        while_training="steps",
    ),
    Integer("seeds", "Seeds", "8", "All of them train at once.", low=1, high=16),
    steps("400", 20_000),
    rate("0.003", (0.0005, 0.02), 0.0005),
    Integer(
        "draws",
        "Noise draws measured",
        "32",
        "Over so many draws a gradient's variance is taken.",
        True,
        2,
        MOST_DRAWS,
        while_training="looks",
    ),
    Choice(
        "layer",
        "Backward in the graph",
        "clean",
        options=(("clean", "clean"), ("plain", "plain")),
        while_training="looks",
    ),
    Integer(
        "point",
        "Input in the graph",
        "13",
        "By its place.",
        True,
        low=1,
        high=INPUTS,
        while_training="looks",
    ),
    first_seed(),
    *computed_in("float32"),
)

# The settings that the gradients' noise is of.
_COUNTED = ("place", "strength", "draws")


class Watched:
    """The networks in training, and how they look."""

    def __init__(self, program: Program, values: Values) -> None:
        self.long = Long(program, values, *device_and_dtype(values))
        self._noise: dict[str, Array] = {}
        self._measured: tuple[Any, ...] = ()

    def step(self, done: int, values: Values) -> None:
        if done % max(1, int(values["steps"]) // MEASURED) == 0:
            self._measure(done, values)
        self.long.step(done, values)

    def look(self, done: int, values: Values, drawn: bool = True) -> Snapshot:
        known = self._measured[1:] == tuple(values[name] for name in _COUNTED)
        if not known or done == int(values["steps"]):
            self._measure(done, values)
        seen = self.long.seen(values)
        losses = {name: array(value) for name, value in self.long.losses(seen).items()}
        return Snapshot(losses | self._noise)

    def _measure(self, done: int, values: Values) -> None:
        settings = (done, *(values[name] for name in _COUNTED))
        if self._measured != settings:
            found = self.long.gradient_noise(values)
            self._noise = {name: array(value) for name, value in found.items()}
            self._measured = settings


TRAINING = Training(
    begin=Watched,
    figures=figures,
    table=table,
    cuts=True,
)


def preview(values: Values) -> Values:
    """A few draws, for while the learner drags; the chart's caption says how many."""
    return {**values, "draws": min(values["draws"], PREVIEW_DRAWS)}


def compute(program: Program, values: Values) -> Result:
    """What is there before the first step: the layer by itself, and the untrained networks."""
    roles = alone(program, values["strength"], DTYPES[values["dtype"]])
    x = array(roles.pop("x"))
    series = series_by_role(x, roles)
    before = TRAINING.facts_at_first(program, values)
    return Result(
        series=series,
        curves=series,
        facts={
            **{name: values[name] for name in ("place", "strength", "seeds", "draws")},
            "layers": LAYERS,
            "width": WIDTH,
            "points": POINTS,
            "next": values["place"] + 1,
            # Under names that no run takes over: what the text says of the start stays.
            **{f"{n}_at_first": one for n, one in before.items() if n.startswith("quieter")},
        },
        notes=tuple(_notes(values)),
        work=f"{counted(values['seeds'], 'seed')}, two networks each",
    )


def _notes(values: Values) -> Iterator[Note]:
    if values["strength"] == 0:
        yield Note("info", "With strength 0 there is no noise, and no variance to draw.")


def start(values: Values) -> Start:
    """The graph of the layer by itself, a tanh after it."""
    x, drawn = (one.to(DTYPES[values["dtype"]]) for one in by_itself())
    settings = {
        "strength": float(values["strength"]),
        "clean_backward": values["layer"] == "clean",
        "draw": lambda _: drawn,
    }
    index = (values["point"] - 1,)
    return Start({"x": x.requires_grad_()}, settings, index, torch.tanh, {"drawn": drawn})


def seconds(values: Values) -> float:
    """About how long the gradients' noise takes to measure, for each seed and each of its draws."""
    each = 2e-4 if values["dtype"] == "float64" else 1e-4
    return 0.01 + float(values["seeds"] * (0.001 + each * values["draws"]))


LAB = Lab(
    parameters=PARAMETERS,
    compute=compute,
    figures=static_figures,
    table=static_table,
    preview=preview,
    seconds=seconds,
    preview_note="",
    start=start,
    training=TRAINING,
)
