"""One path of two runs through a gradient reversal."""

from functools import cache

import torch

from lessons.contract.lesson import Lesson
from lessons.contract.settings import slider, whole
from lessons.contract.sketch import Sketch
from lessons.contract.words import Words
from lessons.gradient_tricks.tricks import flip_gradient
from lessons.kit.curve_lab import Curve, Run, curve_lab
from lessons.kit.inputs import AlongX, inputs, point_in_text

WORDS = Words(__file__)


class Settings(AlongX):
    scale = slider(2, -3, 3, 0.1, accepts=(-1000, 1000))
    beside = slider(2, -5, 5, 0.1, accepts=(-1000, 1000))
    flips = whole(1, 0, 8)
    x = inputs("-1.5, -0.5, 1")
    point = point_in_text(3)


def flip(x: torch.Tensor, scale: float, beside: float, flips: int) -> torch.Tensor:
    y = x
    for _ in range(flips):
        y = flip_gradient(y, scale)
    return y**3 + beside * x


def beliefs(run: Run, settings: Settings) -> dict[str, float]:
    """The gradient with one and two reversals, and what each belief expects of it."""
    scale, beside = settings.scale, settings.beside
    plain_path = run(flips=0, beside=0.0)["true_gradient"]
    return {
        "upstream": plain_path,
        "reversed_path": -scale * plain_path,
        "one_flip": run(flips=1)["trick_gradient"],
        "two_flips": run(flips=2)["trick_gradient"],
        "path": -scale * plain_path + beside,
        "everything": -scale * (plain_path + beside),
        "sign_only": -plain_path + beside,
        "nothing": plain_path + beside,
        "product": scale**2 * plain_path + beside,
        "added": -2 * scale * plain_path + beside,
        **in_a_residual_block(),
    }


@cache
def in_a_residual_block() -> dict[str, float]:
    """A reversal in a residual block: its gradient, and what each belief expects of it."""
    h = torch.tensor(1.0, requires_grad=True)
    (gradient,) = torch.autograd.grad(h + flip_gradient(2 * h, 0.5), h)
    return {
        "residual": float(gradient),
        "residual_plain": 1.0 + 2.0,
        "residual_all": -0.5 * (1.0 + 2.0),
        "residual_sign": 1.0 - 2.0,
    }


CURVE = Curve(
    settings=Settings,
    plain=lambda x, beside, **_: x**3 + beside * x,
    # The cube's gradient times −λ, the other path's as it is.
    intended=lambda x, scale, beside, **_: -scale * 3 * x**2 + beside,
    words=WORDS,
    facts=(beliefs,),
)

LESSON = Lesson(
    program=flip,
    lab=curve_lab(CURVE),
    sketches={"reversed": Sketch(x=(-1.4, -1.0, -0.6, 0.0, 0.6, 1.0, 1.4), near=1.5)},
    highlight="y = flip_gradient(y, scale)",
)
