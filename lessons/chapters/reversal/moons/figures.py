"""The moons lab's charts and tables."""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from lessons.chapters.reversal.moons.net import MOON, SIDE, SOURCE, UP
from lessons.contract.figure import Figure, Table
from lessons.contract.history import History
from lessons.contract.parameters import Values
from lessons.contract.result import Array, Result
from lessons.kit.chart_pieces import Trace, axes
from lessons.kit.components import component_table
from lessons.kit.line_names import label
from lessons.text import number
from lessons.training.step_charts import (
    Facts,
    arms_table,
    crowd,
    of,
    over_steps,
    step_axes,
)

HEIGHT = 400
_LISTED = 8  # units in the table
_AWAY = 99.0
"""Where the points of another kind lie: outside, so that each kind always has all of its points and
the browser can move them."""

# How the points look: the moon by the symbol, the domain by the colour.
_SYMBOLS = ("circle-open", "cross-thin-open")
_COLOURS = {"source": "role:noise", "target": "role:forward", "wrong": "role:trick_gradient"}


def figures(history: History, values: Values) -> list[Figure]:
    """The plane with the label head's boundary, the losses and the accuracies."""
    return [_plane(history), _losses(history), _accuracies(history)]


def table(history: History, values: Values) -> Table:
    """Both trainings as they stand: mean over the seeds, lowest and highest."""
    measures = {
        "target": "target accuracy",
        "source": "source accuracy",
        "domain": "domain head's accuracy",
        "label_loss": "label loss",
        "domain_loss": "domain loss",
    }
    roles = {"trick": "trick_gradient", "source_only": "true_gradient"}
    return arms_table(history, measures, roles, {"trick": "as wired", "source_only": "source only"})


def _plane(history: History) -> Figure:
    picture, facts = history.latest.picture, history.facts
    region: Trace = {
        "type": "scatter",
        "mode": "lines",
        "x": picture["region_x"],
        "y": picture["region_y"],
        "line": {"width": 0},
        "fill": "toself",
        "fillcolor": "ink:grid",
        "hoverinfo": "skip",
    }
    return Figure(
        "data",
        f"Right on the target, mean over the seeds: {_percent(facts, 'trick_target')}",
        f"Seed {int(picture['seed'][0])} is drawn. Circles and crosses are the two moons. "
        "In the shaded part the label head says cross. Orange: target points it gets wrong.",
        f"Two interleaved moons in two domains, and where the label head separates them after step "
        f"{history.done}. Of this and all other seeds, the label head is right on "
        f"{_percent(facts, 'trick_target')} of the target, on "
        f"{_percent(facts, 'source_only_target')} when trained on the source alone.",
        [region, *_crowds(picture["points"], picture["wrong"] > 0), *_named(picture["points"])],
        axes((-SIDE, SIDE), (-UP, UP), "x₁", "x₂"),
        height=HEIGHT,
        subject="Two moons in two domains",
    )


def _losses(history: History) -> Figure:
    names = {
        "trick_label_loss": ("forward", "label"),
        "source_only_domain_loss": ("true_gradient", "source only"),
        "trick_domain_loss": ("trick_gradient", "domain"),
    }
    facts = history.facts
    layout = step_axes(history, (0.0, 1.5), "loss")
    found = (number(of(facts, f"trick_{name}_loss"), 2) for name in ("label", "domain"))
    return Figure(
        "losses",
        "Label loss {}, domain loss {}".format(*found),
        "The label loss, and the domain loss: as wired, and trained on the source only. Means over "
        "the seeds.",
        f"Losses over the steps, means over the seeds. After step {history.done}: label loss "
        f"{number(of(facts, 'trick_label_loss'), 3)}, domain loss "
        f"{number(of(facts, 'trick_domain_loss'), 3)}, source only "
        f"{number(of(facts, 'source_only_domain_loss'), 3)}.",
        over_steps(history, names, layout, HEIGHT),
        layout,
        height=HEIGHT,
        subject="Losses",
    )


def _accuracies(history: History) -> Figure:
    names = {
        "trick_domain": ("noise", "domain head"),
        "source_only_target": ("true_gradient", "source only"),
        "trick_target": ("trick_gradient", "as wired"),
    }
    facts = history.facts
    layout = step_axes(history, (0.4, 1.02), "share right")
    alone, wired = (_percent(facts, f"{name}_target") for name in ("source_only", "trick"))
    return Figure(
        "accuracy",
        f"Right on the target: source only {alone}, as wired {wired}",
        "The label head on the target, trained on the source only and as wired. The domain head "
        "guesses at one half.",
        f"Accuracies over the steps, means over the seeds. After step {history.done}: target "
        f"{_percent(facts, 'trick_target')}, source only "
        f"{_percent(facts, 'source_only_target')}, domain head "
        f"{_percent(facts, 'trick_domain')}.",
        over_steps(history, names, layout, HEIGHT),
        layout,
        height=HEIGHT,
        subject="Accuracies",
    )


def _crowds(places: Array, wrong: npt.NDArray[np.bool_]) -> Iterator[Trace]:
    """The points by kind, at places of shape [2, 600]; which of them are called wrong."""
    moons = np.split(np.arange(places.shape[1]), range(MOON, 2 * SOURCE, MOON))
    for kind, symbol, moon in (
        *(("source", symbol, moon) for symbol, moon in zip(_SYMBOLS, moons[:2], strict=True)),
        *(("target", symbol, moon) for symbol, moon in zip(_SYMBOLS, moons[2:], strict=True)),
        *(("wrong", symbol, moon) for symbol, moon in zip(_SYMBOLS, moons[2:], strict=True)),
    ):
        seen = (kind == "source") | (wrong[moon] == (kind == "wrong"))
        x, y = np.where(seen, places[:, moon], _AWAY)
        yield crowd(kind, x, y, _COLOURS[kind], symbol, 6)


def _named(places: Array) -> Iterator[Trace]:
    """The names of the domains, each beside the point that lies farthest out."""
    for kind, part in zip(_COLOURS, np.split(places, 2, axis=1), strict=False):
        top = kind == "target"
        x, y = part[:, part[1].argmax() if top else part[0].argmin()]
        role = _COLOURS[kind].removeprefix("role:")
        yield label(role, kind, float(x), float(y), side="top center" if top else "middle left")


def static_figures(result: Result, values: Values) -> list[Figure]:
    """None: what the gradient is at one point stands in the graph and in the table."""
    return []


def static_table(result: Result, values: Values) -> Table:
    """The first units: feature and gradients."""
    labels = {"forward": "feature", "trick_gradient": "autograd"}
    labels |= {"true_gradient": "no trick", "intended_gradient": "intended"}
    names = [str(index + 1) for index in range(min(_LISTED, len(result["forward"].x)))]
    caption = f"One {values['whose']} point's features and gradients"
    return component_table(result, labels, names, caption, "unit", 4)


def _percent(facts: Facts, name: str) -> str:
    return f"{of(facts, name):.0%}"
