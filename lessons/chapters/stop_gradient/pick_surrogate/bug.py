"""A steep sigmoid's slope, written out with an exponential."""

import math

import torch

from lessons.contract.bug import Bug, Code, changed


def sigmoid_slope(x: torch.Tensor) -> torch.Tensor:
    e = torch.exp(-25 * x)
    return 25 * e / (e + 1) ** 2


def through_the_value(x: torch.Tensor) -> torch.Tensor:
    s = torch.sigmoid(25 * x)
    return 25 * s * (1 - s)


def check(slope: Code) -> None:
    """The slope of σ(25x) is that of σ(25|x|), near the step and far from it."""
    for x in (-30.0, -5.0, -0.1, 0.0, 0.1, 5.0, 30.0):
        got = slope(torch.tensor(x)).item()
        e = math.exp(-25 * abs(x))
        expected = 25 * e / (e + 1) ** 2
        assert abs(got - expected) < 1e-5, f"at x = {x:g} the slope is {got}, not {expected:.3g}"


BUG = Bug(
    source="jeshraghian/snntorch#433",
    title="Fix NaN gradients in sigmoid surrogate backward pass",
    opened="2026-07-07",
    broken=sigmoid_slope,
    fixes={
        "value": through_the_value,
        "double": changed(
            sigmoid_slope,
            {
                "-25 * x": "-25 * x.double()",
                "25 * e / (e + 1) ** 2": "(25 * e / (e + 1) ** 2).float()",
            },
        ),
        "mirror": changed(sigmoid_slope, {"-25 * x": "25 * x"}),
    },
    check=check,
)
