"""A hidden state carried over many steps: what a stop between them keeps and what it costs."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import torch

from lessons.contract.figure import Figure, Table
from lessons.contract.lab import Lab, Start
from lessons.contract.lesson import Lesson
from lessons.contract.result import Note, Result, Series
from lessons.contract.settings import numbers, slider, whole
from lessons.contract.words import Words
from lessons.gradient_tricks.text import number
from lessons.gradient_tricks.tricks import stop_gradient
from lessons.kit.chart_pieces import (
    Trace,
    axes,
    dragged,
    fitted,
    marked,
    points,
    span,
    spoken,
    thin,
)
from lessons.kit.components import MOST_NAMED, component_table, stems
from lessons.kit.experiment import Experiment, Program, run_of
from lessons.kit.inputs import GRID, ComputedIn, array, place_of, point_in_text, series_by_role
from lessons.kit.line_names import lines, named
from lessons.kit.nan_notes import notes_on_not_finite
from lessons.kit.titles import brief, gradient_at

WORDS = Words(__file__)


class Settings(ComputedIn):
    every = whole(2, 1, 64, log=True)
    steps = whole(4, 1, 64, log=True)
    x = slider(1, 0, 2, 0.1, accepts=(-100, 100))
    w = numbers("0.2, 0.5, 0.95")
    point = point_in_text(3, of="w")


def unroll(w: torch.Tensor, steps: int, every: int, x: float) -> torch.Tensor:
    h = torch.ones_like(w)
    for t in range(steps):
        if t and t % every == 0:
            h = stop_gradient(h)
        h = w * h + x
    return h


FIRST = 1.0
"""The state before the first step."""


def plain(w: torch.Tensor, steps: int, x: float, every: int = 0) -> torch.Tensor:
    """The same forward pass with no stop, shape [n]."""
    h = torch.full_like(w, FIRST)
    for _ in range(steps):
        h = w * h + x
    return h


def full_gradient(w: torch.Tensor, steps: int, x: float, every: int = 0) -> torch.Tensor:
    """dh/dw through all steps, by formula and without autograd, shape [n].

    The derivative is carried forward with the state: dhₜ/dw = hₜ₋₁ + w · dhₜ₋₁/dw.
    """
    w = w.detach()
    h, slope = torch.full_like(w, FIRST), torch.zeros_like(w)
    for _ in range(steps):
        slope = h + w * slope
        h = w * h + x
    return slope


def first_steps(settings: Settings) -> Start:
    """The first steps, as many as the graph draws."""
    start = run_of("w", arguments=("steps", "every", "x"))(settings)
    return start.with_(steps=min(settings.steps, DRAWN_STEPS))


EXPERIMENT = Experiment(first_steps, plain=plain, intended=full_gradient)


def contributions(
    run: Callable[[torch.Tensor], torch.Tensor], w: torch.Tensor, steps: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """The part of dh/dw that each step's use of w adds: the gradient of a leaf of its own.

    Args:
        run: from w to the last state, one product with w a step.
        w: shape [n].
        steps: how many.

    Returns:
        The contributions, shape [steps, n], the last step first; and which steps' products lead to
        w at all, shape [steps].
    """
    with _EachUse(w.detach()) as each:
        h = run(each.w)
    slopes: Sequence[torch.Tensor | None] = [None] * steps
    if h.requires_grad:
        slopes = torch.autograd.grad(h.sum(), each.uses[::-1], allow_unused=True)
    parts = [torch.zeros_like(w) if slope is None else slope for slope in slopes]
    return torch.stack(parts), torch.tensor([slope is not None for slope in slopes])


class _EachUse(torch.overrides.TorchFunctionMode):
    """Puts a leaf of its own in the place of w in each product, and keeps it in ``uses``.

    Where an edge is cut, the product has no w to replace: then its leaf gets no gradient.
    """

    def __init__(self, w: torch.Tensor) -> None:
        super().__init__()
        self.w, self.uses = w, list[torch.Tensor]()

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        if func.__name__ == "mul":
            self.uses.append(self.w.clone().requires_grad_())
            args = (self.uses[-1] if args[0] is self.w else args[0], args[1])
        return func(*args, **(kwargs or {}))


def after_last_stop(steps: int, every: int) -> int:
    """The number of steps after the last stop.

    >>> after_last_stop(50, 5), after_last_stop(50, 50), after_last_stop(4, 3)
    (5, 50, 1)
    """
    return steps - (steps - 1) // every * every


HEIGHT = 250

NAMES = {"true_gradient": WORDS("all_steps"), "trick_gradient": WORDS("with_stops")}
"""The name of each gradient here; drawn in this order."""


def table(result: Result, settings: Settings) -> Table:
    """One row a weight: the last state and its gradient with stops and without."""
    labels = {"forward": WORDS("last_h"), **dict(reversed(NAMES.items()))}
    weights = [number(float(w)) for w in result["forward"].x]
    return component_table(result, labels, weights, WORDS("table"), "w")


def _parts(result: Result, settings: Settings) -> Figure:
    """What each step adds to the gradient of w, with stops and without."""
    curves = {one.role: one for one in result.curves if one.name.startswith("parts")}
    steps, kept = settings.steps, after_last_stop(settings.steps, settings.every)
    w, cut, full = result.numbers("w", "trick_gradient", "true_gradient")
    low, high = fitted([one.y for one in curves.values()])
    layout = axes((0.4, steps + 0.6), (low, 1.1 * high), WORDS("steps_back"), WORDS("adds"))
    if steps <= MOST_NAMED:
        marked(layout["xaxis"], list(range(1, steps + 1)))
    size = 9.0 if steps <= 20 else 6.0
    true, trick = (curves[role] for role in NAMES)
    hover = {
        role: {"name": name, "hovertemplate": WORDS("back_hover", name=name)}
        for role, name in NAMES.items()
    }
    # Each step's part with no stop is an open square around the diamonds.
    crowns = points(true) | hover["true_gradient"]
    crowns["marker"] |= {"size": 1.5 * size}
    drawn = [
        _last_stop(kept, steps, (low, 1.1 * high)),
        crowns,
        stems("trick_gradient", "", trick.x, trick.y, size) | hover["trick_gradient"],
    ]
    ends = ((role, name, curves[role].y) for role, name in NAMES.items())
    return WORDS.chart(
        "parts",
        [*drawn, *named(ends, layout, HEIGHT)],
        layout,
        HEIGHT,
        reached=result.facts["reached"],
        steps=steps,
        cut=brief(cut),
        full=brief(full),
        w=number(w, 3),
        each=", ".join(number(float(one), 3) for one in true.y[:4]),
    )


def _over_w(result: Result, settings: Settings) -> Figure:
    curves = {one.name: one for one in result.curves}
    shown = [curves[role] for role in NAMES]
    low, high = span(shown[0])
    beside = 0.045 * (high - low)  # room for half a mark
    ends = (max(low - beside, -8e307), min(high + beside, 8e307))  # Plotly needs their distance
    layout = axes(ends, fitted([one.y for one in shown]), WORDS("weight_w"), "dh/dw")
    point = (result.number(name) for name in ("w", *reversed(NAMES)))
    return Figure(
        "gradient",
        gradient_at("dh/dw", point, "w"),
        WORDS("gradient_caption"),
        WORDS("gradient_alt", numbers=spoken(result, ["forward", *NAMES])),
        [*lines(curves, NAMES, layout, HEIGHT), *(along_w(result, role) for role in NAMES)],
        layout,
        height=HEIGHT,
        selects="point",
        subject=WORDS("gradient_subject"),
    )


def along_w(result: Result, role: str) -> Trace:
    """The learner's weights on a curve, each dragged along w."""
    said = f"w = %{{x}}<br>%{{y:.6g}}<extra>{NAMES[role]}</extra>"
    return dragged(points(result[role]), "points", w="x") | {"hovertemplate": said}


def _last_stop(kept: int, steps: int, ends: tuple[float, float]) -> Trace:
    """A mark at the stop nearest to the last state; nothing where there is none."""
    line = thin([kept + 0.5, kept + 0.5], list(ends), WORDS("last_stop"), width=1.5)
    return line | {
        "mode": "lines+text",
        "text": ["", "\u00a0" + WORDS("last_stop")],
        "textposition": "bottom right",
        "textfont": {"color": "ink:muted", "size": 12},
        "visible": kept < steps,
    }


DRAWN_STEPS = 4
"""Steps that the graph draws at most."""

LONG_MEMORY = {"w": 0.95, "steps": 50, "every": 5}
"""A long memory, and how it is cut."""

FORGETS = 0.5
"""A weight with which the state forgets within a few steps."""

DECODER = {"w": 0.9, "steps": 6, "every": 2}
"""The decoder of the last question: a loss after every so many steps, and a stop after each."""


def compute(program: Program, settings: Settings) -> Result:
    """The last state and its gradients over w, and each step's contribution at the chosen w."""
    steps, every, x = (settings[name] for name in ("steps", "every", "x"))
    given = torch.tensor(settings.w, dtype=torch.float64)
    start = EXPERIMENT.run(settings).with_(steps=steps)
    w, grid, place = start.leaves["w"].detach(), _grid(given), place_of(settings, "w")
    roles = EXPERIMENT.by_role(program, start)
    over = EXPERIMENT.by_role(program, start.with_(w=grid.to(w)))
    chosen = w[[place]]
    parts, reached = contributions(lambda leaf: program(leaf, steps, every, x), chosen, steps)
    whole, _ = contributions(lambda leaf: plain(leaf, steps, x), chosen, steps)
    back = np.arange(1.0, steps + 1.0)
    return Result(
        series=series_by_role(array(given), roles),
        curves=(
            *series_by_role(array(grid), over),
            Series("parts", "trick_gradient", back, array(parts[:, 0])),
            Series("parts_full", "true_gradient", back, array(whole[:, 0])),
        ),
        facts={
            "kept": after_last_stop(steps, every),
            "reached": int(reached.sum()),
        },
        notes=tuple(_not_finite(given, roles)),
        work=WORDS(
            "work",
            steps=WORDS.counted("steps", steps),
            weights=WORDS.counted("weights", len(given)),
        ),
    )


def _grid(w: torch.Tensor) -> torch.Tensor:
    """Evenly spaced w, from the lowest weight or 0 to the highest weight or 0."""
    low, high = min(float(w.min()), 0.0), max(float(w.max()), 0.0)
    if low == high:
        low, high = -1.0, 1.0
    share = torch.arange(GRID, dtype=torch.float64) / (GRID - 1)
    return low * (1 - share) + high * share


def _not_finite(given: torch.Tensor, roles: Mapping[str, torch.Tensor]) -> Iterable[Note]:
    large = WORDS("state_too_large")
    causes = ((~roles["forward"].isfinite(), large),)
    rest = WORDS("gradient_too_large")
    return notes_on_not_finite("w", given, roles, causes, otherwise=rest)


def _long(program: Program) -> Mapping[str, float]:
    """The gradient of fifty steps with stops, of a state that remembers and one that forgets."""
    steps, every = int(LONG_MEMORY["steps"]), int(LONG_MEMORY["every"])

    def slope(w: float, every: int, x: float) -> float:
        leaf = torch.tensor([w], dtype=torch.float64, requires_grad=True)
        start = Start({"w": leaf}, {"steps": steps, "every": every, "x": x})
        return float(EXPERIMENT.by_role(program, start)["trick_gradient"])

    def share(w: float) -> float:
        return 100 * slope(w, every, 1.0) / slope(w, steps, 1.0)

    each = LONG_MEMORY["w"] ** (steps - 1)  # of h = wⁿ, the same for every step
    return {
        **{f"long_{name}": value for name, value in LONG_MEMORY.items()},
        "one_step": each,
        "five_steps": every * each,
        "all_steps": steps * each,
        "five_came": slope(LONG_MEMORY["w"], every, 0.0),
        "single_came": slope(LONG_MEMORY["w"], 1, 0.0),
        "all_came": slope(LONG_MEMORY["w"], steps, 0.0),
        "forgets_w": FORGETS,
        "forgets_tenth": 100 * every / steps,
        "forgets_half": 50.0,
        "forgets_most": 100 * (1 - FORGETS**every),
        "forgets_came": share(FORGETS),
        "remembers_came": share(LONG_MEMORY["w"]),
    }


def _decoder() -> Mapping[str, float]:
    """The gradient that a decoder's losses send to the encoder's output through the stops."""
    w, steps, every = DECODER["w"], int(DECODER["steps"]), int(DECODER["every"])

    start = torch.ones((), dtype=torch.float64, requires_grad=True)
    h, losses = start, []
    for t in range(1, steps + 1):
        h = w * h
        if t % every == 0:
            losses.append(h)
            h = h.detach()
    return {
        **{f"decoder_{name}": value for name, value in DECODER.items()},
        "decoder_losses": steps // every,
        "encoder_all": sum(w**t for t in range(every, steps + 1, every)),
        "encoder_first": w**every,
        "encoder_came": float(torch.autograd.grad(torch.stack(losses).sum(), start)[0]),
    }


def messages() -> Mapping[str, str]:
    """The errors that torch raises if a state goes from batch to batch with its graph."""
    said = {}
    for name, retain in (("second_time", False), ("in_place", True)):
        w = torch.tensor(0.5, dtype=torch.float64, requires_grad=True)
        h = torch.ones((), dtype=torch.float64)
        try:
            for _ in range(2):
                h = w * (w * h)
                torch.autograd.backward(h, retain_graph=retain)
                with torch.no_grad():
                    w -= 0.1 * (w.grad if w.grad is not None else 0)
        except RuntimeError as error:
            said[name] = str(error)
    return {name: text.split(". ")[0].split(": [")[0] for name, text in said.items()}


LESSON = Lesson(
    program=unroll,
    lab=Lab(
        WORDS, Settings, compute, table, (_parts, _over_w), start=EXPERIMENT.run, direct_labels=True
    ),
    facts=(_long, _decoder, messages),
    highlight="h = stop_gradient(h)",
)
