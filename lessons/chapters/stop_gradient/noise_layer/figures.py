"""The long network's charts and tables: as it trains, and the layer by itself."""

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from lessons.chapters.stop_gradient.noise_layer.net import LAYERS
from lessons.contract.covering import drawable
from lessons.contract.figure import Figure, Table
from lessons.contract.history import History
from lessons.contract.parameters import Values
from lessons.contract.result import Array, Result, Series
from lessons.kit.chart_pieces import (
    Trace,
    axes,
    band,
    curve,
    points,
)
from lessons.kit.components import component_table
from lessons.kit.line_names import named
from lessons.text import number
from lessons.training.step_charts import Facts, of, over_steps, step_axes, with_ends

HEIGHT = 400
_ROLE = {"plain": "true_gradient", "trick": "trick_gradient"}
_NAMES = {"plain": "without the trick", "trick": "with the clean backward"}
_SHORT = {"plain": "no trick", "trick": "clean"}
_GRADIENTS = ("true_gradient", "trick_gradient", "intended_gradient")
_LOSSES = (-3.0, 0.5)
_POWERS = 11  # of ten on an axis: more, and no curve has a shape


def figures(history: History, values: Values) -> list[Figure]:
    """Noise by layer, the losses, and the size of what is made noisy."""
    return [_noise_by_layer(history, values), _losses(history), _sizes(history, values)]


def table(history: History, values: Values) -> Table:
    """The relative variance of each layer's gradient: mean over the seeds, lowest and highest."""
    facts = history.facts
    rows = []
    for layer in range(1, LAYERS + 1):
        where = ", then noise" if layer == values["place"] else ""
        found = (with_ends(facts, f"{name}_noise_{layer}") for name in _ROLE)
        rows.append((f"{layer}{where}", *found))
    columns = (("layer", None), *((_NAMES[name], role) for name, role in _ROLE.items()))
    return Table(
        f"Relative variance of each layer's gradient after step {history.done:,}: mean over the "
        "seeds (lowest to highest seed)",
        columns,
        tuple(rows),
    )


def _noise_by_layer(history: History, values: Values) -> Figure:
    numbers, facts = history.latest.numbers, history.facts
    data: list[Trace] = []
    drawn = {}
    for name in _ROLE:
        layers = [numbers[f"{name}_noise_{layer}"] for layer in range(1, LAYERS + 1)]
        drawn[name] = series = _over_layers(layers, _ROLE[name])
        marks = {**points(series), "hovertemplate": _HOVER}
        data = [band(series), *data, curve(series), marks]
    place = float(values["place"])
    decades = _decades(drawn.values())
    layout = _logarithmic(axes((0.5, LAYERS + 0.5), decades, "layer", "relative variance"))
    layout["xaxis"] = layout["xaxis"] | {"dtick": 1}
    data += _names_at_end({name: series.y for name, series in drawn.items()}, layout, HEIGHT)
    in_words = "; ".join(
        f"{_NAMES[name]}, layer {layer}: {number(of(facts, f'{name}_noise_{layer}'), 3)}"
        for name in _ROLE
        for layer in (1, int(place), int(place) + 1, LAYERS)
    )
    return Figure(
        "noise",
        _first_layer(facts) or _NOISE,
        f"Variance of a layer's weight gradient over {values['draws']} draws of the noise, divided "
        "by its squared mean. Areas: 5 to 95 % of the seeds.",
        f"Relative variance by layer on a logarithmic axis, means over the seeds after step "
        f"{history.done}. {in_words}. The noise stands after layer {int(place)}.",
        [_upright(place + 0.5, decades), *data],
        layout | {"annotations": [_label(place + 0.5, decades[1], "noise")]},
        height=HEIGHT,
        subject=_NOISE,
    )


def _decades(drawn: Iterable[Series]) -> tuple[float, float]:
    """Whole powers of ten around the curves and their areas, so many at most below the uppermost;
    half of one more above.
    """
    found = np.concatenate([part for one in drawn for part in (one.y, one.low, one.high)])
    known = found[np.isfinite(found) & (found > 0)]
    low, high = np.log10([known.min(), known.max()]) if len(known) else (-1.0, 0.0)
    top = min(math.ceil(high), 3)
    return float(max(math.floor(low), top - _POWERS)), top + 0.5


def _first_layer(facts: Facts) -> str:
    """How noisy the first layer's gradient is, without the trick and with it."""
    plain, trick = (of(facts, f"{name}_noise_1") for name in _ROLE)
    if not (math.isfinite(plain) and math.isfinite(trick)):
        return ""
    return f"Noise in layer 1’s gradient: {number(plain, 2)} → {number(trick, 2)}"


def _names_at_end(ends: Mapping[str, Array], layout: Trace, height: float) -> list[Trace]:
    """The names of lines over a logarithmic axis."""
    powers = [(_ROLE[name], _SHORT[name], np.log10(y)) for name, y in ends.items()]
    labels = named(powers, layout, height)
    return [drawable(label) | {"y": [10.0 ** label["y"][0]]} for label in labels]


_NOISE = "How noisy each layer’s gradient is"
_HOVER = "layer %{x}<br>%{y:.3g}<extra></extra>"


def _over_layers(layers: list[Array], role: str) -> Series:
    """Mean and 5 to 95 % of the seeds, over the layers; 0 has no place on a logarithmic axis."""
    known = np.where(np.isfinite(layers) & (np.array(layers) > 0), layers, np.nan)
    there = np.isfinite(known).any(1)
    mean, low, high = (np.full(len(layers), np.nan) for _ in range(3))
    if there.any():
        mean[there] = np.nanmean(known[there], 1)
        low[there], high[there] = np.nanpercentile(known[there], [5, 95], 1)
    return Series(role, role, np.arange(1.0, 1 + len(layers)), mean, low, high)


def _losses(history: History) -> Figure:
    facts = history.facts
    in_words = ", ".join(f"{number(of(facts, f'{name}_loss'), 3)} {_NAMES[name]}" for name in _ROLE)
    layout = _logarithmic(step_axes(history, _LOSSES, "loss, with noise"))
    found = ", ".join(f"{number(of(facts, f'{name}_loss'), 2)} {_SHORT[name]}" for name in _ROLE)
    return Figure(
        "loss",
        f"Loss: {found}",
        "Same start, same noise draws. Areas: 5 to 95 % of the seeds.",
        f"Mean squared error over the steps, means over the seeds. After step {history.done}: "
        f"{in_words}.",
        over_steps(history, _lines("loss"), layout, HEIGHT),
        layout,
        height=HEIGHT,
        subject="The loss, with noise",
    )


def _lines(what: str) -> dict[str, tuple[str, str]]:
    """One of both networks' numbers: role and name of its line."""
    return {f"{name}_{what}": (_ROLE[name], _SHORT[name]) for name in _ROLE}


def _sizes(history: History, values: Values) -> Figure:
    facts = history.facts
    in_words = ", ".join(f"{number(of(facts, f'{name}_size'), 3)} {_NAMES[name]}" for name in _ROLE)
    found = ", ".join(f"{number(of(facts, f'{name}_size'), 2)} {_SHORT[name]}" for name in _ROLE)
    layout = step_axes(history, (0.0, 1.0), f"size after layer {values['place']}")
    return Figure(
        "size",
        f"Size before the noise: {found}",
        "Root mean square of the values that enter the noise layer. The noise multiplies them, so "
        "small values get little noise.",
        f"Root mean square over the steps, means over the seeds. After step {history.done}: "
        f"{in_words}.",
        over_steps(history, _lines("size"), layout, HEIGHT),
        layout,
        height=HEIGHT,
        subject="How large the values are before the noise",
    )


def static_figures(result: Result, values: Values) -> list[Figure]:
    """None: what the layer by itself hands back stands in the graph and in the table."""
    return []


def static_table(result: Result, values: Values) -> Table:
    """Inputs, outputs and gradients of the layer by itself."""
    labels = {"forward": "output", "true_gradient": "true", "trick_gradient": "autograd"}
    labels |= {"intended_gradient": "intended"}
    names = [number(float(x), 3) for x in result["forward"].x]
    caption = "The layer by itself: output, and gradient of the tanh"
    return component_table(result, labels, names, caption, "x", 4)


def _logarithmic(layout: Trace) -> Trace:
    """The same with powers of ten upwards; its range is in them."""
    ticks = {"type": "log", "dtick": 1, "tickformat": "~g"}
    return layout | {"yaxis": layout["yaxis"] | ticks}


def _upright(x: float, decades: tuple[float, float]) -> Trace:
    return {
        "type": "scatter",
        "mode": "lines",
        "x": np.array([x, x]),
        "y": 10.0 ** np.array(decades),
        "line": {"color": "role:noise", "dash": "solid", "width": 5},
        "opacity": 0.5,
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _label(x: float, y: float, text: str) -> dict[str, Any]:
    return {
        "x": x,
        "y": y,
        "text": text,
        "showarrow": False,
        "xanchor": "left" if x < LAYERS / 2 else "right",
        "yanchor": "top",
        "xshift": 5 if x < LAYERS / 2 else -5,
        "font": {"color": "ink:muted", "size": 12},
    }
