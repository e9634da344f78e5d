"""Chapter 1's lessons on stop_gradient itself, against formulas."""

import random
from dataclasses import replace

import pytest
import torch

from lessons.chapters.stop_gradient.pick_surrogate.formula import FUNCTION_NAMES, read
from lessons.contract.parameters import InvalidParametersError
from lessons.outputs.catalogue import find
from lessons.playground.language.functions import FUNCTIONS, onehot_argmax, step
from lessons.tricks import straight_through
from tests.support.amount import cases
from tests.support.course import run


def test_a_gan_needs_no_detach_with_retain_graph_and_zero_grad():
    g, d = (torch.tensor(value, requires_grad=True) for value in (3.0, 0.5))
    fake = g * 2
    (d * fake).backward(retain_graph=True)
    g.grad = None
    (-d.detach() * fake).backward()
    assert (g.grad, d.grad) == (-1, 6)


def test_a_target_between_two_codes_is_circled():
    x, places = torch.tensor(0.4, requires_grad=True), []
    for _ in range(400):
        q = x + (x.round() - x).detach()
        (slope,) = torch.autograd.grad((q - 2.3) ** 2, x)
        x = (x - 0.1 * slope).detach().requires_grad_()
        places.append(x.item())
    assert 2.35 < min(places[-100:]) < 2.5 < max(places[-100:]) < 2.6


@pytest.mark.parametrize(("stopped", "of_residual", "of_sum"), [(False, 0, 1), (True, 1, 2)])
def test_a_residual_needs_a_detach_and_a_sum_of_stages_one_straight_through(
    stopped, of_residual, of_sum
):
    """Without the detach the second stage's loss sends nothing; with it, each stage sends 1."""
    x = torch.tensor(1.6, requires_grad=True)
    first = straight_through(torch.round)(x)
    residual = x - (first.detach() if stopped else first)
    code = torch.round(4 * residual) / 4
    both = first + residual + (code - residual).detach()
    once = x + (first + code - x).detach()
    commitment = (residual - code.detach()) ** 2
    expected = 2 * (residual - code).item() * of_residual
    found = zip((residual, commitment, both, once), (of_residual, expected, of_sum, 1), strict=True)
    for value, slope in found:
        (came,) = torch.autograd.grad(value, x, retain_graph=True)
        assert came.item() == pytest.approx(slope)


def test_the_curve_over_one_logit_leaves_the_others_where_they_are():
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
def test_what_is_no_function_of_x_is_refused_in_words(text, message):
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
def test_the_exported_expression_gives_the_same_numbers(text):
    expression = read(text)
    space = {"torch": torch, "onehot_argmax": onehot_argmax, "step": step}
    space["f"] = eval(expression.inline, space)
    x = torch.tensor([-1.5, 0.2, 3.0])
    assert torch.equal(expression(x).nan_to_num(7), space["f"](x).nan_to_num(7))
    result = run("pick_surrogate", f=text, g=text)
    assert result.notes, "a constant, a NaN or twice the same is worth a note"


@pytest.mark.parametrize("text", ["clamp(x, -1e90, 1e90)", "where(x > 0, x, 1e90)"])
def test_a_number_past_a_format_is_refused_where_that_format_is_chosen(text):
    lesson = find("pick_surrogate")
    for name in ("f", "g"):
        with pytest.raises(InvalidParametersError) as caught:
            lesson.validate({name: text, "dtype": "float32"})
        assert "cannot be computed in float32" in caught.value.errors[name]
        lesson.compute(lesson.validate({name: text, "dtype": "float64"}))


def written(random_: random.Random, depth: int) -> str:
    """An expression of the language's functions, signs, and numbers of every size."""

    def number() -> str:
        return random_.choice(["0", "1", "-1", "0.5", "2", "64", "1e40", "-1e90", "1e-320"])

    def inner() -> str:
        return written(random_, depth - 1)

    if not depth or random_.random() < 0.25:
        return random_.choice(["x", "x", number()])
    if random_.random() < 0.4:
        return f"({inner()} {random_.choice(['+', '-', '*', '/', '**'])} {inner()})"
    function = FUNCTIONS[random_.choice(FUNCTION_NAMES)]
    arguments = []
    for parameter in function.parameters:
        if parameter.kind == "mask":
            arguments.append(f"{inner()} {random_.choice(['<', '>=', '!='])} {inner()}")
        else:
            arguments.append(number() if parameter.kind == "number" else inner())
    return f"{function.name}({', '.join(arguments)})"


@pytest.mark.random
@pytest.mark.parametrize("dtype", ["float64", "float32", "bfloat16"])
def test_what_is_read_can_be_run(dtype):
    """No text comes through whose run then fails: it would take the page along."""
    random_ = random.Random(dtype)
    lesson = find("pick_surrogate")
    ran = 0
    tried = cases(100, 400)
    for _ in range(tried):
        f, g = (written(random_, 3) for _ in "fg")
        try:
            values = lesson.validate({"f": f, "g": g, "dtype": dtype})
        except InvalidParametersError:
            continue
        assert len(lesson.compute(values)["forward"].y) == len(values["x"]), (f, g)
        lesson.record(values)
        ran += 1
    assert ran > tried // 4


def test_the_obvious_place_spreads_more_than_no_trick_where_the_noise_comes_near_zero():
    result = run("wrong_place", noise_low="0.01", noise_high="1", x="-2, -1, 0, 1", point="4")
    facts = result.facts
    assert facts["trick_gradient_deviation"] > 2 * facts["true_gradient_deviation"]
    assert any("At x = 0" in note.text for note in result.notes)


def test_a_wider_noise_above_one_spreads_the_true_gradient_more_than_the_obvious_cut():
    facts = run("wrong_place", noise_low="1", noise_high="2", x="-2, -1, 0, 1", point="4").facts
    assert facts["trick_gradient_deviation"] < 0.8 * facts["true_gradient_deviation"]


@pytest.mark.parametrize(("weight", "slope"), [(1.0, 2.88), (-2.0, -0.96)])
def test_without_its_stop_a_target_lowers_the_value_at_one_weight_and_raises_it_at_another(
    weight, slope
):
    w = torch.tensor(weight, requires_grad=True)
    (found,) = torch.autograd.grad(find("noise_leaks").bug.broken(w), w)
    assert found.item() == pytest.approx(slope)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16])
def test_the_sum_has_the_value_of_f_exactly_within_a_factor_of_two_and_else_up_to_rounding(dtype):
    program = find("right_place").program
    x = torch.linspace(0.1, 5, 997, dtype=dtype)
    off = {}
    for u in (0.05, 0.26, 1.0, 3.9):
        noise = torch.full_like(x, u)
        f, g = torch.sqrt(x**2 * noise), torch.sqrt(x**2)
        close = (f <= 2 * g) & (g <= 2 * f)
        off[u] = int((program(x, noise) != f).sum())
        assert not (program(x, noise) != f)[close].any()
    assert off[0.05] > 0


def test_a_gradient_that_is_of_a_function_adds_up_to_0_around_a_rectangle():
    lesson = find("straight_through")
    smooth = replace(lesson, program=lambda x, function, spelling, after: x**3)
    facts = smooth.compute(smooth.validate({})).facts
    assert facts["around"] == pytest.approx(0, abs=0.02)  # a sum of a few points
