"""The starving lab: a loss over the logit of a wrong answer, its gradient, and its gradient's size.

Two answers, softmax over their logits. A curve lab with a chart of powers of ten beside it, and
with facts on the whole way from an even chance to a sure mistake.
"""

from dataclasses import replace

import numpy as np
import torch
from torch.nn import functional

from lessons.contract.figure import Figure
from lessons.contract.lab import Progress
from lessons.contract.parameters import Choice, Number, Values
from lessons.contract.result import Result, Series
from lessons.contract.roles import GRADIENTS, ROLES
from lessons.kit.chart_pieces import axes, curve, span
from lessons.kit.curve import Program, by_role
from lessons.kit.curve_figures import CurveText
from lessons.kit.curve_lab import Curve, curve_lab
from lessons.kit.gradients import gradient
from lessons.text import number
from lessons.tricks import clip_gradient_norm

FAR = 20.0
"""How far the wrong logit is ahead at the end of the way that the facts speak of."""

TIMES = 1e6
"""What the loss is multiplied with where the facts try to rescue a gradient."""

LOWEST = -20.0
"""The smallest power of ten that the chart of sizes shows."""


def through_logarithms(x: torch.Tensor, right: float, loss: str, scale: float) -> torch.Tensor:
    """The same loss, written so that no probability near 1 is ever subtracted from 1."""
    ahead = x - right
    if loss == "squared":
        return scale * 2 * torch.exp(2 * functional.logsigmoid(ahead))
    return -scale * functional.logsigmoid(-ahead)


def share_of_wrong(x: torch.Tensor, right: float, loss: str, scale: float) -> torch.Tensor:
    """What cross-entropy sends back to a wrong answer's logit: its probability."""
    return torch.sigmoid(x - right)


CURVE = Curve(
    parameters=(
        Choice(
            "loss",
            "Loss",
            "squared",
            options=(("squared", "squared error"), ("cross", "cross-entropy")),
        ),
        Number(
            "right", "Logit of the right answer", "0", low=-1e3, high=1e3, slider=(-5, 5), step=0.1
        ),
        Number("scale", "Loss times", "1", low=0.0, high=1e9, slider=(0.0, 10.0), step=0.1),
    ),
    expression=through_logarithms,
    intended=share_of_wrong,
    text=CurveText(
        value="loss",
        gradient="dL/dx",
        gradient_caption="x is the logit of the wrong answer. Dashed: cross-entropy. Dotted: the "
        "true derivative of the chosen loss.",
        forward_caption="Squared error stops growing: a surer mistake costs no more.",
    ),
    x="-2, 0.7, 4, 8",
    point=4,
)

_BASE = curve_lab(CURVE)


def compute(program: Program, values: Values, progress: Progress) -> Result:
    """The curve lab's result, and what happens on the way to a sure mistake."""
    result = _BASE.compute(program, values, progress)
    ahead = float(result.facts["x"]) - values["right"]
    facts = {
        "ahead": ahead,
        "wrong": float(torch.sigmoid(torch.tensor(ahead, dtype=torch.float64))),
        "cross": float(result.facts["intended_gradient"]),
        **_way(program),
        **_rescues(program),
    }
    return replace(result, facts={**result.facts, **facts})


def _way(program: Program) -> dict[str, float]:
    """The squared error's gradient from an even chance to a sure mistake, and its peak."""
    x = torch.linspace(0.0, FAR, 2001, dtype=torch.float64)
    settings = {"right": 0.0, "loss": "squared", "scale": 1.0}
    sizes = by_role(program, through_logarithms, share_of_wrong, x, settings)["trick_gradient"]
    top = int(sizes.abs().argmax())
    return {
        "even": float(sizes[0].abs()),
        "peak": float(sizes[top].abs()),
        "peak_x": float(x[top]),
        "peak_share": float(torch.sigmoid(x[top])),
        "far_x": FAR,
        "far": float(sizes[-1].abs()),
        "tail": 4 * float(torch.exp(-x[-1])),
        "end_share": float(torch.sigmoid(x[-1])),
    }


def _rescues(program: Program) -> dict[str, float]:
    """What each remedy makes of a sure mistake's gradient; all in float32 but the one."""

    def tried(loss: str = "squared", scale: float = 1.0, double: bool = False) -> float:
        x = torch.tensor([FAR], dtype=torch.float64 if double else torch.float32)
        return float(gradient(program(x.requires_grad_(), 0.0, loss, scale), x))

    def shortened() -> float:
        x = torch.tensor([FAR], dtype=torch.float32, requires_grad=True)
        clipped = clip_gradient_norm(x, 1.0)
        return float(gradient(program(clipped, 0.0, "squared", 1.0), x))

    return {
        "by_nothing": tried(),
        "times": TIMES,
        "by_scale": tried(scale=TIMES),
        "by_norm": shortened(),
        "by_digits": tried(double=True),
        "by_loss": tried("cross"),
    }


def figures(result: Result, values: Values, hidden: frozenset[str]) -> list[Figure]:
    """Gradient and loss over x, then the gradient's size as a power of ten."""
    return [*_BASE.figures(result, values, hidden), _sizes(result, hidden)]


def _sizes(result: Result, hidden: frozenset[str]) -> Figure:
    curves = {series.name: series for series in result.curves}
    broad = {"trick_gradient": 5.0, "intended_gradient": 2.5, "true_gradient": 2.5}
    data = [
        curve(_power(curves[name]), name not in hidden, width, exact=True)
        for name, width in broad.items()
    ]
    said = [
        f"{ROLES[name].label} {number(float(abs(result[name].y[-1])), 3)}"
        for name in GRADIENTS
        if name not in hidden
    ]
    return Figure(
        "size",
        "Size of the gradient, powers of ten",
        "A straight way down is an exponential tail. Where a line ends, the gradient is exactly 0.",
        f"The power of ten of the gradient's size over x. At the last input: {', '.join(said)}.",
        data,
        axes(span(curves["forward"]), (LOWEST, 2.0), "x", "log₁₀ |dL/dx|"),
    )


def _power(series: Series) -> Series:
    """The sizes as powers of ten; an exact 0 has none and leaves a gap."""
    sizes = np.abs(series.y)
    powers = np.full_like(sizes, np.nan)
    np.log10(sizes, out=powers, where=sizes > 0)
    return replace(series, y=powers)


LAB = replace(_BASE, compute=compute, figures=figures)
