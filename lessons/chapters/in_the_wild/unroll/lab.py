"""The lab of a state of one number: its gradient, and how much each step back contributes."""

from collections.abc import Iterable, Mapping
from functools import cache, lru_cache

import numpy as np
import torch

from lessons.chapters.in_the_wild.unroll.figures import figures, table
from lessons.chapters.in_the_wild.unroll.state import (
    Program,
    by_role,
    contributions,
    kept,
    plain,
)
from lessons.contract.devices import device_and_dtype
from lessons.contract.lab import Lab, Start
from lessons.contract.parameters import Integer, Number, Numbers, Values
from lessons.contract.result import Note, Result, Series
from lessons.kit.causes import notes_on_not_finite
from lessons.kit.inputs import (
    COMPUTED_IN,
    GRID,
    array,
    point_in_text,
    series_by_role,
)
from lessons.text import counted

MOST = 64
"""Steps at most."""

DRAWN = 4
"""Steps that the graph draws at most."""

LONG = {"w": 0.95, "steps": 50, "every": 5}
"""A long memory, and how it is cut."""

FORGETS = 0.5
"""A weight with which the state forgets within a few steps."""

DECODER = {"w": 0.9, "steps": 6, "every": 2}
"""The decoder of the last question: a loss after every so many steps, and a stop after each."""

PARAMETERS = (
    Integer("every", "Stop every … steps", "2", low=1, high=MOST, log=True),
    Integer(
        "steps",
        "Steps",
        "4",
        f"The graph draws the first {DRAWN}.",
        low=1,
        high=MOST,
        log=True,
    ),
    Number("x", "Input at each step", "1", low=-100.0, high=100.0, slider=(0.0, 2.0), step=0.1),
    Numbers("w", "Weights w", "0.2, 0.5, 0.95"),
    point_in_text("3", of="w"),
    *COMPUTED_IN,
)


def compute(program: Program, values: Values) -> Result:
    """The last state and its gradients over w, and each step's contribution at the chosen w."""
    device, dtype = device_and_dtype(values)
    steps, every, x = int(values["steps"]), int(values["every"]), float(values["x"])
    given = torch.tensor(values["w"], dtype=torch.float64)
    place = min(values["point"], len(given)) - 1
    w, grid = given.to(device, dtype), _grid(given)
    roles = by_role(program, w, steps, every, x)
    over = by_role(program, grid.to(device, dtype), steps, every, x)
    chosen = w[[place]]
    parts, reached = contributions(lambda leaf: program(leaf, steps, every, x), chosen, steps)
    whole, _ = contributions(lambda leaf: plain(leaf, steps, x), chosen, steps)
    back = np.arange(1.0, steps + 1.0)
    return Result(
        series=series_by_role(array(given), roles),
        curves=(
            *series_by_role(array(grid), over),
            Series("parts", "trick_gradient", back, array(parts[:, 0])),
            Series("parts_full", "true_gradient", back, array(whole[:, 0])),
        ),
        facts={
            "w": float(given[place]),
            "x": x,
            "steps": steps,
            "every": every,
            "drawn": min(steps, DRAWN),
            "kept": kept(steps, every),
            "reached": int(reached.sum()),
            **{role: float(value[place]) for role, value in roles.items()},
            **_long(program),
            **_decoder(),
            **messages(),
        },
        notes=tuple(_not_finite(given, roles)),
        work=f"{counted(steps, 'step')}, {counted(len(given), 'weight')}",
    )


def start(values: Values) -> Start:
    """The run whose graph is drawn: the first steps."""
    w = torch.tensor(values["w"], dtype=torch.float64).to(*device_and_dtype(values))
    settings = {name: values[name] for name in ("every", "x")}
    settings["steps"] = min(values["steps"], DRAWN)
    return Start({"w": w.requires_grad_()}, settings, (min(values["point"], len(w)) - 1,))


def _grid(w: torch.Tensor) -> torch.Tensor:
    """Evenly spaced w from 0 to the farthest on each side on which there are some."""
    low, high = min(float(w.min()), 0.0), max(float(w.max()), 0.0)
    if low == high:
        low, high = -1.0, 1.0
    share = torch.arange(GRID, dtype=torch.float64) / (GRID - 1)
    return low * (1 - share) + high * share


def _not_finite(given: torch.Tensor, roles: Mapping[str, torch.Tensor]) -> Iterable[Note]:
    large = "the state is too large for this number format and becomes ∞ or NaN."
    causes = ((~roles["forward"].isfinite(), large),)
    rest = "the gradient is too large for this number format and becomes ∞ or NaN."
    return notes_on_not_finite("w", given, roles, causes, otherwise=rest)


@lru_cache(maxsize=8)
def _long(program: Program) -> Mapping[str, float]:
    """The gradient of fifty steps with stops, of a state that remembers and one that forgets."""
    steps, every = int(LONG["steps"]), int(LONG["every"])

    def slope(w: float, every: int, x: float) -> float:
        leaf = torch.tensor([w], dtype=torch.float64)
        return float(by_role(program, leaf, steps, every, x)["trick_gradient"])

    def share(w: float) -> float:
        return 100 * slope(w, every, 1.0) / slope(w, steps, 1.0)

    each = LONG["w"] ** (steps - 1)  # of h = wⁿ, the same for every step
    return {
        **{f"long_{name}": value for name, value in LONG.items()},
        "one_step": each,
        "five_steps": every * each,
        "all_steps": steps * each,
        "five_came": slope(LONG["w"], every, 0.0),
        "single_came": slope(LONG["w"], 1, 0.0),
        "all_came": slope(LONG["w"], steps, 0.0),
        "forgets_w": FORGETS,
        "forgets_tenth": 100 * every / steps,
        "forgets_half": 50.0,
        "forgets_most": 100 * (1 - FORGETS**every),
        "forgets_came": share(FORGETS),
        "remembers_came": share(LONG["w"]),
    }


@cache
def _decoder() -> Mapping[str, float]:
    """What a decoder's losses send to the encoder's output, with stops in its state and without."""
    w, steps, every = DECODER["w"], int(DECODER["steps"]), int(DECODER["every"])

    def reaches(stops: bool) -> float:
        start = torch.ones((), dtype=torch.float64, requires_grad=True)
        h, losses = start, []
        for t in range(1, steps + 1):
            h = w * h
            if t % every == 0:
                losses.append(h)
                h = h.detach() if stops else h
        return float(torch.autograd.grad(torch.stack(losses).sum(), start)[0])

    return {
        **{f"decoder_{name}": value for name, value in DECODER.items()},
        "decoder_losses": steps // every,
        "encoder_all": sum(w**t for t in range(every, steps + 1, every)),
        "encoder_first": w**every,
        "encoder_none": 0.0,
        "encoder_came": reaches(stops=True),
        "encoder_whole": reaches(stops=False),
    }


@cache
def messages() -> Mapping[str, str]:
    """What torch says of a state that is handed from batch to batch with its graph, in a run."""
    said = {}
    for name, retain in (("second_time", False), ("in_place", True)):
        w = torch.tensor(0.5, dtype=torch.float64, requires_grad=True)
        h = torch.ones((), dtype=torch.float64)
        try:
            for _ in range(2):
                h = w * (w * h)
                torch.autograd.backward(h, retain_graph=retain)
                with torch.no_grad():
                    w -= 0.1 * (w.grad if w.grad is not None else 0)
        except RuntimeError as error:
            said[name] = str(error)
    return {name: text.split(". ")[0].split(": [")[0] for name, text in said.items()}


LAB = Lab(
    parameters=PARAMETERS,
    compute=compute,
    figures=figures,
    table=table,
    start=start,
    named=True,
)
