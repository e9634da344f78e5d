"""The charts and the table of gradients that pass float16 at a loss scale."""

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import torch

from lessons.chapters.gone_missing.scaled.settings import MOST, Settings
from lessons.contract.figure import SHORT, TALL, Figure, Table
from lessons.contract.result import Array, Result, Series
from lessons.contract.words import Words
from lessons.gradient_tricks.text import number
from lessons.kit.chart_pieces import Trace, dragged, in_words, marked, points, scatter, thin
from lessons.kit.components import MOST_NAMED, component_table
from lessons.kit.line_names import label, named
from lessons.kit.log_axis import LogAxis
from lessons.kit.titles import brief

WORDS = Words(__file__)

NAMES = {
    "true_gradient": WORDS("true"),
    "intended_gradient": WORDS("right"),
    "trick_gradient": WORDS("arrives"),
}
"""Each role's name here; drawn in this order, the trick on top."""

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
    inputs = [f"x = {number(x, 4)}" for x in settings.x]
    return component_table(result, names, inputs, WORDS("table"), WORDS("input"))


def _sizes(result: Result, settings: Settings) -> Figure:
    names = _drawn(settings)
    powers = LogAxis(_expected(result, settings), LOWEST, HIGHEST)
    many = len(settings.x)
    layout = powers.axes((0.4, many + 0.6), "x", WORDS("size"))
    if many <= MOST_NAMED:
        every = 1 if many <= MOST_NAMED // 2 else 2  # a phone has no room for all of them
        places = list(range(1, many + 1, every))
        marked(layout["xaxis"], places, [number(x, 4) for x in settings.x[::every]])
    ends = ((role, name, powers.of(result[role]).y) for role, name in names.items())
    arrived = result["trick_gradient"].y
    return WORDS.chart(
        "sizes",
        [
            *_window(settings, powers, many, layout),
            *(_marks(result[role], powers) for role in names),
            _words(result["trick_gradient"], powers),
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
    sizes = np.where(np.isfinite(series.y), powers.of(series).y, np.nan)
    drawn = replace(series, x=places, y=sizes)
    return points(drawn) | {
        "name": name,
        "hovertext": said,
        "hovertemplate": f"%{{hovertext}}<extra>{name}</extra>",
    }


def _words(series: Series, powers: LogAxis) -> Trace:
    """NaN and infinities, where they would be."""
    gone = ~np.isfinite(series.y)
    return scatter(
        "text",
        1.0 + np.flatnonzero(gone),
        np.full(int(gone.sum()), float(powers.high)),
        WORDS("not_finite"),
    ) | {
        "text": [number(float(one)) for one in series.y[gone]],
        "textposition": "middle center",
        "textfont": {"color": f"role:{series.role}", "size": 13},
        "hoverinfo": "skip",
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
    layout = powers.axes((0.0, float(MOST)), WORDS("scale"), WORDS("length"))
    marks = [0, 5, 10, 16, 20, 25, MOST]
    marked(layout["xaxis"], marks, ["1", *(f"2<sup>{power}</sup>" for power in marks[1:])])
    at = math.log2(settings.scale)
    here = dragged(thin([at, at], [-1e3, 1e3], WORDS("your_scale")), "line", scale="power_of_two")
    ends = ((role, name, powers.of(curves[role]).y) for role, name in names.items())
    used, right = (brief(result.number(f"length_{one}")) for one in ("used", "right"))
    lengths = (f"{name}: {number(_its_length(result, role), 4)}" for role, name in names.items())
    return WORDS.chart(
        "length",
        [
            here,
            *(trace for role in names for trace in powers.drawn(curves[role])),
            *named(ends, layout, SHORT),
        ],
        layout,
        used=used,
        right=right,
        lengths="; ".join(lengths),
    )


def _its_length(result: Result, role: str) -> float:
    names = {"trick_gradient": "used", "true_gradient": "true", "intended_gradient": "right"}
    return result.number(f"length_{names[role]}")


CHARTS = (_sizes, _lengths)
