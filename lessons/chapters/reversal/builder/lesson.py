"""A reversal by override map, and the name that each call needs, or not."""

import contextlib
import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache

import torch

from lessons.contract.lesson import Lesson
from lessons.contract.parameters import Choice, Integer, Number, Values
from lessons.contract.words import Words
from lessons.kit.curve_lab import Curve, Run, curve_lab
from lessons.tricks import (
    TrickError,
    flip_gradient,
    fresh_registry,
    gradient_override_map,
    identity,
    register_gradient,
)
from lessons.tricks.registry import registered_names

WORDS = Words(__file__)


@fresh_registry()  # as in a new process
def builder(x: torch.Tensor, scale: float, second: float, way: str, builders: int) -> torch.Tensor:
    counts = [itertools.count() for _ in range(builders)]

    def flip(x: torch.Tensor, scale: float, count: Iterator[int]) -> torch.Tensor:
        def rule(op: object, upstream: torch.Tensor) -> torch.Tensor:
            return -scale * upstream

        name = f"FlipGradient{next(count)}" if way == "names" else "FlipGradient"
        if way == "names" or (way == "once" and name not in registered_names()):
            register_gradient(name)(rule)
        with gradient_override_map({"identity": rule if way == "rule" else name}):
            return identity(x)

    return flip(x, scale, counts[0]) ** 3 + flip(x, second, counts[-1]) ** 2


def beliefs(run: Run, settings: Values) -> dict[str, float]:
    """The gradient in each way, and what each belief expects of it."""
    scale, second = settings["scale"], settings["second"]

    with_rule = run(way="rule", builders=1)
    total = with_rule["true_gradient"]
    facts: dict[str, float] = {
        "with_names": run(way="names", builders=1)["trick_gradient"],
        "with_rule": with_rule["trick_gradient"],
        "registered_once": run(way="once", builders=1)["trick_gradient"],
        "own": with_rule["intended_gradient"],
        "first_twice": -scale * total,
        "last_twice": -second * total,
        "not_reversed": total,
        "two_builders": math.nan,
        **from_a_cache(),
        **from_a_loop(),
    }
    with contextlib.suppress(TrickError):
        facts["two_builders"] = run(way="names", builders=2)["trick_gradient"]
    return facts


@cache
def from_a_cache() -> dict[str, float]:
    """The code of the last step: the gradient in its last round, and what each belief expects."""
    layers: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {}

    def reversed_by(x: torch.Tensor, key: str, scale: float) -> torch.Tensor:
        if key not in layers:
            layers[key] = lambda x: flip_gradient(x, scale)
        return layers[key](x)

    x, scales = torch.tensor(1.0, requires_grad=True), (0.25, 0.5, 1.0)
    rounds = [3 * reversed_by(x, "domain", scale) for scale in scales]
    (gradient,) = torch.autograd.grad(rounds[-1], x)
    return {
        "cached": float(gradient),
        "cached_first": -3 * scales[0],
        "cached_last": -3 * scales[-1],
        "cached_plain": 3.0,
        "cached_sum": -3 * sum(scales),
    }


@cache
def from_a_loop() -> dict[str, float]:
    """Three hooks made in a loop, which read its variable in the backward pass, added up."""
    x, scales = torch.tensor(1.0, requires_grad=True), (0.25, 0.5, 1.0)
    paths = []
    for scale in scales:
        path = x.view_as(x)
        path.register_hook(lambda g: -scale * g)  # noqa: B023  # this is the mistake
        paths.append(path)
    (gradient,) = torch.autograd.grad(torch.stack(paths).sum(), x)
    return {"looped": float(gradient), "looped_each": -sum(scales)}


def refused(values: Values) -> dict[str, str]:
    """The engine's own error, where these settings run into it."""
    settings = {name: values[name] for name in ("scale", "second", "way", "builders")}
    try:
        builder(torch.ones(1), **settings)
    except TrickError as error:
        return {"builders": str(error)}
    return {}


CURVE = Curve(
    parameters=(
        Number("scale", "2", low=-100, high=100, slider=(-3, 3), step=0.1),
        Number("second", "0.5", low=-100, high=100, slider=(-3, 3), step=0.1),
        Choice("way", "rule", names=("names", "once", "rule")),
        Integer("builders", "1", low=1, high=2),
    ),
    plain=lambda x, **_: x**3 + x**2,
    # Each path reversed with the λ of its own call.
    intended=lambda x, scale, second, **_: -scale * 3 * x**2 - second * 2 * x,
    words=WORDS,
    x="-1.5, -0.5, 1",
    point=3,
    facts=beliefs,
)

LAB = curve_lab(CURVE)

LESSON = Lesson(
    program=builder,
    lab=replace(LAB, check=lambda values: {**LAB.check(values), **refused(values)}),
    highlight="register_gradient(name)(rule)",
)
