"""A loss scale: gradients made larger for the way through float16, and smaller after it."""

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any

import numpy as np
import torch

from lessons.chapters.gone_missing.scaled.figures import CHARTS, largest, smallest, table
from lessons.chapters.gone_missing.scaled.settings import MOST, Settings
from lessons.contract.lab import Lab, Start
from lessons.contract.lesson import Lesson
from lessons.contract.result import Array, Note, Result, Series
from lessons.contract.roles import GRADIENTS
from lessons.contract.words import Words
from lessons.gradient_tricks.text import number
from lessons.gradient_tricks.tricks import clip_gradient_norm, scale_gradient
from lessons.kit.experiment import Program, Roles, run_of
from lessons.kit.gradients import gradient
from lessons.kit.inputs import array, series_by_role
from lessons.kit.nan_notes import not_finite_mask, notes_on_not_finite

WORDS = Words(__file__)


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
    arguments: Mapping[str, Any],
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


@lru_cache(maxsize=8)
def skipped(
    program: Program, x: tuple[float, ...], scale: float, tokens: int, narrow: str
) -> tuple[float, float]:
    """Take one step of a real GradScaler: how far its weights move, and its scale afterwards.

    The program, which scales and unscales by itself, is run with no scale of its own and no clip.
    """
    weight = torch.tensor(x, dtype=torch.float32, requires_grad=True)
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


_run = run_of("x", arguments=("tokens", "clip", "limit", "narrow"))


def run(settings: Settings) -> Start:
    """The learner's inputs, through float16 and back; the scale is a number like any other."""
    return _run(settings).but(scale=float(settings.scale))


def compute(program: Program, settings: Settings) -> Result:
    """The gradients at the learner's scale; over all scales, how much is left."""
    start = run(settings)
    arguments, dtype = start.arguments, start.leaves["x"].dtype
    x = torch.tensor(settings.x, dtype=torch.float64, device=start.leaves["x"].device)
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
            **_lengths(roles),
            "format": narrow,
            "smallest": in_powers(smallest(narrow)),
            "largest_said": _largest_said(narrow),
            "normal": in_powers(torch.finfo(getattr(torch, narrow)).smallest_normal),
            "first_true": in_powers(float(roles["true_gradient"].abs().max())),
        },
        more_facts=[partial(_scaler, program, settings)],
        # Always at least one line, so that the charts below it don't move with the scale.
        notes=(*(list(_not_finite(x, roles, settings)) or [Note("info", WORDS("finite"))]),),
        work=WORDS("work", gradients=WORDS.counted("gradients", len(x)), scales=MOST + 1),
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
    arguments: Mapping[str, Any],
    roles: Roles,
) -> Iterator[Series]:
    """The length of the gradient in each role, over the power of two.

    Args:
        program, x, dtype, arguments: as for ``over_scales``.
        roles: at the learner's scale; only the trick's gradient depends on it.
    """
    powers = np.arange(MOST + 1, dtype=np.float64)
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


def _lengths(roles: Roles) -> dict[str, float]:
    named = {"used": "trick_gradient", "true": "true_gradient", "right": "intended_gradient"}
    return {f"length_{name}": _length(array(roles[role])) for name, role in named.items()}


def _scaler(program: Program, settings: Settings) -> dict[str, float]:
    """The facts of torch's GradScaler: its start, and a step at these settings."""
    scale, tokens, narrow = float(settings.scale), settings.tokens, settings.narrow
    moved, after = skipped(program, settings.x, scale, tokens, narrow)
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
    known = (
        (everywhere, WORDS("already", beyond=beyond)),
        (x.abs() > most, WORDS("x_beyond", beyond=beyond)),
        (x.abs() > most**0.5, WORDS("square_beyond", beyond=beyond)),
    )
    if settings.clip != "none" and bool(not_finite_mask([roles["trick_gradient"]]).any()):
        yield Note("warning", WORDS("by_norm"))
    yield from notes_on_not_finite("x", x, roles, known, WORDS("scaled_beyond", beyond=beyond))


LESSON = Lesson(
    program=scaled,
    lab=Lab(WORDS, Settings, compute, table, CHARTS, start=run, direct_labels=True),
    predictions={"overflow": one_infinity},
    highlight="scale_gradient(loss, scale)",
    facts=(accumulated,),
)
