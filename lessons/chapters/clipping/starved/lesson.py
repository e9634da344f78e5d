"""A loss whose gradient vanishes as the answer gets worse."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import torch
from torch.nn import functional
from torch.nn.utils import clip_grad_norm_

from lessons.contract.devices import device_and_dtype
from lessons.contract.figure import TALL, Figure, Table
from lessons.contract.lab import Start
from lessons.contract.lesson import Lesson
from lessons.contract.result import Array, Result, Series
from lessons.contract.roles import GRADIENTS, ROLES
from lessons.contract.settings import choice, slider
from lessons.contract.sketch import Sketch
from lessons.contract.words import Words
from lessons.gradient_tricks.text import number
from lessons.kit.chart_pieces import Trace, covered_with, span, ticks
from lessons.kit.curve_lab import Curve, curve_lab
from lessons.kit.experiment import Program
from lessons.kit.gradients import gradient
from lessons.kit.inputs import AlongX, array, inputs, place_of, point_in_text
from lessons.kit.line_names import NAMES, named
from lessons.kit.log_axis import LogAxis
from lessons.kit.titles import brief

WORDS = Words(__file__)


class Settings(AlongX):
    loss = choice("squared", "cross")
    right = slider(0, -5, 5, 0.1, accepts=(-1000, 1000))
    scale = slider(1, 0, 10, 0.1, accepts=(0, 1e9))
    x = inputs("-2, 0.7, 4, 8")
    point = point_in_text(4)


def starved(x: torch.Tensor, right: torch.Tensor, loss: str, scale: float) -> torch.Tensor:
    logits = torch.stack([x, right], dim=-1)  # the wrong answer's, the right one's
    if loss == "squared":
        p = torch.softmax(logits, dim=-1)
        error = p[..., 0] ** 2 + (1 - p[..., 1]) ** 2
    else:
        error = -torch.log_softmax(logits, dim=-1)[..., 1]
    return scale * error


FAR = 20.0
"""The wrong logit's lead at the sure mistake that the facts describe."""

RATE, STEPS = 0.5, 100
"""The descent from there: learning rate and steps."""

TIMES = 1e8
"""The factor on the learning rate when the facts try to rescue the descent."""

ELSEWHERE = -12.0
"""The logit of the last question; its target is 1."""

LOWEST, HIGHEST = -50, 10
"""The powers of ten that the chart of sizes shows at most."""


def through_logarithms(x: torch.Tensor, right: float, loss: str, scale: float) -> torch.Tensor:
    """The same loss, written so that no probability near 1 is ever subtracted from 1."""
    ahead = x - right
    if loss == "squared":
        return scale * 2 * torch.exp(2 * functional.logsigmoid(ahead))
    return -scale * functional.logsigmoid(-ahead)


def share_of_wrong(x: torch.Tensor, right: float, loss: str, scale: float) -> torch.Tensor:
    """The gradient of cross-entropy at a wrong answer's logit: its probability."""
    return torch.sigmoid(x - right)


CURVE = Curve(
    settings=Settings,
    plain=through_logarithms,
    intended=share_of_wrong,
    words=WORDS,
    intended_is=WORDS("intended"),
)

_BASE = curve_lab(CURVE)


def on_both(program: Program) -> Program:
    """The program with the right answer's logit as a number: it gets a tensor like x."""

    def one(x: torch.Tensor, right: float, loss: str, scale: float) -> torch.Tensor:
        return program(x, torch.full_like(x, right), loss, scale)

    return one


def to_the_right(
    program: Program, x: torch.Tensor, right: float, loss: str, scale: float
) -> torch.Tensor:
    """Autograd's gradient at the right answer's logit, for each x."""
    z = torch.full_like(x, right).requires_grad_()
    return gradient(program(x.detach(), z, loss, scale), z)


def compute(program: Program, settings: Settings) -> Result:
    """The curve lab's result, the other logit's gradient, and the facts about a sure mistake."""
    result = _BASE.compute(on_both(program), settings)

    def other(x: Array) -> Array:
        given = torch.tensor(x).to(*device_and_dtype(settings))
        return array(to_the_right(program, given, settings.right, settings.loss, settings.scale))

    place = place_of(settings)
    ahead = torch.tensor(settings.x[place] - settings.right, dtype=torch.float64)
    wrong = float(torch.sigmoid(ahead))
    planes = {
        "right_here": other(result["forward"].x),
        "right_drawn": other(_named(result)["forward"].x),
    }
    facts = {
        "squared_here": 4 * wrong**2 * (1 - wrong),
        "cross": float(result["intended_gradient"].y[place]),
        "to_right": float(planes["right_here"][place]),
    }
    return replace(result, facts={**result.facts, **facts}, planes=planes)


def start(settings: Settings) -> Start:
    """The run whose graph is drawn: both logits get a gradient."""
    base = CURVE.experiment.run(settings)
    arguments = dict(base.arguments)
    right = torch.full_like(base.leaves["x"].detach(), arguments.pop("right")).requires_grad_()
    return replace(base, leaves={**base.leaves, "right": right}, arguments=arguments)


def _named(result: Result) -> Mapping[str, Series]:
    return {series.name: series for series in result.curves}


def _way(program: Program) -> Mapping[str, float]:
    """The squared error's gradient from an even chance to a sure mistake, and its peak."""
    x = torch.linspace(0.0, FAR, 2001, dtype=torch.float64)
    x.requires_grad_()
    sizes = gradient(program(x, torch.zeros_like(x), "squared", 1.0), x)
    x = x.detach()
    top = int(sizes.abs().argmax())
    return {
        "even": float(sizes[0].abs()),
        "peak": float(sizes[top].abs()),
        "peak_share": float(torch.sigmoid(x[top])),
        "far_x": FAR,
        "far": float(sizes[-1].abs()),
        "tail": 4 * float(torch.exp(-x[-1])),
    }


def _rescues(program: Program) -> Mapping[str, float]:
    """Both logits' gradients at a sure mistake, in float32, and where a descent from it ends."""
    far = torch.tensor([FAR], dtype=torch.float32)
    lead = torch.arange(1.0, 200.0, dtype=torch.float32)
    p = torch.softmax(torch.stack([lead, torch.zeros_like(lead)], -1), -1)[:, 1]
    ends = {
        "plain": _descent(program),
        "rate": _descent(program, times=TIMES),
        "adam": _descent(program, adam=True),
        "norm": _descent(program, limit=1.0),
        "loss": _descent(program, loss="cross"),
    }
    left = {f"p_{name}": float(torch.softmax(z, 0)[1]) for name, z in ends.items()}
    return {
        "far_wrong": float(
            gradient(on_both(program)(far.requires_grad_(), 0.0, "squared", 1.0), far)
        ),
        "far_right": float(to_the_right(program, far, 0.0, "squared", 1.0)),
        "rate": RATE,
        "descents": STEPS,
        "times": TIMES,
        "gone": float(lead[p == 0][0]),
        **left,
        "p_least": min(left.values()),
        "rate_lead": float(ends["rate"][1] - ends["rate"][0]),
    }


def _descent(
    program: Program,
    loss: str = "squared",
    times: float = 1.0,
    adam: bool = False,
    limit: float | None = None,
) -> torch.Tensor:
    """Both logits, the wrong one first, after some steps from a sure mistake, in float32."""
    logits = [torch.tensor([start], dtype=torch.float32) for start in (FAR, 0.0)]
    optimizer: torch.optim.Optimizer = (
        torch.optim.Adam(logits, lr=RATE, foreach=False)
        if adam
        else torch.optim.SGD(logits, lr=RATE * times, foreach=False)
    )
    for z in logits:
        z.requires_grad_()
    for _ in range(STEPS):
        optimizer.zero_grad()
        error = program(*logits, loss, 1.0).sum()
        if not error.requires_grad:  # nothing leads back to a logit
            break
        torch.autograd.backward(error)
        if limit is not None:
            clip_grad_norm_(logits, limit)
        optimizer.step()
    return torch.cat(logits).detach()


def _four_losses() -> Mapping[str, float]:
    """The gradients of four losses of one logit, its target 1, at a sure mistake."""
    z = torch.tensor([ELSEWHERE], dtype=torch.float64, requires_grad=True)
    losses = {
        "sigmoid": (torch.sigmoid(z) - 1) ** 2,
        "tanh": (torch.tanh(z) - 1) ** 2,
        "times": 1000 * (torch.sigmoid(z) - 1) ** 2,
        "logit": functional.binary_cross_entropy_with_logits(z, torch.ones_like(z)),
    }
    slopes = {f"else_{name}": float(gradient(loss, z)) for name, loss in losses.items()}
    largest = max(slopes.values(), key=abs)
    return {"else_z": ELSEWHERE, **slopes, "else_largest": largest}


def table(result: Result, settings: Settings) -> Table:
    """The curve lab's table with one more column: the gradient of the right answer's logit."""
    base = _BASE.table(result, settings)
    sent = [number(float(one), 6) for one in result.planes["right_here"]]
    columns = (*base.columns, (WORDS("right_column"), "trick_gradient"))
    rows = tuple((*row, cell) for row, cell in zip(base.rows, sent, strict=True))
    return replace(base, columns=columns, rows=rows)


def _sizes(result: Result, settings: Settings) -> Figure:
    """The size of each gradient over x, and that of the right answer's logit."""
    curves = _named(result)
    right = replace(curves["trick_gradient"], y=result.planes["right_drawn"])
    drawn = [*(curves[name] for name in GRADIENTS), right]
    powers = LogAxis([one.y for one in drawn], LOWEST, HIGHEST, every=5)
    layout = powers.axes(span(right), "x", WORDS("size_axis"))
    said = [
        f"{ROLES[name].label} {number(float(abs(result[name].y[-1])), 3)}" for name in GRADIENTS
    ]
    said.append(WORDS("right_said", size=number(abs(float(result.planes["right_here"][-1])), 3)))
    names = NAMES | {"intended_gradient": CURVE.intended_is}
    ends = [(role, name, powers.to_powers(curves[role]).y) for role, name in names.items()]
    ends.append(("noise", WORDS("right_logit"), powers.to_powers(right).y))
    *lines, other = named(ends, layout, TALL)
    y = np.abs(curves["trick_gradient"].y)
    known = bool(np.isfinite(y).all() and y.any())
    return WORDS.chart(
        "size",
        [
            *(trace for name in GRADIENTS for trace in powers.traces(curves[name])),
            *(covered_with(one, "trick_gradient") for one in powers.traces(right, _circles)),
            *lines,
            covered_with(other, "trick_gradient"),
        ],
        layout,
        TALL,
        most=brief(float(y.max())) if known else None,
        last=brief(float(y[-1])),
        x=brief(float(right.x[-1])),
        sizes=", ".join(said),
    )


def _circles(series: Series) -> Trace:
    """The other logit's gradient as open circles on the lines; it has no role of its own."""
    trace = ticks(series)
    marker = trace["marker"] | {"color": "role:noise", "symbol": "circle-open", "size": 7}
    hover = WORDS("right_hover")
    return trace | {"name": WORDS("right_logit"), "marker": marker, "hovertemplate": hover}


LAB = replace(_BASE, compute=compute, charts=(_sizes, *_BASE.charts), table=table, start=start)


LESSON = Lesson(
    program=starved,
    lab=LAB,
    sketches={"worse": Sketch(x=(0.0, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0), near=0.1)},
    facts=(_way, _rescues, _four_losses),
    highlight="error = p[..., 0] ** 2 + (1 - p[..., 1]) ** 2",
)
