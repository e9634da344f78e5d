"""One bad sample in a batch: a clip for all of them, or one for each."""

import math
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial

import numpy as np
import torch
from torch.nn import functional

from lessons.contract.devices import device_and_dtype
from lessons.contract.figure import HIGHEST, Figure, Table
from lessons.contract.lab import Lab, Start
from lessons.contract.lesson import Lesson
from lessons.contract.result import Array, Note, Result
from lessons.contract.settings import choice, slider, whole
from lessons.contract.words import Words
from lessons.gradient_tricks.text import number
from lessons.gradient_tricks.tricks import clip_gradient_norm
from lessons.kit.arrows import angle, arrow, arrow_table, in_words, length, turn
from lessons.kit.chart_pieces import Trace, circle, covered_with, dragged, plane, scatter
from lessons.kit.experiment import Experiment, Program, components
from lessons.kit.gradients import gradient
from lessons.kit.inputs import ComputedIn, array
from lessons.kit.line_names import label, names_above
from lessons.kit.noise import unit_draws
from lessons.kit.titles import brief

WORDS = Words(__file__)


def one_outlier(
    w: torch.Tensor, x: torch.Tensor, y: torch.Tensor, clip: str, limit: float
) -> torch.Tensor:
    if clip == "batch":
        w = clip_gradient_norm(w, limit)
    if clip == "sample":  # a copy for each sample, with its own clip
        copies = torch.stack([clip_gradient_norm(w, limit / len(x)) for _ in x])
    else:
        copies = w.expand_as(x)
    error = (copies * x).sum(1, keepdim=True) - y
    return (error**2).mean() / 2


SLOPES = (-2.0, -1.0)
"""The weights that fit every ordinary label; training starts at 0."""

SEED = 3
"""Draws the ordinary samples."""

FAR = 1e6
"""An error of the label so large that a clip certainly acts on it."""


class Settings(ComputedIn):
    clip = choice("none", "batch", "sample")
    size = slider(100, 0, 200, 1, accepts=(0, FAR))
    angle = slider(120, -180, 180, 1, accepts=(-360, 360))
    limit = slider(1, 0, 5, 0.05, accepts=(0, 1e6))
    batch = whole(8, 2, 32, log=True)


@cache
def ordinary(many: int) -> tuple[tuple[float, float], ...]:
    """This many inputs in a square from -1 to 1, rounded to one decimal to keep them short."""
    rows = unit_draws(SEED, 0, 2)[:many]
    return tuple((round(2 * a - 1, 1) + 0.0, round(2 * b - 1, 1) + 0.0) for a, b in rows.tolist())


def batch(
    x: tuple[tuple[float, float], ...], size: float, angle: float
) -> tuple[torch.Tensor, torch.Tensor]:
    """Inputs, shape [n, 2], and labels, shape [n, 1], float64; the first label is wrong.

    Args:
        x: the ordinary inputs.
        size: how far the first label is off. At w = 0 its gradient has about this length.
        angle: of the first input, in degrees, which has the length 1.
    """
    turn = math.radians(angle)
    inputs = torch.tensor([(math.cos(turn), math.sin(turn)), *x], dtype=torch.float64)
    labels = inputs @ torch.tensor(SLOPES, dtype=torch.float64)[:, None]
    labels[0] -= size
    return inputs, labels


def plain_loss(w: torch.Tensor, x: torch.Tensor, y: torch.Tensor, **_: object) -> torch.Tensor:
    """The same forward pass with no clip."""
    return (((w * x).sum(1, keepdim=True) - y) ** 2).mean() / 2


def each(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """The gradient of each sample's own loss at w = 0, shape [n, 2]: w has a copy for each.

    Not by ``torch.func``, whose first call in a process takes seconds.
    """
    copies = torch.zeros_like(x, requires_grad=True)
    losses = ((copies * x).sum(1, keepdim=True) - y) ** 2 / 2
    return gradient(losses, copies)


def shortened(rows: torch.Tensor, limit: float) -> torch.Tensor:
    """Clip each row by its norm; rows have the shape [n, 2]."""
    lengths = rows.norm(dim=1, keepdim=True)
    return torch.where(lengths <= limit, rows, rows * (limit / lengths))


def without_first(w: torch.Tensor, x: torch.Tensor, y: torch.Tensor, **_: object) -> torch.Tensor:
    """The gradient of the batch without its first sample, with no clip."""
    w.requires_grad_()
    return gradient(plain_loss(w, x[1:], y[1:]), w)


EXAMPLE_SIZE = 100.0
"""The error of the label that the text speaks of."""

MOVED_TIMES = 100.0
"""The factor on the last sample that shows if the first sample's gradient changes."""

Layer = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
"""From a batch, shape [n, 4], and a weight for each feature to the layer's output."""


def run(settings: Settings, many: int = 2) -> Start:
    """The run of so many samples, the bad one first; the graph draws two, at the first weight."""
    to = device_and_dtype(settings)
    rows = ordinary(many - 1)
    x, y = (part.to(*to) for part in batch(rows, settings.size, settings.angle))
    w = torch.zeros_like(x[0]).requires_grad_()
    arguments = {"clip": settings.clip, "limit": settings.limit}
    return Start({"w": w, "x": x, "y": y}, arguments, (0, 0))


EXPERIMENT = Experiment(run, plain=plain_loss, intended=without_first)


def compute(program: Program, settings: Settings) -> Result:
    """The gradients at the learner's batch."""
    limit, many = settings.limit, settings.batch
    tensors = EXPERIMENT.by_role(program, run(settings, many))
    roles = {role: array(y) for role, y in tensors.items()}
    samples = each(*batch(ordinary(many - 1), settings.size, settings.angle))
    return Result(
        series=components(tensors),
        facts={
            "others": many - 1,
            "example_size": EXAMPLE_SIZE,
            "moved_times": MOVED_TIMES,
            **_measures(roles),
        },
        more_facts=[partial(_one_sample, program, settings)],
        notes=tuple(_no_direction(roles)),
        planes={
            "samples": array(shortened(samples, limit) if settings.clip == "sample" else samples),
            "raw": array(samples),
        },
        work=WORDS.counted("samples", many),
    )


def sampled_inputs(settings: Settings) -> Mapping[str, object]:
    """The ordinary inputs, for in_torch.py."""
    return {"x": ordinary(settings.batch - 1)}


def cosine(one: Array, other: Array) -> float:
    """The cosine of the angle between two vectors; NaN if one of them has no direction."""
    lengths = length(one), length(other)
    if not all(lengths) or not all(map(math.isfinite, lengths)):
        return math.nan
    unit = one / lengths[0], other / lengths[1]
    return float(np.clip(unit[0] @ unit[1], -1.0, 1.0))


def _measures(roles: Mapping[str, Array]) -> dict[str, float]:
    """``angle_…`` of each gradient; ``turn_…``: between it and the ordinary samples' mean."""
    named = {"used": "trick_gradient", "plain": "true_gradient", "clean": "intended_gradient"}
    facts = {f"angle_{name}": angle(roles[role]) for name, role in named.items()}
    for name in ("used", "plain"):
        facts[f"cos_{name}"] = cosine(roles[named[name]], roles["intended_gradient"])
        facts[f"turn_{name}"] = math.degrees(math.acos(facts[f"cos_{name}"]))
    clean, plain = facts["angle_clean"], facts["angle_plain"]
    facts["angle_between"] = clean + turn(clean, plain) / 2
    return facts


def _one_sample(program: Program, settings: Settings) -> dict[str, float]:
    """The most that the bad sample adds to the mean of clipped samples, and the wrong answers.

    Its own part is what is left of the mean without the parts of the others, which are the same at
    any error: at one error far out and at the opposite one they cancel.
    """

    def used(size: float) -> Array:
        start = run(settings | {"size": size, "clip": "sample"}, settings.batch)
        return array(EXPERIMENT.by_role(program, start)["trick_gradient"])

    return {
        "most": float(np.hypot(*(used(FAR) - used(-FAR)))) / 2,
        "share": settings.limit / settings.batch,
        "plain_share": FAR / settings.batch,
        "far": FAR,
    }


def mixed() -> Mapping[str, float]:
    """The change of the first sample's gradient when only the last input changes."""
    layers: Mapping[str, Layer] = {
        "linear": lambda x, w: functional.linear(x, w.diag()),
        "layernorm": lambda x, w: functional.layer_norm(x, (4,), w),
        "batchnorm": lambda x, w: functional.batch_norm(x, None, None, w, training=True),
        "groupnorm": lambda x, w: functional.group_norm(x, 2, w),
    }
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(8, 4, dtype=torch.float64, generator=generator)
    moved = torch.cat([x[:-1], MOVED_TIMES * x[-1:]])

    def first(layer: Layer, x: torch.Tensor) -> torch.Tensor:
        w = torch.ones(4, dtype=torch.float64, requires_grad=True)
        return gradient((layer(x, w)[0].sum() - 1.0) ** 2, w)

    mixed = {
        f"mixed_{name}": float((first(layer, moved) - first(layer, x)).norm())
        for name, layer in layers.items()
    }
    return mixed | {"mixed_most": max(mixed.values())}


def _no_direction(roles: Mapping[str, Array]) -> Iterator[Note]:
    for role, words in (
        ("trick_gradient", WORDS("used_gradient")),
        ("intended_gradient", WORDS("others_mean")),
    ):
        if not roles[role].any():
            yield Note("warning", WORDS("no_direction", what=words))


NAMES = {
    "true_gradient": WORDS("no_clip"),
    "intended_gradient": WORDS("without_sample"),
    "trick_gradient": WORDS("used"),
}
"""Each role's name here; drawn in this order, the trick on top."""


def table(result: Result, settings: Settings) -> Table:
    """Components, length and angle of each mean gradient."""
    names = [WORDS("of_w", place=place) for place in "₁₂"]
    return arrow_table(result, NAMES, names, WORDS("table"))


def _arrows(result: Result, settings: Settings) -> Figure:
    layout = plane(*_frame(result, settings.limit), WORDS("gradient_1"), WORDS("gradient_2"))
    named = {role: f"{name} {brief(length(result[role].y))}" for role, name in NAMES.items()}
    names_above(named, layout)
    clipped = settings.clip == "sample"
    tells = ["trick_gradient"] if clipped else []  # what is used is the mean of the clipped ones
    data = [
        dragged(circle(settings.limit, "limit"), "line", limit="length"),
        covered_with(_rays(result.planes["samples"]), *tells),
        *(arrow(result, role, name) for role, name in NAMES.items()),
        covered_with(_its_name(result, layout), *tells),
    ]
    turned = result.number("turn_used")
    return WORDS.chart(
        "arrows",
        data,
        layout,
        HIGHEST,
        turn=number(turned, 3) if math.isfinite(turned) else None,
        each=WORDS("each_clipped") if clipped else WORDS("each"),
        arrows=in_words(result, NAMES),
    )


def _frame(result: Result, limit: float) -> tuple[tuple[float, float], tuple[float, float]]:
    """A frame for the ordinary samples, and for the circle unless it is far larger."""
    others = result.planes["raw"][1:]
    most = float(np.hypot(*others.T).max(initial=0.0)) or 1.0
    circle = max(min(limit, 1.5 * most), 0.2 * most)
    ends = []
    for along in others.T:
        low, high = min(float(along.min()), -circle), max(float(along.max()), circle)
        # Few different ends, so that the frame seldom moves.
        step = 10.0 ** math.floor(math.log10(high - low)) / 2
        ends.append((math.floor(1.1 * low / step) * step, math.ceil(1.1 * high / step) * step))
    return ends[0], ends[1]


def _rays(rows: Array) -> Trace:
    """A thin line for each sample, with a dot at its tip."""
    zero, gap = np.zeros(len(rows)), np.full(len(rows), np.nan)
    return scatter(
        "lines+markers",
        np.stack([zero, rows[:, 0], gap], 1).ravel(),
        np.stack([zero, rows[:, 1], gap], 1).ravel(),
        WORDS("a_sample"),
    ) | {
        "line": {"color": "ink:axis", "width": 1, "simplify": False},
        "marker": {
            "color": "ink:axis",
            "size": [0, 6, 0] * len(rows),
            "opacity": 1,
            "line": {"width": 0},
        },
        "hovertemplate": WORDS("sample_hover"),
    }


def _its_name(result: Result, layout: Trace) -> Trace:
    """The bad sample's name with its true length, if its thin line sticks out."""
    shown, raw = result.planes["samples"][0], result.planes["raw"][0]
    longest = float(np.hypot(*result.planes["raw"][1:].T).max())
    words = WORDS("bad", length=brief(length(raw)))
    if not np.allclose(shown, raw):
        words += f" → {brief(length(shown))}"
    low, high = np.transpose([layout[axis]["range"] for axis in ("xaxis", "yaxis")])
    ends = np.where(shown > 0, high, low)
    shares = np.divide(0.45 * ends, shown, out=np.ones(2), where=shown != 0)
    x, y = (float(one) for one in min(1.0, shares.min()) * shown)
    true = result["true_gradient"].y  # the name stands on the other side of the line
    turned = math.copysign(1.0, shown[1] * true[0] - shown[0] * true[1])
    side = f"{'top' if turned * x > 0 else 'bottom'} {'left' if turned * y > 0 else 'right'}"
    return label("noise", words, x, y, side, length(raw) > longest)


LESSON = Lesson(
    program=one_outlier,
    lab=Lab(
        WORDS,
        Settings,
        compute,
        table,
        (_arrows,),
        start=run,
        sampled_values=sampled_inputs,
        direct_labels=True,
    ),
    facts=(mixed,),
    highlight="torch.stack([clip_gradient_norm(w, limit / len(x)) for _ in x])",
)
