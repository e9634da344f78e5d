"""The shapes lab's charts and tables: as it trains, and what a rule does to eight relus."""

import numpy as np

from lessons.chapters.override_map.guided_relu.net import LAYERS, RULES
from lessons.chapters.override_map.guided_relu.shapes import KINDS
from lessons.contract.figure import Figure, Table
from lessons.contract.history import History
from lessons.contract.parameters import Values
from lessons.contract.result import Array, Facts, Result, Series
from lessons.contract.roles import GRADIENTS
from lessons.kit.chart_pieces import (
    Trace,
    axes,
    band,
    cells,
    curve,
    fitted,
    gradient_points,
    spoken,
)
from lessons.kit.line_names import named
from lessons.text import number
from lessons.training.step_charts import HEIGHT, of, with_ends

BEFORE = (-2.0, -1.0, 1.0, 2.0, -1.5, -0.5, 0.5, 1.5)
"""What eight relus are given."""

BEHIND = (1.0, 0.5, 1.5, 1.0, -1.0, -0.5, -1.5, -1.0)
"""What weighs their outputs in the score: the upstream gradients of the eight relus."""

_GAP = 0.01
ROLE_OF = {"plain": "true_gradient", "guided": "trick_gradient", "deconvnet": "noise"}
"""How each rule's curves are drawn."""

# Below 0 the one hue, above it the other, and the paper where the gradient is 0.
_DIVERGING = [[0.0, "role:forward"], [0.5, "ink:paper"], [1.0, "role:trick_gradient"]]
_GREYS = [[0.0, "ink:paper"], [1.0, "ink:text"]]


def figures(history: History, values: Values) -> list[Figure]:
    """The maps of one picture; and if asked, how alike they stay as weights are randomised."""
    return [_maps(history, values), *([_alike(history)] if _asked(values) else [])]


def table(history: History, values: Values) -> Table:
    """How well it does, or if asked how alike the maps are: mean, lowest and highest seed."""
    facts = history.facts
    if not _asked(values):
        return Table(
            f"After step {history.done:,}, on pictures never trained on",
            (("", None), ("mean over the seeds", "forward"), ("lowest", None), ("highest", None)),
            tuple(
                (name, *(number(of(facts, name + end), 3) for end in ("", "_lowest", "_highest")))
                for name in ("accuracy", "loss")
            ),
        )
    rows = []
    changes = [(_randomised(n).replace("<br>", " "), str(n)) for n in range(1, 1 + len(LAYERS))]
    for label, key in (*changes, ("score of another class", "other")):
        rows.append((label, *(with_ends(facts, f"{rule}_{key}") for rule in RULES)))
    return Table(
        f"After step {history.done:,}: rank correlation of a map with the same map after a change, "
        f"mean over the seeds (lowest to highest seed). Accuracy {of(facts, 'accuracy'):.1%} "
        f"({of(facts, 'accuracy_lowest'):.1%} to {of(facts, 'accuracy_highest'):.1%})",
        (("measure", None), *((rule, ROLE_OF[rule]) for rule in RULES)),
        tuple(rows),
    )


def _maps(history: History, values: Values) -> Figure:
    """A picture and three maps of it; below them, if asked, those with weights randomised."""
    picture, shape = history.latest.picture, values["shape"]
    layers = int(values["randomised"])
    share, seen_as = max(zip(picture["shares"], KINDS, strict=True))
    rows = [("as trained", 0), *[(_randomised(layers), 1)] * bool(layers)]
    data, layout = [_pixels(picture["pixels"])], _grid(("picture", *RULES), len(rows))
    in_words = []
    for place, (called, which) in enumerate(rows):
        seen = {rule: picture[rule][which] for rule in RULES}
        data += _heat(seen, first=2 + len(RULES) * place)
        in_words.append(f"Weights {called.replace('<br>', ' ')}: {_in_words(seen)}")
    if layers:
        layout["annotations"].append(_beside(_randomised(layers)))
    return Figure(
        "maps",
        f"Rank correlation of the rows: {_correlations(history.facts, layers)}"
        if layers
        else f"A {shape}, seen as {seen_as} with {share:.0%}",
        f"The gradient of the score of {shape} in each pixel, seed {int(picture['seed'][0])}. "
        "Orange: a brighter pixel raises the score. Blue: lowers it.",
        f"A picture of a {shape} and maps of the gradient in it, after step {history.done}. "
        + " ".join(in_words),
        data,
        layout,
        height=HEIGHT if layers else 250,
        subject=f"A {shape}, and three maps of the gradient",
    )


def _correlations(facts: Facts, layers: int) -> str:
    """How alike each rule's maps are to those with so many layers randomised: means over all."""
    each = ((rule, of(facts, f"{rule}_{layers}") + 0.0) for rule in RULES)
    return ", ".join(f"{rule} {share:.2f}" for rule, share in each).replace("-", "−")


def _randomised(layers: int) -> str:
    if layers == len(LAYERS):
        return "all layers<br>randomised"
    return "last layer<br>randomised" if layers == 1 else f"last {layers} layers<br>randomised"


def _alike(history: History) -> Figure:
    depth = np.arange(0.0, 1 + len(LAYERS))
    series = []
    for rule in RULES:
        each = history.latest.picture[f"alike_{rule}"][:-1].reshape(len(LAYERS), -1)
        each = np.vstack([np.ones(each.shape[1]), each])  # nothing replaced: the same map
        low, high = np.nanpercentile(each, [5, 95], axis=1)
        series.append(Series(rule, ROLE_OF[rule], depth, np.nanmean(each, 1), low, high))
    layout = axes((-0.1, len(LAYERS) + 0.1), (-1.05, 1.05), "layers randomised", "rank correlation")
    layout["xaxis"] |= {"tickmode": "array", "tickvals": depth.tolist()}
    in_words = "; ".join(
        f"{rule} " + ", ".join(number(float(y), 2) for y in line.y)
        for rule, line in zip(RULES, series, strict=True)
    )
    return Figure(
        "alike",
        f"All layers randomised: {_correlations(history.facts, len(LAYERS))}",
        "Areas: 5 to 95 % of all pictures and seeds. A map that is about the "
        "weights falls to 0 when they are replaced.",
        f"Rank correlation of each map with the same map after so many of the last layers were "
        f"randomised, none to all, after step {history.facts['compared_step']:.0f}: {in_words}.",
        [
            *(band(line) for line in series),
            *(curve(line) for line in series),
            *named(((one.role, one.name, one.y) for one in series), layout, HEIGHT),
        ],
        layout,
        height=HEIGHT,
        subject="Is it still the same map?",
    )


def _asked(values: Values) -> bool:
    """Whether to show what randomising does; not before the learner has predicted it."""
    return int(values["randomised"]) > 0


def _pixels(pixels: Array) -> Trace:
    return {
        "type": "heatmap",
        "z": pixels[::-1],
        "colorscale": _GREYS,
        "zmin": -0.5,
        "zmax": 1.5,
        "showscale": False,
        "xaxis": "x",
        "yaxis": "y",
        "hovertemplate": "%{z:.3g}<extra>pixel</extra>",
    }


def _heat(seen: dict[str, Array], first: int) -> list[Trace]:
    """One heatmap a rule, all on one scale that reaches equally far on both sides of 0.

    It leaves the largest few out, which would make all others pale.
    """
    together = np.abs(np.concatenate([map_.ravel() for map_ in seen.values()]))
    known = together[np.isfinite(together)]
    reach = max(float(np.percentile(known, 98)) if len(known) else 0.0, 1e-9)
    return [
        {
            "type": "heatmap",
            "z": map_[::-1],
            "colorscale": _DIVERGING,
            "zmin": -reach,
            "zmax": reach,
            "showscale": False,
            "xaxis": f"x{place if place > 1 else ''}",
            "yaxis": f"y{place if place > 1 else ''}",
            "hovertemplate": "%{z:.3g}<extra>" + rule + "</extra>",
        }
        for place, (rule, map_) in enumerate(seen.items(), start=first)
    ]


def _grid(names: tuple[str, ...], rows: int) -> Trace:
    """A layout of squares in rows, each column under its name; only the first row has the first."""
    layout = axes((0.0, 1.0), (0.0, 1.0), "", "")
    layout |= {"annotations": [], "margin": {"l": 4, "r": 4, "t": 26, "b": 4}}
    squares = [(row, column) for row in range(rows) for column in range(len(names))]
    for place, (row, column) in enumerate(squares[: len(names)] + squares[len(names) + 1 :], 1):
        end = str(place) if place > 1 else ""
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


def _beside(text: str) -> Trace:
    """What the second row is, in its first place, which has no square."""
    return _words(text, 0.125, 0.25, "paper", "paper")


def _words(text: str, x: float, y: float, across: str, up: str) -> Trace:
    font = {"color": "ink:text", "size": 15}
    return {"text": text, "x": x, "y": y, "xref": across, "yref": up, "font": font} | {
        "showarrow": False,
        "xanchor": "center",
        "yanchor": "middle",
    }


def _in_words(seen: dict[str, Array]) -> str:
    """The maps in words: the largest size, and the share of pixels below 0."""
    return "; ".join(
        f"{rule}: at most {number(float(np.abs(map_).max()), 3)} in size, "
        f"{(map_ < 0).mean():.0%} of the pixels below 0"
        for rule, map_ in seen.items()
    ) + "."  # fmt: skip


def static_figures(result: Result, values: Values) -> list[Figure]:
    """Eight relus: what each gets back."""
    heights = fitted([result[name].y for name in GRADIENTS])
    layout = axes((0.5, len(BEFORE) + 0.5), heights, "", "gradient")
    pairs = zip(BEFORE, _upstream(values), strict=True)
    layout["xaxis"] |= {
        "tickmode": "array",
        "tickvals": list(range(1, len(BEFORE) + 1)),
        "ticktext": [f"x {number(x, 3)}<br>u {number(u, 3)}" for x, u in pairs],
    }
    return [
        Figure(
            "relus",
            _changed(result),
            "Squares: the plain gradient. Diamonds: what autograd gives under the rule. Crosses: "
            "the rule’s formula. Below each relu: what it is given, x, and the upstream gradient "
            "that arrives at its output, u.",
            "The gradient at the inputs of eight relus, by number. " + spoken(result, GRADIENTS),
            gradient_points(result),
            layout,
            height=300,
            subject="The gradient at eight relus",
        )
    ]


def _changed(result: Result) -> str:
    """At how many relus the rule gives another gradient than the plain one, and its formula."""
    trick, true, meant = (result[name].y for name in GRADIENTS)
    differ, wrong = int((trick != true).sum()), int((trick != meant).sum())
    return f"The rule changes {differ} of {len(BEFORE)}, " + (
        f"{wrong} not as intended" if wrong else "as intended"
    )


def static_table(result: Result, values: Values) -> Table:
    """The eight relus in numbers."""
    labels = {"forward": "gives", "true_gradient": "plain"}
    labels |= {"trick_gradient": "autograd, " + values["rule"], "intended_gradient": "formula"}
    upstream = _upstream(values)
    rows = [
        (
            str(index + 1),
            number(BEFORE[index], 3),
            number(upstream[index], 3),
            *cells(result, labels, index, 4),
        )
        for index in range(len(BEFORE))
    ]
    columns: list[tuple[str, str | None]] = [("relu", None), ("is given", None), ("upstream", None)]
    columns += [(label, role) for role, label in labels.items()]
    return Table("Eight relus under a rule", tuple(columns), tuple(rows))


def _upstream(values: Values) -> tuple[float, ...]:
    """The upstream gradient that arrives at each of the eight relus."""
    return BEHIND if values["behind"] == "weights" else (1.0,) * len(BEFORE)
