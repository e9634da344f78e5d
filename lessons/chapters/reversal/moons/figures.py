"""The moons lab's charts and tables: as it trains, and before the first step."""

import numpy as np

from lessons.chapters.reversal.moons.net import MOON, SOURCE
from lessons.contract.figure import Figure, Table
from lessons.contract.history import History
from lessons.contract.parameters import Values
from lessons.contract.result import Array, Result
from lessons.contract.roles import GRADIENTS
from lessons.kit.chart_pieces import Trace, axes, fitted, gradient_points, spoken
from lessons.kit.components import component_table
from lessons.kit.findings import of_points, titled
from lessons.text import number
from lessons.training.step_charts import (
    Facts,
    arms_table,
    crowd,
    line,
    of,
    over_steps,
    reach,
    step_axes,
)

HEIGHT = 280
SIDE = 3.7
"""How far the plane is drawn on each side of the middle."""
_LISTED = 8  # units in the table

# Whose gradient it is at a point, and what is intended; a target point has no label.
_MEANT = {
    "target": ("the domain loss's", "−λ times it"),
    "source": ("both losses'", "the label loss's and −λ times the domain loss's"),
}

# How the four kinds of points look: the moon by the symbol, the domain by the colour.
_KINDS = (
    ("source, first moon", "ink:muted", "circle-open"),
    ("source, second moon", "ink:muted", "cross-thin-open"),
    ("target, first moon", "role:forward", "circle-open"),
    ("target, second moon", "role:forward", "cross-thin-open"),
)


def figures(history: History, values: Values) -> list[Figure]:
    """The plane with both boundaries, the features, the losses and the accuracies."""
    return [_plane(history), _features(history), _losses(history), _accuracies(history)]


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
    data = [
        *_crowds(picture["points"]),
        line(
            "labels, source only",
            picture["source_only_x"],
            picture["source_only_y"],
            "role:true_gradient",
            "dot",
            2,
        ),
        line("domain boundary", picture["domain_x"], picture["domain_y"], "ink:muted", "dash", 2),
        line(
            "label boundary",
            picture["label_x"],
            picture["label_y"],
            "role:trick_gradient",
            "solid",
            3,
        ),
    ]
    return Figure(
        "data",
        f"Right on the target: {_percent(facts, 'trick_target')}",
        f"Seed {int(picture['seed'][0])}; the title is of all. Grey: source, which has "
        "labels. Blue: target, which has none. Circles and crosses: the "
        "two moons. Thick: where the label head decides. Dotted: the same, trained on the source "
        "alone. Dashed: where the domain head decides.",
        f"Two interleaved moons in two domains and the boundaries between them after step "
        f"{history.done}. Of this and all other seeds, the label head is right on "
        f"{_percent(facts, 'trick_target')} of the target, on "
        f"{_percent(facts, 'source_only_target')} when trained on the source alone; the domain "
        f"head is right on {_percent(facts, 'trick_domain')}.",
        data,
        axes((-SIDE, SIDE), (-SIDE, SIDE), "x₁", "x₂"),
        height=HEIGHT,
        subject="Both domains",
    )


def _features(history: History) -> Figure:
    picture = history.latest.picture
    features = picture["features"]
    side = reach(features, 1.0)
    share = float(picture["share"][0])
    seen = f"{share:.0%}" if np.isfinite(share) else "an unknown part"
    return Figure(
        "features",
        f"Domain head right on {_percent(history.facts, 'trick_domain')} of all points",
        "The same points as the extractor sees them, on the first two principal components. Where "
        "the colours mix, no domain head can separate them.",
        f"The features of all points on two principal components, which hold {seen} of the "
        f"variance, after step {history.done}.",
        _crowds(features),
        axes((-side, side), (-side, side), "first component", "second component"),
        height=HEIGHT,
        subject="The feature space",
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
        "Source only: the domain loss when trained on the source alone. Areas: 5 to 95 % of the "
        "seeds. A loss beyond the frame leaves it.",
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
        "trick_domain": ("noise", "domain"),
        "source_only_target": ("true_gradient", "source only"),
        "trick_target": ("trick_gradient", "target"),
    }
    facts = history.facts
    layout = step_axes(history, (0.4, 1.02), "share right")
    before, now = (_percent(facts, f"{name}_target") for name in ("source_only", "trick"))
    return Figure(
        "accuracy",
        f"Right on the target: {before} → {now}",
        "From source only, the same seeds trained on the source alone, to as wired. Domain: the "
        "domain head, which guesses at one half.",
        f"Accuracies over the steps, means over the seeds. After step {history.done}: target "
        f"{_percent(facts, 'trick_target')}, source only "
        f"{_percent(facts, 'source_only_target')}, domain head "
        f"{_percent(facts, 'trick_domain')}.",
        over_steps(history, names, layout, HEIGHT),
        layout,
        height=HEIGHT,
        subject="Accuracies",
    )


def _crowds(places: Array) -> list[Trace]:
    """The points by kind, at places of shape [2, 600]."""
    parts = np.split(places, range(MOON, 2 * SOURCE, MOON), axis=1)
    return [
        crowd(name, part[0], part[1], colour, symbol)
        for part, (name, colour, symbol) in zip(parts, _KINDS, strict=True)
    ]


def static_figures(result: Result, values: Values, hidden: frozenset[str]) -> list[Figure]:
    """The gradient that one point's features get, at fixed numbers."""
    whose = values["whose"]
    of_whom, intended = _MEANT[whose]
    found = "" if hidden & set(GRADIENTS) else of_points(result)
    count = len(result["forward"].x)
    seen = [name for name in GRADIENTS if name not in hidden]
    return [
        Figure(
            "gradient",
            titled("Gradient", found, f"at one {whose} point"),
            f"At one {whose} point, at fixed numbers. One mark a unit, the heads small. "
            f"Squares: {of_whom} "
            "gradient with no trick. "
            f"Crosses: what is intended, {intended}, at full λ. Diamonds: what autograd gives, "
            "wired as chosen.",
            f"The gradient at the features of one {whose} point, by unit. " + spoken(result, seen),
            gradient_points(result, hidden),
            axes((0.0, count + 1.0), fitted([result[r].y for r in GRADIENTS]), "unit", "gradient"),
            wide=True,
            height=220,
        )
    ]


def static_table(result: Result, values: Values, hidden: frozenset[str]) -> Table:
    """The first units: feature and gradients."""
    labels = {"forward": "feature", "trick_gradient": "autograd"}
    labels |= {"true_gradient": "no trick", "intended_gradient": "intended"}
    names = [str(index + 1) for index in range(min(_LISTED, len(result["forward"].x)))]
    caption = f"One {values['whose']} point's features and gradients"
    return component_table(result, labels, names, hidden, caption, "unit", 4)


def _percent(facts: Facts, name: str) -> str:
    return f"{of(facts, name):.0%}"
