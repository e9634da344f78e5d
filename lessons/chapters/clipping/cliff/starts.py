"""Charts and table of many descents at once: where they stand, and how many have arrived."""

import numpy as np
import numpy.typing as npt

from lessons.chapters.clipping.cliff.looks import HEIGHT, LOOKS, ROLE_OF
from lessons.chapters.clipping.cliff.recurrent import ARMS, WHOLE
from lessons.contract.figure import Figure, Table
from lessons.contract.history import History
from lessons.contract.parameters import Values
from lessons.contract.result import Array
from lessons.kit.chart_pieces import Trace, axes
from lessons.training.drawing import over_steps, step_axes, with_ends

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
    said = ", ".join(
        f"{name} {float(facts[f'{arm}_stayed']):.0%}" for arm, (_, name) in LOOKS.items()
    )
    return Figure(
        "shares",
        "Starts that have reached the valley and never left the window",
        "Dotted: no clipping. Solid: by value. Dashed: by norm. Means over the seeds; areas: 5 to "
        "95 % of the seeds.",
        f"Shares of the starts over the updates. After update {history.done}: {said}.",
        over_steps(history, {f"{arm}_stayed": role for arm, role in ROLE_OF.items()}),
        step_axes(history, (0.0, 1.02), "share of the starts"),
        height=HEIGHT,
    )


def _starts(history: History, arm: str) -> Figure:
    picture, facts = history.latest.picture, history.facts
    index = ARMS.index(arm)
    places = picture["places"][:, index]
    arrived, left = picture["arrived"][index] > 0, picture["left"][index] > 0
    role, name = LOOKS[arm]
    kinds = (
        ("on the way", ~arrived, "ink:muted", "circle-open", 4),
        (
            "in the valley after a jump out of the window",
            arrived & left,
            "ink:text",
            "x-thin-open",
            6,
        ),
        ("in the valley", arrived & ~left, f"role:{role}", "circle", 5),
    )
    stayed, out = (float(facts[f"{arm}_{what}"]) for what in ("stayed", "left"))
    return Figure(
        f"starts_{arm}",
        f"{name[0].upper()}{name[1:]}: all starts, seed {int(picture['seed'][0])}",
        f"Filled: in the valley. Crosses: there after having left the window. {out:.0%} of all "
        "seeds' starts have left it.",
        f"The starts of one seed after update {history.done}, {name}. Over all seeds {stayed:.0%} "
        f"have reached the valley without leaving the window; {out:.0%} have left it.",
        [_crowd(*kind, places=places) for kind in kinds],
        axes(*WHOLE, "w", "b"),
        height=HEIGHT - 40,
    )


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
