"""The lab of a learned step size: what each weight sends it, and what a finite difference says."""

import inspect
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import torch

from lessons.chapters.in_the_wild.learned_step.figures import figures, table
from lessons.chapters.in_the_wild.learned_step.quantiser import (
    COUNTS,
    Program,
    by_role,
    formula,
    gradient_factor,
    levels,
    relative_steps,
    teeth,
    total,
)
from lessons.contract.devices import device_and_dtype
from lessons.contract.lab import Lab, Start
from lessons.contract.parameters import Choice, Index, Integer, Number, Numbers, Values
from lessons.contract.result import FactsAsAsked, Note, Result, Series
from lessons.kit.causes import notes_on_not_finite
from lessons.kit.inputs import COMPUTED_IN, array, series_by_role
from lessons.text import counted, listed, number

PARAMETERS = (
    Choice(
        "rounding",
        "Rounding",
        "straight",
        options=(
            ("straight", "straight-through"),
            ("plain", "plain round"),
            ("whole", "straight-through around all of it"),
        ),
    ),
    # A quiz draws multiples of a half from a range as wide as this: no tie, and none is rounded.
    Number("s", "Step size s", "0.3", low=1e-3, high=100.0, slider=(0.05, 2.1), step=0.01),
    Integer("bits", "Bits", "3", "3 bits are the codes from −4 to 3.", low=2, high=8),
    Choice(
        "scale",
        "Gradient scale",
        "none",
        options=(("none", "none"), ("lsq", "1/√(N·highest code)")),
    ),
    Numbers("x", "Weights x", "0.1, 0.4, 0.7, 2.5"),
    Number(
        "h",
        "Finite difference, h",
        "0.01",
        "The output at s + h and at s − h, over 2h.",
        True,
        1e-6,
        100.0,
        (0.01, 0.3),
        0.01,
    ),
    Index(
        "point",
        "Weight in the first chart",
        "2",
        "A click on a weight sets this too.",
        advanced=True,
        low=1,
        high=256,
        of="x",
    ),
    *COMPUTED_IN,
)


def compute(program: Program, values: Values) -> Result:
    """Values and gradients at the learner's weights, one weight over s, and the ratio over N."""
    given = torch.tensor(values["x"], dtype=torch.float64)
    x = given.to(*device_and_dtype(values))
    s, settings = float(values["s"]), _settings(values)
    roles = by_role(program, x, s, settings)
    place = min(values["point"], len(given)) - 1
    end = max(2.0, 1.25 * s)
    over, tooth = (array(one) for one in teeth(program, float(given[place]), values["bits"], end))
    ratios = relative_steps(program, values["bits"])
    return Result(
        series=series_by_role(array(given), roles),
        curves=(Series("forward", "forward", over, tooth),),
        facts=FactsAsAsked(
            {
                "s": s,
                "h": float(values["h"]),
                "rounding": values["rounding"],
                "bits": values["bits"],
                "inputs": len(given),
                "lowest": levels(values["bits"])[0],
                "highest": levels(values["bits"])[1],
                "x": float(given[place]),
                **{role: float(value[place]) for role, value in roles.items()},
                "v": float(given[place]) / s,
                **{f"sum_{r.partition('_')[0]}": float(y.double().sum()) for r, y in roles.items()},
                "many": COUNTS[-1],
                "ratio_none": ratios["none"][-1],
                "ratio_lsq": ratios["lsq"][-1],
                "zero": 0.0,
            },
            lambda: {
                **_sums(program, x, given, s, settings),
                # What is cut in the graph changes none of these.
                **_of_one(inspect.unwrap(program), x[place : place + 1], s, values["bits"]),
                "difference": _difference(program, given, values, settings),
            },
        ),
        notes=tuple(_notes(given, x, roles, values)),
        planes={f"ratio_{name}": np.array(one) for name, one in ratios.items()}
        | {"counts": np.array(COUNTS, dtype=np.float64)},
        work=counted(len(given), "weight"),
    )


def start(values: Values) -> Start:
    """The run whose graph is drawn: each weight with the step size by its side."""
    x = torch.tensor(values["x"], dtype=torch.float64).to(*device_and_dtype(values))
    s = torch.full_like(x, values["s"]).requires_grad_()
    return Start({"x": x, "s": s}, _settings(values), (min(values["point"], len(x)) - 1,))


def _settings(values: Values) -> dict[str, Any]:
    return {name: values[name] for name in ("bits", "rounding", "scale")}


def _of_one(program: Program, x: torch.Tensor, s: float, bits: int) -> dict[str, float]:
    """What the chosen weight sends with rounding left as it is, its code, and straight-through."""
    plain, straight = (
        by_role(program, x, s, {"bits": bits, "rounding": rounding, "scale": "none"})
        for rounding in ("plain", "straight")
    )
    return {
        "code": float(plain["trick_gradient"][0]),
        "together": float(straight["trick_gradient"][0]),
    }


def _sums(
    program: Program,
    x: torch.Tensor,
    given: torch.Tensor,
    s: float,
    settings: Mapping[str, Any],
) -> dict[str, float]:
    """The step size's gradient from all weights, as each answer expects it."""

    def all_of(rounding: str, scale: str = "none") -> float:
        told = {**settings, "rounding": rounding, "scale": scale}
        return float(by_role(program, x, s, told)["trick_gradient"].double().sum())

    lowest, highest = levels(settings["bits"])
    clipped = (given / s <= lowest) | (given / s >= highest)
    step = torch.full_like(given, s)
    straight = all_of("straight")
    factor = gradient_factor(len(given), settings["bits"])
    return {
        "straight_sum": straight,
        "plain_sum": all_of("plain"),
        "whole_sum": all_of("whole"),
        "clipped": int(clipped.sum()),
        "clipped_sum": float(formula(given, step, settings["bits"], "none")[clipped].sum()),
        "factor": factor,
        "scaled_came": all_of("straight", "lsq"),
        "scaled_sum": straight * factor,
        "divided_sum": straight * factor**2,
        "times_sum": straight / factor,
    }


def _difference(
    program: Program, x: torch.Tensor, values: Values, settings: Mapping[str, Any]
) -> float:
    """The sum of the quantised weights at s + h and at s − h, over 2h; at least 0 for s − h."""
    low = max(float(values["s"]) - float(values["h"]), 1e-9)
    high = float(values["s"]) + float(values["h"])
    ends = [total(program, x, one, settings) for one in (low, high)]
    return (ends[1] - ends[0]) / (high - low)


def _notes(
    given: torch.Tensor, x: torch.Tensor, roles: Mapping[str, torch.Tensor], values: Values
) -> Iterator[Note]:
    """Why a number is not finite, and where torch and the formula differ."""
    causes = ((x.isinf(), "x is too large for this number format and becomes ∞."),)
    too_large = "x / s is too large for this number format: ∞ times 0 is NaN on the way back."
    yield from notes_on_not_finite("x", given, roles, causes, otherwise=too_large)
    lowest, highest = levels(values["bits"])
    v = x / torch.full_like(x, values["s"])
    at_limit = (v == lowest) | (v == highest)
    if values["rounding"] == "straight" and at_limit.any():
        where = listed([number(one) for one in given[at_limit.cpu()].tolist()])
        yield Note(
            "info",
            f"At x = {where}, x / s is exactly a limit. There torch's clamp passes the gradient, "
            "and LSQ's formula does not.",
        )


LAB = Lab(
    parameters=PARAMETERS,
    compute=compute,
    figures=figures,
    table=table,
    start=start,
    named=True,
)
