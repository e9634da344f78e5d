"""What a run says and keeps: notes, None, bounds of size and time, purity, threads."""

import itertools
from typing import Any

import numpy as np
import pytest
import torch

from lessons.chapters.stop_gradient.shared_noise.lab import first_draw
from lessons.contract import devices
from lessons.playground.document.check import draws
from lessons.playground.document.contents import Document, Input, Noise, Override
from lessons.playground.language.playground_error import PlaygroundError
from lessons.playground.running.outcome import run
from lessons.playground.running.words import WORDS
from tests.playground.said import said
from tests.support.present import present

NOISY = "y = x**2\nz = sqrt(y * u)\nout = stop_gradient(z - sqrt(y)) + sqrt(y)"


def noisy(seed: int = 0, **changes: Any) -> Document:
    inputs = (
        Input("x", (-2.0, -1.0, 1.0)),
        Input("u", noise=Noise("uniform", 0.9, 1.1, seed, "x")),
    )
    return Document(inputs, NOISY, **changes)


def notes_of(program: str, x: tuple[float, float] = (0.0, 1.0), **given: Any) -> list[str]:
    return [note.text for note in run(Document((Input("x", x),), program, **given)).notes]


def test_noise_is_drawn_as_the_lessons_draw_it() -> None:
    found = run(noisy(seed=7))
    assert torch.equal(found.values["u"], first_draw(7, 3, 0.9, 1.1))


def test_normal_noise_has_its_mean_and_deviation() -> None:
    every = draws(Document((Input("x", (0.0,) * 100),), ""), Noise("normal", 3, 2, 1, "x"), 200)
    assert float(every.mean()) == pytest.approx(3, abs=0.06)
    assert float(every.std()) == pytest.approx(2, abs=0.06)
    assert bool(every.isfinite().all())


def test_the_band_holds_the_draws_and_the_clean_gradient_has_none() -> None:
    found = run(noisy())
    curves = {curve.name: curve for curve in found.curves}
    forward, true = curves["forward"], curves["true_gradient"]
    assert present(forward.low).shape == forward.x.shape
    assert (present(forward.low) <= forward.y).all()
    assert (forward.y <= present(forward.high)).all()
    away = np.abs(true.x) > 0.01
    assert (present(true.high) - present(true.low))[away].min() > 0.05
    np.testing.assert_allclose(curves["trick_gradient"].y[away], np.sign(true.x[away]))


def test_the_same_document_gives_the_same_bits_and_another_seed_does_not() -> None:
    first, second, other = run(noisy()), run(noisy()), run(noisy(seed=1))
    for a, b in zip(first.curves, second.curves, strict=True):
        assert np.array_equal(a.y, b.y, equal_nan=True)
    assert first.values["u"].tolist() != other.values["u"].tolist()


@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("y = sqrt(x**2)", said("gradient_not_finite trick_gradient starts_at_root", "x = 0", "NaN",
                                "sqrt(x**2)")),
        ("y = sqrt(x - 1)", said("entries_not_finite negative_root", "1", "sqrt(x - 1)", "NaN")),
        ("y = 1 / x", said("entries_not_finite divides_by_zero", "1", "1 / x")),
        ("y = (x + 1) / 0", said("entries_not_finite divides_by_zero")),
        ("y = log(x)", said("entries_not_finite log_of_zero", "∞")),
        ("y = exp(999 * x)", said("entries_not_finite too_large", "2")),
        ("y = (x - 1)**0.5", said("entries_not_finite fractional_power")),
        ("y = x**-1", said("entries_not_finite negative_power_of_zero")),
        ("y = stop_gradient(x)", said("no_gradient trick_gradient")),
        ("y = step(x)", said("no_gradient true_gradient")),
        ("y = x * [[1], [2], [3]]", said("other_shape", "y", "x")),
    ],
)  # fmt: skip
def test_every_nan_and_oddity_is_named(program: str, words: said) -> None:
    found = notes_of(program)
    assert words in found


def test_the_cpu_stands_in_for_a_device_that_is_not_here() -> None:
    assert notes_of("y = x", device="cuda:7") == [devices.WORDS("no_device", wanted="cuda:7")]


def test_a_healthy_program_has_nothing_to_note() -> None:
    assert notes_of("y = square(x) + tanh(x)") == []


@pytest.mark.parametrize(
    ("program", "override", "words"),
    [
        ("y = square(x)", Override("sqrt", "grad"), said("rule_without_op did_you_mean", "square")),
        ("y = square(x)", Override("Relu", "grad"), said("rule_without_op there_are", "square")),
        (
            "y = x\nz = square(x)",
            Override("square", "grad", ("y",)),
            said("rule_without_gradient_on", "square", "y"),
        ),
        ("y = stop_gradient(square(x))", Override("square", "grad"), said("rule_not_reached")),
        ("y = square(x)\nz = x", Override("square", "grad"), said("rule_not_reached")),
        (
            "a = square(x)\ny = square(a) + stop_gradient(square(x))",
            Override("square", "grad"),
            said("rule_runs_for", "square", "2", "3"),
        ),
    ],
)
def test_a_rule_that_does_not_run_for_each_of_its_ops_is_named(
    program: str, override: Override, words: said
) -> None:
    found = notes_of(program, overrides=(override,))
    assert words in found


def test_two_inputs_of_one_seed_are_named() -> None:
    twins = tuple(Input(name, noise=Noise("normal", 0, 1, 5)) for name in "uv")
    found = run(Document((Input("x", 1.0), *twins), "y = x * u + v"))
    assert WORDS("same_seed", one="v", other="u") in [note.text for note in found.notes]


def test_a_number_alone_is_a_gradient_everywhere() -> None:
    rule = (Override("mul", "2, None"),)
    found = run(Document((Input("x", (1.0, 5.0)),), "y = x * [3, 3]", overrides=rule))
    assert found["trick_gradient"].y.tolist() == [2, 2]


@pytest.mark.parametrize(
    ("program", "x", "words"),
    [
        ("a = x * transpose(x)\nb = sum(a)", ((1.0,) * 128,),
         said("large_result", "16,384", "[128, 128]")),
        ("y = x @ transpose(x)", ((1.0,),) * 100, said("large_result", "4,096")),
    ],
)  # fmt: skip
def test_a_result_too_large_is_refused_before_it_is_computed(
    program: str, x: tuple[tuple[float, ...], ...], words: said
) -> None:
    with pytest.raises(PlaygroundError) as caught:
        run(Document((Input("x", x),), program))
    assert words == caught.value.message


@pytest.fixture
def ticking(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tenth of a second passes between one look at the clock and the next."""
    clock = itertools.count(0, 0.1)
    monkeypatch.setattr("lessons.playground.running.budget.time.thread_time", lambda: next(clock))


@pytest.mark.usefixtures("ticking")
def test_a_run_past_its_time_is_stopped_between_ops_and_says_where() -> None:
    lines = "\n".join(f"v{i} = {'x' if not i else f'v{i - 1}'} @ w" for i in range(150))
    square = ((0.1,) * 32,) * 32
    document = Document((Input("x", square), Input("w", square)), lines)
    with pytest.raises(PlaygroundError) as caught:
        run(document)
    assert caught.value.message == WORDS("took_long", seconds=2)
    assert caught.value.line == 20


@pytest.mark.usefixtures("ticking")
def test_a_rule_past_its_time_is_stopped_too() -> None:
    lines = "\n".join(f"v{i} = tanh({'x' if not i else f'v{i - 1}'})" for i in range(8))
    rule = Override("tanh", "grad * (1 - out1 * out1)")
    with pytest.raises(PlaygroundError) as caught:
        run(Document((Input("x", (1.0,)),), lines, overrides=(rule,)), curves=False)
    assert said("took_long") == caught.value.message
    assert caught.value.part == "rule"
