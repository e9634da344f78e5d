"""The lab of mixed precision: gradients of many sizes through float16, at a loss scale."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np
import torch

from lessons.chapters.gone_missing.scaled.figures import figures, table
from lessons.chapters.gone_missing.scaled.precision import (
    Program,
    Setting,
    accumulated,
    by_role,
    fresh,
    largest,
    one_step,
    over_scales,
    skipped,
    smallest,
)
from lessons.contract.devices import device_and_dtype
from lessons.contract.lab import Lab, Start
from lessons.contract.parameters import Choice, Index, Integer, Number, Numbers, Values
from lessons.contract.result import Array, FactsAsAsked, Note, Result, Series
from lessons.contract.roles import GRADIENTS
from lessons.kit.causes import lost, notes_on_not_finite
from lessons.kit.inputs import array, computed_in, series_by_role
from lessons.text import counted, number

MOST = 30
"""The power of two of the largest loss scale."""

_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

Roles = Mapping[str, torch.Tensor]

INPUTS = "4, 1, 0.1, 0.01, 0.001, 0.0001, 0.00001"
"""As many as their field shows."""

FINITE = "No gradient is infinite or NaN."

PARAMETERS = (
    Integer(
        "scale",
        "Loss scale",
        "65536",
        "What the loss is multiplied by.",
        low=1,
        high=2**MOST,
        log=True,
    ),
    Choice(
        "clip",
        "Clip",
        "none",
        "Before unscaling, or after it.",
        options=(("none", "none"), ("before", "before"), ("after", "after")),
    ),
    Number("limit", "Limit", "1", low=0.0, high=1e6, slider=(0.0, 2.0), step=0.05),
    Choice(
        "narrow",
        "Format on the way",
        "float16",
        options=tuple((name, name) for name in ("float16", "bfloat16", "float32")),
    ),
    Integer("tokens", "Tokens in the mean", "32768", low=1, high=10**6, log=True),
    Numbers("x", "Inputs x", INPUTS, most=64),
    Index(
        "point",
        "Graph at",
        "1",
        "Which input the graph shows.",
        advanced=True,
        low=1,
        high=64,
        of="x",
    ),
    *computed_in("float32"),
)


def compute(program: Program, values: Values) -> Result:
    """The gradients at the learner's scale; over all scales, what is lost and how much is left."""
    device, dtype = device_and_dtype(values)
    x = torch.tensor(values["x"], dtype=torch.float64, device=device)
    scale, narrow = float(values["scale"]), values["narrow"]
    setting = Setting(*(values[name] for name in ("tokens", "clip", "limit", "narrow")))

    def at(scale: float, clip: str = setting.clip) -> dict[str, torch.Tensor]:
        return by_role(program, x, scale, replace(setting, clip=clip), dtype)

    roles = at(scale)
    return Result(
        series=series_by_role(array(x), roles),
        curves=tuple(_over_scales(program, x, setting, dtype, roles)),
        facts=FactsAsAsked(
            {
                **{name: values[name] for name in ("scale", "limit", "tokens")},
                **_counts(x, setting, array(at(scale, "none")["trick_gradient"])),
                **_lengths(roles),
                "format": narrow,
                "smallest": in_powers(smallest(narrow)),
                "largest_said": _largest_said(narrow),
                "normal": in_powers(torch.finfo(getattr(torch, narrow)).smallest_normal),
                "first_true": in_powers(float(roles["true_gradient"].abs().max())),
                "used_said": in_powers(_length(array(roles["trick_gradient"]))),
            },
            lambda: {
                **_scaler(program, values["x"], scale, setting),
                **_micro_batches(),
                **one_step(),
            },
        ),
        # One line stands there in each case: the charts below it do not move with the scale.
        notes=(*(list(_not_finite(x, roles, scale, setting)) or [Note("info", FINITE)]),),
        work=counted(len(x), "gradient") + f", {MOST + 1} scales",
    )


def start(values: Values) -> Start:
    """The run whose graph is drawn: the learner's inputs, through float16 and back."""
    x = torch.tensor(values["x"], dtype=torch.float64).to(*device_and_dtype(values))
    place = min(values["point"], len(x)) - 1
    settings = {name: values[name] for name in ("tokens", "clip", "limit", "narrow")}
    return Start({"x": x.requires_grad_()}, settings | {"scale": float(values["scale"])}, (place,))


def in_powers(value: float) -> str:
    """A size as it reads in a text.

    >>> in_powers(5.96e-8), in_powers(0.0)
    ('6.0\xa0·\xa010⁻⁸', '0')
    """
    if not value or not math.isfinite(value):
        return number(value)
    digits, power = f"{value:.1e}".split("e")
    return f"{digits}\u00a0·\u00a010{str(int(power)).translate(_RAISED)}"  # on one line


def _largest_said(narrow: str) -> str:
    """The largest number of a format: 65,504, or in powers where the digits would fill a line."""
    most = largest(narrow)
    return f"{most:,.0f}" if most < 1e9 else in_powers(most)


def _over_scales(
    program: Program, x: torch.Tensor, setting: Setting, dtype: torch.dtype, roles: Roles
) -> Iterator[Series]:
    """The share of gradients lost, and the length of what is left, over the power of two.

    Args:
        program, x, setting, dtype: as for ``by_role``.
        roles: at the learner's scale; only the trick's gradient depends on it.
    """
    powers = np.arange(MOST + 1, dtype=np.float64)
    scales = [2.0**power for power in powers]
    plain = array(over_scales(program, x, scales, replace(setting, clip="none"), dtype))
    used = plain
    if setting.clip != "none":
        used = array(over_scales(program, x, scales, setting, dtype))
    yield Series("zeros", "trick_gradient", powers, (plain == 0).mean(1))
    yield Series("lost", "trick_gradient", powers, (~np.isfinite(plain)).mean(1))
    for role in GRADIENTS:
        if role == "trick_gradient":
            lengths = np.array([_length(row) for row in used])
        else:
            lengths = np.full(len(powers), _length(array(roles[role])))
        yield Series(role, role, powers, lengths)


def _length(vector: Array) -> float:
    """The Euclidean length; the largest part is taken out, so that nothing overflows."""
    most = float(np.abs(vector).max())
    return most * float(np.linalg.norm(vector / most)) if most and np.isfinite(most) else most


def _counts(x: torch.Tensor, setting: Setting, plain: Array) -> dict[str, int]:
    """How many gradients are lost with no clip, and what one may expect at a scale of 1."""
    true = np.abs(array(2 * x / setting.tokens))
    normal = torch.finfo(getattr(torch, setting.narrow)).smallest_normal
    return {
        "many": len(plain),
        "zeros": int((plain == 0).sum()),
        "infinite": int((~np.isfinite(plain)).sum()),
        "none_zero": 0,
        "below_smallest": int((true <= smallest(setting.narrow) / 2).sum()),
        "below_normal": int((true < normal).sum()),
    }


def _lengths(roles: Mapping[str, torch.Tensor]) -> dict[str, float]:
    named = {"used": "trick_gradient", "true": "true_gradient", "right": "intended_gradient"}
    return {f"length_{name}": _length(array(roles[role])) for name, role in named.items()}


def _scaler(
    program: Program, x: tuple[float, ...], scale: float, setting: Setting
) -> dict[str, float]:
    """What torch's GradScaler does with a step at these settings, and how it starts."""
    moved, after = skipped(program, x, scale, setting)
    new = fresh()
    return {
        "skip_moved": moved,
        "skip_after": after,
        "scaler_start": new.get_scale(),
        "scaler_wait": new.get_growth_interval(),
    }


def _micro_batches() -> dict[str, float]:
    found = accumulated()
    first, second = found["acc_first"], found["acc_second"]
    return {
        **found,
        "acc_half": (first + second) / 2,
        "acc_sum": first + second,
        "acc_times": found["acc_many"] / found["acc_few"],
    }


def _not_finite(
    x: torch.Tensor, roles: Mapping[str, torch.Tensor], scale: float, setting: Setting
) -> Iterator[Note]:
    """Why a number is not finite, each reason with its inputs."""
    most = largest(setting.narrow)
    beyond = f"beyond the largest {setting.narrow}, {number(most, 5)}"
    everywhere = torch.full_like(x, scale / setting.tokens > most, dtype=torch.bool)
    known = (
        (everywhere, f"scale / tokens is {beyond}, already."),
        (x.abs() > most, f"x is {beyond}."),
        (x.abs() > most**0.5, f"the square of x is {beyond}."),
    )
    if setting.clip != "none" and bool(lost([roles["trick_gradient"]]).any()):
        yield Note("warning", "By norm, one ∞ makes NaN of itself and 0 of all finite gradients.")
    yield from notes_on_not_finite("x", x, roles, known, f"the scaled gradient is {beyond}: ∞.")


LAB = Lab(
    parameters=PARAMETERS,
    compute=compute,
    figures=figures,
    table=table,
    start=start,
    named=True,
)
