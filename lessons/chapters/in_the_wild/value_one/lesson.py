"""A policy loss whose ratio is 1 in the forward pass and carries the whole gradient."""

import math
from collections.abc import Iterator, Mapping
from functools import lru_cache

import torch
from torch.nn import functional

from lessons.chapters.in_the_wild.value_one.figures import MOST_LINES, figures, table
from lessons.contract.lab import Start
from lessons.contract.lesson import Lesson
from lessons.contract.parameters import Choice, Numbers, Values
from lessons.contract.result import Note, Result, Series
from lessons.kit.causes import notes_on_not_finite
from lessons.kit.experiment import Experiment, Program
from lessons.kit.gradients import gradient
from lessons.kit.inputs import (
    COMPUTED_IN,
    array,
    grid_around,
    inputs,
    leaf,
    place_of,
    point_in_text,
    series_by_role,
)
from lessons.text import counted
from lessons.tricks import stop_gradient


def value_one(x: torch.Tensor, advantages: torch.Tensor, form: str) -> torch.Tensor:
    logp = functional.logsigmoid(x)
    if form == "ratio":
        weight = torch.exp(logp - stop_gradient(logp))
    elif form == "no_stop":
        weight = torch.exp(logp - logp)
    else:
        weight = logp
    return -weight * advantages


def without_stop(x: torch.Tensor, advantages: torch.Tensor, form: str) -> torch.Tensor:
    """The same forward expression with no trick."""
    logp = functional.logsigmoid(x)
    return -(logp if form == "plain" else torch.exp(logp - logp)) * advantages


def run(values: Values) -> Start:
    """What each token adds, at the learner's logits."""
    x = leaf(values, "x")
    leaves = {"x": x.requires_grad_(), "advantages": advantages(values).to(x)}
    return Start(leaves, {"form": values["form"]}, (place_of(values),))


EXPERIMENT = Experiment(
    run,
    plain=without_stop,
    # Minus the advantage times the derivative of log sigmoid(x).
    intended=lambda x, advantages, form: -advantages * torch.sigmoid(-x),
)


def second(y: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """The second derivative of y by x, entry by entry; zeros where no path leads back."""
    if not y.requires_grad:
        return torch.zeros_like(x)
    (first,) = torch.autograd.grad(y.sum(), x, create_graph=True, materialize_grads=True)
    return gradient(first, x).detach()


def second_on_average(program: Program, x: torch.Tensor, form: str) -> torch.Tensor:
    """The second derivative of the loss, on average over both tokens that can be sampled.

    Args:
        program: the loss of one sampled token.
        x: how far the first token is ahead, shape [n]; its advantage is 1, the other's is 0.
        form: of the loss.

    Returns:
        Shape [n]: each token's second derivative, weighted by its probability.
    """
    x = x.detach().requires_grad_()
    first = second(program(x, torch.ones_like(x), form), x)
    other = second(program(-x, torch.zeros_like(x), form), x)
    p = torch.sigmoid(x.detach())
    return p * first + (1 - p) * other


def second_of_expected(x: torch.Tensor) -> torch.Tensor:
    """The second derivative of the expected loss itself: minus the first token's probability."""
    x = x.detach().requires_grad_()
    return second(-torch.sigmoid(x), x)


SECOND_AT = -1.0
"""The lead at which the second derivatives are quoted."""

SECOND_REACH = 6.0
"""How far the chart of second derivatives reaches on both sides of 0."""

STORED, NOW = -1.2, -0.7
"""The log-probability when the last question's token was sampled, and after an update."""
PPO_CLIP = 0.2
"""How far from 1 the clipped loss of PPO lets the ratio go."""

PARAMETERS = (
    Choice(
        "form",
        "Weight",
        "ratio",
        options=(
            ("ratio", "exp(logp − stop(logp))"),
            ("plain", "logp"),
            ("no_stop", "no stop"),
        ),
    ),
    inputs("-1, 0.5, 2"),
    Numbers("advantages", "Advantages", "1, -0.5, -0.5", "One for each logit, in turn."),
    point_in_text("1"),
    *COMPUTED_IN,
)


def compute(program: Program, values: Values) -> Result:
    """What each token adds, the gradients, the same over the logit, and the second derivative."""
    form = values["form"]
    points, given = torch.tensor(values["x"], dtype=torch.float64), advantages(values)
    start = EXPERIMENT.run(values)
    x, place = start.leaves["x"].detach(), place_of(values)
    roles = EXPERIMENT.by_role(program, start)
    added = roles["forward"].cpu().double()
    slopes = roles["trick_gradient"].cpu().double()
    return Result(
        series=series_by_role(array(points), roles),
        curves=(
            *_values(program, points, start),
            *_second(program, form, x),
        ),
        facts={
            "x": float(points[place]),
            "token": place + 1,
            "tokens": len(points),
            "p": float(torch.sigmoid(points[place])),
            "advantage": float(given[place]),
            "minus_advantage": -float(given[place]),
            "zero": 0.0,
            **{role: float(value[place]) for role, value in roles.items()},
            "form": form,
            "weight": "log p" if form == "plain" else "e⁰ = 1",
            "loss": float(added.sum()),
            "logp_loss": -float(given @ functional.logsigmoid(points)),
            "printed": str(float(f"{-float((-added).mean()):.3g}")),
            "trick_gradient_length": math.hypot(*slopes.tolist()),
            **_quoted(program),
            **_later(),
        },
        notes=(*_uneven(values), *_not_finite(points, x, roles)),
        planes={"advantages": array(given)},
        work=counted(len(points), "token"),
    )


def advantages(values: Values) -> torch.Tensor:
    """One for each logit, float64: 0 where none is given, and those too many left out."""
    many = len(values["x"])
    given = [*values["advantages"], *[0.0] * many][:many]
    return torch.tensor(given, dtype=torch.float64)


def _values(program: Program, points: torch.Tensor, start: Start) -> Iterator[Series]:
    """What a token of each advantage adds, over its logit."""
    grid = grid_around(points)
    x = grid.to(start.leaves["x"].detach())
    given = start.leaves["advantages"].tolist()[:MOST_LINES]
    for number, advantage in enumerate(dict.fromkeys(given), start=1):
        with torch.no_grad():
            added = program(x, torch.full_like(x, advantage), **start.settings)
        yield Series(f"value_{number}", "forward", array(grid), array(added))


def _second(program: Program, form: str, like: torch.Tensor) -> Iterator[Series]:
    """The second derivatives over a token's lead: by autograd, expected, and of the value."""
    x = torch.linspace(-SECOND_REACH, SECOND_REACH, 121, dtype=torch.float64).to(like)
    found = {
        "trick_gradient": second_on_average(program, x, form),
        "intended_gradient": second_of_expected(x),
        "true_gradient": second_on_average(without_stop, x, form),
    }
    for role, y in found.items():
        yield Series(f"second_{role}", role, array(x), array(y))


@lru_cache(maxsize=8)
def _quoted(program: Program) -> Mapping[str, float]:
    """The second derivatives at one lead, whichever form is chosen."""
    x = torch.tensor([SECOND_AT], dtype=torch.float64)
    return {
        "second_at": SECOND_AT,
        "second_ratio": float(second_on_average(program, x, "ratio")[0]),
        "second_plain": float(second_on_average(program, x, "plain")[0]),
        "second_true": float(second_of_expected(x)[0]),
    }


@lru_cache(maxsize=1)
def _later() -> Mapping[str, float]:
    """The ratio to a stored log-probability after an update, and its derivative by logp."""
    logp = torch.tensor(NOW, dtype=torch.float64, requires_grad=True)
    ratio = torch.exp(logp - STORED)
    (slope,) = torch.autograd.grad(ratio, logp, retain_graph=True)
    clipped = torch.minimum(ratio, ratio.clamp(1 - PPO_CLIP, 1 + PPO_CLIP))  # advantage 1
    (left,) = torch.autograd.grad(clipped, logp)
    return {
        "later_stored": STORED,
        "later_now": NOW,
        "later_slope": float(slope),
        "later_ratio": float(ratio.detach()),
        "later_one": 1.0,
        "later_gap": NOW - STORED,
        "later_limit": 1 + PPO_CLIP,
        "later_clipped": float(left),
    }


def _uneven(values: Values) -> Iterator[Note]:
    few, many = len(values["advantages"]), len(values["x"])
    given = f"{counted(few, 'advantage')} for {counted(many, 'logit')}"
    if few < many:
        yield Note("info", f"{given}: the others count as 0.")
    elif few > many:
        yield Note("info", f"{given}: what is too much is left out.")


def _not_finite(
    points: torch.Tensor, x: torch.Tensor, roles: Mapping[str, torch.Tensor]
) -> Iterator[Note]:
    large = "too large for this number format and becomes ∞"
    lost = functional.logsigmoid(x).isinf()
    causes = (
        (lost, f"logp is {large}, and ∞ − ∞ is NaN."),
        (roles["forward"].isinf(), f"the value is {large}."),
    )
    unknown = "the logit or the advantage is too large for this number format."
    return notes_on_not_finite("x", points, roles, causes, otherwise=unknown)


LESSON = Lesson(
    program=value_one,
    lab=EXPERIMENT.lab(PARAMETERS, compute, figures, table),
    highlight="torch.exp(logp - stop_gradient(logp))",
)
