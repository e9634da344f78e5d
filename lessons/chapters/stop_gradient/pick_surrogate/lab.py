"""The surrogate lab: the learner writes one expression for the value, one for the gradient."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

import torch

from lessons.chapters.stop_gradient.pick_surrogate.formula import Expression, read
from lessons.chapters.stop_gradient.pick_surrogate.surrogate import Program, by_role
from lessons.contract.devices import DTYPES, device_and_dtype
from lessons.contract.figure import Figure, Table
from lessons.contract.lab import Lab, Start
from lessons.contract.parameters import Choice, Index, Numbers, Text, Values
from lessons.contract.result import Note, Result, Series
from lessons.kit.causes import notes_on_not_finite
from lessons.kit.curve_figures import CurveText, curve_figures, curve_table
from lessons.kit.inputs import (
    COMPUTED_IN,
    array,
    grid_around,
    inputs,
    series_by_role,
)
from lessons.text import counted

FUNCTIONS_HELP = "x, numbers, + - * / **, and functions such as sign, step, tanh, sigmoid, softmax."

PARAMETERS = (
    Text("f", "Value: f(x)", "sign(x)", FUNCTIONS_HELP, read=read),
    Text("g", "Gradient of: g(x)", "tanh(x)", FUNCTIONS_HELP, read=read),
    Choice(
        "spelling",
        "Spelling",
        "together",
        options=(("together", "g + sg(f − g)"), ("apart", "f − sg(g) + g")),
    ),
    inputs("-2, -0.1, 0.4"),
    Numbers(
        "weights",
        "Upstream gradient",
        "",
        "One number for each x, or one for all: what the rest of the network sends back.",
        optional=True,
        placeholder="1 for each",
    ),
    Index("point", "Curve over x number", "3", low=1, high=256, of="x"),
    *COMPUTED_IN,
)

TEXT = CurveText(
    value="y",
    gradient="dL/dx",
    gradient_caption="Dotted: the gradient of f. Ticks: the gradient of g. L sums the y, each "
    "times its upstream gradient.",
    forward_caption="The value of f, as long as g is finite and not far larger.",
)

Observe = Callable[[Program], Mapping[str, float | str]]
"""Facts from runs of the program with expressions of the lesson's own."""


def surrogate_lab(observe: Observe) -> Lab:
    """The lab; ``observe`` adds what the prose needs besides the numbers at the chosen input."""

    def compute(program: Program, values: Values) -> Result:
        device, dtype = device_and_dtype(values)
        f, g = read(values["f"]), read(values["g"])
        points = torch.tensor(values["x"], dtype=torch.float64)
        weights = _weights(values, len(points)).to(device, dtype)
        place = min(values["point"], len(points)) - 1
        grid = grid_around(points)
        moved = points.repeat(len(grid), 1)
        moved[:, place] = grid

        def roles(rows: torch.Tensor) -> dict[str, torch.Tensor]:
            return by_role(program, f, g, values["spelling"], rows.to(device, dtype), weights)

        at_points = {role: value[0] for role, value in roles(points[None]).items()}
        on_grid = {role: value[:, place] for role, value in roles(moved).items()}
        return Result(
            series=series_by_role(array(points), at_points),
            curves=series_by_role(array(grid), on_grid),
            facts={
                "f": values["f"],
                "g": values["g"],
                "x": float(points[place]),
                "weight": float(weights[place]),
                "inputs": len(points),
                **{role: float(value[place]) for role, value in at_points.items()},
                **observe(program),
            },
            notes=(
                *_not_finite(points, points.to(device, dtype), f, g, at_points),
                *_alone(f, g),
            ),
            work=counted(len(points), "input"),
        )

    return Lab(
        parameters=PARAMETERS,
        compute=compute,
        figures=figures,
        table=table,
        check=check,
        start=start,
        drawn=lambda values: {name: read(values[name]).inline for name in ("f", "g")},
    )


def figures(result: Result, values: Values) -> list[Figure]:
    """Gradients and value over the chosen input; the others stay where they are."""
    if all(read(values[name]).entry_by_entry for name in ("f", "g")) and values["weights"] is None:
        return curve_figures(result, TEXT)
    # Each input has a curve of its own now: only the chosen one's point lies on this one.
    place = min(values["point"], len(values["x"])) - 1
    chosen = tuple(
        Series(line.name, line.role, line.x[place : place + 1], line.y[place : place + 1])
        for line in result.series
    )
    drawn = curve_figures(replace(result, series=chosen), TEXT)
    return [replace(figure, selects=None) for figure in drawn]


def table(result: Result, values: Values) -> Table:
    """One row an input."""
    return curve_table(result, TEXT)


def check(values: Values) -> dict[str, str]:
    """Refusals that need more than one value."""
    errors: dict[str, str] = {}
    x, weights = values["x"], values["weights"]
    if weights is not None and len(weights) not in (1, len(x)):
        errors["weights"] = (
            f"{len(weights)} numbers came for {len(x)} inputs. Give one for each x, or one."
        )
    for name in ("f", "g"):
        if refused := read(values[name]).refusal(DTYPES[values["dtype"]]):
            errors[name] = f"This cannot be computed in {values['dtype']}. {refused}"
    return errors


def start(values: Values) -> Start:
    """The run whose graph is drawn; the upstream gradient enters as a product at its end."""
    x = torch.tensor(values["x"], dtype=torch.float64).to(*device_and_dtype(values))
    place = min(values["point"], len(x)) - 1
    settings = {"f": read(values["f"]), "g": read(values["g"]), "spelling": values["spelling"]}
    if values["weights"] is None:
        return Start({"x": x.requires_grad_()}, settings, (place,))
    weights = _weights(values, len(x)).to(x)
    return Start({"x": x.requires_grad_()}, settings, (place,), lambda y: y * weights)


def _weights(values: Values, count: int) -> torch.Tensor:
    given = (1.0,) if values["weights"] is None else values["weights"]
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
        (x.isinf(), "x is too large for this number format and becomes ∞."),
        (g_bad, f"g, {g.text}, is NaN or infinite. It is added and subtracted again, and that "
         "leaves NaN in the value too."),
        (f_bad, f"f, {f.text}, is NaN or infinite."),
    )  # fmt: skip
    unknown = "a slope is NaN or infinite, or a number too large for this number format."
    return notes_on_not_finite("x", given, roles, causes, otherwise=unknown)


def _alone(f: Expression, g: Expression) -> Iterator[Note]:
    """What is worth saying of expressions that are valid and odd."""
    if not g.reads_x:
        yield Note("info", "g does not read x, so no gradient comes back.")
    if f.text.replace(" ", "") == g.text.replace(" ", ""):
        yield Note("info", "f and g are the same: no trick, just the function.")
