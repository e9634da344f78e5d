"""Chapter 1's lessons on stop_gradient itself, against formulas."""

from typing import Any

import pytest
import torch

from lessons.chapters.stop_gradient.pick_surrogate.formula import read
from lessons.contract.parameters import InvalidParametersError
from lessons.gradient_tricks.tricks.playground import onehot_argmax, step
from lessons.outputs.catalogue import find
from tests.support.course import numbers, run


def test_the_curve_over_one_logit_leaves_the_others_where_they_are() -> None:
    given = {"f": "softmax(x)", "g": "softmax(x)", "weights": "1, 2, 3", "point": "2"}
    result = run("pick_surrogate", **given, x="1, 2, 0.5")
    curve = next(one for one in result.curves if one.name == "true_gradient")
    for place in (3, 60, 100):
        there = run("pick_surrogate", **given, x=f"1, {float(curve.x[place])!r}, 0.5")
        assert curve.y[place] == pytest.approx(there["true_gradient"].y[1], rel=1e-12)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty"),
        ("tanh(x", "never closed"),
        ("y", "no “y”"),
        ("x = 2", ""),
        ("x; x", ""),
        ("x\nz = x", "one line"),
        ("x > 0", "step"),
        ("sum(x)", "one number for each x"),
        ("x @ x", "matrices"),
        ("stop_gradient(x)", "trick"),
        ("straight_through(sign)(x)", ""),
        ("[1, 2] * x", "lists"),
        ("(" * 300 + "x" + ")" * 300, ""),
        ("a" * 5000, "characters"),
        ("softmax(1)", "Column 1: softmax needs a list"),
        ("where(1 > x, softmax(2), x)", "Column 14: softmax needs a list"),
        ("x + onehot_argmax(exp(1))", "Column 5: onehot_argmax needs a list"),
    ],
)
def test_what_is_no_function_of_x_is_refused_in_words(text: str, message: str) -> None:
    """tests/playground/programs.py has what no program of the playground may contain either."""
    lesson = find("pick_surrogate")
    for name in ("f", "g"):
        with pytest.raises(InvalidParametersError) as caught:
            lesson.validate({name: text})
        assert message.lower() in caught.value.errors[name].lower()
        assert list(caught.value.errors) == [name]
        assert "Traceback" not in caught.value.errors[name]


@pytest.mark.parametrize("text", ["2", "relu(2) + 1", "-x**2/3", "where(x > 0.1, x, 0.1*x)",
    "maximum(x, 0.1)", "softmax(2*x) - 0.5", "log(x)", "x**64"])  # fmt: skip
def test_the_exported_expression_gives_the_same_numbers(text: str) -> None:
    expression = read(text)
    space: dict[str, Any] = {"torch": torch, "onehot_argmax": onehot_argmax, "step": step}
    space["f"] = eval(expression.inline, space)
    x = torch.tensor([-1.5, 0.2, 3.0])
    assert torch.equal(expression(x).nan_to_num(7), space["f"](x).nan_to_num(7))
    result = run("pick_surrogate", f=text, g=text)
    assert result.notes, "a constant, a NaN or twice the same is worth a note"


@pytest.mark.parametrize("text", ["clamp(x, -1e90, 1e90)", "where(x > 0, x, 1e90)"])
def test_a_number_past_a_format_is_refused_where_that_format_is_chosen(text: str) -> None:
    lesson = find("pick_surrogate")
    for name in ("f", "g"):
        with pytest.raises(InvalidParametersError) as caught:
            lesson.validate({name: text, "dtype": "float32"})
        assert "cannot be computed in float32" in caught.value.errors[name]
        lesson.compute(lesson.validate({name: text, "dtype": "float64"}))


def test_the_obvious_place_spreads_more_than_no_trick_where_the_noise_comes_near_zero() -> None:
    result = run("wrong_place", noise_low="0.01", noise_high="1", x="-2, -1, 0, 1", point="4")
    facts = numbers(result.facts)
    assert facts["trick_gradient_deviation"] > 2 * facts["true_gradient_deviation"]
    assert any("At x = 0" in note.text for note in result.notes)


@pytest.mark.parametrize("narrow", [torch.bfloat16, torch.float16])
def test_the_usual_straight_through_line_is_exact_for_round_and_floor_and_not_for_sign(
    narrow: torch.dtype,
) -> None:
    x = torch.arange(-(2**15), 2**15).to(torch.int16).view(narrow)
    x = x[x.isfinite()]
    exact = [torch.equal(x + (f(x) - x), f(x)) for f in (torch.round, torch.floor, torch.sign)]
    assert exact == [True, True, False]


@pytest.mark.parametrize(
    ("slug", "tried", "meant"),
    [
        ("pick_surrogate", {"f": "relu(x)", "g": "x", "x": "-1, 2"}, [1, 1]),
        ("the_end", {"way": "whole"}, [-4, -2, 2]),
        ("wrong_place", {"u": "4"}, [-0.5, -0.5, 0.5]),
        ("straight_through", {"spelling": "value"}, [1]),
    ],
)
def test_the_last_try_it_works_after_all_steps_before(
    slug: str, tried: dict[str, str], meant: list[float]
) -> None:
    """The last steps find the lab as those before have left it, with what these said to try."""
    lesson = find(slug)
    *before, last = lesson.prose.steps[:-1]
    given: dict[str, str] = {}
    for one in before:
        given |= {**one.lab, **(one.question.reveal if one.question else {})}
    left = {"u": "-0.3"} if slug == "the_end" else {}
    values = lesson.validate({**given, **left, **last.lab, **tried})
    assert lesson.compute(values)["trick_gradient"].y == pytest.approx(meant)
