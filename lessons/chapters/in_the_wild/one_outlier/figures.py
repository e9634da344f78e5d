"""The charts and the table of a batch with one bad label."""

import math

import numpy as np

from lessons.chapters.in_the_wild.one_outlier.batch import Settings
from lessons.contract.figure import Figure, Table
from lessons.contract.result import Array, Result
from lessons.contract.words import Words
from lessons.gradient_tricks.text import number
from lessons.kit.arrows import arrow, in_words, measured
from lessons.kit.chart_pieces import Trace, axes, cells, covered_with, dragged, scatter, thin
from lessons.kit.line_names import label, second_name
from lessons.kit.titles import brief

WORDS = Words(__file__)

NAMES = {
    "true_gradient": (WORDS("no_clip"), "plain"),
    "intended_gradient": (WORDS("without_sample"), "clean"),
    "trick_gradient": (WORDS("used"), "used"),
}
"""Each role's name here, and the ending of its facts' names; drawn in this order, trick on top."""

HEIGHT = 345
"""Pixels: the arrows get a square."""


def table(result: Result, settings: Settings) -> Table:
    """Components, length and angle of each mean gradient."""
    columns = [(WORDS("measure"), None), *((name, role) for role, (name, _) in NAMES.items())]
    rows = [(WORDS("of_w", place="₁₂"[at]), *cells(result, NAMES, at, 5)) for at in (0, 1)]
    rows += measured(result, NAMES)
    return Table(WORDS("table"), tuple(columns), tuple(rows))


def _arrows(result: Result, settings: Settings) -> Figure:
    limit = settings.limit
    x, y = _frame(result, limit)
    layout = axes(x, y, WORDS("gradient_1"), WORDS("gradient_2"))
    layout["yaxis"] |= {"scaleanchor": "x", "scaleratio": 1}
    around = np.linspace(0.0, 2 * math.pi, 121)
    circle = thin(limit * np.cos(around), limit * np.sin(around), "limit", "solid")
    clipped = settings.clip == "sample"
    tells = ["trick_gradient"] if clipped else []  # what is used is the mean of the clipped ones
    data = [
        dragged(circle, "line", limit="length"),
        covered_with(_rays(result.planes["samples"]), *tells),
        *(arrow(result, role, NAMES[role]) for role in NAMES),
        covered_with(_its_name(result, layout), *tells),
        *(_tip(result, role, layout) for role in NAMES),
    ]
    turned = result.number("turn_used")
    return WORDS.chart(
        "arrows",
        data,
        layout,
        HEIGHT,
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


def _within(vector: Array, layout: Trace, share: float) -> tuple[float, float]:
    """The vector's tip, or where it would leave the frame, that share of the way."""
    factor = 1.0
    for one, axis in zip(vector, ("xaxis", "yaxis"), strict=True):
        end = layout[axis]["range"][1 if one > 0 else 0]
        if one:
            factor = min(factor, share * end / float(one))
    return float(vector[0]) * factor, float(vector[1]) * factor


def _leaves(vector: Array, layout: Trace) -> bool:
    """Test whether an arrow's name lies along the arrow, not at its tip."""
    return math.hypot(*_within(vector, layout, 0.7)) < 0.7 * math.hypot(*vector)


def _falls(ray: Array, other: Array) -> bool:
    """Test whether a line falls to the right; the other one decides if it is level or upright."""
    slope = float(ray[0] * ray[1])
    return (slope if abs(slope) > 0.03 * float(ray @ ray) else float(other[0] * other[1])) < 0


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
    x, y = _within(shown, layout, 0.45)
    longest = float(np.hypot(*result.planes["raw"][1:].T).max())
    words = WORDS("bad", length=brief(math.hypot(*raw)))
    if not np.allclose(shown, raw):
        words += f" → {brief(math.hypot(*shown))}"
    stands_out = math.hypot(*raw) > longest
    falls = _falls(shown, result["true_gradient"].y)
    side = (
        ("top right" if falls else "bottom right")
        if x > 0
        else "bottom left"
        if falls
        else "top left"
    )
    trace = label("noise", words, x, y, side, stands_out)
    return trace | {"textfont": {"color": "ink:muted", "size": 12}}


def _tip(result: Result, role: str, layout: Trace) -> Trace:
    """Its name: at its tip, or where it leaves the frame with its length.

    With no clip the used gradient is the batch's own: both names stand at one arrow.
    """
    vector, clean = result[role].y, result["intended_gradient"].y
    used, plain = (result[one].y for one in ("trick_gradient", "true_gradient"))
    same = np.allclose(used, plain, rtol=1e-6)
    x, y = _within(vector, layout, 0.7)
    beyond = _leaves(vector, layout)
    name, fact = NAMES[role]
    words = f"= {name}" if same and role == "trick_gradient" else name
    if beyond:
        words += f" {brief(result.number(f'length_{fact}'))}"
    else:
        x, y = (float(one) for one in vector)
    # Away from the arrow “without it”, whose name stands to the right of its tip.
    above = clean[0] * vector[1] - clean[1] * vector[0] > 0
    side = "middle right" if role == "intended_gradient" else "bottom right"
    if beyond:  # off the arrow, and inside the frame
        side = ("bottom left" if y < 0 else "top left") if x > 0 else "top right" if y > 0 else side
    elif above and not beyond and side == "bottom right":
        side = "top left" if vector[0] > 0 else "top right"  # the bad sample's name is on the left
    # Two that leave the frame in one direction would have their names at one place.
    across = abs(used[0] * plain[1] - used[1] * plain[0])
    both_leave = _leaves(used, layout) and _leaves(plain, layout)
    if role == "trick_gradient" and (same or (both_leave and across < 0.1 * used @ plain)):
        words, side = second_name(words, side)
    return label(role, words, x, y, side)


CHARTS = (_arrows,)
