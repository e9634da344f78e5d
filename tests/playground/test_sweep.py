"""Curves: true at each of their places, broken where the program jumps, whole where it does not."""

import random
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from lessons.contract.result import Series
from lessons.playground.document.as_text import to_text
from lessons.playground.document.contents import Document, Input, Noise
from lessons.playground.document.presets import Preset, preset, preset_of, presets
from lessons.playground.language.limits import CURVE_POINTS, MAX_DRAWS
from lessons.playground.language.playground_error import PlaygroundError
from lessons.playground.running import outcome
from lessons.playground.running.budget import Plan, plan
from lessons.playground.running.outcome import run
from lessons.playground.running.sweep import grid
from tests.playground.programs import ran, valid
from tests.playground.said import said
from tests.support.amount import seeds
from tests.support.folded import folded
from tests.support.present import present


def curves(
    program: str, low: float = -3, high: float = 3, noise: bool = False
) -> dict[str, Series]:
    drawn = (Input("u", noise=Noise("uniform", 0.9, 1.1, 0, "x")),) if noise else ()
    document = Document((Input("x", (1.0,), low=low, high=high), *drawn), program)
    return {one.name: one for one in run(document).curves}


def drawn_steps(one: Series) -> np.ndarray:
    """How far the drawn line goes up or down between two neighbours."""
    steps = np.abs(np.diff(one.y))
    return steps[np.isfinite(steps)]


@pytest.mark.parametrize("ends", [(-3, 3), (-3, 2.9), (-0.3, 0.9), (-1.7, 5.3)])
@pytest.mark.parametrize(
    ("program", "formula", "jumps"),
    [
        ("y = sign(x)", np.sign, lambda x: np.abs(x)),
        ("y = step(x) * x", lambda x: (x > 0) * x, None),
        ("y = round(x)", np.round, lambda x: np.abs(x - np.floor(x) - 0.5)),
        ("y = floor(4 * x)", lambda x: np.floor(4 * x), lambda x: np.abs(4 * x - np.round(4 * x))),
        ("y = 2 * step(x - 0.3)", lambda x: 2.0 * (x > 0.3), lambda x: np.abs(x - 0.3)),
    ],
)
def test_no_line_is_drawn_across_a_jump(
    program: str,
    formula: Callable[[np.ndarray], np.ndarray],
    jumps: Callable[[np.ndarray], np.ndarray] | None,
    ends: tuple[float, float],
) -> None:
    forward = curves(program, *ends)["forward"]
    there = np.isfinite(forward.y)
    np.testing.assert_array_equal(forward.y[there], formula(forward.x[there]))
    assert (np.diff(forward.x) > 0).all()
    assert drawn_steps(forward).max() <= 0.1
    if jumps is not None:
        # A gap is a small part of the step between two points wide, and lies at a jump.
        assert jumps(forward.x[~there]).max() <= 0.1
        assert (~there).any()


@pytest.mark.parametrize("ends", [(-3, 3), (-0.3, 0.9), (-2, 2)])
def test_where_a_gradient_is_nan_there_is_a_gap(ends: tuple[float, float]) -> None:
    """0 is one of the places, whatever rounding makes of it."""
    trick = curves("y = sqrt(x**2)", *ends)["trick_gradient"]
    assert trick.x[np.isnan(trick.y)].tolist() == [0.0]
    assert drawn_steps(trick).max() <= 1e-12


@pytest.mark.parametrize(
    "program",
    ["y = x**2", "y = relu(x)", "y = abs(x)", "y = sin(x)", "y = tanh(50 * x)", "y = sqrt(x**2)",
     "y = exp(5 * x)", "y = stop_gradient(x)", "y = 7 + 0 * x", "y = x**2 * 1e-30"],
)  # fmt: skip
def test_a_continuous_curve_has_no_gap(program: str) -> None:
    assert np.isfinite(curves(program)["forward"].y).all()


def test_a_smooth_program_is_run_once_and_a_corner_breaks_its_gradient_only() -> None:
    assert all(len(one.x) == CURVE_POINTS for one in curves("y = x**2 + sin(x)").values())
    trick = curves("y = relu(x)")["trick_gradient"]
    gap = trick.x[np.isnan(trick.y)]
    assert len(gap) == 1
    assert abs(gap[0]) < 0.01


def test_a_band_has_the_gap_too() -> None:
    for one in curves("y = sign(x) * u", noise=True).values():
        np.testing.assert_array_equal(np.isnan(present(one.low)), np.isnan(one.y))
        np.testing.assert_array_equal(np.isnan(present(one.high)), np.isnan(one.y))
        assert drawn_steps(one).max() <= 0.01


@pytest.mark.random
@folded("seed", seeds(15, 40))
def test_a_curve_is_what_each_of_its_points_gives_alone(seed: int) -> None:
    """The batch keeps points apart: sums, softmaxes, clipped norms and rules see one each."""
    document = valid(random.Random(seed), tricks=True)
    found = ran(document)
    curves = {curve.name: curve for curve in found.curves}
    first, *others = document.inputs
    for at in grid(first.low, first.high, CURVE_POINTS)[[0, 37, 120]].tolist():
        assert isinstance(first.values, tuple)
        x = (at, *first.values[1:])
        moved = document.with_(inputs=(Input("x", x), *others))
        alone = run(moved, curves=False)
        pairs = [(curves["forward"], alone.values["out"])]
        for role in ("trick_gradient", "true_gradient"):
            gradient = alone.gradients[role]["x"]
            pairs.append((curves[role], torch.zeros(1) if gradient is None else gradient[0]))
        for curve, value in pairs:
            (here,) = (curve.x == at).nonzero()[0]  # a jump gives a curve points of its own
            assert float(curve.y[here]) == pytest.approx(float(value), rel=1e-9, nan_ok=True)


def test_the_intended_gradient_is_that_of_its_name_without_tricks() -> None:
    program = "z = 2 * stop_gradient(x)\ny = x"
    found = run(Document((Input("x", (1.0,)),), program, output="y", intended="z"))
    assert present(found.gradients["intended_gradient"]["x"]).tolist() == [2]
    (curve,) = (one for one in found.curves if one.name == "intended_gradient")
    assert {*found["intended_gradient"].y, *curve.y} == {2}


@pytest.mark.parametrize("one", presets(), ids=lambda one: one.name)
def test_a_preset_runs_is_drawn_whole_and_says_what_it_is(
    one: Preset, monkeypatch: pytest.MonkeyPatch
) -> None:
    plans: list[Plan] = []

    def planned(**known: Any) -> Plan:
        plans.append(plan(**known))
        return plans[-1]

    monkeypatch.setattr(outcome, "plan", planned)
    found = run(one.document)
    assert plans[0].points == CURVE_POINTS
    assert plans[0].draws in (1, MAX_DRAWS)
    assert found.curves
    assert not [note for note in found.notes if "NaN" in note.text]
    assert one.title
    assert one.about.endswith(".")
    assert one.trick or one.name == "blank"
    numbers = r"(?<![\w.])\d+(?:\.\d+)?"
    known = {f"{abs(y):.3g}" for line in found.series for y in line.y}
    known |= {*re.findall(r"\d+(?:\.\d+)?", to_text(one.document))}
    assert {*re.findall(numbers, f"{one.title} {one.about}")} <= known, (
        "in the program, or computed"
    )


def test_an_earlier_preset_still_opens_and_an_unknown_name_is_refused() -> None:
    assert preset("linear_after").program.count("\n") == 3
    assert preset_of(preset("linear_after")) == ""
    with pytest.raises(PlaygroundError) as caught:
        preset("fliptwice")
    assert said("no_preset did_you_mean", "flip_twice") == caught.value.message
