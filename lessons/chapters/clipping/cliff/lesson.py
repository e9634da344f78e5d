"""A recurrent unit's error has a cliff, and clipping keeps descent near it."""

import math
from collections.abc import Iterator, Mapping
from functools import lru_cache

import numpy as np
import torch

from lessons.chapters.clipping.cliff.recurrent import (
    ARMS,
    COUNT,
    SIDE,
    VALLEY,
    WHOLE,
    WINDOWS,
    Descents,
    Program,
    Settings,
    by_role,
    inside,
    paths,
    surface,
)
from lessons.contract.devices import device_and_dtype
from lessons.contract.figure import HIGHEST, Figure, Table
from lessons.contract.history import History
from lessons.contract.lab import Lab
from lessons.contract.lesson import Lesson
from lessons.contract.result import Array, Result, warned
from lessons.contract.roles import ROLES
from lessons.contract.training import Training
from lessons.contract.words import Words
from lessons.gradient_tricks.text import number
from lessons.kit.chart_pieces import Trace, axes, cells, dragged, scatter
from lessons.kit.experiment import components
from lessons.kit.inputs import array
from lessons.kit.line_names import names_above
from lessons.training.step_charts import arms_table, fact_or_nan, lines_of, step_axes, step_chart
from lessons.training.under_way import numbers_at_end

WORDS = Words(__file__)


WHILE_DRAGGING = 20
"""Updates of a path while the hand still moves."""

_WALK = ("w", "b", "rate", "value_limit", "norm_limit", "path", "device", "dtype")
"""The settings of the paths."""


def cliff(
    w: torch.Tensor, b: torch.Tensor, value_limit: torch.Tensor, norm_limit: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    w, b = w.detach().requires_grad_(), b.detach().requires_grad_()
    x = torch.full_like(w, 0.5)
    for _ in range(50):
        x = w * torch.sigmoid(x) + b
    error = (torch.sigmoid(x) - 0.7) ** 2
    gradient = torch.stack(torch.autograd.grad(error.sum(), (w, b)))
    # An infinite limit leaves the gradient as it is.
    gradient = gradient.clamp(-value_limit, value_limit)
    shorter = (norm_limit / gradient.norm(dim=0)).clamp(max=1)
    return error.detach(), shorter * gradient


def compute(program: Program, settings: Settings) -> Result:
    """The error, the gradients at the learner's place, and the three paths from there."""
    roles = by_role(program, settings)
    places, errors = _walked(program, tuple((name, settings[name]) for name in _WALK))
    error, _ = surface(program, WINDOWS[settings.window], *device_and_dtype(settings))
    return Result(
        series=components(roles),
        facts={
            "starts": SIDE**2,
            "height": WHOLE[1][1] - WHOLE[1][0],
            "error": float(errors[0, 0]),
            "norm_at_start": float(np.linalg.norm(array(roles["true_gradient"]))),
            **_landscape(program, settings),
            **_facts_of_paths(places, errors),
            **_by_signs(roles["true_gradient"]),
        },
        notes=warned(None if np.isfinite(places).all() else WORDS("too_long")),
        planes={"error": error, "places": places, "errors": errors},
        work=WORDS("work", points=COUNT, updates=settings.path),
    )


@lru_cache(maxsize=64)
def _walked(program: Program, values: tuple[tuple[str, object], ...]) -> tuple[Array, Array]:
    """Places, [updates + 1, 2, 3], and errors, [updates + 1, 3], of the paths from the start."""
    places, errors = paths(program, Settings(dict(values)))
    return array(places), array(errors)


def _landscape(program: Program, settings: Settings) -> Mapping[str, float]:
    """The landscape's steepness, on both grids."""
    _, whole = surface(program, WINDOWS["whole"], *device_and_dtype(settings))
    _, closer = surface(program, WINDOWS["closer"], *device_and_dtype(settings))
    mean = float(whole.mean())
    return {
        "whole_steepest": float(whole.max()),
        "whole_median": float(np.median(whole)),
        "closer_steepest": float(closer.max()),
        "half_mean": mean / 2,
        "ten_means": mean * 10,
    }


def _facts_of_paths(places: Array, errors: Array) -> Mapping[str, float]:
    """When each path first left the window (0: never), and where it ends."""
    out = ~inside(*places.transpose(1, 0, 2))
    facts: dict[str, float] = {}
    for index, arm in enumerate(ARMS):
        facts |= {
            f"{arm}_left_at": int(out[:, index].argmax()),
            f"{arm}_in_valley": int(errors[-1, index] < VALLEY),
            f"{arm}_error": float(errors[-1, index]),
        }
    return facts


def _by_signs(slopes: torch.Tensor) -> Mapping[str, float]:
    """The gradient at the start, and how far it, and its signs, move b for each unit of w."""
    (w, b), (sign_w, sign_b) = slopes.double().tolist(), slopes.double().sign().tolist()
    return {
        "slope_w": w,
        "slope_b": b,
        "slope_ratio": abs(b / w) if w else math.inf,
        "sign_ratio": abs(sign_b / sign_w) if sign_w else math.inf,
    }


def shortened(settings: Settings) -> Settings:
    """Only the first updates of the paths, for while the learner drags."""
    return settings | {"path": min(settings.path, WHILE_DRAGGING)}


def seconds(settings: Settings) -> float:
    """About how long computing takes: a millisecond for each update of the paths."""
    return 0.01 + 0.001 * settings.path


# Each arm's role, and its name; drawn in this order. The roles are those of lesson 1.
LOOKS = {
    "none": ("true_gradient", WORDS("none")),
    "value": ("trick_gradient", WORDS("by_value")),
    "norm": ("intended_gradient", WORDS("by_norm")),
}

START = {"color": "ink:text", "size": 12, "line": {"color": "ink:paper", "width": 2}}
"""The mark where training starts."""

ROLE_OF = {arm: role for arm, (role, _) in LOOKS.items()}

# Strong where the error is small, and the first shades close together: the valley is looked for.
_DEPTHS = [
    [0.0, "role:forward"],
    [0.01, "role:forward/0.75"],
    [0.1, "role:forward/0.45"],
    [0.3, "role:forward/0.2"],
    [1.0, "ink:panel"],
]


def table(result: Result, settings: Settings) -> Table:
    """The gradient at the start by component, then how each path goes."""
    columns = [(WORDS("measure"), None), *((name, role) for role, name in LOOKS.values())]
    rows = [
        (WORDS("first_gradient", name=name), *cells(result, ROLE_OF.values(), index, 4))
        for index, name in enumerate("wb")
    ]
    updates = len(result.planes["errors"]) - 1
    for measure, fact in (
        (WORDS("leaves_at"), "left_at"),
        (WORDS("error_after", updates=updates), "error"),
    ):
        values_of = (result.number(f"{arm}_{fact}") for arm in LOOKS)
        entries = (
            WORDS("never") if fact == "left_at" and not value else number(value, 4)
            for value in values_of
        )
        rows.append((measure, *entries))
    return Table(WORDS("table"), tuple(columns), tuple(rows))


def stroke(arm: str) -> Trace:
    """The line of a descent."""
    role, _ = LOOKS[arm]
    return {"color": f"role:{role}", "dash": ROLES[role].dash, "width": 2, "simplify": False}


def in_words(result: Result) -> str:
    """The three paths in words."""
    parts = []
    for arm, (_, name) in LOOKS.items():
        update = result.facts[f"{arm}_left_at"]
        went = WORDS("leaves", update=update) if update else WORDS("stays")
        parts.append(
            WORDS("path", name=name, went=went, error=number(result.number(f"{arm}_error"), 3))
        )
    w, b = (number(float(v), 4) for v in result.planes["places"][0, :, 0])
    return WORDS("paths", w=w, b=b, paths="; ".join(parts))


def seen_from_above(result: Result, settings: Settings) -> Figure:
    """The error over w and b as a map, with the three paths on it."""
    window = WINDOWS[settings.window]
    (w_low, w_high), (b_low, b_high) = window
    error = result.planes["error"]
    heat = {
        "type": "heatmap",
        "x0": w_low,
        "dx": (w_high - w_low) / (COUNT - 1),
        "y0": b_low,
        "dy": (b_high - b_low) / (COUNT - 1),
        "z": error,
        "zmin": 0.0,
        "zmax": float(np.nanmax(error)),
        "colorscale": _DEPTHS,
        "showscale": False,
        "hovertemplate": WORDS("map_hover"),
    }
    layout = axes(*window, "w", "b")
    for name in ("xaxis", "yaxis"):
        layout[name] |= {"showgrid": False, "zeroline": False, "nticks": 6}
    names_above(dict(LOOKS.values()), layout)
    arrived = [name for arm, (_, name) in LOOKS.items() if result.facts[f"{arm}_in_valley"]]
    return WORDS.chart(
        "map",
        [dragged(heat, "place", w="x", b="y"), *_lines(result), _mark(result)],
        layout,
        HIGHEST,
        names=", ".join(arrived) or WORDS("no_path"),
        paths=in_words(result),
    )


def _lines(result: Result) -> Iterator[Trace]:
    """The paths on the map, to the window's edge and a little beyond it."""
    for index, arm in enumerate(ARMS):
        w, b = _shown(result.planes["places"][:, :, index])
        name = LOOKS[arm][1]
        hover = {"hovertemplate": WORDS("path_hover", name=name)}
        yield scatter("lines", w, b, name) | {"line": stroke(arm)} | hover


def _shown(places: Array) -> tuple[Array, Array]:
    """A path as a line: what leaves the window is drawn a window's width beyond it, and no more."""
    ends = np.array(WHOLE)
    size = ends[:, 1] - ends[:, 0]
    finite = np.where(np.isfinite(places), places, 1e9)
    w, b = np.clip(finite, ends[:, 0] - size, ends[:, 1] + size).T
    return w, b


def _mark(result: Result) -> Trace:
    """The mark where training starts."""
    w, b = result.planes["places"][0, :, 0]
    return scatter("markers", [float(w)], [float(b)], WORDS("start")) | {
        "marker": START,
        "hovertemplate": WORDS("start_hover"),
    }


def shares(history: History, settings: Settings) -> Figure:
    """The share that has arrived, with each way of clipping."""
    said = ", ".join(
        f"{name} {fact_or_nan(history.facts, f'{arm}_stayed'):.0%}"
        for arm, (_, name) in LOOKS.items()
    )
    layout = step_axes(history, (0.0, 1.02), WORDS("share"), WORDS("update"))
    lines = lines_of(LOOKS, "stayed")
    return step_chart(WORDS, "shares", history, lines, layout, shares=said)


def run_table(history: History, settings: Settings) -> Table:
    """Shares of the starts: mean over the seeds, lowest and highest seed."""
    measures = {
        "stayed": WORDS("stayed"),
        "reached": WORDS("reached"),
        "left": WORDS("left"),
    }
    what = WORDS("run_table", done=history.done)
    return arms_table(history, measures, LOOKS, what=what)


LAB = Lab(
    words=WORDS,
    settings=Settings,
    compute=compute,
    charts=(seen_from_above,),
    table=table,
    preview=shortened,
    seconds=seconds,
    training=Training(Descents, (shares,), run_table),
)


def at_the_wall(result: Result) -> str:
    """Grade where descent without clipping goes from the learner's start."""
    if result.facts["none_left_at"]:
        return "out"
    return "valley" if result.facts["none_in_valley"] else "slow"


def value_or_norm(result: Result, program: Program = cliff) -> str:
    """Grade which clipping brings more starts to the valley without leaving the window."""
    ends = numbers_at_end(LAB, program, seeds="1", steps="150")
    lead = ends["norm_stayed"] - ends["value_stayed"]
    return "same" if abs(lead) < 0.1 else "norm" if lead > 0 else "value"


def first_step_by_signs(result: Result) -> str:
    """Grade how far signSGD's first step moves b for each unit that it moves w."""
    ratio = result.number("sign_ratio")
    if math.isclose(ratio, 1.0):
        return "diagonal"
    return "gradient" if math.isclose(ratio, result.number("slope_ratio")) else "axis"


LESSON = Lesson(
    program=cliff,
    lab=LAB,
    predictions={"wall": at_the_wall, "which": value_or_norm, "transfer": first_step_by_signs},
    highlight="shorter = (norm_limit / gradient.norm(dim=0)).clamp(max=1)",
)
