"""The shapes lab: small convolutional networks of several seeds in training, and the gradients of
their scores in a picture under three rules for relu. What a rule does to one relu stands below.
"""

import inspect
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np
import torch

from lessons.chapters.override_map.guided_relu.figures import (
    figures,
    static_figures,
    static_table,
    table,
)
from lessons.chapters.override_map.guided_relu.maps import (
    BEFORE,
    RULES,
    Program,
    Shapes,
    by_role,
    layer,
    maps,
)
from lessons.chapters.override_map.guided_relu.net import (
    LAYERS,
    MOST_SEED,
    TESTED,
    Networks,
    joined,
    test_pictures,
)
from lessons.chapters.override_map.guided_relu.shapes import KINDS, SIDE
from lessons.contract.devices import device_and_dtype
from lessons.contract.history import Snapshot
from lessons.contract.lab import Lab, Start
from lessons.contract.parameters import Choice, Integer, Number, Values
from lessons.contract.result import Array, Note, Result
from lessons.contract.training import Training
from lessons.kit.gradients import gradient
from lessons.kit.inputs import array, computed_in, series_by_role
from lessons.text import counted, number
from lessons.training.by_seed import BySeed
from lessons.training.settings import first_seed, rate, seed_drawn, seeds, steps
from lessons.tricks import gradient_override_map
from lessons.tricks.entry import unmatched

PARAMETERS = (
    Choice(
        "shape",
        "Picture of a",
        "triangle",
        options=tuple((name, name) for name in KINDS),
        while_training="looks",
    ),
    Choice(
        "spelling",
        "Model writes relu as",
        "relu",
        options=(("relu", "relu"), ("clamp", "clamp"), ("maximum", "maximum")),
        while_training="looks",
    ),
    Choice(
        "when",
        "Rule is set",
        "runs",
        options=(("runs", "as relu runs"), ("built", "once built")),
        while_training="looks",
    ),
    Integer(
        "randomised",
        "Last layers randomised",
        "0",
        "From one on: are the maps still the same?",
        low=0,
        high=len(LAYERS),
        while_training="looks",
    ),
    Choice(
        "behind",
        "Eight relus: score",
        "weights",
        options=(("weights", "weighted sum"), ("sum", "plain sum")),
        while_training="looks",
    ),
    Choice(
        "rule",
        "Eight relus: rule",
        "guided",
        advanced=True,
        options=tuple((name, name) for name in RULES),
        while_training="looks",
    ),
    Integer(
        "point",
        "Eight relus: in the graph",
        "7",
        "Which one’s numbers the graph shows.",
        True,
        low=1,
        high=len(BEFORE),
        while_training="looks",
    ),
    Integer(
        "picture",
        "Which picture",
        "1",
        "Of the shape chosen; none is trained on.",
        True,
        low=1,
        high=TESTED // len(KINDS),
        while_training="looks",
    ),
    seed_drawn(10),
    seeds("5", 10),
    steps("400", 20_000),
    Number("noise", "Noise", "0.25", "In new pictures.", True, 0.0, 10.0, (0.0, 1.0), 0.05),
    rate("0.01", (0.001, 0.1), 0.001),
    first_seed(MOST_SEED),
    *computed_in("float32"),
)


class Watched(BySeed):
    """The networks in training, and how their maps look. Maps are of one seed, numbers of all."""

    def __init__(self, program: Program, values: Values) -> None:
        super().__init__(values)
        self._to = device_and_dtype(values)
        self.shapes = Shapes(program, values, *self._to)
        self._as = _maps_settings(values)

    def step(self, done: int, values: Values) -> None:
        self.shapes.step(done, values)

    def look(self, done: int, values: Values, drawn: bool = True) -> Snapshot:
        if _maps_settings(values) != self._as:
            self._as = _maps_settings(values)
            self.shapes.compare(done, values)
        return super().look(done, values, drawn)

    def numbers(self, values: Values) -> dict[str, torch.Tensor]:
        return self.shapes.numbers()

    def picture(self, index: int, values: Values) -> dict[str, Array]:
        """One seed's maps of one picture, before and after randomising, and what all give."""
        own = self.shapes.networks.of_seed(index)
        changed = own.randomised(self.shapes.others.of_seed(index), values["randomised"])
        pair = joined([own, changed])
        kind = KINDS.index(values["shape"])
        place = len(KINDS) * (values["picture"] - 1) + kind
        x = test_pictures(TESTED, values["noise"])[place : place + 1].to(*self._to)
        target = torch.tensor([kind])
        found = {
            rule: array(maps(self.shapes.program, pair, x, target, rule, values)[:, 0])
            for rule in RULES
        }
        found = {rule: both.reshape(2, SIDE, SIDE) for rule, both in found.items()}
        alike = {f"alike_{rule}": array(each) for rule, each in self.shapes.alike.items()}
        with torch.no_grad():
            shares = own.logits(x, values["spelling"])[0, :, 0].softmax(0)
        return {
            **found,
            **alike,
            "pixels": array(x[0, 0]),
            "shares": array(shares),
        }


def _maps_settings(values: Values) -> tuple[Any, ...]:
    """What the comparison of maps depends on besides the weights."""
    return values["spelling"], values["when"]


def compute(program: Program, values: Values) -> Result:
    """What is there before the first step: what the rule does to eight relus."""
    device, dtype = device_and_dtype(values)
    whole = inspect.unwrap(program)  # edges cut in the eight relus' graph are whole in the networks
    unit = np.arange(1.0, 1 + len(BEFORE))
    roles = by_role(program, values, device, dtype)
    series = series_by_role(unit, roles)
    place = values["point"] - 1
    return Result(
        series=series,
        curves=series,
        facts={
            **{name: values[name] for name in ("seeds", "noise", "randomised", "point")},
            **{role: float(line.y[place]) for role, line in zip(roles, series, strict=True)},
            **_beliefs(whole, values, device, dtype),
        },
        notes=tuple(_notes(values)),
        work=counted(values["seeds"], "seed"),
    )


def _beliefs(
    program: Program, values: Values, device: torch.device, dtype: torch.dtype
) -> dict[str, float | str]:
    """In how many of the eight relus the guided gradient is not the plain one; what is missed."""

    def differ(**other: str) -> int:
        given = {**values, "rule": "guided", "spelling": "relu", **other}
        roles = by_role(program, given, device, dtype)
        return int((roles["trick_gradient"] != roles["true_gradient"]).sum())

    return {
        "differ_weights": differ(behind="weights"),
        "differ_sum": differ(behind="sum"),
        "differ_clamp": differ(behind="weights", spelling="clamp"),
        "differ_maximum": differ(behind="weights", spelling="maximum"),
        "missed": missed("clamp"),
        **two_pixels(program),
    }


def two_pixels(program: Program) -> dict[str, float | str]:
    """Two hidden units, and two last layers that weigh them: how alike the gradients are."""
    rows = torch.tensor([[2.0, 1.0], [1.0, 2.0]], dtype=torch.float64)
    pixels = torch.ones(2, dtype=torch.float64)

    def gradient_of(last: tuple[float, float], rule: str) -> torch.Tensor:
        x = pixels.clone().requires_grad_()

        def score(x: torch.Tensor) -> torch.Tensor:
            return (torch.tensor(last).to(x) * torch.relu(rows @ x)).sum()

        return gradient(program(x, score, rule, "runs"), x)

    def cosine(rule: str) -> float:
        before, after = (gradient_of(last, rule) for last in lasts)
        return torch.cosine_similarity(before, after, dim=0).item()

    lasts = (2.0, -1.0), (1.0, -2.0)
    before, after = (
        "(" + ", ".join(number(part, 3) for part in gradient_of(last, "plain").tolist()) + ")"
        for last in lasts
    )
    return {
        "plain_before": before,
        "plain_after": after,
        "cosine_came": cosine("guided"),
        "cosine_guided": 1.0,
        "cosine_plain": cosine("plain"),
        "cosine_units": torch.cosine_similarity(rows[0], rows[1], dim=0).item(),
    }


@lru_cache(maxsize=8)
def missed(spelling: str) -> str:
    """What the engine says where the networks' relu is of another type; empty where it is not."""
    networks = Networks.new([0], torch.device("cpu"), torch.float32)
    x = test_pictures(1, 0.0)
    with gradient_override_map({}) as report:
        networks.logits(x, spelling)
    return "" if report.ran["relu"] else unmatched("Relu", ["relu"], report.ran)


def _notes(values: Values) -> Iterator[Note]:
    words = missed(values["spelling"])
    if words and values["when"] == "runs":
        yield Note("warning", f"The three maps are one and the same. {words}")
    elif words:
        yield Note(
            "warning",
            "The three maps are one and the same. The graph that is built holds no node of relu: "
            "this model’s relus are ops of another type.",
        )


def start(values: Values) -> Start:
    """The graph of the eight relus."""
    device, dtype = device_and_dtype(values)
    x = torch.tensor(BEFORE, device=device, dtype=dtype).requires_grad_()
    settings = {
        "network": layer(values["behind"], values["spelling"]),
        "rule": values["rule"],
        "when": values["when"],
    }
    return Start({"x": x}, settings, (values["point"] - 1,))


def seconds(values: Values) -> float:
    """About how long it takes to look at the untrained networks, for each seed."""
    return 0.01 + (0.011 if values["dtype"] == "float64" else 0.007) * float(values["seeds"])


LAB = Lab(
    parameters=PARAMETERS,
    compute=compute,
    figures=static_figures,
    table=static_table,
    seconds=seconds,
    start=start,
    training=Training(
        begin=Watched,
        figures=figures,
        table=table,
    ),
)
