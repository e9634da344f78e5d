"""The same limit on each component, and on the length."""

import math
from collections.abc import Callable, Iterator
from functools import cache
from typing import TypeVar

import numpy as np
import torch

from lessons.chapters.clipping.value_or_norm.figures import figures, table
from lessons.contract.devices import device_and_dtype
from lessons.contract.lab import Lab, Start
from lessons.contract.lesson import Lesson
from lessons.contract.parameters import Number, Values
from lessons.contract.result import Array, FactsAsAsked, Note, Result, Series
from lessons.kit.experiment import components
from lessons.kit.gradients import gradient
from lessons.kit.inputs import COMPUTED_IN, array
from lessons.text import number
from lessons.tricks import clip_gradient, clip_gradient_norm


def value_or_norm(w: torch.Tensor, limit: float) -> tuple[torch.Tensor, torch.Tensor]:
    by_value = clip_gradient(w, -limit, limit)
    by_norm = clip_gradient_norm(w, limit)
    return by_value, by_norm


def which_way(result: Result) -> str:
    """same, small or large: which component has gained a share by clipping by value."""
    before, after = (float(result.facts[f"share_{name}"]) for name in ("before", "value"))
    if abs(after - before) < 1e-3:
        return "same"
    return "small" if after > before else "large"


Program = Callable[[torch.Tensor, float], tuple[torch.Tensor, torch.Tensor]]
"""From w, shape [n], and a limit: w with its gradient clipped by value, and by norm."""


def bowl(w: torch.Tensor) -> torch.Tensor:
    """A loss whose gradient at w is w itself: half the squared length."""
    return (w * w).sum(-1) / 2


def by_role(program: Program, w: torch.Tensor, limit: float) -> dict[str, torch.Tensor]:
    """The value as it leaves the clip, and the loss's gradient at w: by value, plain, by norm."""
    w = w.detach().requires_grad_()
    by_value, by_norm = program(w, limit)
    return {
        "forward": by_value.detach(),
        "trick_gradient": gradient(bowl(by_value), w),
        "true_gradient": gradient(bowl(w), w),
        "intended_gradient": gradient(bowl(by_norm), w),
    }


ANGLES = 181
"""Directions of the drawn curves, two degrees apart, 0 and 360 included."""

MANY = 10_000
"""Components of the long vector whose length the prose speaks of."""

OTHER = (6.0, -2.0, 3.0)
"""The gradient of the last question, and its limit."""
OTHER_LIMIT = 1.5

PARAMETERS = (
    Number("g1", "First component", "3", low=-1e6, high=1e6, slider=(-4, 4), step=0.1),
    Number("g2", "Second component", "1", low=-1e6, high=1e6, slider=(-4, 4), step=0.1),
    Number("limit", "Limit", "1.5", low=0.0, high=1e6, slider=(0, 5), step=0.1),
    *COMPUTED_IN,
)

Angle = TypeVar("Angle", float, Array)
"""One angle, or an array of them."""

_CLIPPED = {"value": "trick_gradient", "norm": "intended_gradient"}


def compute(program: Program, values: Values) -> Result:
    """The vectors at the learner's gradient, and how they turn and shrink all the way round."""
    device, dtype = device_and_dtype(values)
    limit = float(values["limit"])
    w = torch.tensor([values["g1"], values["g2"]], dtype=torch.float64)
    gradients = by_role(program, w.to(device, dtype), limit)
    vectors = {role: array(value) for role, value in gradients.items()}
    return Result(
        series=components(gradients),
        curves=tuple(_curves(program, w, limit, device, dtype)),
        facts=FactsAsAsked(
            {
                "g1": values["g1"],
                "g2": values["g2"],
                "limit": limit,
                "loss": float(bowl(w)),
                "clipped1": float(vectors["trick_gradient"][0]),
                "clipped2": float(vectors["trick_gradient"][1]),
                "shorter1": float(vectors["intended_gradient"][0]),
                "shorter2": float(vectors["intended_gradient"][1]),
                **_measures(vectors),
            },
            lambda: {
                **_many(program, limit),
                **_by_largest_component(),
                "adam_angle": _adam_angle(),
            },
        ),
        notes=(*_no_direction(vectors),),
        work="2 components",
    )


def start(values: Values) -> Start:
    """The run whose graph is drawn: the gradient clipped by value, under the loss."""
    w = torch.tensor([values["g1"], values["g2"]], dtype=torch.float64)
    leaf = w.to(*device_and_dtype(values)).requires_grad_()
    settings = {"limit": float(values["limit"])}
    return Start({"w": leaf}, settings, (0,), finish=lambda both: bowl(both[0]))


def angle(vector: Array) -> float:
    """Degrees from the first axis, −180 to 180; NaN for a vector of length 0."""
    return math.degrees(math.atan2(vector[1], vector[0])) if vector.any() else math.nan


def turn(start: Angle, end: Angle) -> Angle:
    """Degrees from one direction to another, the short way round.

    >>> turn(350.0, 10.0)
    20.0
    """
    return (end - start + 180.0) % 360.0 - 180.0


def _curves(
    program: Program, w: torch.Tensor, limit: float, device: torch.device, dtype: torch.dtype
) -> Iterator[Series]:
    """Angle and length after clipping, for a gradient of this length in every direction."""
    degrees = torch.linspace(0.0, 360.0, ANGLES, dtype=torch.float64)
    around = torch.stack([degrees.deg2rad().cos(), degrees.deg2rad().sin()], 1)
    circle = (w.norm() * around).to(device, dtype)
    leaf = circle.detach().requires_grad_()
    # A norm is of the whole tensor: each vector is one of its own to the program.
    both = torch.vmap(lambda vector: program(vector, limit))(leaf)
    drawn = {"true_gradient": circle}
    for role, clipped in zip(_CLIPPED.values(), both, strict=True):
        drawn[role] = gradient(bowl(clipped), leaf)
    x = array(degrees)
    for role, vectors in drawn.items():
        across, up = array(vectors).T
        pointing = np.where((across == 0) & (up == 0), np.nan, np.degrees(np.arctan2(up, across)))
        yield Series(role, role, x, turn(x, pointing) + x)
        yield Series(f"{role}_length", role, x, np.hypot(across, up))


def _measures(vectors: dict[str, Array]) -> dict[str, float]:
    """Angles, lengths, turns, and the smaller component's share of the larger one."""
    named = {"before": vectors["true_gradient"]}
    named |= {name: vectors[role] for name, role in _CLIPPED.items()}
    small, large = sorted((0, 1), key=lambda i: abs(float(named["before"][i])))
    facts: dict[str, float] = {}
    for name, vector in named.items():
        facts[f"angle_{name}"] = angle(vector)
        facts[f"length_{name}"] = math.hypot(*vector)
        # Rounded, since the angle of the very same direction can differ in the last bit.
        facts[f"turn_{name}"] = round(abs(turn(angle(named["before"]), angle(vector))), 9)
        size = abs(float(vector[large]))
        facts[f"share_{name}"] = abs(float(vector[small])) / size if size else math.nan
    return facts


def _many(program: Program, limit: float) -> dict[str, float | int]:
    """The length of a long vector, each of its components beyond the limit, clipped by value."""
    long = torch.full((MANY,), 2 * limit, dtype=torch.float64)
    clipped = by_role(program, long, limit)["trick_gradient"]
    return {
        "many": MANY,
        "many_length": float(clipped.norm()),
        "many_times": float(clipped.norm()) / limit if limit else math.nan,
        "root_of_many": limit * math.sqrt(MANY),
        "sum_of_many": limit * MANY,
    }


@cache
def _adam_angle() -> float:
    """The angle of Adam's first step with the gradient (3, 1), clipped by norm."""
    w = torch.zeros(2, dtype=torch.float64, requires_grad=True)
    w.grad = torch.tensor([3.0, 1.0], dtype=torch.float64)
    torch.nn.utils.clip_grad_norm_(w, OTHER_LIMIT)
    torch.optim.Adam([w], lr=0.1).step()
    return angle(-w.detach().numpy())


@cache
def _by_largest_component() -> dict[str, float | str]:
    """Another gradient clipped by torch with an infinite norm_type, and what one may expect."""
    g = torch.tensor(OTHER, dtype=torch.float64)
    weights = torch.nn.Parameter(torch.zeros_like(g))
    weights.grad = g.clone()
    torch.nn.utils.clip_grad_norm_([weights], OTHER_LIMIT, norm_type=math.inf)
    vectors = {
        "other": g,
        "other_came": weights.grad,
        "other_value": g.clamp(-OTHER_LIMIT, OTHER_LIMIT),
        "other_factor": g * (OTHER_LIMIT / float(g.abs().max())),
        "other_length": g * (OTHER_LIMIT / float(g.norm())),
    }
    said = {name: ", ".join(number(x, 3) for x in v.tolist()) for name, v in vectors.items()}
    return {"other_limit": OTHER_LIMIT, **{name: f"({text})" for name, text in said.items()}}


def _no_direction(vectors: dict[str, Array]) -> Iterator[Note]:
    if not vectors["true_gradient"].any():
        yield Note(
            "warning",
            "The gradient is 0, and each clip leaves it so. It has no direction: its angle is NaN.",
        )
    elif not vectors["trick_gradient"].any() or not vectors["intended_gradient"].any():
        yield Note("warning", "What is left is 0 and has no direction, so its angle is NaN.")


LAB = Lab(
    parameters=PARAMETERS,
    compute=compute,
    figures=figures,
    table=table,
    start=start,
    named=True,
)


LESSON = Lesson(
    program=value_or_norm,
    lab=LAB,
    predictions={"way": which_way},
    highlight="clip_gradient(w, -limit, limit)",
)
