"""Chapter 1's lessons on stop_gradient itself, against formulas."""

import math
import random
from dataclasses import replace

import numpy as np
import pytest
import torch

from lessons.chapters.stop_gradient.pick_surrogate.formula import FUNCTION_NAMES, read
from lessons.contract.lesson import hidden_roles
from lessons.contract.parameters import InvalidParametersError
from lessons.outputs.catalogue import find, lessons
from lessons.playground.language.functions import FUNCTIONS, onehot_argmax, step
from lessons.tricks import straight_through
from tests.support.amount import cases
from tests.support.course import run

# -- two passes


@pytest.mark.parametrize(
    ("stopped", "factor"),
    [("nothing", 3), ("first", 1), ("second", 2), ("both", 0), ("no_grad", 3)],
)
def test_each_stop_leaves_its_part_of_the_product_rule(stopped, factor):
    result = run("two_passes", stopped=stopped, x="-2, -0.3, 0, 3")
    x = result["forward"].x
    assert np.allclose(result["trick_gradient"].y, factor * x**2, rtol=1e-12)
    assert np.allclose(result["intended_gradient"].y, factor * x**2, rtol=1e-12)
    assert np.allclose(result["forward"].y, x**3, rtol=1e-12)


def test_no_chart_moves_with_the_stop_before_the_answer():
    lesson = find("two_passes")
    hidden = hidden_roles(lesson, (), 2)

    def shown(stopped):
        values = lesson.validate({"stopped": stopped})
        figures = lesson.figures(lesson.compute(values), values, hidden)
        kept = [trace for one in figures for trace in one.data if trace.get("visible", True)]
        return [np.asarray(trace["y"], float) for trace in kept]

    first = shown("nothing")
    for stopped in ("first", "second", "both"):
        for one, other in zip(first, shown(stopped), strict=True):
            assert np.array_equal(one, other, equal_nan=True)


def test_nothing_is_none_and_not_zero():
    facts = run("two_passes").facts
    assert facts["leaf_alone"] == "None"
    assert facts["moved_none"] == 0
    assert facts["moved_zero"] == pytest.approx(0.1 * 0.5)


def test_a_stop_removes_every_path_through_its_tensor():
    x = torch.tensor(3.0, requires_grad=True)
    s = x.detach()
    assert torch.autograd.grad(x**3 + x, x)[0] == 28
    assert torch.autograd.grad(s * s * x + s, x)[0] == 9, "three paths are stopped, one is left"


def test_a_gan_needs_no_detach_with_retain_graph_and_zero_grad():
    g, d = (torch.tensor(value, requires_grad=True) for value in (3.0, 0.5))
    fake = g * 2
    (d * fake).backward(retain_graph=True)
    g.grad = None
    (-d.detach() * fake).backward()
    assert (g.grad, d.grad) == (-1, 6)


@pytest.mark.parametrize("x", [-2.0, -0.5, 4.0])
def test_over_itself_stopped_the_numerators_part_is_left(x):
    facts = run("two_passes", x=str(x), point="1").facts
    assert facts["ratio_slope"] == pytest.approx(1 / x, rel=1e-12)
    assert facts["ratio_slope"] == facts["ratio_numerator"] == -facts["ratio_denominator"]


# -- the end


WAYS = ("block", "rule", "custom")


@pytest.mark.parametrize("way", WAYS)
def test_a_linear_op_stays_clean_and_a_square_reads_the_noisy_value(way):
    given = {"x": "-2, -1, 1, 0.3", "u": "0.6", "way": way}
    for after, expected in {
        "nothing": lambda x: np.sign(x),
        "linear": lambda x: 3 * np.sign(x),
        "square": lambda x: 2 * x * math.sqrt(0.6),
    }.items():
        result = run("the_end", **given, after=after)
        x = result["forward"].x
        assert np.allclose(result["trick_gradient"].y, expected(x), rtol=1e-12)
        plain = {"nothing": 1, "linear": 3, "square": 2 * np.abs(x) * math.sqrt(0.6)}[after]
        true = plain * np.sign(x) * math.sqrt(0.6)
        assert np.allclose(result["true_gradient"].y, true, rtol=1e-12)


@pytest.mark.parametrize(("way", "noisy"), [("whole", True), ("second", False)])
def test_a_larger_block_is_clean_with_the_noisy_value_and_a_second_expression_is_not(way, noisy):
    result = run("the_end", way=way, u="0.6")
    x = result["forward"].x
    assert np.allclose(result["trick_gradient"].y, 2 * x, rtol=1e-12)
    assert np.allclose(result["intended_gradient"].y, 2 * x, rtol=1e-12)
    assert np.allclose(result["forward"].y, x**2 * (0.6 if noisy else 1), rtol=1e-12)


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"x": "0, 1"}, "∞ · 0"),
        ({"u": "-0.5", "after": "linear"}, "negative"),
        ({"u": "0"}, "u is 0"),
        ({"x": "1e-200"}, "too small"),
        ({"x": "1e200"}, "too large"),
    ],
)
def test_what_is_not_finite_behind_the_block_is_named(given, named):
    (note,) = run("the_end", **given).notes
    assert named in note.text


def test_with_a_negative_u_the_value_is_nan_and_the_gradient_a_calm_number():
    result = run("the_end", u="-0.5", after="linear")
    assert np.isnan(result["forward"].y).all()
    assert result["trick_gradient"].y.tolist() == [-3, -3, 3]


# -- straight-through


def test_the_difference_loses_large_signs_and_the_others_do_not():
    facts = run("straight_through").facts
    for spelling, left in (("difference", 0), ("value", 1), ("exact", 1)):
        assert facts[f"float32_{spelling}"] == facts[f"bfloat16_{spelling}"] == left


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
    for value, slope in (
        (residual, of_residual),
        (commitment, expected),
        (both, of_sum),
        (once, 1),
    ):
        (found,) = torch.autograd.grad(value, x, retain_graph=True)
        assert found.item() == pytest.approx(slope)


# -- pick your surrogate


def test_one_line_has_relus_value_and_a_leaky_slope():
    lesson = find("pick_surrogate")
    facts = lesson.compute(lesson.validate({})).facts
    fits = [name for name, value in facts.items() if name.endswith("_fits") and value]
    assert fits == ["leaky_outside_fits"]
    assert facts["apart_slope"] == 2


def test_a_hard_choice_has_the_softmax_gradient_over_all_logits():
    weights = np.array([1.0, 2.0, 3.0])
    for spelling in ("together", "apart"):
        result = run(
            "pick_surrogate", f="onehot_argmax(x)", g="softmax(x)", x="1, 2, 0.5",
            weights="1, 2, 3", spelling=spelling,
        )  # fmt: skip
        p = np.exp([1, 2, 0.5]) / np.exp([1, 2, 0.5]).sum()
        assert result["forward"].y.tolist() == [0, 1, 0]
        assert np.allclose(result["trick_gradient"].y, p * (weights - p @ weights), rtol=1e-12)
        assert result["true_gradient"].y.tolist() == [0, 0, 0]


def test_without_the_brackets_a_value_with_a_gradient_adds_it():
    facts = run("pick_surrogate").facts
    softplus = 1 / (1 + math.exp(-facts["kink_x"]))
    assert facts["kink_together"] == pytest.approx(softplus, rel=1e-12)
    assert facts["kink_apart"] == pytest.approx(1 + softplus, rel=1e-12)
    assert math.isnan(facts["spoilt_value"])


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
        ("   ", "empty"),
        ("tanh(x", "never closed"),
        ("tanhh(x)", "tanh"),
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
        ("__import__('os').system('true')", ""),
        ("x.__class__", ""),
        ("(lambda: x)()", ""),
        ("x" + " + x" * 200, ""),
        ("(" * 300 + "x" + ")" * 300, ""),
        ("9**9**9**9", ""),
        ("x – 1", ""),
        ("1e999 * x", ""),
        ("x\u202e", ""),
        ("a" * 5000, "characters"),
        ("softmax(1)", "Column 1: softmax needs a list"),
        ("softmax(1) * x", "needs a list"),
        ("log_softmax(3)", "needs a list"),
        ("where(1 > x, softmax(2), x)", "Column 14: softmax needs a list"),
        ("x + onehot_argmax(exp(1))", "Column 5: onehot_argmax needs a list"),
    ],
)
def test_what_is_no_function_of_x_is_refused_in_words(text, message):
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


def test_a_surrogate_that_is_not_finite_is_named():
    (note,) = run("pick_surrogate", f="sign(x)", g="sqrt(x)", x="-1, 4").notes
    assert "x = −1" in note.text
    assert "g, sqrt(x)" in note.text


# -- the noise


def test_the_obvious_place_spreads_more_than_no_trick_where_the_noise_comes_near_zero():
    result = run("wrong_place", noise_low="0.01", noise_high="1", x="-2, -1, 0, 1", point="4")
    facts = result.facts
    assert facts["trick_gradient_deviation"] > 2 * facts["true_gradient_deviation"]
    assert any("At x = 0" in note.text for note in result.notes)


@pytest.mark.parametrize("cut", [("mul", 0), ("sqrt", 0), ("pow", 0)])
def test_no_cut_of_the_plain_block_takes_the_noise_out(cut):
    lesson = find("noise_leaks")
    values = lesson.validate({})
    assert not lesson.compute(values, cuts=[cut])["trick_gradient"].y.any()
    beside = lesson.compute(values, cuts=[("mul", 1)])["trick_gradient"].y
    assert beside.tolist() == lesson.compute(values)["trick_gradient"].y.tolist()


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


def test_before_a_product_the_path_stays_clean_and_the_partner_reads_the_noise():
    facts = run("wrong_place").facts
    assert facts["product_slope"] == facts["product_clean"] == 2
    assert (facts["partner_slope"], facts["partner_clean"]) == (4, 2)
    text = next(s for s in find("wrong_place").prose.steps if s.title == "When to use it").text
    assert "partner_slope" in text, "a product is no op to avoid: its path stays clean"


def test_before_a_logarithm_the_obvious_cut_brings_the_noise_in():
    facts = run("wrong_place").facts
    assert facts["log_slope"] == facts["log_noisy"] == 0.25
    assert facts["log_plain"] == facts["log_clean"] == 0.5


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
    assert run("right_place").facts["rounded_share"] > 10


def test_the_form_that_scales_a_gradient_keeps_the_value():
    facts = run("right_place").facts
    assert facts["scale_slope"] == facts["scale_half"] == 3
    assert facts["abs_at_zero"] == 0


@pytest.mark.parametrize("cut", ["mul:0", "sqrt:0", "sub:0", "sub:1"])
def test_cuts_on_the_stopped_side_change_nothing_and_the_clean_copys_takes_all(cut):
    lesson = find("right_place")
    values = lesson.validate({})
    whole = lesson.compute(values)["trick_gradient"].y.tolist()
    op, operand = cut.split(":")
    assert lesson.compute(values, cuts=[(op, int(operand))])["trick_gradient"].y.tolist() == whole
    assert not lesson.compute(values, cuts=[("add", 1)])["trick_gradient"].y.any()


def test_the_noise_of_a_file_to_take_home_is_that_of_the_screen():
    for slug in ("noise_leaks", "wrong_place", "right_place"):
        lesson = find(slug)
        for given in ({}, {"x": "5, 6, 7, 8", "seed": "3"}, {"u": "1.5", "x": "1, 2"}):
            values = lesson.validate(given)
            drawn = lesson.lab.drawn(values)["u"]
            assert drawn == lesson.compute(values)["u"].y.tolist()
            assert len(drawn) == len(values["x"])


def test_the_chapter_asks_for_nothing_that_a_later_lesson_teaches():
    """The noise is one story; the surrogates follow the straight-through form they vary."""
    slugs = [lesson.slug for lesson in lessons() if lesson.chapter == "stop_gradient"]
    assert slugs == [
        "two_passes", "noise_leaks", "wrong_place", "right_place", "the_end", "noise_layer",
        "straight_through", "pick_surrogate",
    ]  # fmt: skip


def test_two_rounded_values_have_a_gradient_that_is_of_no_function():
    """Once around a rectangle a gradient adds up to 0; here, to the jump times the other side."""
    lesson = find("straight_through")
    facts = run("straight_through").facts
    assert facts["around"] == pytest.approx(facts["wide"] * facts["high"])
    smooth = replace(lesson, program=lambda x, function, spelling, after: x**3)
    facts = smooth.compute(smooth.validate({})).facts
    assert facts["around"] == pytest.approx(0, abs=0.02)  # a sum of a few points
