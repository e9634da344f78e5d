"""A policy loss whose ratio is 1 in the forward pass and carries the whole gradient."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np
import torch
from torch.nn import functional

from lessons.contract.figure import SHORT, TALL, Figure, Table
from lessons.contract.lab import Start
from lessons.contract.lesson import Lesson
from lessons.contract.result import Array, Note, Result, Series
from lessons.contract.settings import choice, numbers
from lessons.contract.words import Words
from lessons.gradient_tricks.text import number
from lessons.gradient_tricks.tricks import stop_gradient
from lessons.kit.chart_pieces import Trace, along_x, axes, cells, curve, fitted, scatter, span
from lessons.kit.components import component_figure
from lessons.kit.experiment import Experiment, Program, Trial
from lessons.kit.gradients import gradient
from lessons.kit.inputs import (
    ComputedIn,
    array,
    grid_around,
    inputs,
    leaf,
    place_of,
    point_in_text,
)
from lessons.kit.line_names import NAMES, lines, named
from lessons.kit.nan_notes import notes_on_not_finite
from lessons.kit.titles import brief

WORDS = Words(__file__)


class Settings(ComputedIn):
    form = choice("ratio", "plain", "no_stop")
    x = inputs("-1, 0.5, 2")
    advantages = numbers("1, -0.5, -0.5")
    point = point_in_text(1)


def value_one(x: torch.Tensor, advantages: torch.Tensor, form: str) -> torch.Tensor:
    logp = functional.logsigmoid(x)
    if form == "ratio":
        weight = torch.exp(logp - stop_gradient(logp))
    elif form == "no_stop":
        weight = torch.exp(logp - logp)
    else:
        weight = logp
    return -weight * advantages


def without_stop(x: torch.Tensor, advantages: torch.Tensor, form: str) -> torch.Tensor:
    """The same forward expression with no trick."""
    logp = functional.logsigmoid(x)
    return -(logp if form == "plain" else torch.exp(logp - logp)) * advantages


def run(settings: Settings) -> Start:
    """The start of a run that gives each token's part of the loss, at the learner's logits."""
    x = leaf(settings, "x")
    leaves = {"x": x.requires_grad_(), "advantages": advantages(settings).to(x)}
    return Start(leaves, {"form": settings.form}, (place_of(settings),))


def second(y: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """The second derivative of y with respect to x, entry by entry; zeros if no path leads back."""
    if not y.requires_grad:
        return torch.zeros_like(x)
    (first,) = torch.autograd.grad(y.sum(), x, create_graph=True, materialize_grads=True)
    return gradient(first, x).detach()


def second_on_average(program: Program, x: torch.Tensor, form: str) -> torch.Tensor:
    """The second derivative of the loss, on average over both tokens that can be sampled.

    Args:
        program: the loss of one sampled token.
        x: how far the first token is ahead, shape [n]; its advantage is 1, the other's is 0.
        form: of the loss.

    Returns:
        Shape [n]: each token's second derivative, weighted by its probability.
    """
    x = x.detach().requires_grad_()
    first = second(program(x, torch.ones_like(x), form), x)
    other = second(program(-x, torch.zeros_like(x), form), x)
    p = torch.sigmoid(x.detach())
    return p * first + (1 - p) * other


def second_of_expected(x: torch.Tensor) -> torch.Tensor:
    """The second derivative of the expected loss itself: minus the first token's probability."""
    x = x.detach().requires_grad_()
    return second(-torch.sigmoid(x), x)


SECOND_AT = -1.0
"""The lead at which the second derivatives are quoted."""

SECOND_REACH = 6.0
"""The reach of the chart of second derivatives on both sides of 0."""

STORED, NOW = -1.2, -0.7
"""The log-probability when the last question's token was sampled, and after an update."""
PPO_CLIP = 0.2
"""The distance from 1 at which PPO's loss clips the ratio."""


def of_the_loss(trial: Trial[Settings]) -> Mapping[str, float | str]:
    """The loss and the chosen token's part in it."""
    settings, place = trial.settings, place_of(trial.settings)
    points, given = torch.tensor(settings.x, dtype=torch.float64), advantages(settings)
    added, slopes = (trial.roles[role].cpu().double() for role in ("forward", "trick_gradient"))
    return {
        "token": place + 1,
        "tokens": len(points),
        "p": float(torch.sigmoid(points[place])),
        "advantage": float(given[place]),
        "minus_advantage": -float(given[place]),
        "weight": WORDS("log_p") if settings.form == "plain" else "e⁰ = 1",
        "loss": float(added.sum()),
        "printed": str(float(f"{-float((-added).mean()):.3g}")),
        "trick_gradient_length": math.hypot(*slopes.tolist()),
    }


def advantages(settings: Settings) -> torch.Tensor:
    """One advantage for each logit, float64: missing ones are 0, surplus ones are dropped."""
    many = len(settings.x)
    given = [*settings.advantages, *[0.0] * many][:many]
    return torch.tensor(given, dtype=torch.float64)


def _curves(trial: Trial[Settings]) -> Iterator[Series]:
    """A token's part over its logit, one for each advantage; the second derivatives over its lead.

    These are by autograd, of the expected loss, and of the value.
    """
    program, settings, form = trial.program, trial.settings, trial.settings.form
    grid = grid_around(torch.tensor(settings.x, dtype=torch.float64))
    x = grid.to(trial.leaf("x"))
    given = advantages(settings).tolist()[:MOST_LINES]
    for which, advantage in enumerate(dict.fromkeys(given), start=1):
        with torch.no_grad():
            same = torch.full(x.shape, advantage, dtype=torch.float64).to(x)
            added = program(x, same, form)
        yield Series(f"value_{which}", "forward", array(grid), array(added))
    x = torch.linspace(-SECOND_REACH, SECOND_REACH, 121, dtype=torch.float64).to(x)
    found = {
        "trick_gradient": second_on_average(program, x, form),
        "intended_gradient": second_of_expected(x),
        "true_gradient": second_on_average(without_stop, x, form),
    }
    for role, y in found.items():
        yield Series(f"second_{role}", role, array(x), array(y))


def _quoted(program: Program) -> Mapping[str, float]:
    """The second derivatives at one lead, whichever form is chosen."""
    x = torch.tensor([SECOND_AT], dtype=torch.float64)
    return {
        "second_at": SECOND_AT,
        "second_ratio": float(second_on_average(program, x, "ratio")[0]),
        "second_plain": float(second_on_average(program, x, "plain")[0]),
        "second_true": float(second_of_expected(x)[0]),
    }


def _later() -> Mapping[str, float]:
    """The ratio to a stored log-probability after an update, and its slope with respect to logp."""
    logp = torch.tensor(NOW, dtype=torch.float64, requires_grad=True)
    ratio = torch.exp(logp - STORED)
    (slope,) = torch.autograd.grad(ratio, logp, retain_graph=True)
    clipped = torch.minimum(ratio, ratio.clamp(1 - PPO_CLIP, 1 + PPO_CLIP))  # advantage 1
    (left,) = torch.autograd.grad(clipped, logp)
    return {
        "later_stored": STORED,
        "later_now": NOW,
        "later_slope": float(slope),
        "later_ratio": float(ratio.detach()),
        "later_gap": NOW - STORED,
        "later_lowest": 1 - PPO_CLIP,
        "later_limit": 1 + PPO_CLIP,
        "later_clipped": float(left),
    }


def _notes(trial: Trial[Settings]) -> Iterator[Note]:
    """Notes on lists of different lengths, and on numbers that are not finite."""
    settings = trial.settings
    few, many = len(settings.advantages), len(settings.x)
    given = WORDS(
        "advantages_given",
        advantages=WORDS.counted("advantages", few),
        logits=WORDS.counted("logits", many),
    )
    if few < many:
        yield Note("info", WORDS("others_zero", given=given))
    elif few > many:
        yield Note("info", WORDS("left_out", given=given))
    points = torch.tensor(settings.x, dtype=torch.float64)
    causes = (
        (functional.logsigmoid(trial.leaf("x")).isinf(), WORDS("logp_not_finite")),
        (trial.roles["forward"].isinf(), WORDS("value_not_finite")),
    )
    unknown = WORDS("too_large")
    yield from notes_on_not_finite("x", points, trial.roles, causes, otherwise=unknown)


EXPERIMENT = Experiment(
    run,
    plain=without_stop,
    # Minus the advantage times the derivative of log sigmoid(x).
    intended=lambda x, advantages, form: -advantages * torch.sigmoid(-x),
    along="x",
    curves=_curves,
    notes=_notes,
    facts=(of_the_loss,),
    work=lambda settings: WORDS.counted("tokens", len(settings.x)),
)


LABELS = {
    "trick_gradient": NAMES["trick_gradient"],
    "intended_gradient": WORDS("of_logp"),
    "true_gradient": WORDS("of_the_value"),
}
"""The name of each gradient here."""

SECOND = LABELS | {"intended_gradient": WORDS("expected_loss")}
"""The function of each second derivative."""

MOST_LINES = 6
"""Tokens whose value is drawn over their logit; the points of all are drawn."""

_TANGENT = 0.09
"""Half the width of a slope's stroke, as a share of the axis."""


def table(result: Result, settings: Settings) -> Table:
    """One row a token."""
    columns: list[tuple[str, str | None]] = [
        (name, None)
        for name in (WORDS("token"), WORDS("logit_x"), WORDS("probability"), WORDS("advantage"))
    ]
    columns += [(WORDS("adds"), "forward"), *((name, role) for role, name in LABELS.items())]
    rows, weights = [], advantages(settings).tolist()
    for place, x in enumerate(result["forward"].x):
        p = 1 / (1 + np.exp(-np.clip(x, -700, 700)))
        given = (number(float(one), 5) for one in (x, p, weights[place]))
        rows.append((str(place + 1), *given, *cells(result, ["forward", *LABELS], place, 6)))
    return Table(WORDS("table"), tuple(columns), tuple(rows))


def _values(result: Result, settings: Settings) -> Figure:
    drawn = [one for one in result.curves if one.name.startswith("value_")]
    ends = span(drawn[0])
    strokes = _strokes(result, ends)
    heights = fitted([*(line.y for line in drawn), result["forward"].y, strokes["y"]], 1e-3)
    layout = axes(ends, heights, WORDS("logit_x"), WORDS("adds"))
    added = ", ".join(number(float(y), 4) for y in result["forward"].y[:8])
    chart = WORDS.chart(
        "values",
        [
            *(curve(line, exact=True) for line in drawn),
            *named(_ends(settings, drawn), layout, TALL),
            strokes,
            along_x(result["forward"]),
        ],
        layout,
        TALL,
        token=result.facts["token"],
        value=brief(result.number("forward")),
        slope=brief(result.number("trick_gradient")),
        added=added,
    )
    return replace(chart, selects="point")


def _ends(settings: Settings, drawn: list[Series]) -> Iterator[tuple[str, str, Array]]:
    """The advantage that each line belongs to and its tokens, to stand at its end."""
    tokens: dict[float, list[str]] = {}
    for place, advantage in enumerate(advantages(settings).tolist()[:MOST_LINES], start=1):
        tokens.setdefault(advantage, []).append(str(place))
    for line, (advantage, whose) in zip(drawn, tokens.items(), strict=True):
        shown = WORDS("line_name", advantage=number(advantage, 3), tokens=", ".join(whose))
        yield "forward", shown, line.y


def _strokes(result: Result, ends: tuple[float, float]) -> Trace:
    """A short stroke through each point, with the slope that autograd gives there."""
    half = _TANGENT * (ends[1] - ends[0])
    x, y, slope = result["forward"].x, result["forward"].y, result["trick_gradient"].y
    gap = np.full_like(x, np.nan)
    with np.errstate(over="ignore", invalid="ignore"):  # a note says what is not finite
        rises = np.stack([y - slope * half, y + slope * half, gap], 1)
    return scatter(
        "lines",
        np.stack([x - half, x + half, gap], 1).ravel(),
        rises.ravel(),
        LABELS["trick_gradient"],
    ) | {
        "line": {"color": "role:trick_gradient", "width": 4, "simplify": False},
        "hoverinfo": "skip",
    }


def _gradients(result: Result, settings: Settings) -> Figure:
    names = [WORDS("token_n", n=place + 1) for place in range(len(result["forward"].x))]
    place = np.arange(1.0, len(names) + 1)
    numbered = Result(series=tuple(replace(result[role], x=place) for role in LABELS))
    total, size = result.number("loss"), float(np.abs(result["forward"].y).sum())
    return component_figure(
        WORDS,
        "gradient",
        numbered,
        LABELS,
        names,
        y=WORDS("gradient_axis"),
        loss=brief(total, size if np.isfinite(size) else 0.0),
        length=brief(result.number("trick_gradient_length")),
    )


def _second(result: Result, settings: Settings) -> Figure:
    curves = {one.role: one for one in result.curves if one.name.startswith("second_")}
    known = {role: curves[role] for role in SECOND}
    layout = axes(
        span(known["trick_gradient"]),
        fitted([one.y for one in known.values()]),
        WORDS("logit_x"),
        WORDS("second_axis"),
    )
    middle = len(known["trick_gradient"].x) // 3
    words = ", ".join(
        f"{SECOND[role]} {number(float(one.y[middle]), 3)}" for role, one in known.items()
    )
    at = number(float(known["trick_gradient"].x[middle]), 3)
    trick, true = known["trick_gradient"].y, known["intended_gradient"].y
    off, size = float(np.abs(trick - true).max()), float(np.abs(true).max())
    drawn = lines(known, SECOND, layout, SHORT)
    return WORDS.chart("second", drawn, layout, off=brief(off, size), at=at, ends=words)


LESSON = Lesson(
    program=value_one,
    lab=EXPERIMENT.lab(WORDS, Settings, table, (_values, _gradients, _second), direct_labels=True),
    facts=(_quoted, _later),
    highlight="torch.exp(logp - stop_gradient(logp))",
)
