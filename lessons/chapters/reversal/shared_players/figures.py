"""The two players' charts: arrows in the plane of the feature, and the weights' gradients."""

import math

import numpy as np

from lessons.contract.figure import Figure, Table
from lessons.contract.result import Array, Result
from lessons.contract.roles import ROLES
from lessons.contract.settings import Settings
from lessons.contract.words import Words
from lessons.kit.arrows import heads
from lessons.kit.chart_pieces import Trace, dragged, plane, round_up, scatter, thin
from lessons.kit.components import component_figure, component_table
from lessons.kit.line_names import NAMES, label
from lessons.kit.titles import brief

WORDS = Words(__file__)

WEIGHTS = ("w₁ 1,1", "w₁ 1,2", "w₁ 2,1", "w₁ 2,2", "w₂ 1", "w₂ 2")

LABELS = {
    "true_gradient": WORDS("no_reversal"),
    "trick_gradient": NAMES["trick_gradient"],
    "intended_gradient": WORDS("wanted"),
}

ENDS = ("from", "to")
"""Of an arrow."""

REACH = 1.0
"""The least reach of the feature plane's axes."""

HEIGHT = 380
"""Pixels: the plane gets a square."""


def gradients(result: Result, settings: Settings) -> Figure:
    """The weights' gradients."""
    extractor, classifier = (
        brief(result.number(f"{one}_factor"), 1.0) for one in ("extractor", "classifier")
    )
    return component_figure(
        WORDS,
        "gradient",
        result,
        LABELS,
        WEIGHTS,
        y="dL/dw",
        height=HEIGHT,
        extractor=extractor,
        classifier=classifier,
    )


def table(result: Result, settings: Settings) -> Table:
    """One row a weight."""
    return component_table(result, LABELS, WEIGHTS, WORDS("table"))


def feature_plane(result: Result, settings: Settings) -> Figure:
    """The features, and by role an arrow for each example; the last one is the classifier's."""
    curves = {series.name: series.y for series in result.curves}
    arrows = {
        role: [np.stack([curves[f"{role}_{end}_{axis}"] for axis in "xy"], 1) for end in ENDS]
        for role in ("true_gradient", "trick_gradient")
    }
    starts, _ = arrows["true_gradient"]
    features, tip = starts[:-1], starts[-1]
    domain = np.arange(len(features)) >= len(features) // 2
    reach = round_up([features, *(ends[:-1] for _, ends in arrows.values())], least=REACH)
    layout = plane((-reach, reach), (-reach, reach), WORDS("feature_1"), WORDS("feature_2"))
    across = np.array([-tip[1], tip[0]]) / math.hypot(*tip) * 2 * reach
    data: list[Trace] = [
        thin([-across[0], across[0]], [-across[1], across[1]], WORDS("boundary"), "solid", 1.5),
        dragged(
            thin([0.0, tip[0]], [0.0, tip[1]], WORDS("classifier"), "solid", 1.5),
            "line",
            turn="angle",
        ),
        # Dotted over solid: both show where they overlap.
        *(_arrows(role, *arrows[role]) for role in reversed(list(arrows))),
        _points(WORDS("source"), features[~domain], "circle"),
        _points(WORDS("target"), features[domain], "square-open"),
        label("noise", "w₂", tip[0] / 2, tip[1] / 2, side="bottom center"),
    ]
    sizes = [f"{LABELS[role]} {float(np.abs(result[role].y).max()):.3g}" for role in LABELS]
    before, after = result.numbers("loss_now", "loss_after_extractor")
    return WORDS.chart(
        "plane",
        data,
        layout,
        HEIGHT,
        before=brief(before),
        after=brief(after),
        sizes=", ".join(sizes),
    )


def _arrows(role: str, starts: Array, ends: Array) -> Trace:
    look = ROLES[role]
    gap = np.full_like(starts, np.nan)
    way = np.stack([starts, ends, gap], 1).reshape(-1, 2)
    trick = role == "trick_gradient"
    return scatter("lines+markers", way[:, 0], way[:, 1], LABELS[role]) | {
        "line": {"color": f"role:{role}", "dash": look.dash, "width": 3 if trick else 2},
        "marker": heads(role, [0, 11, 0] * len(starts)),
        "hoverinfo": "skip",
    }


def _points(name: str, features: Array, symbol: str) -> Trace:
    return scatter("markers", features[:, 0], features[:, 1], name) | {
        "marker": {
            "color": "role:forward",
            "symbol": symbol,
            "size": 11,
            "line": {"color": "role:forward", "width": 2},
        },
        "hovertemplate": "%{x:.4g}, %{y:.4g}<extra>" + name + "</extra>",
    }
