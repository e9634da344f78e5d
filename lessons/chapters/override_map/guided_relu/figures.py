"""The shapes lab's charts and tables: as it trains, and what a rule does to eight relus."""

from collections.abc import Iterator, Sequence

import numpy as np

from lessons.chapters.override_map.guided_relu.net import (
    KINDS,
    LAYERS,
    RELU_INPUTS,
    RULES,
    SIDE,
    Settings,
)
from lessons.contract.figure import HIGHEST, Figure, Table
from lessons.contract.history import History
from lessons.contract.result import Array, Facts, Result
from lessons.contract.words import Words
from lessons.gradient_tricks.text import number
from lessons.kit.chart_pieces import Trace, annotation, plane
from lessons.kit.components import component_table
from lessons.training.step_charts import arms_table, fact_or_nan

WORDS = Words(__file__)

_STEP = SIDE + 1
"""Pixels from one square to the next: one stays empty between them."""
RULE_NAMES = {rule: WORDS.option("rule", rule) for rule in RULES}
Place = tuple[int, int]
"""Row and column of a square."""

LOOKS = {
    "plain": ("true_gradient", RULE_NAMES["plain"]),
    "guided": ("trick_gradient", RULE_NAMES["guided"]),
    "deconvnet": ("noise", RULE_NAMES["deconvnet"]),
}
"""The role that each rule is drawn in, and its name."""

# Below 0 the one hue, above it the other, and the paper where the gradient is 0.
_DIVERGING = ("role:forward", "ink:paper", "role:trick_gradient")
_GREYS = ("ink:paper", "ink:text")


def table(history: History, settings: Settings) -> Table:
    """How similar the maps are, so far as asked: mean, lowest and highest seed."""
    # Not beyond: the learner first predicts what another randomised layer does.
    measures = {str(n): _randomised(n).replace("<br>", " ") for n in range(1 + settings.randomised)}
    accuracy, lowest, highest = (
        fact_or_nan(history.facts, f"accuracy{end}") for end in ("", "_lowest", "_highest")
    )
    what = WORDS(
        "alike_table", done=history.done, accuracy=accuracy, lowest=lowest, highest=highest
    )
    return arms_table(history, measures, LOOKS, what=what)


def _maps(history: History, settings: Settings) -> Figure:
    """A picture and three maps of it; below them, if asked, those with weights randomised."""
    picture, shape = history.latest.picture, WORDS.option("shape", settings.shape)
    layers = settings.randomised
    share, seen = max(zip(picture["shares"], KINDS, strict=True))
    rows = 2 if layers else 1
    data = [_square(picture["pixels"], (_GREYS, -0.5, 1.5), WORDS("pixel"), (0, 0))]
    for row in range(rows):
        data += _heat({rule: picture[rule][row] for rule in RULES}, row)
    layout = _squares((WORDS("picture"), *RULE_NAMES.values()), rows)
    title = WORDS("maps_title", shape=shape, seen=WORDS.option("shape", seen), share=share)
    if layers:
        title = WORDS("rows_title", correlations=_correlations(history.facts, layers))
        # In the second row's first place, which has no square.
        layout["annotations"].append(_words(_randomised(layers), 0, -_STEP - SIDE / 2))
    return Figure(
        "maps",
        title,
        WORDS("maps_caption", shape=shape, seed=int(picture["seed"][0])),
        WORDS("maps_alt", shape=shape, done=history.done, title=title),
        data,
        layout,
        height=HIGHEST if layers else 250,
        subject=WORDS("maps_subject", shape=shape),
    )


def _correlations(facts: Facts, layers: int) -> str:
    """A title with each rule's mean rank correlation after so many layers are randomised."""
    each = ((rule, fact_or_nan(facts, f"{rule}_{layers}") + 0.0) for rule in RULES)
    return ", ".join(f"{RULE_NAMES[rule]} {share:.2f}" for rule, share in each).replace("-", "−")


def _randomised(layers: int) -> str:
    if not layers:
        return WORDS("as_trained")
    if layers == LAYERS:
        return WORDS("all_layers")
    return WORDS("last_layer") if layers == 1 else WORDS("last_layers", n=layers)


def _heat(seen: dict[str, Array], row: int) -> Iterator[Trace]:
    """One heatmap a rule in a row, all on one scale that reaches equally far on both sides of 0.

    It leaves the largest few out, which would make all others pale.
    """
    together = np.abs(np.concatenate([map_.ravel() for map_ in seen.values()]))
    known = together[np.isfinite(together)]
    reach = max(float(np.percentile(known, 98)) if len(known) else 0.0, 1e-9)
    for column, (rule, map_) in enumerate(seen.items(), start=1):
        yield _square(map_, (_DIVERGING, -reach, reach), RULE_NAMES[rule], (row, column))


def _square(z: Array, scale: tuple[Sequence[str], float, float], name: str, place: Place) -> Trace:
    """A heatmap at a place: its colours go from one value to another."""
    (row, column), (colours, low, high) = place, scale
    steps = np.linspace(0.0, 1.0, len(colours)).tolist()
    return {
        "type": "heatmap",
        "z": z[::-1],
        "x0": column * _STEP + 0.5,
        "dx": 1,
        "y0": 0.5 - row * _STEP - SIDE,
        "dy": 1,
        "colorscale": [[*pair] for pair in zip(steps, colours, strict=True)],
        "zmin": low,
        "zmax": high,
        "showscale": False,
        "hovertemplate": "%{z:.3g}<extra>" + name + "</extra>",
    }


def _squares(names: Sequence[str], rows: int) -> Trace:
    """A layout for squares in rows, each column under its name."""
    ends = (0.0, len(names) * _STEP - 1.0), (1.0 - rows * _STEP, 0.0)
    layout = plane(*ends, "", "")
    for axis in ("xaxis", "yaxis"):
        layout[axis] |= {"visible": False, "fixedrange": True, "constrain": "domain"}
    layout["margin"] = {"l": 4, "r": 4, "t": 26, "b": 4}
    above = (_words(name, column, 0.0) for column, name in enumerate(names))
    layout["annotations"] = [one | {"yanchor": "bottom"} for one in above]
    return layout


def _words(text: str, column: int, y: float) -> Trace:
    font = {"color": "ink:text", "size": 15}
    return annotation(column * _STEP + SIDE / 2, y, text, font=font)


def static_table(result: Result, settings: Settings) -> Table:
    """The eight relus in numbers."""
    labels = {
        "forward": WORDS("output"),
        "true_gradient": RULE_NAMES["plain"],
        "trick_gradient": WORDS("autograd", rule=RULE_NAMES[settings.rule]),
        "intended_gradient": WORDS("formula"),
    }
    inputs = [number(one, 3) for one in RELU_INPUTS]
    return component_table(result, labels, inputs, WORDS("relus_table"), WORDS("input"))


CHARTS = (_maps,)
