"""A reversal by override map, and the name that each call needs, or not."""

import itertools
import math
from collections.abc import Iterator
from dataclasses import replace

import torch

from lessons.contract.lesson import Lesson
from lessons.contract.parameters import Choice, Integer, Number, Values
from lessons.contract.result import Result
from lessons.kit.answers import nearest
from lessons.kit.curve_figures import CurveText
from lessons.kit.curve_lab import Curve, Run, curve_lab
from lessons.tricks import (
    TrickError,
    fresh_registry,
    gradient_override_map,
    identity,
    register_gradient,
)
from lessons.tricks.registry import registered_names


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


def not_flipped(
    x: torch.Tensor, scale: float, second: float, way: str, builders: int
) -> torch.Tensor:
    """The same forward expression with no reversal."""
    return x**3 + x**2


def each_by_its_own(
    x: torch.Tensor, scale: float, second: float, way: str, builders: int
) -> torch.Tensor:
    """What is wanted: each path reversed with the λ of its own call."""
    return -scale * 3 * x**2 - second * 2 * x


def beliefs(run: Run, settings: Values) -> dict[str, float | str]:
    """The gradient in each way, what a second builder meets, and what each belief expects."""
    scale, second = settings["scale"], settings["second"]

    here = run(way="rule", builders=1)
    total = here["true_gradient"]
    facts: dict[str, float | str] = {
        "with_names": run(way="names", builders=1)["trick_gradient"],
        "with_rule": here["trick_gradient"],
        "registered_once": run(way="once", builders=1)["trick_gradient"],
        "own": here["intended_gradient"],
        "first_twice": -scale * total,
        "last_twice": -second * total,
        "not_reversed": total,
        "two_builders": math.nan,
        "refusal": "",
    }
    try:
        facts["two_builders"] = run(way="names", builders=2)["trick_gradient"]
    except TrickError as error:
        facts["refusal"] = str(error)
    return facts


def one_name(result: Result) -> str:
    """Which λ the second call has when one name is registered by the first."""
    keys = ("own", "first_twice", "last_twice", "not_reversed")
    return nearest(result, "registered_once", {key: key for key in keys})


def another_builder(result: Result) -> str:
    """What becomes of a second builder's first call."""
    if result.facts["refusal"]:
        return "refused"
    return nearest(result, "two_builders", {"separate": "own", "replaced": "last_twice"})


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
        Number("scale", "λ of the first call", "2", low=-100, high=100, slider=(-3, 3), step=0.1),
        Number(
            "second", "λ of the second call", "0.5", low=-100, high=100, slider=(-3, 3), step=0.1
        ),
        Choice(
            "way",
            "The map is given",
            "rule",
            options=(
                ("names", "a name for each call"),
                ("once", "one name, registered once"),
                ("rule", "the rule itself"),
            ),
        ),
        Integer("builders", "Builders", "1", "Each counts its own calls.", low=1, high=2),
    ),
    expression=not_flipped,
    intended=each_by_its_own,
    text=CurveText(
        value="L",
        gradient="dL/dx",
        gradient_caption="Dashed: each path reversed with its own λ. Dotted: no reversal. Click a "
        "point to have its numbers in the text.",
        forward_caption="The same in every way: a reversal leaves the value alone.",
    ),
    x="-1.5, -0.5, 1",
    point=3,
    facts=beliefs,
)

LAB = curve_lab(CURVE)

LESSON = Lesson(
    program=builder,
    lab=replace(LAB, check=lambda values: {**LAB.check(values), **refused(values)}),
    predictions={"once": one_name, "second": another_builder},
    highlight="register_gradient(name)(rule)",
)
