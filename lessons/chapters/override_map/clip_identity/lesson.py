"""An identity whose gradient is clipped, and what arrives at x."""

import math

import torch

from lessons.contract.lesson import Lesson
from lessons.contract.settings import choice, slider, whole
from lessons.contract.sketch import Sketch
from lessons.contract.words import Words
from lessons.gradient_tricks.tricks import gradient_override_map, identity
from lessons.kit.curve_lab import Curve, Run, curve_lab
from lessons.kit.inputs import AlongX, inputs, point_in_text

WORDS = Words(__file__)


class Settings(AlongX):
    limit = slider(1, 0, 4, 0.1, accepts=(0, 1000))
    factor = slider(3, -5, 5, 0.1, accepts=(-100, 100))
    place = choice("inside", "outside", "each")
    uses = whole(2, 1, 10)
    power = choice("1", "2")
    x = inputs("-2, 1, 3")
    point = point_in_text(3)


def clip_identity(
    x: torch.Tensor, limit: float, factor: float, uses: int, place: str, power: str
) -> torch.Tensor:
    def clip(op: object, upstream: torch.Tensor) -> torch.Tensor:
        return upstream.clamp(-limit, limit)

    with gradient_override_map({"identity": clip}):
        if place == "each":
            used = [factor * identity(x) for _ in range(uses)]
        else:
            y = identity(factor * x) if place == "outside" else factor * identity(x)
            used = [y] * uses
    terms = used if power == "1" else [y**2 for y in used]
    return sum(terms[1:], terms[0])


def clipped_at_x(
    x: torch.Tensor, limit: float, factor: float, uses: int, power: str, **_: str
) -> torch.Tensor:
    """The intended gradient: the true one, held to the limit where it arrives at x."""
    slope = factor * torch.ones_like(x) if power == "1" else 2 * factor**2 * x
    return (uses * slope).clamp(-limit, limit)


def beliefs(run: Run, settings: Settings) -> dict[str, float]:
    """The gradient with the identity in other places, and what each belief expects of it."""
    limit, factor = settings.limit, settings.factor
    uses = settings.uses
    slope = run(uses=1)["true_gradient"]

    def clipped(value: float) -> float:
        return max(-limit, min(limit, value))

    return {
        "inside": run(place="inside")["trick_gradient"],
        "outside": run(place="outside")["trick_gradient"],
        "all_uses": uses * slope,
        "sum_then_clip": clipped(uses * slope),
        "clip_then_sum": uses * clipped(slope),
        "limit_at_x": math.copysign(limit, uses * slope),
        "limit_times_factor": factor * limit,
        "limit_over_factor": limit / factor if factor else math.nan,
    }


def hooked() -> dict[str, float]:
    """A clipping hook on a tensor that two paths read, and what each belief expects at w."""
    factor, first, second, limit = 5.0, 30.0, -20.0, 1.0
    w = torch.tensor(2.0, requires_grad=True)
    h = factor * w
    h.register_hook(lambda upstream: upstream.clamp(-limit, limit))
    (first * h + second * h).backward()
    assert w.grad is not None
    return {
        "hook_came": w.grad.item(),
        "hook_factor": factor,
        "hook_first": first,
        "hook_second": second,
        "hook_limit": limit,
        "hook_sum": first + second,
        "hook_sum_clipped": factor * max(-limit, min(limit, first + second)),
        "hook_each": factor * sum(max(-limit, min(limit, one)) for one in (first, second)),
        "hook_unclipped": factor * (first + second),
    }


CURVE = Curve(
    settings=Settings,
    plain=lambda x, factor, uses, power, **_: uses * (factor * x) ** int(power),
    intended=clipped_at_x,
    words=WORDS,
    limit="limit",
    facts=(beliefs,),
)

LESSON = Lesson(
    program=clip_identity,
    lab=curve_lab(CURVE),
    sketches={"summed": Sketch(x=(-3.5, -2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 3.5), near=0.8)},
    facts=(hooked,),
    highlight='with gradient_override_map({"identity": clip}):',
)
