"""The charts of the checkpoint lab: gradients, the graph that torch recorded, the training."""

import numpy as np

from lessons.chapters.gone_missing.frozen_checkpoint.network import NAMES, STEPS, Settings
from lessons.contract.figure import Figure, Table
from lessons.contract.result import Array, Result
from lessons.contract.words import Words
from lessons.kit.chart_pieces import Trace, axes, cells, covered_with, fitted, scatter
from lessons.kit.components import component_figure
from lessons.kit.line_names import lines
from lessons.kit.titles import brief

WORDS = Words(__file__)

LABELS = {"true_gradient": WORDS("without"), "trick_gradient": WORDS("yours")}
HEADINGS = {"true_gradient": WORDS("no_checkpoint"), "trick_gradient": WORDS("yours")}

LOW, RECORDED = 200, 190
"""Pixels that the charts are high; three of them stand one below the other."""

SHORT = {"CheckpointFunction": "Checkpoint"}
"""Names too long for their place."""


def table(result: Result, settings: Settings) -> Table:
    """One row a weight: its ``.grad`` after ``backward()``, “none” where there is none."""
    arrived = [str(result.facts[f"arrived_{which}"]).split() for which in ("plain", "own")]
    rows = []
    for place, name in enumerate(NAMES):
        shown = zip(cells(result, LABELS, place, 5), arrived, strict=True)
        there = (WORDS("none") if came[place] == "0" else cell for cell, came in shown)
        rows.append((name, *there))
    columns = [(WORDS("weight"), None), *((label, role) for role, label in HEADINGS.items())]
    return Table(WORDS("table"), tuple(columns), tuple(rows))


def _gradients(result: Result, settings: Settings) -> Figure:
    facts = result.facts
    return component_figure(
        WORDS,
        "gradient",
        result,
        LABELS,
        NAMES,
        height=LOW,
        count=facts["with_gradient"],
        trained=facts["trained"],
    )


def _training(result: Result, settings: Settings) -> Figure:
    losses = {series.name: series for series in result.curves}
    layout = axes(
        (0.0, STEPS - 1.0), fitted([one.y for one in losses.values()]), WORDS("step"), WORDS("loss")
    )
    own, plain = (brief(float(losses[role].y[-1])) for role in ("trick_gradient", "true_gradient"))
    return WORDS.chart(
        "training",
        lines(losses, LABELS, layout, LOW),
        layout,
        LOW,
        own=own,
        plain=plain,
        steps=STEPS - 1,
    )


def _recorded(result: Result, settings: Settings) -> Figure:
    """From the inputs on the left to the loss; grey is what torch records without a checkpoint."""
    graph, complete = result.planes["graph"], result.planes["complete"]
    names = [_names(result, which) for which in ("graph", "complete")]
    there = {(x, y) for x, y, *_ in graph.tolist()}
    left = np.array([(x, y) not in there for x, y, *_ in complete.tolist()], dtype=bool)
    rest = [name for name, kept in zip(names[1], left, strict=True) if kept]
    far = float(complete[:, 0].max())
    layout = axes((-far - 0.6, 0.6), (-0.5, 1.5), "", "")
    for axis in ("xaxis", "yaxis"):
        layout[axis] |= {"visible": False}
    layout["margin"] = layout["margin"] | {"l": 8, "b": 8}
    grey = _drawn(complete, left, rest, "ink:axis")
    facts = result.facts
    return WORDS.chart(
        "recorded",
        [
            *(covered_with(one, "trick_gradient") for one in grey),  # it gives away the others
            *_drawn(graph, np.ones(len(graph), dtype=bool), names[0], "role:trick_gradient"),
        ],
        layout,
        RECORDED,
        ops=facts["ops"],
        weights=facts["in_graph"],
        trained=facts["trained"],
        complete=facts["ops_plain"],
        names=", ".join(names[0]),
    )


def _names(result: Result, which: str) -> list[str]:
    return [SHORT.get(one, one) for one in str(result.facts[f"{which}_names"]).split("|")]


def _drawn(places: Array, kept: Array, names: list[str], colour: str) -> tuple[Trace, Trace]:
    """Edges and ops. An op is as far left of the loss as it is ops away from it.

    What is grey is dotted and hollow too: nobody has to tell the colours apart.
    """
    x, y, to_x, to_y = places[kept].T
    grey = colour == "ink:axis"
    # Between the rows an edge comes from the lower left and leaves to the upper right.
    sides = {0.0: "bottom center", float(places[:, 1].max()): "top center"}
    gap = np.full_like(x, np.nan)
    return (
        scatter("lines", np.stack([-x, -to_x, gap], 1).ravel(), np.stack([y, to_y, gap], 1).ravel())
        | {
            "line": {"color": colour, "width": 2, "dash": "dot" if grey else "solid"},
            "hoverinfo": "skip",
        },
        scatter("markers+text", -x, y)
        | {
            "text": names,
            "textposition": [sides.get(float(one), "top left") for one in y],
            "textfont": {"color": "ink:muted" if grey else colour, "size": 12},
            "marker": {
                "color": colour,
                "symbol": "circle-open" if grey else "circle",
                "size": 8,
                "opacity": 1,
            },
            "cliponaxis": False,
            "hovertemplate": "%{text}<extra></extra>",
        },
    )


CHARTS = (_gradients, _recorded, _training)
