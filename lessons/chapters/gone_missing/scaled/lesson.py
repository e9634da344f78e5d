"""A loss scale: gradients made larger for the way through float16, and smaller after it."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import torch

from lessons.contract.devices import device_and_dtype
from lessons.contract.figure import SHORT, TALL, Figure, Table
from lessons.contract.lab import Lab, Start
from lessons.contract.lesson import Lesson
from lessons.contract.result import Array, Note, Result, Series
from lessons.contract.roles import GRADIENTS
from lessons.contract.settings import choice, slider, whole
from lessons.contract.words import Words
from lessons.gradient_tricks.text import number
from lessons.gradient_tricks.tricks import clip_gradient_norm, scale_gradient
from lessons.kit.chart_pieces import Trace, dragged, in_words, marked, points, thin
from lessons.kit.components import component_table, lost_in_words
from lessons.kit.experiment import Program, Roles
from lessons.kit.gradients import gradient
from lessons.kit.inputs import ComputedInFloat32, array, series_by_role
from lessons.kit.line_names import label, named
from lessons.kit.log_axis import LogAxis
from lessons.kit.nan_notes import not_finite_mask, notes_on_not_finite
from lessons.kit.titles import brief

WORDS = Words(__file__)


X = (4.0, 1.0, 0.1, 0.01, 0.001, 0.0001, 0.00001)
"""The inputs."""

MOST_POWER = 30
"""The largest scale is 2 to this power."""


class Settings(ComputedInFloat32):
    scale = whole(65536, 1, 2**MOST_POWER, log=True)
    clip = choice("none", "before", "after")
    limit = slider(1, 0, 2, 0.05, accepts=(0, 1e6))
    narrow = choice("float16", "bfloat16", "float32")
    tokens = whole(32768, 1, 10**6, log=True)
    point = whole(1, 1, len(X), advanced=True)


def scaled(
    x: torch.Tensor, tokens: int, scale: float, clip: str, limit: float, narrow: str
) -> torch.Tensor:
    if clip == "after":  # of unscaling: on the way back the lower lines run first
        x = clip_gradient_norm(x, limit)
    x = scale_gradient(x, 1 / scale)  # unscale
    if clip == "before":
        x = clip_gradient_norm(x, limit)
    half = x.to(getattr(torch, narrow))
    loss = (half**2).to(x.dtype) / tokens
    return scale_gradient(loss, scale)


def one_infinity(result: Result) -> str:
    """others, clipped or skipped: what a GradScaler's step does with one infinity."""
    moved, after = result.numbers("skip_moved", "skip_after")
    if moved == 0 and after < result.number("scale"):
        return "skipped"
    # The infinite one is the largest: without it little is left of the length.
    return "others" if moved < result.number("length_true") / 2 else "clipped"


def shortened(slopes: torch.Tensor, limit: float) -> torch.Tensor:
    """A gradient, shape [n], float64, clipped by norm; its length may be beyond the format."""
    most = float(slopes.abs().max())
    length = most * float((slopes / most).norm()) if most else 0.0
    return slopes if length <= limit else slopes / most * (limit / float((slopes / most).norm()))


def over_scales(
    program: Program,
    x: torch.Tensor,
    dtype: torch.dtype,
    scales: Sequence[float],
    arguments: Mapping[str, object],
) -> torch.Tensor:
    """The gradient that autograd brings back to x at each of these scales, shape [m, n].

    One backward pass for them all: each has weights of its own.

    Args:
        program: the lesson's.
        x: float64, shape [n].
        dtype: in which the program gets x: float32, as weights are kept in mixed precision.
        arguments: what the program takes besides.
    """
    weights = x.detach().to(dtype).repeat(len(scales), 1).requires_grad_()
    pairs = zip(weights.unbind(), scales, strict=True)
    losses = [program(row, **{**arguments, "scale": scale}) for row, scale in pairs]
    return gradient(torch.stack(losses), weights)


class _Descent:
    """Plain gradient descent at rate 1, with what a GradScaler asks of an optimizer.

    The first of torch's own optimizers takes seconds in a process: it imports the compiler.
    """

    def __init__(self, weight: torch.Tensor) -> None:
        self.param_groups = [{"params": [weight]}]

    def step(self) -> None:
        with torch.no_grad():
            for weight in self.param_groups[0]["params"]:
                weight -= weight.grad  # type: ignore[arg-type]


def skipped(program: Program, scale: float, tokens: int, narrow: str) -> tuple[float, float]:
    """Take one step of a real GradScaler: how far its weights move, and its scale afterwards.

    The program, which scales and unscales by itself, is run with no scale of its own and no clip.
    """
    weight = torch.tensor(X, dtype=torch.float32, requires_grad=True)
    before = weight.detach().clone()
    optimizer: Any = _Descent(weight)
    scaler = torch.amp.GradScaler("cpu", init_scale=scale)
    scaled = scaler.scale(program(weight, tokens, 1.0, "none", 0.0, narrow).sum())
    if not scaled.requires_grad:  # nothing leads back to the weights
        return 0.0, scale
    torch.autograd.backward(scaled)
    scaler.step(optimizer)
    scaler.update()
    same = torch.equal(weight.detach(), before)
    return 0.0 if same else float((weight.detach() - before).norm()), scaler.get_scale()


def accumulated() -> Mapping[str, float]:
    """The gradient of two micro-batches, each unscaled by a GradScaler after its backward pass."""
    own, scale = 3.0, 8.0
    weight = torch.zeros((), requires_grad=True)
    optimizer: Any = _Descent(weight)
    scaler = torch.amp.GradScaler("cpu", init_scale=scale)
    for _ in range(2):
        torch.autograd.backward(scaler.scale(own * weight))
        scaler.unscale_(optimizer)
        scaler.update()
    assert weight.grad is not None
    return {
        "acc_own": own,
        "acc_scale": scale,
        "acc_came": float(weight.grad),
        "acc_sum": 2 * own,
        "acc_scaled": 2 * scale * own,
    }


_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def run(settings: Settings) -> Start:
    """The inputs through float16 and back; the scale is a number like any other."""
    x = torch.tensor(X, dtype=torch.float64).to(*device_and_dtype(settings)).requires_grad_()
    arguments = {name: settings[name] for name in ("tokens", "clip", "limit", "narrow")}
    return Start({"x": x}, arguments | {"scale": float(settings.scale)}, (settings.point - 1,))


def compute(program: Program, settings: Settings) -> Result:
    """The gradients at the learner's scale; over all scales, how much is left."""
    start = run(settings)
    arguments, dtype = start.arguments, start.leaves["x"].dtype
    x = torch.tensor(X, dtype=torch.float64, device=start.leaves["x"].device)
    narrow, clips, scale = settings.narrow, settings.clip != "none", [float(settings.scale)]
    bare = {**arguments, "clip": "none"}
    plain = over_scales(program, x, dtype, scale, bare)[0]
    true = 2 * x / settings.tokens
    roles = {
        "forward": program(x.to(dtype), **arguments).detach(),
        "trick_gradient": over_scales(program, x, dtype, scale, arguments)[0] if clips else plain,
        "true_gradient": true,
        "intended_gradient": shortened(true, settings.limit) if clips else true,
    }
    return Result(
        series=series_by_role(array(x), roles),
        curves=tuple(_over_scales(program, x, dtype, arguments, roles)),
        facts={
            **_counts(x, settings, array(plain)),
            **{fact: _length(array(roles[role])) for role, fact in LENGTHS.items()},
            "format": narrow,
            "smallest": in_powers(smallest(narrow)),
            "largest_said": _largest_said(narrow),
            "normal": in_powers(torch.finfo(getattr(torch, narrow)).smallest_normal),
            "first_true": in_powers(float(roles["true_gradient"].abs().max())),
        },
        more_facts=[partial(_scaler, program, settings)],
        # Always at least one line, so that the charts below it don't move with the scale.
        notes=(*(list(_not_finite(x, roles, settings)) or [Note("info", WORDS("finite"))]),),
        work=WORDS("work", gradients=len(X), scales=MOST_POWER + 1),
    )


def in_powers(value: float) -> str:
    """A size as the text writes it.

    >>> in_powers(5.96e-8), in_powers(0.0)
    ('6.0\xa0·\xa010⁻⁸', '0')
    """
    if not value or not math.isfinite(value):
        return number(value)
    digits, power = f"{value:.1e}".split("e")
    return f"{digits}\u00a0·\u00a010{str(int(power)).translate(_RAISED)}"  # on one line


def _largest_said(narrow: str) -> str:
    """The largest number of a format: 65,504, or in powers where the digits would fill a line."""
    most = largest(narrow)
    return f"{most:,.0f}" if most < 1e9 else in_powers(most)


def _over_scales(
    program: Program,
    x: torch.Tensor,
    dtype: torch.dtype,
    arguments: Mapping[str, object],
    roles: Roles,
) -> Iterator[Series]:
    """The length of the gradient in each role, over the power of two.

    Args:
        program, x, dtype, arguments: as for ``over_scales``.
        roles: at the learner's scale; only the trick's gradient depends on it.
    """
    powers = np.arange(MOST_POWER + 1, dtype=np.float64)
    scales = [2.0**power for power in powers]
    used = array(over_scales(program, x, dtype, scales, arguments))
    for role in GRADIENTS:
        if role == "trick_gradient":
            lengths = np.array([_length(row) for row in used])
        else:
            lengths = np.full(len(powers), _length(array(roles[role])))
        yield Series(role, role, powers, lengths)


def _length(vector: Array) -> float:
    """The Euclidean length; the largest part is taken out, so that nothing overflows."""
    most = float(np.abs(vector).max())
    return most * float(np.linalg.norm(vector / most)) if most and np.isfinite(most) else most


def _counts(x: torch.Tensor, settings: Settings, plain: Array) -> dict[str, int]:
    """Count the gradients that are lost with no clip, and the numbers of the wrong answers."""
    true = np.abs(array(2 * x / settings.tokens))
    normal = torch.finfo(getattr(torch, settings.narrow)).smallest_normal
    return {
        "many": len(plain),
        "zeros": int((plain == 0).sum()),
        "infinite": int((~np.isfinite(plain)).sum()),
        "below_smallest": int((true <= smallest(settings.narrow) / 2).sum()),
        "below_normal": int((true < normal).sum()),
    }


def _scaler(program: Program, settings: Settings) -> dict[str, float]:
    """The facts of torch's GradScaler: its start, and a step at these settings."""
    scale, tokens, narrow = float(settings.scale), settings.tokens, settings.narrow
    moved, after = skipped(program, scale, tokens, narrow)
    new = torch.amp.GradScaler("cpu")
    return {
        "skip_moved": moved,
        "skip_after": after,
        "scaler_start": new.get_scale(),
        "scaler_wait": new.get_growth_interval(),
    }


def _not_finite(x: torch.Tensor, roles: Roles, settings: Settings) -> Iterator[Note]:
    """Notes on numbers that are not finite: each reason with its inputs."""
    most = largest(settings.narrow)
    beyond = WORDS("beyond", format=settings.narrow, most=number(most, 5))
    everywhere = torch.full_like(x, settings.scale / settings.tokens > most, dtype=torch.bool)
    if settings.clip != "none" and bool(not_finite_mask([roles["trick_gradient"]]).any()):
        yield Note("warning", WORDS("by_norm"))
    already = everywhere, WORDS("already", beyond=beyond)
    yield from notes_on_not_finite("x", x, roles, [already], WORDS("scaled_beyond", beyond=beyond))


NAMES = {
    "true_gradient": WORDS("true"),
    "intended_gradient": WORDS("right"),
    "trick_gradient": WORDS("arrives"),
}
"""Each role's name here; drawn in this order, the trick on top."""

LENGTHS = {
    "trick_gradient": "length_used",
    "true_gradient": "length_true",
    "intended_gradient": "length_right",
}
"""The fact that has the length of each role's gradient."""

LOWEST, HIGHEST = -15, 9
"""The powers of ten that are shown at most."""


def smallest(narrow: str) -> float:
    """The smallest number of a format above 0. What is at most half of it is rounded to 0."""
    format_ = torch.finfo(getattr(torch, narrow))
    return float(format_.smallest_normal * format_.eps)


def largest(narrow: str) -> float:
    """The largest number of a format."""
    return float(torch.finfo(getattr(torch, narrow)).max)


def _drawn(settings: Settings) -> dict[str, str]:
    """The roles to draw: with no clip the right gradient is the true one, and is drawn once."""
    once = {"intended_gradient"} if settings.clip == "none" else set()
    return {role: name for role, name in NAMES.items() if role not in once}


def table(result: Result, settings: Settings) -> Table:
    """One row an input."""
    names = {"forward": WORDS("forward_y"), **NAMES}
    inputs = [f"x = {number(x, 4)}" for x in X]
    return component_table(result, names, inputs, WORDS("table"), WORDS("input"))


def _sizes(result: Result, settings: Settings) -> Figure:
    names = _drawn(settings)
    powers = LogAxis(_expected(result, settings), LOWEST, HIGHEST)
    many = len(X)
    layout = powers.axes((0.4, many + 0.6), "x", WORDS("size"))
    # Every second one: a phone has no room for all of them.
    marked(layout["xaxis"], list(range(1, many + 1, 2)), [number(x, 4) for x in X[::2]])
    ends = ((role, name, powers.to_powers(result[role]).y) for role, name in names.items())
    arrived = result["trick_gradient"].y
    places, tops = np.arange(1.0, many + 1), np.full(many, float(powers.high))
    return WORDS.chart(
        "sizes",
        [
            *_window(settings, powers, many, layout),
            *(_marks(result[role], powers) for role in names),
            lost_in_words("trick_gradient", WORDS("not_finite"), places, arrived, tops),
            *named(ends, layout, TALL),
        ],
        layout,
        TALL,
        all=many,
        zeros=int((arrived == 0).sum()),
        lost=int((~np.isfinite(arrived)).sum()),
        numbers=in_words(result, names, [str(place + 1) for place in range(many)]),
    )


def _expected(result: Result, settings: Settings) -> Iterator[Array]:
    """Sizes that frame what arrives and tell nothing of it, as long as that is covered."""
    yield from (result[role].y for role in ("true_gradient", "intended_gradient"))
    if settings.clip == "before":  # clipped while it is still multiplied by the scale
        length = settings.scale * result.number("length_true")
        yield result["true_gradient"].y * min(1.0, settings.limit / length if length else 1.0)


def _marks(series: Series, powers: LogAxis) -> Trace:
    """A point at each size, in a row of its own for 0; the number itself when pointed at."""
    said = [number(float(one), 5) for one in series.y]
    name = NAMES[series.role]
    places = np.arange(1.0, len(series.y) + 1)
    sizes = np.where(np.isfinite(series.y), powers.to_powers(series).y, np.nan)
    drawn = replace(series, x=places, y=sizes)
    return points(drawn) | {
        "name": name,
        "hovertext": said,
        "hovertemplate": f"%{{hovertext}}<extra>{name}</extra>",
    }


def _window(settings: Settings, powers: LogAxis, many: int, layout: Trace) -> Iterator[Trace]:
    """The smallest and the largest float16, divided by the scale, each with its name."""
    low, high = layout["yaxis"]["range"]
    narrow = settings.narrow
    right = many + 0.6
    for size, name, x, side in (  # where no point lies: what is small stands on the right
        (smallest(narrow), WORDS("smallest", format=narrow), 0.4, "bottom right"),
        (largest(narrow), WORDS("largest", format=narrow), right, "top left"),
    ):
        at = math.log10(size / settings.scale)
        within = powers.zero < at < high - 0.08 * (high - low)
        yield thin([0.4, right], [at, at], name) | {"visible": within}
        off = math.copysign(0.012 * (high - low), 1 if side.startswith("top") else -1)
        yield label("noise", name, x, at + off, side, within)


def _lengths(result: Result, settings: Settings) -> Figure:
    names, curves = _drawn(settings), {one.name: one for one in result.curves}
    powers = LogAxis([curves[role].y for role in NAMES], LOWEST, HIGHEST)
    layout = powers.axes((0.0, float(MOST_POWER)), WORDS("scale"), WORDS("length"))
    marks = [0, 5, 10, 16, 20, 25, MOST_POWER]
    marked(layout["xaxis"], marks, ["1", *(f"2<sup>{power}</sup>" for power in marks[1:])])
    at = math.log2(settings.scale)
    here = dragged(thin([at, at], [-1e3, 1e3], WORDS("your_scale")), "line", scale="power_of_two")
    ends = ((role, name, powers.to_powers(curves[role]).y) for role, name in names.items())
    used, right = map(brief, result.numbers("length_used", "length_right"))
    lengths = (f"{name}: {number(result.number(LENGTHS[role]), 4)}" for role, name in names.items())
    return WORDS.chart(
        "length",
        [
            here,
            *(trace for role in names for trace in powers.traces(curves[role])),
            *named(ends, layout, SHORT),
        ],
        layout,
        used=used,
        right=right,
        lengths="; ".join(lengths),
    )


LESSON = Lesson(
    program=scaled,
    lab=Lab(WORDS, Settings, compute, table, (_sizes, _lengths), start=run, direct_labels=True),
    predictions={"overflow": one_infinity},
    highlight="scale_gradient(loss, scale)",
    facts=(accumulated,),
)
