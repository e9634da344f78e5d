"""The lab of gradients that are not finite: roots near 0, and what each clip makes of them."""

from collections.abc import Iterator, Mapping

import torch

from lessons.chapters.clipping.not_finite.roots import Program, by_role
from lessons.contract.figure import Figure, Table
from lessons.contract.lab import Lab, Progress, Start
from lessons.contract.parameters import Choice, Index, Number, Numbers, Values
from lessons.contract.result import Note, Result, warned
from lessons.kit.causes import lost, told
from lessons.kit.components import component_table, said, sticks
from lessons.kit.devices import DTYPES, resolve
from lessons.kit.inputs import COMPUTED_IN, array, format_refused, printed, series_by_role
from lessons.text import counted, number

EXAMPLE = (4.0, 1.0, 0.25, 0.0)
"""The inputs that the facts speak of: the last one has no finite slope."""

PARAMETERS = (
    Choice(
        "root",
        "Root",
        "plain",
        options=(
            ("plain", "√w"),
            ("where", "where(w > 0, √w, 0)"),
            ("safe", "where inside and outside"),
        ),
    ),
    Choice(
        "clip",
        "Clip",
        "none",
        options=(("none", "none"), ("value", "by value"), ("norm", "by norm")),
    ),
    Number("limit", "Limit", "1", low=0.0, high=1e6, slider=(0.0, 3.0), step=0.05),
    Numbers("w", "Inputs w", ", ".join(f"{value:g}" for value in EXAMPLE), most=64),
    Index(
        "point",
        "Numbers in the text at",
        "4",
        "Which input the graph shows, too.",
        advanced=True,
        low=1,
        high=64,
        of="w",
    ),
    *COMPUTED_IN,
)

LABELS = {
    "true_gradient": "before clipping",
    "trick_gradient": "after",
    "intended_gradient": "finite part, clipped",
}


def compute(program: Program, values: Values, progress: Progress) -> Result:
    """The slopes at the learner's inputs, and what both clips make of one infinity and one NaN."""
    device, missing = resolve(values["device"])
    w = torch.tensor(values["w"], dtype=torch.float64).to(device, DTYPES[values["dtype"]])
    here = by_role(program, w, values["root"], values["clip"], values["limit"])
    at = min(values["point"], len(w)) - 1
    place = array(torch.arange(1, len(w) + 1))
    progress(1.0)
    return Result(
        series=series_by_role(place, here),
        facts={
            "w": float(w[at]),
            "limit": values["limit"],
            **{role: float(value[at]) for role, value in here.items()},
            **_example(program),
        },
        notes=(
            *warned(missing),
            *_not_finite(w, here, values),
        ),
        work=counted(len(w), "input"),
        device=str(device),
    )


def start(values: Values) -> Start:
    """The run whose graph is drawn: the roots of the learner's inputs."""
    device, _ = resolve(values["device"])
    w = torch.tensor(values["w"], dtype=torch.float64).to(device, DTYPES[values["dtype"]])
    at = min(values["point"], len(w)) - 1
    settings = {name: values[name] for name in ("root", "clip", "limit")}
    return Start({"w": w.requires_grad_()}, settings, (at,))


def script(program: str, values: Values) -> str:
    """The end of an exported file: the slopes at the learner's inputs."""
    device, _ = resolve(values["device"])
    given = ", ".join(repr(values[name]) for name in ("root", "clip", "limit"))
    return f"""\
w = torch.tensor({list(values["w"])}, dtype=torch.float64)
x = torch.arange(1, len(w) + 1)  # which component
roles = by_role({program}, w.to("{device}", torch.{values["dtype"]}), {given})
series = {{}}
{printed(program, str(device))}"""


def figures(result: Result, values: Values, hidden: frozenset[str]) -> list[Figure]:
    """The slopes in their roles, and the roots themselves."""
    names = _names(result, values)
    forward = {"forward": "forward value"}
    slopes, slope_layout = sticks(result, LABELS, names, hidden, "dy/dw")
    roots, root_layout = sticks(result, forward, names, hidden, "y")
    return [
        Figure(
            "gradient",
            "The gradient, component by component",
            "At each input, left to right: before clipping, after, and what the finite components "
            "alone would give.",
            "The gradient at each input. " + said(result, LABELS, names, hidden),
            slopes,
            slope_layout,
            wide=True,
        ),
        Figure(
            "forward",
            "The roots",
            "The value is finite wherever the chosen root is defined.",
            "The root of each input. " + said(result, forward, names, hidden),
            roots,
            root_layout,
        ),
    ]


def table(result: Result, values: Values, hidden: frozenset[str]) -> Table:
    """One row an input."""
    shown = {"forward": "forward y", **LABELS}
    names = _names(result, values)
    return component_table(result, shown, names, hidden, "The root and its slope at each input")


def _names(result: Result, values: Values) -> list[str]:
    return [f"w = {number(value, 4)}" for value in values["w"]]


def _example(program: Program) -> dict[str, float | str]:
    """The first and the last slope of the example for each root and clip, as number and in words.

    √ sends an infinity to the last input, ``where`` a NaN.
    """
    w = torch.tensor(EXAMPLE, dtype=torch.float64)
    facts: dict[str, float | str] = {}
    for root, bad in (("plain", "inf"), ("where", "nan"), ("safe", "safe")):
        for clip in ("none", "value", "norm"):
            slopes = by_role(program, w, root, clip, 1.0)["trick_gradient"].tolist()
            for which, slope in (("first", slopes[0]), ("last", slopes[-1])):
                facts[f"{bad}_{clip}_{which}"] = slope
                facts[f"{bad}_{clip}_{which}_said"] = number(slope, 4)
    return facts


def _not_finite(
    w: torch.Tensor, here: Mapping[str, torch.Tensor], values: Values
) -> Iterator[Note]:
    """Why a number is not finite, each reason with its inputs."""
    trick = here["trick_gradient"]
    plain = values["root"] == "plain"
    where = (values["root"] == "where") & (w <= 0)
    known = (
        ((w < 0) & plain, "√w is NaN below 0, and so is its slope."),
        ((w == 0) & plain, "the slope of √w at 0 is infinite."),
        (where, "where sends 0 to the branch not taken; 0 times its slope is NaN."),
        (w.isinf(), "w is too large for this number format and becomes ∞."),
    )
    yield from told("w", w, here, known)
    left = lost(here.values()) & ~torch.stack([mask for mask, _ in known]).any(0)
    if values["clip"] == "norm" and not trick.isfinite().all():
        yield Note(
            "warning",
            "By norm, every component is multiplied by limit / norm, and this norm is not finite.",
        )
    elif left.any():
        yield Note("warning", "A step of the computation is too large for this number format.")


LAB = Lab(
    parameters=PARAMETERS,
    compute=compute,
    figures=figures,
    table=table,
    script=script,
    check=format_refused,
    start=start,
)
