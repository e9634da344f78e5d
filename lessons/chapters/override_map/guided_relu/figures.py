"""The shapes lab's charts and tables: as it trains, and what a rule does to eight relus."""

import numpy as np

from lessons.chapters.override_map.guided_relu.maps import BEFORE, BEHIND, RULES
from lessons.chapters.override_map.guided_relu.net import LAYERS
from lessons.chapters.override_map.guided_relu.shapes import KINDS
from lessons.contract.figure import Figure, Table
from lessons.contract.history import History
from lessons.contract.parameters import Values
from lessons.contract.result import Array, Result, Series
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
from lessons.training.step_charts import of, over_steps, step_axes, with_ends

HEIGHT = 250
ROLE_OF = {"plain": "true_gradient", "guided": "trick_gradient", "deconvnet": "noise"}
"""How each rule's curves are drawn."""

# Below 0 the one hue, above it the other, and the paper where the gradient is 0.
_DIVERGING = [[0.0, "role:forward"], [0.5, "ink:paper"], [1.0, "role:trick_gradient"]]
_GREYS = [[0.0, "ink:paper"], [1.0, "ink:text"]]


def figures(history: History, values: Values) -> list[Figure]:
    """The maps of one picture, accuracy and loss; and if asked, how the maps stand randomising."""
    shown = [_maps(history, values), _accuracy(history), _losses(history)]
    return [*shown, _alike(history), _randomised(history, values)] if _asked(values) else shown


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
    for label, key in (*((_replaced(n), str(n)) for n in range(1, 5)), ("another class", "other")):
        rows.append((label, *(with_ends(facts, f"{rule}_{key}") for rule in RULES)))
    return Table(
        f"After step {history.done:,}: rank correlation of a map with the same map after a change, "
        f"mean over the seeds (lowest to highest seed). Accuracy {of(facts, 'accuracy'):.1%} "
        f"({of(facts, 'accuracy_lowest'):.1%} to {of(facts, 'accuracy_highest'):.1%})",
        (("measure", None), *((rule, ROLE_OF[rule]) for rule in RULES)),
        tuple(rows),
    )


def _maps(history: History, values: Values) -> Figure:
    picture = history.latest.picture
    seen = {rule: picture[rule][0] for rule in RULES}
    shares = ", ".join(
        f"{name} {share:.0%}" for name, share in zip(KINDS, picture["shares"], strict=True)
    )
    share, seen_as = max(zip(picture["shares"], KINDS, strict=True))
    return Figure(
        "maps",
        f"A {values['shape']}, seen as {seen_as} with {share:.0%}",
        f"The gradient of the score of {aim(values)} in each pixel, seed "
        f"{int(picture['seed'][0])}. One scale for the three maps. Orange: a brighter pixel "
        "raises the score. Blue: lowers it. "
        f"The network’s probabilities: {shares}.",
        f"A picture of a {values['shape']} and three maps of the gradient in it, after step "
        f"{history.done}. " + _in_words(seen),
        [_pixels(picture["pixels"]), *_heat(seen, first=2)],
        _row(("picture", *RULES)),
        wide=True,
        height=230,
        subject=f"A {values['shape']}, and three maps of the gradient",
    )


def _randomised(history: History, values: Values) -> Figure:
    seen = {rule: history.latest.picture[rule][1] for rule in RULES}
    return Figure(
        "randomised",
        f"The same maps: {_replaced(values['randomised'])}",
        "The same picture, network and seed, but for the weights replaced. Compare with the maps "
        "above: what has stayed does not come from those weights.",
        f"Three maps, {_replaced(values['randomised'])}, after step {history.done}. "
        + _in_words(seen),
        _heat(seen, first=1),
        _row(RULES),
        height=HEIGHT,
    )


def _accuracy(history: History) -> Figure:
    facts = history.facts
    layout = step_axes(history, (0.2, 1.02), "share right")
    return Figure(
        "accuracy",
        f"Right on {of(facts, 'accuracy'):.1%} of new pictures",
        "Mean over the seeds. Area: 5 to 95 % of them.",
        f"Accuracy over the steps. After step {history.done}: {of(facts, 'accuracy'):.1%}, mean "
        "over the seeds.",
        over_steps(history, {"accuracy": ("forward", "accuracy")}, layout, HEIGHT),
        layout,
        height=HEIGHT,
    )


def _losses(history: History) -> Figure:
    layout = step_axes(history, (0.0, 1.3), "loss")
    return Figure(
        "loss",
        f"Loss on them {number(of(history.facts, 'loss'), 3)}",
        "Cross-entropy. No rule takes part in training: the model learns with its own gradient.",
        f"Loss over the steps. After step {history.done}: "
        f"{number(of(history.facts, 'loss'), 3)}, mean over the seeds.",
        over_steps(history, {"loss": ("forward", "loss")}, layout, HEIGHT),
        layout,
        height=HEIGHT,
    )


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
    found = [f"{line.name} {float(line.y[-1]) + 0.0:.2f}".replace("-", "−") for line in series]
    return Figure(
        "alike",
        "All random: " + ", ".join(found),
        "Areas: 5 to 95 % of all pictures and seeds. A map that is about the "
        "weights falls to 0 when they are replaced.",
        f"Rank correlation of each map with the same map after so many of the last layers were "
        f"randomised, none to all, after step {history.facts['compared_step']:.0f}: {in_words}.",
        [
            *(band(line) for line in series),
            *(curve(line) for line in series),
            *named(((one.role, one.name, one.y) for one in series), frozenset(), layout, HEIGHT),
        ],
        layout,
        height=HEIGHT,
        subject="Is it still the same map?",
    )


def _asked(values: Values) -> bool:
    """Whether to show what randomising does; not before the learner has predicted it."""
    return int(values["randomised"]) > 0


def aim(values: Values) -> str:
    """The class whose score the maps are the gradient of: the picture's own, or the next one."""
    own = KINDS.index(values["shape"])
    return KINDS[(own + (values["target"] == "next")) % len(KINDS)]


def _replaced(layers: int) -> str:
    if layers == 0:
        return "no weights replaced"
    if layers == len(LAYERS):
        return "all weights replaced"
    return "last layer replaced" if layers == 1 else f"last {layers} layers replaced"


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


def _row(names: tuple[str, ...]) -> Trace:
    """A layout of squares side by side, each under its name."""
    layout = axes((0.0, 1.0), (0.0, 1.0), "", "")
    plain = {"visible": False, "fixedrange": True}
    gap, width = 0.02, 1 / len(names)
    notes = []
    for place, name in enumerate(names, start=1):
        end = str(place) if place > 1 else ""
        low, high = (place - 1) * width + gap / 2, place * width - gap / 2
        layout[f"xaxis{end}"] = {**plain, "domain": [low, high], "anchor": f"y{end}"}
        layout[f"xaxis{end}"] |= {"constrain": "domain"}
        layout[f"yaxis{end}"] = {**plain, "scaleanchor": f"x{end}", "constrain": "domain"}
        notes.append(
            {
                "text": name,
                "x": (low + high) / 2,
                "y": 1.0,
                "xref": "paper",
                "yref": "paper",
                "xanchor": "center",
                "yanchor": "bottom",
                "showarrow": False,
                "font": {"color": "ink:text", "size": 13},
            }
        )
    return layout | {"annotations": notes, "margin": {"l": 4, "r": 4, "t": 24, "b": 4}}


def _in_words(seen: dict[str, Array]) -> str:
    """The maps in words: the largest size, and the share of pixels below 0."""
    return "; ".join(
        f"{rule}: at most {number(float(np.abs(map_).max()), 3)} in size, "
        f"{(map_ < 0).mean():.0%} of the pixels below 0"
        for rule, map_ in seen.items()
    ) + "."  # fmt: skip


def static_figures(result: Result, values: Values, hidden: frozenset[str]) -> list[Figure]:
    """Eight relus: what each gets back."""
    heights = fitted([result[name].y for name in GRADIENTS])
    seen = [name for name in GRADIENTS if name not in hidden]
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
            "The gradient at eight relus" if hidden else _changed(result),
            "Squares: the plain gradient. Diamonds: what autograd gives under the rule. Crosses: "
            "the rule’s formula. Below each relu: what it is given, x, and the upstream gradient "
            "that arrives at its output, u.",
            "The gradient at the inputs of eight relus, by number. " + spoken(result, seen),
            gradient_points(result, hidden),
            layout,
            wide=True,
            height=220,
        )
    ]


def _changed(result: Result) -> str:
    """At how many relus the rule gives another gradient than the plain one, and its formula."""
    trick, true, meant = (result[name].y for name in GRADIENTS)
    differ, wrong = int((trick != true).sum()), int((trick != meant).sum())
    return f"The rule changes {differ} of {len(BEFORE)}, " + (
        f"{wrong} not as intended" if wrong else "as intended"
    )


def static_table(result: Result, values: Values, hidden: frozenset[str]) -> Table:
    """The eight relus in numbers."""
    labels = {"forward": "gives", "true_gradient": "plain"}
    labels |= {"trick_gradient": "autograd, " + values["rule"], "intended_gradient": "formula"}
    upstream = _upstream(values)
    rows = [
        (
            str(index + 1),
            number(BEFORE[index], 3),
            number(upstream[index], 3),
            *cells(result, labels, index, hidden, 4),
        )
        for index in range(len(BEFORE))
    ]
    columns: list[tuple[str, str | None]] = [("relu", None), ("is given", None), ("upstream", None)]
    columns += [(label, role) for role, label in labels.items()]
    return Table("Eight relus under a rule", tuple(columns), tuple(rows))


def _upstream(values: Values) -> tuple[float, ...]:
    """The upstream gradient that arrives at each of the eight relus."""
    return BEHIND if values["behind"] == "weights" else (1.0,) * len(BEFORE)
