"""Clipping of NaN and of infinities."""

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import torch

from lessons.contract.figure import TALL, Figure, Table
from lessons.contract.lab import Start
from lessons.contract.lesson import Lesson
from lessons.contract.result import Note, Result
from lessons.contract.settings import choice, numbers, slider
from lessons.contract.words import Words
from lessons.gradient_tricks.text import number
from lessons.gradient_tricks.tricks import clip_gradient, clip_gradient_norm
from lessons.kit.chart_pieces import limits
from lessons.kit.components import MOST_NAMED, component_figure, component_table
from lessons.kit.experiment import Experiment, Program, Trial, run_of
from lessons.kit.gradients import gradient
from lessons.kit.inputs import ComputedIn, point_in_text
from lessons.kit.nan_notes import not_finite_mask, notes_on_not_finite, too_large

WORDS = Words(__file__)


def not_finite(w: torch.Tensor, root: str, clip: str, limit: float) -> torch.Tensor:
    if clip == "value":
        w = clip_gradient(w, -limit, limit)
    elif clip == "norm":
        w = clip_gradient_norm(w, limit)
    if root == "plain":
        return torch.sqrt(w)
    if root == "where":
        return torch.where(w > 0, torch.sqrt(w), 0.0)
    inside = torch.where(w > 0, w, 1.0)  # a harmless input for the branch that is not taken
    return torch.where(w > 0, torch.sqrt(inside), 0.0)


def one_infinity(result: Result) -> str:
    """Grade what clipping by norm leaves of a gradient with one infinity in it."""
    first, last = result.numbers("inf_norm_first", "inf_norm_last")
    if math.isnan(first):
        return "all"
    if first == 0:
        return "rest"
    return "limit" if math.isfinite(last) else "same"


def finite_part(slopes: torch.Tensor, clip: str, limit: float) -> torch.Tensor:
    """The intended result of a clip: 0 for a slope that is not finite, the others clipped alone."""
    kept = torch.where(slopes.isfinite(), slopes, 0.0)
    if clip == "value":
        return kept.clamp(-limit, limit)
    if clip == "norm":
        length = float(kept.double().norm())
        return kept * min(1.0, limit / length) if length else kept
    return kept


def before_clipping(w: torch.Tensor, **given: Any) -> torch.Tensor:
    """The roots with no clip. Their gradient has the NaNs and infinities that reach a clip."""
    return not_finite(w, **{**given, "clip": "none"})


def meant(w: torch.Tensor, root: str, clip: str, limit: float) -> torch.Tensor:
    """The finite part of the gradient before clipping, clipped."""
    w.requires_grad_()
    slopes = gradient(before_clipping(w, root=root, limit=limit), w)
    return finite_part(slopes, clip, limit)


EXAMPLE = (4.0, 1.0, 0.25, 0.0)
"""The inputs that the facts speak of: the last one has no finite slope."""


class Settings(ComputedIn):
    root = choice("plain", "where", "safe")
    clip = choice("none", "value", "norm")
    limit = slider(1, 0, 3, 0.05, accepts=(0, 1e6))
    w = numbers(", ".join(f"{value:g}" for value in EXAMPLE), most=64)
    point = point_in_text(4, of="w", most=64)


LABELS = {
    "true_gradient": WORDS("before"),
    "trick_gradient": WORDS("after"),
    "intended_gradient": WORDS("finite_part"),
}


def _slopes(result: Result, settings: Settings) -> Figure:
    """The slopes in their roles."""
    shown = [number(value, 4) for value in settings.w]
    slopes = component_figure(
        WORDS,
        "gradient",
        result,
        LABELS,
        shown,
        y="dy/dw",
        height=TALL,
        before=_finite(result, "true_gradient"),
        after=_finite(result, "trick_gradient"),
    )
    title = "w" if len(shown) <= MOST_NAMED else WORDS("place")
    slopes.layout["xaxis"]["title"]["text"] = title
    limit = limits(settings.limit, tuple(slopes.layout["xaxis"]["range"]), "limit")
    slopes.data.append(limit | {"visible": settings.clip != "none"})
    return slopes


def table(result: Result, settings: Settings) -> Table:
    """One row an input."""
    shown = {"forward": WORDS("forward_y"), **LABELS}
    names = [f"w = {number(value, 4)}" for value in settings.w]
    return component_table(result, shown, names, WORDS("table"))


def _finite(result: Result, name: str) -> str:
    y = result[name].y
    return WORDS("finite_of", finite=int(np.isfinite(y).sum()), all=len(y))


def _example(program: Program) -> dict[str, float]:
    """Slopes of the example's first and last input; √ sends an infinity to the last one."""
    w = torch.tensor(EXAMPLE, dtype=torch.float64, requires_grad=True)

    def slopes(root: str, clip: str) -> list[float]:
        start = Start({"w": w}, {"root": root, "clip": clip, "limit": 1.0})
        found: list[float] = EXPERIMENT.by_role(program, start)["trick_gradient"].tolist()
        return found

    clipped = slopes("plain", "norm")
    return {
        "inf_none_first": slopes("plain", "none")[0],
        "inf_norm_first": clipped[0],
        "inf_norm_last": clipped[-1],
        "nan_none_last": slopes("where", "none")[-1],
    }


def _by_hand() -> Mapping[str, float | str]:
    """Gradients at 0: of a length and a spread by torch; by hand, ``slope_…`` of each option."""

    def slope(f: Callable[[torch.Tensor], torch.Tensor], start: float = 0.0) -> float:
        d = torch.full((3,), start, dtype=torch.float64, requires_grad=True)
        return float(gradient(f(d), d)[0])

    def squares(d: torch.Tensor) -> torch.Tensor:
        return (d * d).sum()

    lines = {
        "fixed": slope(lambda d: squares(d).sqrt().nan_to_num()),
        "chosen": slope(lambda d: torch.where(squares(d) > 0, squares(d).sqrt(), 0.0)),
        "later": slope(lambda d: squares(d).sqrt() + 1e-12),
        "inside": slope(lambda d: (squares(d) + 1e-12).sqrt()),
    }
    return {
        "hand_length": number(slope(lambda d: squares(d).sqrt())),
        "torch_length": number(slope(torch.linalg.vector_norm)),
        "torch_spread": number(slope(torch.std, 1.0)),
        **{f"slope_{line}": value for line, value in lines.items()},
        "slope_finite": next(filter(math.isfinite, lines.values())),
        **{f"dist_{line}": number(value) for line, value in lines.items()},
    }


def _trained(program: Program) -> Mapping[str, int]:
    """Count the weights that are NaN after each of two steps, clipped by norm."""
    w = torch.tensor(EXAMPLE, dtype=torch.float64)
    bad = []
    for _ in range(2):
        w.requires_grad_()
        w = (w - 0.1 * gradient(program(w, "plain", "norm", 1.0).sum(), w)).detach()
        bad.append(int(w.isnan().sum()))
    return {"weights": len(w), "bad_after_1": bad[0], "bad_after_2": bad[1]}


def _not_finite(trial: Trial[Settings]) -> Iterator[Note]:
    """Notes on numbers that are not finite: each reason with its inputs."""
    w, roles, settings = trial.leaf("w"), trial.roles, trial.settings
    trick = roles["trick_gradient"]
    plain = settings.root == "plain"
    where = (settings.root == "where") & (w <= 0)
    known = (
        ((w < 0) & plain, WORDS("below_zero")),
        ((w == 0) & plain, WORDS("at_zero")),
        (where, WORDS("other_branch")),
        too_large("w", w),
    )
    yield from notes_on_not_finite("w", w, roles, known)
    unexplained = not_finite_mask(roles.values()) & ~torch.stack([mask for mask, _ in known]).any(0)
    if settings.clip == "norm" and not trick.isfinite().all():
        yield Note("warning", WORDS("norm_not_finite"))
    elif unexplained.any():
        yield Note("warning", WORDS("step_too_large"))


EXPERIMENT = Experiment(
    run_of("w", arguments=("root", "clip", "limit")),
    plain=before_clipping,
    intended=meant,
    notes=_not_finite,
    work=lambda settings: WORDS.counted("inputs", len(settings.w)),
)

LESSON = Lesson(
    program=not_finite,
    lab=EXPERIMENT.lab(WORDS, Settings, table, (_slopes,), direct_labels=True),
    predictions={"infinity": one_infinity},
    facts=(_example, _by_hand, _trained),
    highlight="return torch.where(w > 0, torch.sqrt(w), 0.0)",
)
