"""A quantiser that learns its step size: which gradient the step size gets."""

import inspect
import math
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

import numpy as np
import torch

from lessons.contract.figure import TALL, Figure, Table
from lessons.contract.lab import Start
from lessons.contract.lesson import Lesson
from lessons.contract.result import Note, Result, Series
from lessons.contract.roles import ROLES
from lessons.contract.settings import choice, numbers, slider, whole
from lessons.contract.words import Words
from lessons.gradient_tricks.text import listed, number
from lessons.gradient_tricks.tricks import scale_gradient, stop_gradient
from lessons.kit.chart_pieces import Trace, axes, cells, curve, dragged, fitted, mark, scatter, thin
from lessons.kit.components import MOST_NAMED, component_figure
from lessons.kit.experiment import Experiment, Program, Trial
from lessons.kit.inputs import ComputedIn, array, leaf, place_of, point_in_text
from lessons.kit.line_names import NAMES, named
from lessons.kit.nan_notes import notes_on_not_finite, too_large
from lessons.kit.titles import brief

WORDS = Words(__file__)


SHIFTED = {"x": (0.1, 0.4, 0.7, 2.5), "limits": (-4, 3)}
"""Weights and limits of the last question."""
STEP, OFFSET = 0.3, 0.05
"""Its step size and its offset."""

H = 0.01
"""How far a finite difference moves the step size to each side."""


class Settings(ComputedIn):
    rounding = choice("straight", "plain")
    s = slider(0.3, 0.05, 2.1, 0.01, accepts=(0.001, 100))
    bits = whole(3, 2, 8)
    scale = choice("none", "lsq")
    x = numbers("0.1, 0.4, 0.7, 2.5")
    point = point_in_text(2, of="x")


def learned_step(
    x: torch.Tensor, s: torch.Tensor, bits: int, rounding: str, scale: str
) -> torch.Tensor:
    highest = 2 ** (bits - 1) - 1
    if scale == "lsq":
        s = scale_gradient(s, 1 / (x.numel() * highest) ** 0.5)
    v = (x / s).clamp(-highest - 1, highest)
    code = v.round()
    if rounding == "straight":
        code = v + stop_gradient(code - v)
    return s * code


def offset() -> dict[str, float]:
    """The gradient of a learned offset, subtracted before the quantiser and added after it."""
    x = torch.tensor(SHIFTED["x"], dtype=torch.float64)
    beta = torch.tensor(OFFSET, dtype=torch.float64, requires_grad=True)
    inner = (x - beta) / STEP
    v = inner.clamp(*SHIFTED["limits"])
    y = STEP * (v + (v.round() - v).detach()) + beta
    (to_beta,) = torch.autograd.grad(y.sum(), beta)
    clipped = float((v != inner).sum())
    return {
        "offset_came": float(to_beta),
        "offset_clipped": clipped,
        "offset_within": len(x) - clipped,
        "offset_all": float(len(x)),
    }


PLAIN = {"rounding": "plain", "scale": "none"}
"""Rounding as it is, whose derivative is 0."""

COUNTS = (16, 64, 256, 1024)
"""The number of weights that share one step size where its gradient's size is measured."""

DRAWS = 250
"""Random layers over which the paper's ratio R is averaged."""


def levels(bits: int) -> tuple[int, int]:
    """The lowest and the highest code.

    >>> levels(3)
    (-4, 3)
    """
    highest = 2 ** (bits - 1) - 1
    return -highest - 1, highest


def gradient_factor(count: int, bits: int) -> float:
    """LSQ's factor on the step size's gradient: 1/√(N · highest code)."""
    return 1 / math.sqrt(count * levels(bits)[1])


def formula(x: torch.Tensor, s: torch.Tensor, bits: int, scale: str, **_: str) -> torch.Tensor:
    """LSQ's gradient of each quantised weight with respect to the step size, as in the paper.

    Esser et al., "Learned Step Size Quantization" (ICLR 2020), equation 3: round(v) − v within the
    limits, the limit itself at and beyond them, with v = x / s.

    Args:
        x, s: shape [n].
        bits: of a code.
        scale: ``lsq`` multiplies it by the paper's factor.
    """
    lowest, highest = levels(bits)
    v = x / s
    within = (v > lowest) & (v < highest)
    slope = torch.where(within, v.round() - v, v.clamp(lowest, highest))
    return slope * gradient_factor(x.numel(), bits) if scale == "lsq" else slope


def run(settings: Settings) -> Start:
    """Each weight with a step size of its own, which gets its part of the gradient."""
    x = leaf(settings, "x")
    s = torch.full_like(x, settings.s).requires_grad_()
    arguments = {name: settings[name] for name in ("bits", "rounding", "scale")}
    return Start({"x": x, "s": s}, arguments, (place_of(settings),))


def teeth(program: Program, x: float, bits: int, end: float) -> tuple[torch.Tensor, torch.Tensor]:
    """One quantised weight over the step size, from 0 to ``end``, NaN at each jump.

    Between two jumps the code is constant, so both ends of each stretch are enough.

    Returns:
        Step sizes and values, float64, shape [m].
    """
    lowest, highest = levels(bits)
    codes = torch.arange(1, highest + 1 if x >= 0 else -lowest + 1, dtype=torch.float64)
    jumps = (abs(x) / (codes - 0.5)).flip(0)
    jumps = jumps[(jumps > 1e-6 * end) & (jumps < end)]
    starts = torch.cat([torch.tensor([1e-6 * end], dtype=torch.float64), jumps * (1 + 1e-9)])
    ends = torch.cat([jumps * (1 - 1e-9), torch.tensor([end], dtype=torch.float64)])
    s = torch.stack([starts, ends], 1)
    with torch.no_grad():
        flat = s.reshape(-1)
        y = program(torch.full_like(flat, x), flat, bits=bits, rounding="plain", scale="none")
    gap = torch.full((len(s), 1), math.nan, dtype=torch.float64)
    return torch.cat([s, s[:, 1:]], 1).reshape(-1), torch.cat([y.view(-1, 2), gap], 1).reshape(-1)


@lru_cache(maxsize=16)
def relative_steps(program: Program, bits: int) -> dict[str, tuple[float, ...]]:
    """The move of the step size in one step of descent, relative to the move of the weights.

    The paper's ratio R: |∂L/∂s| / s over ‖∂L/∂x‖ / ‖x‖, as a root mean square over random layers,
    for each of ``COUNTS`` weights. Weights and upstream gradients are standard normal, and s is
    where the paper starts it, 2 · mean |x| / √highest code.

    Returns:
        ``none`` and ``lsq``: without the paper's factor and with it. NaN where no gradient comes.
    """
    generator = torch.Generator().manual_seed(0)
    found: dict[str, list[float]] = {"none": [], "lsq": []}
    for count in COUNTS:
        x, upstream = torch.randn(
            2, DRAWS, count, dtype=torch.float64, generator=generator
        ).unbind()
        s = 2 * x.abs().mean(1, keepdim=True) / math.sqrt(levels(bits)[1])
        for scale, ratios in found.items():
            ratios.append(_ratio(program, x, s.expand_as(x), upstream, bits, scale))
    return {scale: tuple(ratios) for scale, ratios in found.items()}


def _ratio(
    program: Program,
    x: torch.Tensor,
    s: torch.Tensor,
    upstream: torch.Tensor,
    bits: int,
    scale: str,
) -> float:
    """The paper's ratio R, averaged over layers; x, repeated s, upstream: [layers, weights]."""
    leaves = [one.clone().requires_grad_() for one in (x, s)]

    def layer(weights: torch.Tensor, step: torch.Tensor) -> torch.Tensor:
        return program(weights, step, bits=bits, rounding="straight", scale=scale)

    y = torch.vmap(layer)(*leaves)
    if not y.requires_grad:
        return math.nan
    loss = (y * upstream).sum()
    to_x, to_s = torch.autograd.grad(loss, leaves, materialize_grads=True)
    length = to_x.norm(dim=1) / x.norm(dim=1)
    ratios = to_s.sum(1).abs() / s[:, 0] / length
    return float(ratios.square().mean().sqrt()) if bool(length.all()) else math.nan


def tooth(trial: Trial[Settings]) -> Iterator[Series]:
    """The chosen weight, quantised, over the step size."""
    settings = trial.settings
    end = max(2.0, 1.25 * settings.s)
    chosen = settings.x[place_of(settings)]
    over, values = (array(one) for one in teeth(trial.program, chosen, settings.bits, end))
    yield Series("forward", "forward", over, values)


def codes(trial: Trial[Settings]) -> dict[str, float]:
    """The codes' ends, the sums over all weights, and how far one step moves the step size."""
    settings = trial.settings
    lowest, highest = levels(settings.bits)
    ratios = relative_steps(trial.program, settings.bits)
    return {
        "inputs": len(settings.x),
        "lowest": lowest,
        "highest": highest,
        "v": settings.x[place_of(settings)] / settings.s,
        **{f"sum_{r.partition('_')[0]}": float(y.double().sum()) for r, y in trial.roles.items()},
        "many": COUNTS[-1],
        "ratio_none": ratios["none"][-1],
        "ratio_lsq": ratios["lsq"][-1],
    }


def _of_one(trial: Trial[Settings]) -> dict[str, float]:
    """The gradient of the chosen weight with plain rounding, its code, and straight-through."""
    start, place = trial.start, place_of(trial.settings)
    program = inspect.unwrap(trial.program)  # a cut in the graph changes none of these
    only = {name: leaf[[place]] for name, leaf in start.leaves.items()}
    plain, straight = (
        EXPERIMENT.by_role(program, start.with_(**only, rounding=rounding, scale="none"))
        for rounding in ("plain", "straight")
    )
    return {
        "code": float(plain["trick_gradient"]),
        "together": float(straight["trick_gradient"]),
    }


def _sums(trial: Trial[Settings]) -> dict[str, float]:
    """The step size's gradient from all weights, as each answer expects it."""

    def all_of(rounding: str, scale: str = "none") -> float:
        start = trial.start.with_(rounding=rounding, scale=scale)
        return float(EXPERIMENT.by_role(trial.program, start)["trick_gradient"].double().sum())

    s, bits = trial.settings.s, trial.settings.bits
    given = torch.tensor(trial.settings.x, dtype=torch.float64)
    lowest, highest = levels(bits)
    clipped = (given / s <= lowest) | (given / s >= highest)
    straight = all_of("straight")
    factor = gradient_factor(len(given), bits)
    return {
        "straight_sum": straight,
        "plain_sum": all_of("plain"),
        "clipped": int(clipped.sum()),
        "clipped_sum": float(
            formula(given, torch.full_like(given, s), bits, "none")[clipped].sum()
        ),
        "factor": factor,
        "scaled_came": all_of("straight", "lsq"),
        "scaled_sum": straight * factor,
        "divided_sum": straight * factor**2,
        "times_sum": straight / factor,
    }


@torch.no_grad()
def _difference(trial: Trial[Settings]) -> dict[str, float]:
    """The finite difference of the weights' sum between s − H, or just above 0, and s + H."""
    settings, given = trial.settings, trial.start.arguments
    x = torch.tensor(settings.x, dtype=torch.float64)
    low, high = max(settings.s - H, 1e-9), settings.s + H
    sums = [trial.program(x, torch.full_like(x, s), **given).sum() for s in (low, high)]
    return {"difference": float(sums[1] - sums[0]) / (high - low)}


def _notes(trial: Trial[Settings]) -> Iterator[Note]:
    """Notes on numbers that are not finite, and on weights where torch and the formula differ."""
    settings, x = trial.settings, trial.leaf("x")
    given = torch.tensor(settings.x, dtype=torch.float64)
    causes = (too_large("x", x),)
    otherwise = WORDS("ratio_too_large")
    yield from notes_on_not_finite("x", given, trial.roles, causes, otherwise)
    lowest, highest = levels(settings.bits)
    v = x / torch.full_like(x, settings.s)
    at_limit = (v == lowest) | (v == highest)
    if settings.rounding == "straight" and at_limit.any():
        where = listed([number(one) for one in given[at_limit.cpu()].tolist()])
        yield Note("info", WORDS("at_limit", where=where))


EXPERIMENT = Experiment(
    run,
    plain=lambda x, s, **given: learned_step(x, s, **{**given, **PLAIN}),
    intended=formula,
    along="x",
    curves=tooth,
    notes=_notes,
    facts=(codes, _sums, _of_one, _difference),
    work=lambda settings: WORDS.counted("weights", len(settings.x)),
)


LABELS = {
    "true_gradient": WORDS("plain_round"),
    "trick_gradient": NAMES["trick_gradient"],
    "intended_gradient": WORDS("lsq_formula"),
}
SLOPES = {"true_gradient": WORDS("plain"), "trick_gradient": NAMES["trick_gradient"]}
"""The short names of the two slopes in the first chart."""


def table(result: Result, settings: Settings) -> Table:
    """One row a weight, and the sums."""
    columns = [(WORDS("weight_x"), None), (WORDS("quantised"), "forward")]
    columns += [(label, role) for role, label in LABELS.items()]
    names = ["forward", *LABELS]
    rows = [
        (number(float(x), 5), *cells(result, names, place, 5))
        for place, x in enumerate(result["forward"].x)
    ]
    sums = (number(_sum(result, name), 5) for name in names)
    return Table(WORDS("table"), tuple(columns), (*rows, (WORDS("sum"), *sums)))


def _sum(result: Result, role: str) -> float:
    return result.number(f"sum_{role.partition('_')[0]}")


def _slopes(result: Result, settings: Settings) -> Figure:
    """One quantised weight over s, and through its point a line for each gradient."""
    tooth = result.curves[0]
    s, x, y = result.numbers("s", "x", "forward")
    end = float(np.nanmax(tooth.x))
    largest = float(np.nanmax(np.abs(tooth.y), initial=0.0))
    seen = [tooth.y, np.array([x if abs(x) <= 3 * largest else 0.0])]
    low, high = fitted(seen)
    low, high = min(low, -0.15 * high), max(high, -0.15 * low)  # room for the names of the lines
    layout = axes(
        (0.0, end), (1.1 * low, 1.1 * high), WORDS("step_size"), WORDS("quantised_weight")
    )
    slopes = {role: result.number(role) for role in SLOPES}
    across, nothing = np.array([0.0, s, end]), np.full(3, np.nan)
    tangents = [
        Series(role, role, across, y + slope * (across - s) if math.isfinite(slope) else nothing)
        for role, slope in slopes.items()
    ]
    point: Trace = scatter("markers", np.array([s]), np.array([y])) | {
        "marker": mark(ROLES["forward"]),
        "showlegend": False,
        "hovertemplate": WORDS("slopes_hover"),
    }
    weight = thin(np.array([0.0, end]), np.array([x, x]), WORDS("weight_itself"))
    ends = [(one.role, SLOPES[one.role], one.y) for one in tangents]
    ends.append(("noise", "x", np.array([x if low <= x <= high else np.nan])))
    found = ", ".join(f"{SLOPES[role]} {brief(one, 1.0)}" for role, one in slopes.items())
    return WORDS.chart(
        "slopes",
        [
            weight,
            *(
                curve(one) | {"hovertemplate": WORDS("slope_hover", name=LABELS[one.role])}
                for one in tangents
            ),
            curve(tooth, exact=True) | {"name": WORDS("quantised")},
            dragged(point, "place", s="x"),
            *named(ends, layout, TALL),
        ],
        layout,
        TALL,
        x=brief(x),
        y=number(y, 4),
        s=number(s, 3),
        found=found,
    )


def _weights(result: Result, settings: Settings) -> Figure:
    """The chart of each weight's gradient for the step size."""
    count = len(result["forward"].x)
    places = np.arange(1.0, count + 1)
    numbered = replace(result, series=tuple(replace(one, x=places) for one in result.series))
    names = [number(float(x), 3) for x in result["forward"].x]
    summed = ("trick_gradient", "true_gradient")
    sums = ", ".join(f"{LABELS[role]} {brief(_sum(result, role), 1.0)}" for role in summed)
    y = WORDS("gradient_of_s")
    chart = component_figure(WORDS, "weights", numbered, LABELS, names, y=y, sums=sums)
    x = WORDS("weight_x") if count <= MOST_NAMED else WORDS("weight_place")
    chart.layout["xaxis"]["title"]["text"] = x
    for trace in chart.data:
        if "markers" in trace["mode"]:
            trace["customdata"] = np.repeat(places, 3).astype(int).tolist()
    return replace(chart, selects="point")


LESSON = Lesson(
    program=learned_step,
    lab=EXPERIMENT.lab(WORDS, Settings, table, (_slopes, _weights), direct_labels=True),
    highlight="v + stop_gradient(code - v)",
    facts=(offset,),
)
