"""The place of a clip in the training step."""

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import numpy as np
import torch
from torch.nn.utils import clip_grad_norm_

from lessons.contract.figure import SHORT, Figure, Table
from lessons.contract.lab import Lab
from lessons.contract.lesson import Lesson
from lessons.contract.result import Array, Result, Series
from lessons.contract.settings import choice, slider
from lessons.contract.words import Words
from lessons.gradient_tricks.text import number
from lessons.gradient_tricks.tricks import clip_gradient
from lessons.kit.chart_pieces import Trace, limits, points
from lessons.kit.components import component_figure, component_table
from lessons.kit.experiment import Program, components, run_of
from lessons.kit.gradients import gradients
from lessons.kit.inputs import ComputedIn, array
from lessons.kit.line_names import named
from lessons.kit.log_axis import LogAxis
from lessons.kit.titles import brief

WORDS = Words(__file__)


def where_to_clip(
    w: torch.Tensor,
    v: torch.Tensor,
    x: float,
    place: str,
    limit: float,
    optimizer: torch.optim.Optimizer | None = None,
) -> torch.Tensor:
    h = w * x
    if place == "graph":
        h = clip_gradient(h, -limit, limit)
    loss = (v * h) ** 2 / 2
    if optimizer is None or not loss.requires_grad:
        return loss  # only the graph is looked at

    optimizer.zero_grad()
    if place == "early":
        clip_grad_norm_([w, v], limit)
    loss.backward()
    if place == "after":
        clip_grad_norm_([w, v], limit)
    optimizer.step()
    if place == "late":
        clip_grad_norm_([w, v], limit)
    return loss


def late(result: Result) -> str:
    """this, next or never: which step a clip after ``step()`` reaches."""
    limit = result.number("example_limit")
    for step, answer in ((1, "this"), (2, "next")):
        used, plain = (result.number(f"late_{what}_{step}") for what in ("used", "plain"))
        if used < plain and used <= limit * (1 + 1e-6):
            return answer
    return "never"


STEPS = 8
"""Steps of a training run."""


def plain_loss(w: torch.Tensor, v: torch.Tensor, x: float) -> torch.Tensor:
    """The same forward pass with no clip."""
    return (v * (w * x)) ** 2 / 2


def train(
    program: Program,
    w: torch.Tensor,
    v: torch.Tensor,
    x: float,
    place: str,
    limit: float,
    rate: float,
    steps: int,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Some steps of plain gradient descent.

    Args:
        program: takes one step when it is given an optimizer.
        w, v: the weights at first, no dimensions; they stay as they are.
        x, place, limit: what the program takes besides.
        rate: the learning rate.
        steps: how many.

    Returns:
        The losses before each step, shape [steps], and the gradients that the steps used,
        shape [steps, 2].
    """
    weights = [weight.detach().clone().requires_grad_() for weight in (w, v)]
    optimizer = torch.optim.SGD(weights, lr=rate, foreach=False)
    used: list[torch.Tensor] = []

    def look(*_: object) -> None:
        slopes = [
            torch.zeros_like(weight) if weight.grad is None else weight.grad for weight in weights
        ]
        used.append(torch.stack(slopes).clone())

    optimizer.register_step_pre_hook(look)
    losses = []
    for _ in range(steps):
        losses.append(program(*weights, x, place, limit, optimizer).detach())
        if len(used) < len(losses):  # nothing led back to a weight: no step
            used.append(torch.zeros_like(torch.stack(weights)).detach())
    return torch.stack(losses), torch.stack(used)


def shortened(slopes: torch.Tensor, limit: float) -> torch.Tensor:
    """A gradient, shape [n], clipped by norm: what should reach the weights."""
    length = float(slopes.double().norm())
    return slopes * min(1.0, limit / length) if length else slopes


def by_role(
    program: Program, w: torch.Tensor, v: torch.Tensor, x: float, place: str, limit: float
) -> dict[str, torch.Tensor]:
    """The loss, shape [1], and the first step's gradient of w and v in its roles, shape [2].

    Returns:
        forward; trick_gradient: what the step used; true_gradient: the loss's own, by autograd;
        intended_gradient: that one clipped by the norm of both.
    """
    losses, used = train(program, w, v, x, place, limit, rate=1.0, steps=1)
    leaves = w.detach().requires_grad_(), v.detach().requires_grad_()
    true = torch.stack(gradients(plain_loss(*leaves, x), leaves))
    return {
        "forward": losses,
        "trick_gradient": used[0],
        "true_gradient": true,
        "intended_gradient": shortened(true, limit),
    }


SCALED = {"times": 8.0, "limit": 4.0, "plain": 2.0}
"""Loss scaling: the factor, the limit, and the length of the loss's own gradient."""

SPIKE = {"times": 1000, "after": 50, "limit": 2, "before": 200}
"""One gradient that many times as long as the others, how many steps later Adam's step is looked
at, the limit in lengths of the others, and how many steps Adam had before."""

NAMES = ("w", "v")
LABELS = {
    "true_gradient": WORDS("of_loss"),
    "trick_gradient": WORDS("used"),
    "intended_gradient": WORDS("clipped"),
}

# Where each role's training run clips; the learner chooses the trick's place.
RUNS = {"true_gradient": "none", "intended_gradient": "after"}

LOWEST, HIGHEST = -12, 12
"""The powers of ten that the chart of losses shows at most."""


class Settings(ComputedIn):
    place = choice("none", "graph", "early", "after", "late", default="late")
    limit = slider(3, 0, 20, 0.1, accepts=(0, 1e6))
    w = slider(1, -3, 3, 0.1, accepts=(-1000, 1000))
    v = slider(2, -3, 3, 0.1, accepts=(-1000, 1000))
    x = slider(2, -3, 3, 0.1, accepts=(-100, 100))
    rate = slider(0.3, 0, 0.5, accepts=(0, 10))


RUN = run_of("w", "v", arguments=("x", "place", "limit"))


def compute(program: Program, settings: Settings) -> Result:
    """The first step's gradients, some steps of training, and the facts about each place."""
    start = RUN(settings)
    w, v = (leaf.detach() for leaf in start.leaves.values())
    x, place, limit = start.arguments.values()
    roles = by_role(program, w, v, x, place, limit)
    when = np.arange(STEPS, dtype=np.float64)
    shown = {**RUNS, "trick_gradient": place}
    trained = {  # each place once, though two lines may share one
        chosen: train(program, w, v, x, chosen, limit, settings.rate, STEPS)
        for chosen in shown.values()
    }
    runs = {role: trained[chosen] for role, chosen in shown.items()}
    true, used = roles["true_gradient"].double(), roles["trick_gradient"].double()
    return Result(
        series=components(roles),
        curves=tuple(Series(r, r, when, array(losses)) for r, (losses, _) in runs.items()),
        facts={
            "loss": float(roles["forward"][0]),
            "norm": float(true.norm()),
            "used_norm": float(used.norm()),
        },
        more_facts=[partial(_example, program, settings)],
        work=WORDS("work", steps=STEPS),
    )


def _gradients(result: Result, settings: Settings) -> Figure:
    """The first step's gradients."""
    both = _with_length(result)
    gradient = component_figure(
        WORDS,
        "gradient",
        both,
        LABELS,
        (*NAMES, WORDS("length")),
        used=brief(result.number("used_norm")),
        limit=brief(settings.limit),
    )
    return replace(gradient, data=[*gradient.data, _limit(settings.limit, gradient.layout)])


def table(result: Result, settings: Settings) -> Table:
    """One row a weight."""
    return component_table(result, LABELS, NAMES, WORDS("table"))


def _with_length(result: Result) -> Result:
    """Add the length, which is what the clip limits, to each gradient as one more component."""
    series = [
        replace(
            one,
            x=np.append(one.x, len(NAMES) + 1.0),
            y=np.append(one.y, np.hypot(*one.y)),
        )
        if one.name in LABELS
        else one
        for one in result.series
    ]
    return replace(result, series=tuple(series))


def _limit(limit: float, layout: Trace) -> Trace:
    """The limit, over the lengths; the axis grows to show it unless it is far above them."""
    low, high = layout["yaxis"]["range"]
    if high < 1.05 * limit < 2 * high:
        layout["yaxis"]["range"] = [low, 1.05 * limit]
    return limits(limit, (len(NAMES) + 0.45, len(NAMES) + 1.6), "limit", sides=(1,))


def _training(result: Result, settings: Settings) -> Figure:
    losses = {series.name: series for series in result.curves}
    powers = LogAxis([series.y for series in losses.values()], LOWEST, HIGHEST)
    layout = powers.axes((-0.3, STEPS - 0.7), WORDS("step"), WORDS("loss"))
    names = {"trick_gradient": WORDS("yours"), "true_gradient": WORDS("no_clip")}
    names["intended_gradient"] = WORDS("after")
    traces: list[Trace] = []
    for role in names:
        if role != "intended_gradient":
            traces += powers.traces(losses[role])
        if role != "true_gradient":
            traces.append(points(powers.to_powers(losses[role])))
    last_powers = ((role, name, powers.to_powers(losses[role]).y) for role, name in names.items())
    at_ends = named(last_powers, layout, SHORT)
    ends = [f"{names[role]} {number(float(series.y[-1]), 3)}" for role, series in losses.items()]
    first, last = (brief(float(losses["trick_gradient"].y[place])) for place in (0, -1))
    return WORDS.chart(
        "training",
        [*traces, *at_ends],
        layout,
        first=first,
        last=last,
        steps=STEPS,
        ends=", ".join(ends),
    )


def _example(program: Program, settings: Settings) -> Mapping[str, float]:
    """The effect of each place (``late_used_1``, …), and what ``clip_grad_norm_`` returns."""
    w, v = torch.tensor([settings.w, settings.v], dtype=torch.float64)
    x, limit = settings.x, settings.limit

    def lengths(place: str) -> Array:
        return array(train(program, w, v, x, place, limit, settings.rate, 2)[1].norm(dim=1))

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
        "example_factor": limit / norm if norm else math.inf,
        "returned": returned,
        "left": float(torch.stack([w.grad for w in weights if w.grad is not None]).norm()),
        **{f"late_used_{step + 1}": float(late[step]) for step in range(2)},
        **{f"late_plain_{step + 1}": float(plain[step]) for step in range(2)},
        "graph_w": float(graph["trick_gradient"][0]),
        "graph_v": float(graph["trick_gradient"][1]),
        "graph_limit": limit,
        "graph_times_x": limit * x,
        "graph_plain": float(graph["true_gradient"][0]),
    }


def _scaled() -> Mapping[str, float]:
    """The length of a gradient that is multiplied, clipped and then divided."""
    times, limit, plain = SCALED.values()
    weights = torch.zeros(2, dtype=torch.float64, requires_grad=True)
    slope = plain * torch.tensor([0.6, 0.8], dtype=torch.float64)
    torch.autograd.backward((slope * weights).sum() * times)
    seen = float(clip_grad_norm_(weights, limit))
    assert weights.grad is not None
    return {
        **{f"scaled_{name}": value for name, value in SCALED.items()},
        "scaled_seen": seen,
        "scaled_came": float((weights.grad / times).norm()),
        "scaled_used": limit / times,
    }


def _after_a_spike() -> Mapping[str, float]:
    """The share left of Adam's usual step after one long gradient, clipped and not."""

    def left(limit: float) -> float:
        w = torch.zeros((), dtype=torch.float64, requires_grad=True)
        optimizer, at = torch.optim.Adam([w], lr=1.0), [0.0]
        for step in range(SPIKE["before"] + 1 + SPIKE["after"]):
            w.grad = torch.ones_like(w) * (SPIKE["times"] if step == SPIKE["before"] else 1.0)
            clip_grad_norm_(w, limit)
            optimizer.step()
            at.append(float(w.detach()))
        steps = np.diff(at)
        return float(steps[-1] / steps[SPIKE["before"] - 1])

    return {
        "spike_times": SPIKE["times"],
        "spike_after": SPIKE["after"],
        "spike_left": left(math.inf),
        "spike_clipped": left(SPIKE["limit"]),
    }


LESSON = Lesson(
    program=where_to_clip,
    lab=Lab(
        WORDS, Settings, compute, table, (_gradients, _training), start=RUN, direct_labels=True
    ),
    predictions={"late": late},
    facts=(_scaled, _after_a_spike),
    highlight='if place == "after":',
)
