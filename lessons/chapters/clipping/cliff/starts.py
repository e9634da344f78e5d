"""Charts and table of many descents at once: where they stand, and how many have arrived."""

import numpy as np
import numpy.typing as npt

from lessons.chapters.clipping.cliff.looks import HEIGHT, LOOKS
from lessons.chapters.clipping.cliff.recurrent import ARMS, WHOLE, Window
from lessons.contract.figure import Figure, Table
from lessons.contract.history import History
from lessons.contract.parameters import Values
from lessons.contract.result import Array
from lessons.kit.chart_pieces import Trace, axes
from lessons.training.step_charts import over_steps, step_axes, with_ends

_NOWHERE = 0.0
"""A w and a b far from the window: points of another kind lie there, so that each kind always has
all points and the charts can move them without being drawn anew."""


def run_figures(history: History, values: Values) -> list[Figure]:
    """The share that has arrived, and where the starts of one seed are, arm by arm."""
    return [_shares(history), *(_starts(history, arm) for arm in ("none", "value", "norm"))]


def run_table(history: History, values: Values) -> Table:
    """Shares of the starts: mean over the seeds, lowest and highest seed."""
    facts = history.facts
    rows = []
    for label, what in (
        ("in the valley, never left the window", "stayed"),
        ("in the valley, however it got there", "reached"),
        ("left the window at some time", "left"),
    ):
        rows.append((label, *(with_ends(facts, f"{arm}_{what}") for arm in LOOKS)))
    columns = (("measure", None), *((name, role) for role, name in LOOKS.values()))
    return Table(
        f"After update {history.done:,}, share of the starts: mean over the seeds (lowest to "
        "highest seed)",
        columns,
        tuple(rows),
    )


def _shares(history: History) -> Figure:
    facts = history.facts
    shares = ", ".join(
        f"{name} {float(facts[f'{arm}_stayed']):.0%}" for arm, (_, name) in LOOKS.items()
    )
    lines = {f"{arm}_stayed": look for arm, look in LOOKS.items()}
    layout = step_axes(history, (0.0, 1.02), "share of the starts")
    return Figure(
        "shares",
        f"In the valley: {shares}",
        "Without ever leaving the window. Means over the seeds; areas: 5 to 95 % of the seeds.",
        f"Shares of the starts over the updates. After update {history.done}: {shares}.",
        over_steps(history, lines, layout, HEIGHT),
        layout,
        height=HEIGHT,
        subject="Starts that have reached the valley",
    )


def _starts(history: History, arm: str) -> Figure:
    picture, facts = history.latest.picture, history.facts
    index = ARMS.index(arm)
    places = picture["places"][:, index]
    arrived, escaped = picture["arrived"][index] > 0, picture["left"][index] > 0
    role, name = LOOKS[arm]
    kinds = (
        ("on the way", ~arrived, "ink:muted", "circle-open", 4),
        (
            "in the valley after a jump out of the window",
            arrived & escaped,
            "ink:text",
            "x-thin-open",
            6,
        ),
        ("in the valley", arrived & ~escaped, f"role:{role}", "circle", 5),
    )
    stayed, out = (float(facts[f"{arm}_{what}"]) for what in ("stayed", "left"))
    return Figure(
        f"starts_{arm}",
        f"{name[0].upper()}{name[1:]}: {stayed:.0%} in the valley, {out:.0%} left",
        f"The starts of seed {int(picture['seed'][0])}. Filled: in the valley. Crosses: there "
        "after having left the window. The title is of all seeds.",
        f"The starts of one seed after update {history.done}, {name}. Over all seeds {stayed:.0%} "
        f"have reached the valley without leaving the window; {out:.0%} have left it.",
        [_crowd(*kind, places=places) for kind in kinds],
        axes(*_frame(places), "w", "b"),
        height=HEIGHT - 40,
        subject=f"{name[0].upper()}{name[1:]}: all starts",
    )


def _frame(places: Array) -> Window:
    """The window, or the part of it where the starts have gathered: its ends move in eighths."""
    ends = np.array(WHOLE)
    inside = np.all((ends[:, 0] <= places.T) & (ends[:, 1] >= places.T), axis=1)
    if not inside.any():
        return WHOLE
    step = (ends[:, 1] - ends[:, 0]) / 8
    low = np.floor((places.T[inside].min(0) - ends[:, 0]) / step - 0.1)
    high = np.ceil((places.T[inside].max(0) - ends[:, 0]) / step + 0.1)
    ways = zip(ends[:, 0], step, np.maximum(low, 0), np.minimum(high, 8), strict=True)
    w, b = ((float(s + a * d), float(s + z * d)) for s, d, a, z in ways)
    return w, b


def _crowd(
    name: str, which: npt.NDArray[np.bool_], colour: str, symbol: str, size: float, places: Array
) -> Trace:
    """The points of one kind; the others lie far outside."""
    w, b = np.where(which & np.all(np.isfinite(places), axis=0), places, _NOWHERE)
    return {
        "type": "scatter",
        "mode": "markers",
        "name": name,
        "x": w,
        "y": b,
        "marker": {"color": colour, "symbol": symbol, "size": size, "line": {"width": 1}},
        "hovertemplate": f"w %{{x:.3g}}, b %{{y:.3g}}<extra>{name}</extra>",
    }
