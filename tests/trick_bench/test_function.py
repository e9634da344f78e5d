"""A function broken down into ops is the same function; without its noise it reads none."""

import ast

import pytest
import torch

from lessons.bench.function import NOISE, read_function
from lessons.playground.document.contents import Document, Input, Noise
from lessons.playground.language.pasted_expressions import names_in
from lessons.playground.running.outcome import Outcome, run
from tests.trick_bench.settings import TYPED_FUNCTIONS

X = Input("x", (-1.7, -0.6, 0.8, 2.1))
U = Input(NOISE, noise=Noise("uniform", 0.5, 1.5, 3, "x"))


def ran(program: str, output: str = "z") -> Outcome:
    """Values and gradients of a program of x and u."""
    return run(Document((X, U), program, output), curves=False)


@pytest.mark.parametrize("text", TYPED_FUNCTIONS)
def test_broken_down_it_has_the_same_values_and_gradients(text: str) -> None:
    function = read_function(f"z = {text}", ["x"], "typed")
    whole, parts = ran(f"z = {text}"), ran(function.text)
    assert torch.equal(whole.values["z"], parts.values["z"])
    for name in ("x", "u"):
        one, other = (each.gradients["trick_gradient"][name] for each in (whole, parts))
        torch.testing.assert_close(one, other, rtol=1e-12, atol=1e-15)
    for line in function.lines:
        ops = [n for n in ast.walk(line.value) if isinstance(n, ast.BinOp | ast.Call | ast.UnaryOp)]
        numbers = [n for n in ops if not any(isinstance(part, ast.Name) for part in ast.walk(n))]
        masks = [n for one in ast.walk(line.value) if isinstance(one, ast.Compare) for n in [one]]
        assert len(ops) - len(numbers) - len(masks) <= 1, line.text


@pytest.mark.parametrize(
    ("text", "noise", "expected"),
    [
        ("sqrt(x**2 * u)", "multiply", "y = x**2\nyu = y * u\nz = sqrt(yu)"),
        ("sqrt(x**2 * u)", "add", "y = x**2\nyu = y + u\nz = sqrt(yu)"),
        ("sqrt(x**2 * u)", "off", "y = x**2\nz = sqrt(y)"),
        ("round(x)", "off", "z = round(x)"),
        ("round(x)", "multiply", "xu = x * u\nz = round(xu)"),
        ("round(x)", "add", "xu = x + u\nz = round(xu)"),
        ("sin(u) * x", "off", "z = sin(0.75) * x"),
    ],
)
def test_the_noise_multiplies_adds_or_is_off(text: str, noise: str, expected: str) -> None:
    assert read_function(text, ["x"], noise, 0.75).text == expected


@pytest.mark.parametrize("text", TYPED_FUNCTIONS)
def test_without_its_noise_it_is_what_it_is_with_the_noise_off(text: str) -> None:
    function = read_function(f"z = {text}", ["x"], "typed", 1.0)
    if (quiet := function.without_noise.get("z")) is None:
        assert function.output not in function.noisy
        return
    off = read_function(f"z = {text}", ["x"], "off", 1.0)
    assert not names_in(quiet) & function.noisy
    one, other = ran(f"{function.text}\nclean = {ast.unparse(quiet)}", "clean"), ran(off.text)
    torch.testing.assert_close(one.values["clean"], other.values["z"], rtol=1e-12, atol=1e-15)
