"""The same limit on each component, and on the length."""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import numpy as np
import torch

from lessons.contract.devices import device_and_dtype
from lessons.contract.figure import HIGHEST, Figure, Table
from lessons.contract.lab import Lab, Start
from lessons.contract.lesson import Lesson
from lessons.contract.result import Array, Note, Result, Series
from lessons.contract.roles import ROLES
from lessons.contract.settings import slider
from lessons.contract.words import Words
from lessons.gradient_tricks.text import number
from lessons.gradient_tricks.tricks import clip_gradient, clip_gradient_norm
from lessons.kit.arrows import angle, arrow, arrow_table, in_words, turn
from lessons.kit.chart_pieces import (
    Trace,
    axes,
    circle,
    dragged,
    mark,
    marked,
    plane,
    scatter,
    thin,
)
from lessons.kit.experiment import components
from lessons.kit.gradients import gradient
from lessons.kit.inputs import ComputedIn, array
from lessons.kit.line_names import lines, names_above
from lessons.kit.titles import brief

WORDS = Words(__file__)


def value_or_norm(w: torch.Tensor, limit: float) -> tuple[torch.Tensor, torch.Tensor]:
    by_value = clip_gradient(w, -limit, limit)
    by_norm = clip_gradient_norm(w, limit)
    return by_value, by_norm


def which_way(result: Result) -> str:
    """same, small or large: which component has gained a share by clipping by value."""
    before, after = result.numbers("share_before", "share_value")
    if abs(after - before) < 1e-3:
        return "same"
    return "small" if after > before else "large"


Program = Callable[[torch.Tensor, float], tuple[torch.Tensor, torch.Tensor]]
"""From w, shape [n], and a limit: w with its gradient clipped by value, and by norm."""


def bowl(w: torch.Tensor) -> torch.Tensor:
    """A loss whose gradient at w is w itself: half the squared length."""
    return (w * w).sum(-1) / 2


def by_role(program: Program, w: torch.Tensor, limit: float) -> dict[str, torch.Tensor]:
    """The clip's forward value, and the loss's gradient at w: by value, plain, by norm."""
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

MANY_COMPONENTS = 10_000
"""Components of the long vector whose length the prose speaks of."""

OTHER_GRADIENT = (6.0, -2.0, 3.0)
"""The gradient of the last question, and its limit."""
OTHER_LIMIT = 1.5


class Settings(ComputedIn):
    g1 = slider(3, -4, 4, 0.1, accepts=(-1e6, 1e6))
    g2 = slider(1, -4, 4, 0.1, accepts=(-1e6, 1e6))
    limit = slider(1.5, 0, 5, 0.1, accepts=(0, 1e6))


_CLIPPED = {"value": "trick_gradient", "norm": "intended_gradient"}


def compute(program: Program, settings: Settings) -> Result:
    """The vectors at the learner's gradient; the angle for gradients in all directions."""
    device, dtype = device_and_dtype(settings)
    limit = settings.limit
    w = torch.tensor([settings.g1, settings.g2], dtype=torch.float64)
    gradients = by_role(program, w.to(device, dtype), limit)
    vectors = {role: array(value) for role, value in gradients.items()}
    return Result(
        series=components(gradients),
        curves=tuple(_curves(program, w, limit, device, dtype)),
        facts={
            "loss": float(bowl(w)),
            "clipped1": float(vectors["trick_gradient"][0]),
            "clipped2": float(vectors["trick_gradient"][1]),
            "shorter2": float(vectors["intended_gradient"][1]),
            **_measures(vectors),
        },
        more_facts=[partial(_many, program, limit)],
        notes=(*_no_direction(vectors),),
        work=WORDS("work"),
    )


def start(settings: Settings) -> Start:
    """The run whose graph is drawn: the gradient clipped by value, under the loss."""
    w = torch.tensor([settings.g1, settings.g2], dtype=torch.float64)
    leaf = w.to(*device_and_dtype(settings)).requires_grad_()
    return Start({"w": leaf}, {"limit": settings.limit}, (0,), finish=lambda both: bowl(both[0]))


def _curves(
    program: Program, w: torch.Tensor, limit: float, device: torch.device, dtype: torch.dtype
) -> Iterator[Series]:
    """The angle after clipping, for a gradient of this length in every direction."""
    degrees = torch.linspace(0.0, 360.0, ANGLES, dtype=torch.float64)
    around = torch.stack([degrees.deg2rad().cos(), degrees.deg2rad().sin()], 1)
    circle = (w.norm() * around).to(device, dtype)
    leaf = circle.detach().requires_grad_()
    # A norm covers a whole tensor, so the program gets one vector at a time.
    both = torch.vmap(lambda vector: program(vector, limit))(leaf)
    drawn = {"true_gradient": circle}
    for role, clipped in zip(_CLIPPED.values(), both, strict=True):
        drawn[role] = gradient(bowl(clipped), leaf)
    x = array(degrees)
    for role, vectors in drawn.items():
        across, up = array(vectors).T
        pointing = np.where((across == 0) & (up == 0), np.nan, np.degrees(np.arctan2(up, across)))
        yield Series(role, role, x, turn(x, pointing) + x)


def _measures(vectors: dict[str, Array]) -> dict[str, float]:
    """The angle before, each clip's ``turn_…``, and ``share_…``: smaller over larger component."""
    before = vectors["true_gradient"]
    facts = {"angle_before": angle(before)}
    for name, role in _CLIPPED.items():
        # Rounded, since the angle of the very same direction can differ in the last bit.
        facts[f"turn_{name}"] = round(abs(turn(angle(before), angle(vectors[role]))), 9)
    small, large = sorted((0, 1), key=lambda i: abs(float(before[i])))
    for name, vector in (("before", before), ("value", vectors["trick_gradient"])):
        size = abs(float(vector[large]))
        facts[f"share_{name}"] = abs(float(vector[small])) / size if size else math.nan
    return facts


def _many(program: Program, limit: float) -> dict[str, float | int]:
    """The length of a long vector, each of its components beyond the limit, clipped by value."""
    long = torch.full((MANY_COMPONENTS,), 2 * limit, dtype=torch.float64)
    clipped = by_role(program, long, limit)["trick_gradient"]
    return {
        "many": MANY_COMPONENTS,
        "many_length": float(clipped.norm()),
        "root_of_many": limit * math.sqrt(MANY_COMPONENTS),
        "sum_of_many": limit * MANY_COMPONENTS,
    }


def _adam() -> dict[str, float]:
    """The angle of Adam's first step with the gradient (3, 1), clipped by norm."""
    w = torch.zeros(2, dtype=torch.float64, requires_grad=True)
    w.grad = torch.tensor([3.0, 1.0], dtype=torch.float64)
    torch.nn.utils.clip_grad_norm_(w, OTHER_LIMIT)
    torch.optim.Adam([w], lr=0.1).step()
    return {"adam_angle": angle(-w.detach().numpy())}


def _by_largest_component() -> dict[str, float | str]:
    """Another gradient, clipped by torch with norm_type=inf, and what each answer expects."""
    g = torch.tensor(OTHER_GRADIENT, dtype=torch.float64)
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
        yield Note("warning", WORDS("no_gradient"))
    elif not vectors["trick_gradient"].any() or not vectors["intended_gradient"].any():
        yield Note("warning", WORDS("nothing_left"))


NAMES = {
    "true_gradient": WORDS("before"),
    "intended_gradient": WORDS("by_norm"),
    "trick_gradient": WORDS("by_value"),
}
"""Each role's name here; drawn in this order, the trick on top."""


def table(result: Result, settings: Settings) -> Table:
    """Components, length and angle of the value and of each vector."""
    labels = {"forward": WORDS("value_w"), **NAMES}
    names = [WORDS("component", number=number) for number in (1, 2)]
    return arrow_table(result, labels, names, WORDS("table"))


def _arrows(result: Result, settings: Settings) -> Figure:
    limit = settings.limit
    layout = plane(*_frame(result), WORDS("first"), WORDS("second"))
    names_above(NAMES, layout)
    square = np.array([-limit, limit, limit, -limit, -limit])
    up = np.array([-limit, -limit, limit, limit, -limit])
    arrows = {role: arrow(result, role, name) for role, name in NAMES.items()}
    arrows["true_gradient"] = dragged(arrows["true_gradient"], "tip", g1="x", g2="y")
    data = [
        dragged(thin(square, up, WORDS("each"), "solid"), "line", limit="largest"),
        dragged(circle(limit, WORDS("length")), "line", limit="length"),
        *arrows.values(),
    ]
    value, norm = result.numbers("turn_value", "turn_norm")
    known = math.isfinite(value) and math.isfinite(norm)
    return WORDS.chart(
        "arrows",
        data,
        layout,
        HIGHEST,
        value=number(value, 3) if known else None,
        norm=brief(norm, 1.0),
        arrows=in_words(result, NAMES),
    )


def _frame(result: Result) -> tuple[tuple[float, float], tuple[float, float]]:
    """The quadrant of the arrow, and a little of the other side on each axis."""
    g = result["true_gradient"].y
    reach = 1.1 * min(float(np.abs(g).max()), 1e300) or 1.0
    power = 10.0 ** math.floor(math.log10(reach))
    side = next(
        f * power for f in (1, 1.2, 1.5, 2, 2.5, 3, 3.5, 4, 5, 6, 8, 10) if f * power >= reach
    )
    ends = [(-0.35 * side, side) if one >= 0 else (-side, 0.35 * side) for one in g]
    return ends[0], ends[1]


def _angles(result: Result, settings: Settings) -> Figure:
    curves = {series.name: series for series in result.curves}
    before = curves["true_gradient"].y
    turned = {
        role: replace(curves[role], y=turn(before, curves[role].y))
        for role in ("trick_gradient", "intended_gradient")
    }
    sizes = np.abs(turned["trick_gradient"].y)
    layout = axes((0.0, 360.0), (-50.0, 50.0), WORDS("angle_axis"), WORDS("turned_axis"))
    marked(layout["xaxis"], [0, 90, 180, 270, 360])
    marked(layout["yaxis"], [-45, 0, 45])
    return WORDS.chart(
        "angle",
        [
            *lines(turned, {role: NAMES[role] for role in turned}, layout, HIGHEST),
            *(_own_gradient(result, role) for role in reversed(turned)),
        ],
        layout,
        HIGHEST,
        most=number(float(np.nanmax(sizes)), 3) if np.isfinite(sizes).any() else None,
        arrows=in_words(result, NAMES),
    )


def _own_gradient(result: Result, role: str) -> Trace:
    """The learner's own gradient on a curve."""
    before = result.number("angle_before")
    by = turn(before, angle(result[role].y))
    return scatter("markers", [before % 360], [by], NAMES[role]) | {
        "marker": mark(ROLES[role]),
        "hovertemplate": f"%{{x:.4g}}°: %{{y:.5g}}<extra>{NAMES[role]}</extra>",
    }


LESSON = Lesson(
    program=value_or_norm,
    lab=Lab(WORDS, Settings, compute, table, (_arrows, _angles), start=start, direct_labels=True),
    predictions={"way": which_way},
    facts=(_by_largest_component, _adam),
    highlight="clip_gradient(w, -limit, limit)",
)
