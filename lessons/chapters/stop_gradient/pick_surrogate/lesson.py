"""The value of one function, the gradient of another, both written by hand."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType

import numpy as np
import torch

from lessons.chapters.stop_gradient.pick_surrogate.formula import Expression, read
from lessons.contract.devices import DTYPES
from lessons.contract.figure import Figure, Table
from lessons.contract.lab import Lab, Start
from lessons.contract.lesson import Lesson
from lessons.contract.parameters import Numbers, Text
from lessons.contract.result import Note, Result, Series
from lessons.contract.settings import choice, declared
from lessons.contract.sketch import Sketch
from lessons.contract.words import Words
from lessons.gradient_tricks.tricks import stop_gradient
from lessons.kit.curve_figures import curve_figure, curve_table
from lessons.kit.experiment import Program
from lessons.kit.gradients import gradient
from lessons.kit.inputs import (
    ComputedIn,
    array,
    grid_around,
    inputs,
    leaf,
    one_for_each,
    place_of,
    point_in_text,
    series_by_role,
)
from lessons.kit.nan_notes import notes_on_not_finite, too_large

WORDS = Words(__file__)

Function = Callable[[torch.Tensor], torch.Tensor]


def surrogate(x: torch.Tensor, f: Function, g: Function, spelling: str) -> torch.Tensor:
    soft = g(x)
    if spelling == "apart":
        return f(x) - stop_gradient(soft) + soft
    return soft + stop_gradient(f(x) - soft)


def observed(program: Program) -> Mapping[str, float]:
    """The numbers that the text speaks of, from runs of the program with pairs of its own.

    They do not depend on what the learner sets.
    """

    def run(
        f: str, g: str, x: list[float], weights: list[float], spelling: str = "together"
    ) -> dict[str, float]:
        rows, upstream = (torch.tensor(values, dtype=torch.float64) for values in ([x], weights))
        found = by_role(program, read(f), read(g), spelling, rows, upstream)
        return {role: value[0, 0].item() for role, value in found.items()}

    steep = run("step(x)", "sigmoid(5 * x)", [0.2], [1.0])
    logits, upstream = [1.0, 2.0, 0.5], [1.0, 2.0, 3.0]
    hard = {
        spelling: run("onehot_argmax(x)", "softmax(x)", logits, upstream, spelling)
        for spelling in ("together", "apart")
    }
    kink = {
        spelling: run("relu(x)", "softplus(x)", [0.4], [1.0], spelling)["trick_gradient"]
        for spelling in ("together", "apart")
    }
    return MappingProxyType(
        {
            "steep_x": 0.2,
            "steep_value": steep["forward"],
            "steep_g": steep["intended_gradient"],
            "steep_at_zero": run("step(x)", "sigmoid(5 * x)", [0.0], [1.0])["intended_gradient"],
            "hard_apart": hard["apart"]["trick_gradient"],
            "hard_soft": hard["together"]["intended_gradient"],
            "hard_twice": 2 * hard["together"]["intended_gradient"],
            "kink_x": 0.4,
            "kink_together": kink["together"],
            "kink_apart": kink["apart"],
            "tanh_far": run("sign(x)", "tanh(x)", [-2.0], [1.0])["trick_gradient"],
            **leaky_spellings(),
            **over_gumbel_noise(),
        }
    )


def over_gumbel_noise() -> dict[str, float]:
    """The mean of Gumbel-softmax's gradient for two equal logits and the cost of the first alone,
    and that cost's own slope. The difference of two Gumbel noises is the logit of a uniform."""
    x = torch.zeros((), dtype=torch.float64, requires_grad=True)
    uniform = (torch.arange(10_000, dtype=torch.float64) + 0.5) / 10_000
    soft, choice = torch.sigmoid(x + uniform.logit()), torch.sigmoid(x)
    return {
        "gumbel_mean": gradient(soft.mean(), x).item(),
        "gumbel_true": gradient(choice, x).item(),
    }


LEAK = 0.1
LEAKY_X = (-2.0, 3.0)
LINES = {
    "leaky_outside": lambda relu, leaky: leaky + (relu - leaky).detach(),
    "relu_outside": lambda relu, leaky: relu + (leaky - relu).detach(),
    "all_inside": lambda relu, leaky: relu.detach() + (leaky - relu).detach(),
    "apart": lambda relu, leaky: relu - leaky.detach() + leaky,
}
"""The lines of code to choose from at the end."""


def leaky_spellings() -> dict[str, float]:
    """Test which of ``LINES`` have the value of relu and the slope of a leaky relu: 1 or 0."""

    def y_and_dy(line: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]) -> list[list[float]]:
        x = torch.tensor(LEAKY_X, dtype=torch.float64, requires_grad=True)
        y = line(torch.relu(x), torch.nn.functional.leaky_relu(x, LEAK))
        return [y.tolist(), gradient(y, x).tolist()]

    found = {name: y_and_dy(line) for name, line in LINES.items()}
    wanted = [y_and_dy(lambda relu, leaky: relu)[0], y_and_dy(lambda relu, leaky: leaky)[1]]
    return {
        "leak": LEAK,
        "leaky_x": LEAKY_X[0],
        "leaky_y": LEAKY_X[1],
        **{f"{name}_fits": float(np.allclose(one, wanted)) for name, one in found.items()},
        **{f"{name}_value": one[0][0] for name, one in found.items()},
        "apart_slope": found["apart"][1][1],
        "leaky_outside_below": found["leaky_outside"][1][0],
        "leaky_outside_above": found["leaky_outside"][1][1],
    }


def which_line(result: Result) -> str:
    """The first line with relu's value and the leaky slope."""
    return next(name for name in LINES if result.facts[f"{name}_fits"])


def by_role(
    program: Program,
    f: Function,
    g: Function,
    spelling: str,
    x: torch.Tensor,
    weights: torch.Tensor,
) -> dict[str, torch.Tensor]:
    """Forward value, and the gradients of the weighted sum of the values.

    Args:
        program: value of f, gradient of g.
        f, g: of one list x, shape [n], to the same shape.
        spelling: the program's.
        x: floating point, shape [rows, n]; each row is a list of its own.
        weights: shape [n]: the upstream gradient that comes to each value.

    Returns:
        Shape [rows, n] each: forward and trick_gradient of the program, true_gradient of f alone,
        intended_gradient of g alone.
    """

    def slope(function: Function) -> tuple[torch.Tensor, torch.Tensor]:
        rows = x.detach().requires_grad_()
        values = torch.vmap(function)(rows)
        return values.detach(), gradient(values * weights, rows)

    forward, trick = slope(lambda row: program(row, f, g, spelling))
    return {
        "forward": forward,
        "trick_gradient": trick,
        "true_gradient": slope(f)[1],
        "intended_gradient": slope(g)[1],
    }


class Settings(ComputedIn):
    f = declared(Text("f", "sign(x)", read=read))
    g = declared(Text("g", "tanh(x)", read=read))
    spelling = choice("together", "apart")
    x = inputs("-2, -0.1, 0.4")
    weights = declared(Numbers("weights", "", optional=True))
    point = point_in_text(3, advanced=False)


def compute(program: Program, settings: Settings) -> Result:
    """The value and the gradients, at the learner's list and over one of its inputs."""
    f, g, x = read(settings.f), read(settings.g), leaf(settings, "x")
    points = torch.tensor(settings.x, dtype=torch.float64)
    weights = _weights(settings, len(points)).to(x)
    place = place_of(settings)
    grid = grid_around(points)
    moved = points.repeat(len(grid), 1)
    moved[:, place] = grid

    def roles(rows: torch.Tensor) -> dict[str, torch.Tensor]:
        return by_role(program, f, g, settings.spelling, rows.to(x), weights)

    at_points = {role: value[0] for role, value in roles(points[None]).items()}
    on_grid = {role: value[:, place] for role, value in roles(moved).items()}
    return Result(
        series=series_by_role(array(points), at_points),
        curves=series_by_role(array(grid), on_grid),
        facts={
            "weight": float(weights[place]),
            "inputs": len(points),
        },
        notes=(
            *_not_finite(points, x, f, g, at_points),
            *_alone(f, g),
        ),
        work=WORDS.counted("inputs", len(points)),
    )


def _curves(result: Result, settings: Settings) -> Figure:
    """Gradients and value over the chosen input; the others stay where they are."""
    if all(read(settings[name]).entry_by_entry for name in ("f", "g")) and settings.weights is None:
        return curve_figure(result, WORDS)
    # Each input has a curve of its own now: only the chosen one's point lies on this one.
    place = place_of(settings)
    chosen = tuple(
        Series(line.name, line.role, line.x[place : place + 1], line.y[place : place + 1])
        for line in result.series
    )
    return replace(curve_figure(replace(result, series=chosen), WORDS), selects=None)


def table(result: Result, settings: Settings) -> Table:
    """One row an input."""
    return curve_table(result, WORDS("value"))


def check(settings: Settings) -> dict[str, str]:
    """Refusals that need more than one value."""
    errors = one_for_each(settings, "weights")
    for name in ("f", "g"):
        if refused := read(settings[name]).refusal(DTYPES[settings.dtype]):
            errors[name] = WORDS("not_computed", dtype=settings.dtype, why=refused)
    return errors


def start(settings: Settings) -> Start:
    """The run whose graph is drawn; the upstream gradient enters as a product at its end."""
    x, place = leaf(settings, "x"), (place_of(settings),)
    arguments = {"f": read(settings.f), "g": read(settings.g), "spelling": settings.spelling}
    if settings.weights is None:
        return Start({"x": x.requires_grad_()}, arguments, place)
    weights = _weights(settings, len(x)).to(x)
    return Start({"x": x.requires_grad_()}, arguments, place, lambda y: y * weights)


def _weights(settings: Settings, count: int) -> torch.Tensor:
    given = (1.0,) if settings.weights is None else settings.weights
    return torch.tensor(given, dtype=torch.float64).expand(count)


def _not_finite(
    given: torch.Tensor,
    x: torch.Tensor,
    f: Expression,
    g: Expression,
    roles: Mapping[str, torch.Tensor],
) -> Iterator[Note]:
    """A note for each cause of a NaN or infinity at the learner's x."""
    with torch.no_grad():
        f_bad, g_bad = (~function(x).isfinite() for function in (f, g))
    causes = (
        too_large("x", x),
        (g_bad, WORDS("g_not_finite", g=g.text)),
        (f_bad, WORDS("f_not_finite", f=f.text)),
    )
    unknown = WORDS("slope_not_finite")
    return notes_on_not_finite("x", given, roles, causes, otherwise=unknown)


def _alone(f: Expression, g: Expression) -> Iterator[Note]:
    """Notes on expressions that are valid but odd."""
    if not g.reads_x:
        yield Note("info", WORDS("constant"))
    if f.text.replace(" ", "") == g.text.replace(" ", ""):
        yield Note("info", WORDS("same"))


LESSON = Lesson(
    program=surrogate,
    lab=Lab(
        WORDS,
        Settings,
        compute,
        table,
        (_curves,),
        check=check,
        start=start,
        sampled_values=lambda settings: {name: read(settings[name]).inline for name in ("f", "g")},
    ),
    predictions={"transfer": which_line},
    sketches={"slope": Sketch(x=(-1.2, -0.8, -0.4, -0.2, 0.0, 0.2, 0.4, 0.8, 1.2), near=0.25)},
    facts=(observed,),
    highlight="soft + stop_gradient(f(x) - soft)",
)
