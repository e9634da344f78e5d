"""The lab of a batch with one bad label: its mean gradient, with a clip for all or for each."""

import math
from collections.abc import Callable, Iterator, Mapping
from functools import partial

import numpy as np
import torch
from torch.nn import functional

from lessons.chapters.in_the_wild.one_outlier.batch import (
    FAR,
    Settings,
    batch,
    each,
    ordinary,
    plain_loss,
    shortened,
    without_first,
)
from lessons.chapters.in_the_wild.one_outlier.figures import CHARTS, table
from lessons.contract.devices import device_and_dtype
from lessons.contract.lab import Lab, Start
from lessons.contract.result import Array, Note, Result
from lessons.contract.words import Words
from lessons.kit.arrows import angle, turn
from lessons.kit.experiment import Experiment, Program, Roles, components
from lessons.kit.gradients import gradient
from lessons.kit.inputs import array

WORDS = Words(__file__)

EXAMPLE_SIZE = 100.0
"""The error of the label that the text speaks of."""

MOVED_TIMES = 100.0
"""The factor on the last sample that shows if the first sample's gradient changes."""

Layer = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
"""From a batch, shape [n, 4], and a weight for each feature to the layer's output."""

At = Callable[[float, str], Roles]
"""From the error of the label, and which clip: the gradients by role."""


def compute(program: Program, settings: Settings) -> Result:
    """The gradients at the learner's batch."""
    device, dtype = device_and_dtype(settings)
    clip, limit = settings.clip, settings.limit
    rows = ordinary(settings.seed, settings.batch - 1)

    def at(size: float, clip: str) -> Roles:
        x, y = (part.to(device, dtype) for part in batch(rows, size, settings.angle))
        return EXPERIMENT.by_role(program, EXPERIMENT.run(settings).but(x=x, y=y, clip=clip))

    tensors = at(settings.size, clip)
    roles = {role: array(y) for role, y in tensors.items()}
    x, y = batch(rows, settings.size, settings.angle)
    samples = each(x, y)
    return Result(
        series=components(tensors),
        facts={
            "used_clip": settings.clip,
            "others": settings.batch - 1,
            "example_size": EXAMPLE_SIZE,
            "moved_times": MOVED_TIMES,
            "loss": float(roles["forward"][0]),
            **_measures(roles),
        },
        more_facts=[partial(_one_sample, at, limit, settings.batch)],
        notes=tuple(_no_direction(roles)),
        planes={
            "samples": array(shortened(samples, limit) if clip == "sample" else samples),
            "raw": array(samples),
        },
        work=WORDS.counted("samples", settings.batch),
    )


def start(settings: Settings) -> Start:
    """The run whose graph is drawn: the bad sample and one ordinary one, at the first weight."""
    device, dtype = device_and_dtype(settings)
    rows = ordinary(settings.seed, 1)
    x, y = (one.to(device, dtype) for one in batch(rows, settings.size, settings.angle))
    w = torch.zeros(2, dtype=dtype, device=device, requires_grad=True)
    arguments = {"clip": settings.clip, "limit": settings.limit}
    return Start({"w": w, "x": x, "y": y}, arguments, (0, 0))


EXPERIMENT = Experiment(start, plain=plain_loss, intended=without_first)


def drawn(settings: Settings) -> Mapping[str, object]:
    """The ordinary inputs, for in_torch.py."""
    return {"x": ordinary(settings.seed, settings.batch - 1)}


def cosine(one: Array, other: Array) -> float:
    """The cosine of the angle between two vectors; NaN if one of them has no direction."""
    lengths = math.hypot(*one), math.hypot(*other)
    if not all(lengths) or not all(map(math.isfinite, lengths)):
        return math.nan
    unit = one / lengths[0], other / lengths[1]
    return float(np.clip(unit[0] @ unit[1], -1.0, 1.0))


def _measures(roles: Mapping[str, Array]) -> dict[str, float]:
    """Length, angle and cosine of each gradient, under the names that the text uses."""
    named = {"used": "trick_gradient", "plain": "true_gradient", "clean": "intended_gradient"}
    facts: dict[str, float] = {}
    for name, role in named.items():
        facts[f"length_{name}"] = math.hypot(*roles[role])
        facts[f"angle_{name}"] = angle(roles[role])
        facts[f"cos_{name}"] = cosine(roles[role], roles["intended_gradient"])
        facts[f"turn_{name}"] = math.degrees(math.acos(facts[f"cos_{name}"]))
    clean, plain = facts["angle_clean"], facts["angle_plain"]
    facts["angle_between"] = clean + turn(clean, plain) / 2
    return facts


def _one_sample(at: At, limit: float, many: int) -> dict[str, float]:
    """The most that the bad sample adds to the mean of clipped samples, and the wrong answers.

    Its own part is what is left of the mean without the parts of the others, which are the same at
    any error: at one error far out and at the opposite one they cancel.
    """
    one, other = (array(at(size, "sample")["trick_gradient"]) for size in (FAR, -FAR))
    return {
        "most": float(np.hypot(*(one - other))) / 2,
        "share": limit / many,
        "plain_share": FAR / many,
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


LAB = Lab(
    WORDS,
    Settings,
    compute,
    table,
    CHARTS,
    start=EXPERIMENT.run,
    sampled_values=drawn,
    direct_labels=True,
)
