"""The shapes lab's charts and tables: as it trains, and what a rule does to eight relus."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from lessons.chapters.override_map.guided_relu.net import (
    BEFORE,
    LAYERS,
    RULES,
    Settings,
    upstream_of,
)
from lessons.chapters.override_map.guided_relu.shapes import KINDS
from lessons.contract.figure import Figure, Table
from lessons.contract.history import History
from lessons.contract.result import Array, Facts, Result
from lessons.contract.words import Words
from lessons.gradient_tricks.text import number
from lessons.kit.chart_pieces import Trace, annotation, axes, cells
from lessons.training.step_charts import HEIGHT, arms_table, of

WORDS = Words(__file__)

_GAP = 0.01
CALLED = {rule: WORDS.option("rule", rule) for rule in RULES}
LOOKS = {
    "plain": ("true_gradient", CALLED["plain"]),
    "guided": ("trick_gradient", CALLED["guided"]),
    "deconvnet": ("noise", CALLED["deconvnet"]),
}
"""The role that each rule is drawn in, and its name."""

# Below 0 the one hue, above it the other, and the paper where the gradient is 0.
_DIVERGING = [[0.0, "role:forward"], [0.5, "ink:paper"], [1.0, "role:trick_gradient"]]
_GREYS = [[0.0, "ink:paper"], [1.0, "ink:text"]]


def table(history: History, settings: Settings) -> Table:
    """Accuracy and loss, or if asked how similar the maps are: mean, lowest and highest seed."""
    facts = history.facts
    if not settings.randomised:  # not before the learner has predicted what that does
        return Table(
            WORDS("accuracy_table", done=history.done),
            (
                ("", None),
                (WORDS("mean"), "forward"),
                (WORDS("lowest"), None),
                (WORDS("highest"), None),
            ),
            tuple(
                (label, *(number(of(facts, fact + end), 3) for end in ("", "_lowest", "_highest")))
                for label, fact in ((WORDS("accuracy"), "accuracy"), (WORDS("loss"), "loss"))
            ),
        )
    measures = {str(n): _randomised(n).replace("<br>", " ") for n in range(1, 1 + LAYERS)}
    accuracy = {end: of(facts, f"accuracy{end}") for end in ("", "_lowest", "_highest")}
    what = WORDS(
        "alike_table",
        done=history.done,
        accuracy=accuracy[""],
        lowest=accuracy["_lowest"],
        highest=accuracy["_highest"],
    )
    return arms_table(history, measures | {"other": WORDS("other_class")}, LOOKS, what=what)


def _maps(history: History, settings: Settings) -> Figure:
    """A picture and three maps of it; below them, if asked, those with weights randomised."""
    picture, shape = history.latest.picture, WORDS.option("shape", settings.shape)
    layers = settings.randomised
    share, seen = max(zip(picture["shares"], KINDS, strict=True))
    rows = [(WORDS("as_trained"), 0), *[(_randomised(layers), 1)] * bool(layers)]
    data = [_square(picture["pixels"], (_GREYS, -0.5, 1.5), WORDS("pixel"), 1)]
    layout = _grid((WORDS("picture"), *CALLED.values()), len(rows))
    in_words = []
    for place, (called, which) in enumerate(rows):
        maps = {rule: picture[rule][which] for rule in RULES}
        data += _heat(maps, first=2 + len(RULES) * place)
        in_words.append(WORDS("weights", called=called.replace("<br>", " "), maps=_in_words(maps)))
    if layers:
        # In the second row's first place, which has no square.
        layout["annotations"].append(_words(_randomised(layers), 0.125, 0.25, "paper", "paper"))
    return Figure(
        "maps",
        WORDS("rows_title", correlations=_correlations(history.facts, layers))
        if layers
        else WORDS("maps_title", shape=shape, seen=WORDS.option("shape", seen), share=share),
        WORDS("maps_caption", shape=shape, seed=int(picture["seed"][0])),
        WORDS("maps_alt", shape=shape, done=history.done, maps=" ".join(in_words)),
        data,
        layout,
        height=HEIGHT if layers else 250,
        subject=WORDS("maps_subject", shape=shape),
    )


def _correlations(facts: Facts, layers: int) -> str:
    """A title with each rule's mean rank correlation after so many layers are randomised."""
    each = ((rule, of(facts, f"{rule}_{layers}") + 0.0) for rule in RULES)
    return ", ".join(f"{CALLED[rule]} {share:.2f}" for rule, share in each).replace("-", "−")


def _randomised(layers: int) -> str:
    if layers == LAYERS:
        return WORDS("all_layers")
    return WORDS("last_layer") if layers == 1 else WORDS("last_layers", n=layers)


def _heat(seen: dict[str, Array], first: int) -> Iterator[Trace]:
    """One heatmap a rule, all on one scale that reaches equally far on both sides of 0.

    It leaves the largest few out, which would make all others pale.
    """
    together = np.abs(np.concatenate([map_.ravel() for map_ in seen.values()]))
    known = together[np.isfinite(together)]
    reach = max(float(np.percentile(known, 98)) if len(known) else 0.0, 1e-9)
    for place, (rule, map_) in enumerate(seen.items(), start=first):
        yield _square(map_, (_DIVERGING, -reach, reach), CALLED[rule], place)


def _square(z: Array, scale: tuple[list[list[Any]], float, float], name: str, place: int) -> Trace:
    """A heatmap in the square with this number: its colours go from one value to another."""
    colours, low, high = scale
    end = _end(place)
    return {
        "type": "heatmap",
        "z": z[::-1],
        "colorscale": colours,
        "zmin": low,
        "zmax": high,
        "showscale": False,
        "xaxis": f"x{end}",
        "yaxis": f"y{end}",
        "hovertemplate": "%{z:.3g}<extra>" + name + "</extra>",
    }


def _end(place: int) -> str:
    """How the axes of a square are numbered; the first ones are not."""
    return str(place) if place > 1 else ""


def _grid(names: tuple[str, ...], rows: int) -> Trace:
    """A layout of squares in rows, each column under its name; only the first row has the first."""
    layout = axes((0.0, 1.0), (0.0, 1.0), "", "")
    layout |= {"annotations": [], "margin": {"l": 4, "r": 4, "t": 26, "b": 4}}
    squares = [(row, column) for row in range(rows) for column in range(len(names))]
    for place, (row, column) in enumerate(squares[: len(names)] + squares[len(names) + 1 :], 1):
        end = _end(place)
        plain = {"visible": False, "fixedrange": True, "constrain": "domain"}
        across = [(column + side) / len(names) - sign * _GAP for side, sign in ((0, -1), (1, 1))]
        up = [1 - (row + side) / rows - sign * _GAP for side, sign in ((1, -1), (0, 1))]
        layout[f"xaxis{end}"] = {**plain, "domain": across, "anchor": f"y{end}"}
        layout[f"yaxis{end}"] = {
            **plain,
            "domain": up,
            "anchor": f"x{end}",
            "scaleanchor": f"x{end}",
        }
        if row == 0:
            above = _words(names[column], 0.5, 1.0, f"x{end} domain", f"y{end} domain")
            layout["annotations"].append(above | {"yanchor": "bottom"})
    return layout


def _words(text: str, x: float, y: float, across: str, up: str) -> Trace:
    font = {"color": "ink:text", "size": 15}
    return annotation(
        x, y, text, xref=across, yref=up, font=font, xanchor="center", yanchor="middle"
    )


def _in_words(seen: dict[str, Array]) -> str:
    """The maps in words: the largest size, and the share of pixels below 0."""
    maps = (
        WORDS(
            "map",
            rule=CALLED[rule],
            size=number(float(np.abs(map_).max()), 3),
            negative=(map_ < 0).mean(),
        )
        for rule, map_ in seen.items()
    )
    return f"{'; '.join(maps)}."


def static_table(result: Result, settings: Settings) -> Table:
    """The eight relus in numbers."""
    labels = {"forward": WORDS("output"), "true_gradient": CALLED["plain"]}
    labels |= {
        "trick_gradient": WORDS("autograd", rule=CALLED[settings.rule]),
        "intended_gradient": WORDS("formula"),
    }
    upstream = upstream_of(settings)
    rows = [
        (
            str(index + 1),
            number(BEFORE[index], 3),
            number(upstream[index], 3),
            *cells(result, labels, index, 4),
        )
        for index in range(len(BEFORE))
    ]
    columns: list[tuple[str, str | None]] = [
        (WORDS("relu"), None),
        (WORDS("input"), None),
        (WORDS("upstream"), None),
    ]
    columns += [(label, role) for role, label in labels.items()]
    return Table(WORDS("relus_table"), tuple(columns), tuple(rows))


CHARTS = (_maps,)
