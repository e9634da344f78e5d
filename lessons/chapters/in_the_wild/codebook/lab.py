"""The codebook's lab: one encoding and what pulls at it, and a small VQ-VAE in training."""

import inspect
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from lessons.chapters.in_the_wild.codebook.figures import (
    figures,
    static_figures,
    static_table,
    table,
)
from lessons.chapters.in_the_wild.codebook.net import CODES, PAPER, POINTS, Losses, Program, Trained
from lessons.chapters.in_the_wild.codebook.single_point import (
    FIXED,
    NAMES,
    PARTS,
    Leaves,
    by_loss,
    chosen_sum,
)
from lessons.contract.devices import device_and_dtype
from lessons.contract.lab import Lab, Start
from lessons.contract.parameters import Choice, Number, Values
from lessons.contract.result import Result, Series
from lessons.contract.training import Training
from lessons.kit.inputs import array, computed_in, series_by_role
from lessons.text import counted
from lessons.training.settings import first_seed, rate, seed_drawn, seeds, steps

PARAMETERS = (
    Number(
        "beta",
        "Weight β",
        "0.25",
        "May be moved while it trains.",
        False,
        0.0,
        100.0,
        (0.0, 2.0),
        0.05,
        while_training="steps",
    ),
    Choice(
        "wiring",
        "Written",
        "paper",
        options=(
            ("paper", "as in paper"),
            ("swapped", "β swapped"),
            ("output", "of the output"),
            ("direct", "direct"),
        ),
    ),
    Choice(
        "part",
        "Loss in arrows and graph",
        "all",
        options=(
            ("all", "all"),
            ("reconstruction", "reconstruction"),
            ("codebook", "codebook"),
            ("commitment", "commitment"),
        ),
        while_training="looks",
    ),
    Number(
        "z1",
        "Encoding z₁",
        "0.1",
        "",
        True,
        -100.0,
        100.0,
        (-1.0, 1.0),
        0.05,
        while_training="looks",
    ),
    Number(
        "z2",
        "Encoding z₂",
        "0.9",
        "",
        True,
        -100.0,
        100.0,
        (-1.0, 1.0),
        0.05,
        while_training="looks",
    ),
    Number(
        "start",
        "Codes start within ±",
        "0.0625",
        "A new value begins a new training.",
        True,
        1e-3,
        100.0,
        (0.05, 5.0),
        0.05,
    ),
    seeds("8", 16),
    seed_drawn(16),
    steps("400", 5_000),
    rate("0.01", (0.001, 0.05), 0.001),
    first_seed(),
    *computed_in("float32"),
)


def compute(program: Program, values: Values) -> Result:
    """One point's gradients by loss and role, and what the networks are before the first step."""
    device, dtype = device_and_dtype(values)
    losses = by_loss(program, values, device, dtype)
    leaves = Leaves(values, device, dtype)
    forward = torch.cat([leaves.z, leaves.code, leaves.weight.reshape(1, 1)]).detach()
    roles = {"forward": forward.reshape(-1), **chosen_sum(losses, values["part"])}
    place = np.arange(1.0, 1 + len(NAMES))
    series = series_by_role(place, roles)
    return Result(
        series=series,
        curves=tuple(
            Series(f"{part}_{role}", role, place, array(one))
            for part, found in losses.items()
            for role, one in found.items()
        ),
        facts={
            **{name: values[name] for name in ("beta", "z1", "z2", "start", "seeds")},
            "codes": CODES,
            "points": POINTS,
            "paper": PAPER,
            "code_number": leaves.chosen + 1,
            **_of_one(leaves, program, values, losses),
        },
        planes={"codes": np.array(FIXED)},
        work=f"{counted(values['seeds'], 'seed')}, two networks each",
    )


def _of_one(
    leaves: Leaves, program: Program, values: Values, losses: dict[str, dict[str, torch.Tensor]]
) -> dict[str, float]:
    """The losses of the one point, and how long the gradient is that each part gets."""
    _, codebook, commitment = leaves.losses(inspect.unwrap(program), 1.0, "paper")
    return {
        "codebook_loss": float(codebook.detach()),
        "commitment_loss": float(commitment.detach()),
        **{
            f"{part}_to_{name}": length
            for part in PARTS
            for name, length in _lengths(losses[part]["trick_gradient"])
        },
    }


def _lengths(gradient: torch.Tensor) -> Iterator[tuple[str, float]]:
    """Of z, of the code and of the decoder's weight."""
    for name, where in (("encoder", slice(2)), ("codes", slice(2, 4)), ("decoder", slice(4, 5))):
        yield name, float(gradient[where].double().norm())


def start(values: Values) -> Start:
    """The graph of the one point's losses."""
    leaves = Leaves(values, *device_and_dtype(values))
    settings: dict[str, Any] = {
        "decode": leaves.decode,
        "x": leaves.point,
        "beta": float(values["beta"]),
        "wiring": values["wiring"],
    }

    def finish(losses: Losses) -> torch.Tensor:
        if values["part"] == "all":
            return losses[0] + losses[1] + losses[2]
        return losses[PARTS.index(values["part"])]

    given = {"z": leaves.z, "code": leaves.code}
    return Start(given, settings, (0, 0), finish, {"x": leaves.point, "weight": leaves.weight})


LAB = Lab(
    parameters=PARAMETERS,
    compute=compute,
    figures=static_figures,
    table=static_table,
    start=start,
    training=Training(
        begin=Trained,
        figures=figures,
        table=table,
        cuts=True,
    ),
    named=True,
)
