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
    gradient_points,
    round_up,
    spoken,
)
from lessons.text import number
from lessons.training.drawing import of, over_steps, step_axes, with_ends

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
    return Figure(
        "maps",
        f"A {values['shape']}, and the gradient of the score of {aim(values)} in its pixels, "
        f"seed {int(picture['seed'][0])}",
        "One scale for the three maps. Orange: a brighter pixel raises the score. Blue: lowers it. "
        f"The network says: {shares}.",
        f"A picture of a {values['shape']} and three maps of the gradient in it, after step "
        f"{history.done}. " + _said(seen),
        [_pixels(picture["pixels"]), *_heat(seen, first=2)],
        _row(("picture", *RULES)),
        wide=True,
        height=230,
    )


def _randomised(history: History, values: Values) -> Figure:
    seen = {rule: history.latest.picture[rule][1] for rule in RULES}
    return Figure(
        "randomised",
        f"The same maps: {_replaced(values['randomised'])}",
        "The same picture, network and seed, but for the weights replaced. Compare with the maps "
        "above: what has stayed does not come from those weights.",
        f"Three maps, {_replaced(values['randomised'])}, after step {history.done}. " + _said(seen),
        _heat(seen, first=1),
        _row(RULES),
        height=HEIGHT,
    )


def _accuracy(history: History) -> Figure:
    facts = history.facts
    return Figure(
        "accuracy",
        "Accuracy on pictures never trained on",
        "Mean over the seeds. Area: 5 to 95 % of them.",
        f"Accuracy over the steps. After step {history.done}: {of(facts, 'accuracy'):.1%}, mean "
        "over the seeds.",
        over_steps(history, {"accuracy": "forward"}),
        step_axes(history, (0.2, 1.02), "share right"),
        height=HEIGHT,
    )


def _losses(history: History) -> Figure:
    return Figure(
        "loss",
        "Loss on the same pictures",
        "Cross-entropy. No rule takes part in training: the model learns with its own gradient.",
        f"Loss over the steps. After step {history.done}: "
        f"{number(of(history.facts, 'loss'), 3)}, mean over the seeds.",
        over_steps(history, {"loss": "forward"}),
        step_axes(history, (0.0, 1.3), "loss"),
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
    told = "; ".join(
        f"{rule} " + ", ".join(number(float(y), 2) for y in one.y)
        for rule, one in zip(RULES, series, strict=True)
    )
    return Figure(
        "alike",
        "Is it still the same map?",
        "Dotted: plain. Orange: guided. Grey: deconvnet. Areas: 5 to 95 % of all pictures and "
        "seeds. A map that is about the weights falls to 0 when they are replaced.",
        f"Rank correlation of each map with the same map after so many of the last layers were "
        f"randomised, none to all, after step {history.done}: {told}.",
        [*(band(one) for one in series), *(curve(one) for one in series)],
        layout,
        height=HEIGHT,
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
    together = np.abs(np.concatenate([one.ravel() for one in seen.values()]))
    known = together[np.isfinite(together)]
    reach = max(float(np.percentile(known, 98)) if len(known) else 0.0, 1e-9)
    return [
        {
            "type": "heatmap",
            "z": one[::-1],
            "colorscale": _DIVERGING,
            "zmin": -reach,
            "zmax": reach,
            "showscale": False,
            "xaxis": f"x{place if place > 1 else ''}",
            "yaxis": f"y{place if place > 1 else ''}",
            "hovertemplate": "%{z:.3g}<extra>" + rule + "</extra>",
        }
        for place, (rule, one) in enumerate(seen.items(), start=first)
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


def _said(seen: dict[str, Array]) -> str:
    """The maps in words: the largest size, and the share of pixels below 0."""
    return "; ".join(
        f"{rule}: at most {number(float(np.abs(one).max()), 3)} in size, "
        f"{(one < 0).mean():.0%} of the pixels below 0"
        for rule, one in seen.items()
    ) + "."  # fmt: skip


def static_figures(result: Result, values: Values, hidden: frozenset[str]) -> list[Figure]:
    """Eight relus: what each gets back."""
    limit = round_up([result[name].y for name in GRADIENTS], 1.0)
    seen = [name for name in GRADIENTS if name not in hidden]
    layout = axes((0.5, len(BEFORE) + 0.5), (-limit, limit), "", "gradient")
    pairs = zip(BEFORE, _upstream(values), strict=True)
    layout["xaxis"] |= {
        "tickmode": "array",
        "tickvals": list(range(1, len(BEFORE) + 1)),
        "ticktext": [f"x {number(x, 3)}<br>u {number(u, 3)}" for x, u in pairs],
    }
    return [
        Figure(
            "relus",
            "Eight relus and the gradient at what they are given",
            "Squares: the plain gradient. Diamonds: what autograd gives under the rule. Crosses: "
            "the rule’s formula. Below each relu: what it is given, x, and the upstream gradient "
            "that arrives from behind, u.",
            "The gradient at the inputs of eight relus, by number. " + spoken(result, seen),
            gradient_points(result, hidden, 12),
            layout,
            wide=True,
            height=220,
        )
    ]


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
    """What arrives at each of the eight relus from behind."""
    return BEHIND if values["behind"] == "weights" else (1.0,) * len(BEFORE)
