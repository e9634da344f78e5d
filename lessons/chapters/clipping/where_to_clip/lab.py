"""The lab of two weights, a clip somewhere in the step, and what each step really used."""

from collections.abc import Mapping
from functools import lru_cache

import numpy as np
import torch
from torch.nn.utils import clip_grad_norm_

from lessons.chapters.clipping.where_to_clip.two_weights import STEPS, Program, by_role, train
from lessons.contract.figure import Figure, Table
from lessons.contract.lab import Lab, Progress, Start
from lessons.contract.parameters import Choice, Number, Values
from lessons.contract.result import Array, Result, Series, warned
from lessons.kit.chart_pieces import Trace, axes, curve, points
from lessons.kit.components import component_table, said, sticks
from lessons.kit.devices import DTYPES, resolve
from lessons.kit.inputs import COMPUTED_IN, array, format_refused, printed
from lessons.text import number

EXAMPLE = {"w": 1.0, "v": 2.0, "x": 2.0, "limit": 3.0, "rate": 0.3}
"""What the facts about each place are computed with: the lab's own defaults."""

NAMES = ("w", "v")

LABELS = {
    "true_gradient": "of the loss",
    "trick_gradient": "used by step()",
    "intended_gradient": "clipped over both",
}

# In which place each role's training run has its clip; the trick's is the learner's.
RUNS = {"true_gradient": "none", "intended_gradient": "after"}

POWERS = (-6.0, 12.0)
"""The powers of ten that the chart of losses shows."""

PARAMETERS = (
    Choice(
        "place",
        "Clip stands",
        "late",
        options=(
            ("none", "nowhere"),
            ("graph", "in the graph, at h"),
            ("early", "before backward()"),
            ("after", "after backward()"),
            ("late", "after step()"),
        ),
    ),
    Number("limit", "Limit", "3", low=0.0, high=1e6, slider=(0.0, 20.0), step=0.1),
    Number("w", "Weight w", "1", low=-1000.0, high=1000.0, slider=(-3.0, 3.0), step=0.1),
    Number("v", "Weight v", "2", low=-1000.0, high=1000.0, slider=(-3.0, 3.0), step=0.1),
    Number("x", "Input x", "2", low=-100.0, high=100.0, slider=(-3.0, 3.0), step=0.1),
    Number("rate", "Learning rate", "0.3", low=0.0, high=10.0, slider=(0.0, 0.5)),
    *COMPUTED_IN,
)


def compute(program: Program, values: Values, progress: Progress) -> Result:
    """The first step's gradients, some steps of training, and what each place comes to."""
    device, missing = resolve(values["device"])
    w, v = _weights(values, device)
    x, place, limit = (values[name] for name in ("x", "place", "limit"))
    here = by_role(program, w, v, x, place, limit)
    places = array(torch.arange(1, 3))
    when = np.arange(STEPS, dtype=np.float64)
    runs = {
        role: train(program, w, v, x, chosen, limit, values["rate"], STEPS)
        for role, chosen in {**RUNS, "trick_gradient": place}.items()
    }
    progress(1.0)
    true, used = here["true_gradient"].double(), here["trick_gradient"].double()
    return Result(
        series=(
            Series("forward", "forward", np.ones(1), array(here["forward"])),
            *(Series(r, r, places, array(y)) for r, y in here.items() if r != "forward"),
        ),
        curves=tuple(Series(r, r, when, array(losses)) for r, (losses, _) in runs.items()),
        facts={
            **{name: values[name] for name in ("w", "v", "x", "limit", "rate")},
            "loss": float(here["forward"][0]),
            "norm": float(true.norm()),
            "used_norm": float(used.norm()),
            "used_w": float(used[0]),
            "used_v": float(used[1]),
            **_example(program),
        },
        notes=warned(missing),
        work=f"{STEPS} steps of training, 3 times",
        device=str(device),
    )


def start(values: Values) -> Start:
    """The run whose graph is drawn: the loss, with the clip if it stands in the graph."""
    device, _ = resolve(values["device"])
    w, v = (one.requires_grad_() for one in _weights(values, device))
    return Start({"w": w, "v": v}, {name: values[name] for name in ("x", "place", "limit")})


def script(program: str, values: Values) -> str:
    """The end of an exported file: the first step's gradients."""
    device, _ = resolve(values["device"])
    target = f'dtype=torch.{values["dtype"]}, device="{device}"'
    given = ", ".join(repr(values[name]) for name in ("x", "place", "limit"))
    return f"""\
w = torch.tensor({values["w"]!r}, {target})
v = torch.tensor({values["v"]!r}, {target})
roles = by_role({program}, w, v, {given})
series = {{"forward": {{"role": "forward", "x": [1.0], "y": plain(roles.pop("forward"))}}}}
x = torch.tensor([1.0, 2.0])  # w, v
{printed(program, str(device))}"""


def figures(result: Result, values: Values, hidden: frozenset[str]) -> list[Figure]:
    """The first step's gradients, and the loss while it trains."""
    data, layout = sticks(result, LABELS, NAMES, hidden, "dL/d…")
    return [
        Figure(
            "gradient",
            "The gradient that the first step uses",
            "For each weight, left to right: of the loss, as step() reads it, and as it would be "
            "clipped over both.",
            "The gradient of each weight. " + said(result, LABELS, NAMES, hidden),
            data,
            layout,
        ),
        _training(result, hidden),
    ]


def table(result: Result, values: Values, hidden: frozenset[str]) -> Table:
    """One row a weight."""
    return component_table(result, LABELS, NAMES, hidden, "The gradient of the first step")


def _training(result: Result, hidden: frozenset[str]) -> Figure:
    curves = {series.name: _powers(series) for series in result.curves}
    traces: list[Trace] = []
    for role, width in (
        ("trick_gradient", 5.0),
        ("intended_gradient", 2.5),
        ("true_gradient", 2.5),
    ):
        seen = role not in hidden
        traces += [curve(curves[role], seen, width, exact=True), points(curves[role], seen, 8)]
    names = {"true_gradient": "with no clip", "trick_gradient": "with yours"}
    names["intended_gradient"] = "clipped after backward()"
    last = [
        f"{names[role]} {number(float(series.y[-1]), 3)}"
        for role, series in {series.name: series for series in result.curves}.items()
        if role not in hidden
    ]
    return Figure(
        "training",
        "The loss while it trains, powers of ten",
        "Solid: with your clip. Dotted: with none. Dashed: clipped after backward(). A line that "
        "leaves the chart has exploded.",
        f"The loss over {STEPS} steps. At the last one: {', '.join(last)}.",
        traces,
        axes((-0.3, STEPS - 0.7), POWERS, "step", "log₁₀ loss"),
    )


def _powers(series: Series) -> Series:
    """The losses as powers of ten, within sight of the chart; an exact 0 lies below it."""
    powers = np.full_like(series.y, np.nan)
    np.log10(series.y, out=powers, where=series.y > 0)
    return Series(series.name, series.role, series.x, np.clip(powers, -99.0, 99.0))


def _weights(values: Values, device: torch.device) -> tuple[torch.Tensor, torch.Tensor]:
    w, v = (
        torch.tensor(values[name], dtype=DTYPES[values["dtype"]], device=device) for name in "wv"
    )
    return w, v


@lru_cache(maxsize=8)
def _example(program: Program) -> Mapping[str, float]:
    """What each place comes to, and what ``clip_grad_norm_`` returns, at the lab's defaults."""
    w, v = (torch.tensor(EXAMPLE[name], dtype=torch.float64) for name in "wv")
    x, limit, rate = (EXAMPLE[name] for name in ("x", "limit", "rate"))

    def lengths(place: str) -> Array:
        return array(train(program, w, v, x, place, limit, rate, 2)[1].norm(dim=1))

    late, plain = lengths("late"), lengths("none")
    graph = by_role(program, w, v, x, "graph", limit)
    weights = [torch.zeros((), dtype=torch.float64) for _ in NAMES]
    for weight, slope in zip(weights, graph["true_gradient"], strict=True):
        weight.grad = slope.clone()
    returned = float(clip_grad_norm_(weights, limit))
    norm = float(graph["true_gradient"].norm())
    return {
        "example_limit": limit,
        "example_norm": norm,
        "example_factor": limit / norm,
        "returned": returned,
        "left": float(torch.stack([w.grad for w in weights if w.grad is not None]).norm()),
        **{f"late_used_{step + 1}": float(late[step]) for step in range(2)},
        **{f"late_plain_{step + 1}": float(plain[step]) for step in range(2)},
        "graph_w": float(graph["trick_gradient"][0]),
        "graph_v": float(graph["trick_gradient"][1]),
        "plain_v": float(graph["true_gradient"][1]),
        "graph_limit": limit,
        "graph_times_x": limit * x,
        "graph_plain": float(graph["true_gradient"][0]),
    }


LAB = Lab(
    parameters=PARAMETERS,
    compute=compute,
    figures=figures,
    table=table,
    script=script,
    check=format_refused,
    start=start,
)
