"""Chapter 1's lessons on stop_gradient itself, against formulas, TensorFlow and other beliefs."""

import math
import random
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import torch

from lessons.chapters.stop_gradient.pick_surrogate.formula import FUNCTION_NAMES, read
from lessons.contract.lesson import hidden_roles
from lessons.contract.parameters import InvalidParametersError
from lessons.outputs.catalogue import find, lessons
from lessons.playground.language.functions import FUNCTIONS, onehot_argmax, step
from tests.engine.reference import CASES, grad, same, tensor
from tests.support.amount import cases
from tests.support.course import right, run

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
    assert CASES["s0_stop_gradient_none"]["gradients"]["ds_dx"] is None


def test_backward_of_a_stopped_value_alone_is_an_error():
    """The lesson's own program, not one with a second term."""
    x = torch.tensor(3.0, requires_grad=True)
    y = find("two_passes").program(x, "both")
    with pytest.raises(RuntimeError, match="does not require grad"):
        y.backward()
    (y + 0 * torch.ones((), requires_grad=True)).backward()
    assert x.grad is None
    assert "raises an error" in find("two_passes").prose.steps[2].text


def test_a_frozen_network_passes_a_gradient_and_one_under_no_grad_does_not():
    x, network = torch.ones(1, requires_grad=True), torch.nn.Linear(1, 1).requires_grad_(False)
    (came,) = torch.autograd.grad(network(x).sum(), x)
    assert torch.equal(came, network.weight[0])
    assert came != 0
    with torch.no_grad():
        assert not network(x).requires_grad
    with torch.inference_mode():
        made = network(x)
    with pytest.raises(RuntimeError, match="Inference tensors cannot be saved for backward"):
        made * x


def test_a_batch_norm_updates_its_statistics_until_it_is_in_evaluation():
    norm = torch.nn.BatchNorm1d(1).requires_grad_(False)
    means = [norm.running_mean.item()]
    for _ in range(2):
        with torch.no_grad():
            norm(torch.tensor([[4.0], [6.0]]))
        means.append(norm.running_mean.item())
        norm.eval()
    assert means == pytest.approx([0, 0.5, 0.5])


def test_a_functional_interface_gives_zeros_in_torch_too():
    assert run("two_passes").facts["functional"] == 0
    x, other = (torch.ones((), requires_grad=True) for _ in "xy")
    loss = x.detach() + other
    assert torch.autograd.grad(loss, x, allow_unused=True, retain_graph=True) == (None,)
    assert torch.autograd.grad(loss, x, materialize_grads=True) == (0,)
    step = find("two_passes").prose.steps[2].text
    assert "functional" in step, "zeros are not JAX's alone"


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


def test_another_program_makes_other_answers_right():
    lesson = find("two_passes")
    assert right(lesson, "path", lesson.compute(lesson.validate({}))) == "first"
    for stopped, answer in {"second": "second", "both": "none", "nothing": "whole"}.items():
        result = lesson.compute(lesson.validate({"stopped": stopped}))
        assert right(lesson, "path", result) == answer
    assert right(lesson, "block", result) == "whole"
    swapped = replace(lesson, program=lambda x, stopped: x.detach() ** 2 * x)
    answer = right(lesson, "block", swapped.compute(lesson.validate({})))
    assert answer == "same"


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


def test_tensorflow_gives_the_same_behind_the_block():
    custom, linear = CASES["s0_alt_custom_gradient"], CASES["s0_down_linear"]
    for case, value, slope, given in (
        (custom, "z", "dz_dx", {"way": "custom", "after": "nothing"}),
        (custom, "w", "dw_dx", {"way": "custom", "after": "square"}),
        (linear, "w", "dw_dx", {"way": "block", "after": "linear"}),
    ):
        x, u = tensor(case, "x"), tensor(case, "u", grad=False)
        for i in range(len(x)):  # the lesson has one u for all inputs
            one = x[i : i + 1].detach().requires_grad_()
            w = find("the_end").program(one, float(u[i]), **given)
            assert w.item() == pytest.approx(case["outputs"][value][i], rel=1e-12)
            assert grad(w, one).item() == pytest.approx(case["gradients"][slope][i], rel=1e-12)


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


def test_with_the_whole_block_inside_another_answer_is_right():
    lesson = find("the_end")
    clean = replace(lesson, program=lambda x, u, way, after: x**2)
    result = clean.compute(lesson.validate({}))
    assert right(lesson, "custom", result) == "clean"
    assert right(lesson, "transfer", result) == "neither"


def quotes(slug: str, fact: str) -> bool:
    """Whether the lesson's text tells this number."""
    return any(f"{{{{ {fact}:" in step.text for step in find(slug).prose.steps)


def test_a_learned_weight_after_the_block_reads_the_noise_and_the_text_says_so():
    facts = run("the_end").facts
    assert facts["weight_noisy"] == pytest.approx(2.4, rel=1e-12)
    assert facts["weight_clean"] == 2
    assert quotes("the_end", "weight_noisy")
    assert facts["transfer_dx_noisy"] == facts["transfer_dx_clean"]
    assert facts["transfer_da_noisy"] > facts["transfer_da_clean"]


def test_the_end_asks_for_nothing_of_a_later_chapter():
    for question in find("the_end").prose.questions:
        for text in (option.text + option.reply for option in question.options):
            assert "rule" not in text


# -- straight-through


def test_a_closed_gate_learns_and_its_feature_does_not():
    lesson = find("straight_through")
    result = lesson.compute(lesson.validate({}))
    assert right(lesson, "transfer", result) == "gate"
    assert result.facts["to_gate"] == 2 * (0 - 2) * 3
    soft = replace(lesson, program=lambda x, function, spelling, after: x + 0)
    assert right(lesson, "transfer", soft.compute(lesson.validate({}))) == "both"


def test_a_target_between_two_codes_is_circled():
    x, places = torch.tensor(0.4, requires_grad=True), []
    for _ in range(400):
        q = x + (x.round() - x).detach()
        (slope,) = torch.autograd.grad((q - 2.3) ** 2, x)
        x = (x - 0.1 * slope).detach().requires_grad_()
        places.append(x.item())
    assert 2.35 < min(places[-100:]) < 2.5 < max(places[-100:]) < 2.6


def test_a_surrogate_leaves_far_out_weights_almost_nothing_and_the_text_says_so():
    facts = run("pick_surrogate").facts
    assert facts["tanh_far"] == pytest.approx(1 - math.tanh(2) ** 2, rel=1e-12)
    assert quotes("pick_surrogate", "tanh_far")
    assert "cure" not in (find("straight_through").folder / "en.md").read_text("utf-8")


def test_one_line_has_relus_value_and_a_leaky_slope():
    lesson = find("pick_surrogate")
    facts = lesson.compute(lesson.validate({})).facts
    fits = [name for name, value in facts.items() if name.endswith("_fits") and value]
    assert fits == ["leaky_outside_fits"]
    assert facts["apart_slope"] == 2


SPELLINGS = ("difference", "value", "exact")


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("name", ["s2_ste_sign", "s2_ste_round_chain"])
def test_straight_through_gives_tensorflows_numbers_in_each_spelling(name, spelling):
    c = CASES[name]
    x = tensor(c, "x")
    after = "square" if c["inputs"]["outer"] else "nothing"
    program = find("straight_through").program
    alone = program(x, c["inputs"]["func"], spelling, "nothing")
    same(alone, c["outputs"]["ste"])
    same(grad(program(x, c["inputs"]["func"], spelling, after), x), c["gradients"]["d_ste"])


def test_the_difference_loses_large_signs_as_in_tensorflow_and_the_others_do_not():
    c = CASES["s2_ste_sign_f32_large"]
    x = tensor(c, "x")
    program = find("straight_through").program
    same(program(x, "sign", "difference", "nothing"), c["outputs"]["ste"])
    for spelling in ("value", "exact"):
        same(program(x, "sign", spelling, "nothing"), c["outputs"]["func_x"])
    facts = run("straight_through").facts
    assert facts["float32_difference"] == facts["bfloat16_difference"] == 0
    assert all(
        facts[f"{name}_{spelling}"] == 1
        for name in ("float32", "bfloat16")
        for spelling in ("value", "exact")
    )


def test_only_the_engine_keeps_infinities_and_the_sign_of_a_zero():
    program = find("straight_through").program
    infinite = tensor(CASES["s2_ste_inf"], "x")[:2]
    x = torch.tensor([-0.4], dtype=torch.float64)  # rounds to −0
    for spelling, finite in (("difference", False), ("value", False), ("exact", True)):
        assert bool(program(infinite, "sign", spelling, "nothing").isfinite().all()) is finite
    assert torch.signbit(program(x, "round", "exact", "nothing")).all()
    assert not torch.signbit(program(x, "round", "value", "nothing")).any()


@pytest.mark.parametrize(
    ("program", "slope", "large"),
    [
        (lambda x, function, spelling, after: x + 0, "one", "large"),
        (lambda x, function, spelling, after: x.sign(), "zero", "one"),
        (
            lambda x, function, spelling, after: x**2 if function == "round" else 0 * x,
            "at_x",
            "zero",
        ),
    ],
)
def test_another_quantiser_makes_other_answers_right(program, slope, large):
    lesson = replace(find("straight_through"), program=program)
    result = lesson.compute(lesson.validate({}))
    assert right(lesson, "slope", result) == slope
    assert right(lesson, "large", result) == large


# -- pick your surrogate


PAIRS = {
    "s2_gen_sign_tanh": ("sign(x)", "tanh(x)"),
    "s2_gen_step_sigmoid": ("step(x)", "sigmoid(5*x)"),
    "s2_gen_relu_softplus": ("relu(x)", "softplus(x)"),
    "s2_gen_clipgrad_f32": ("x", "clamp(x, -1, 1)"),
}


@pytest.mark.parametrize("name", PAIRS)
def test_each_pair_gives_tensorflows_numbers(name):
    c = CASES[name]
    f, g = PAIRS[name]
    x = ", ".join(map(repr, c["inputs"]["x"]))
    result = run("pick_surrogate", f=f, g=g, x=x, dtype=c["inputs"]["dtype"])
    close = {"rtol": 1e-9 if c["inputs"]["dtype"] == "float64" else 1e-6, "atol": 1e-12}
    assert np.allclose(result["forward"].y, c["outputs"]["o"], **close)
    assert np.allclose(result["trick_gradient"].y, c["gradients"]["do_dx"], **close)
    assert np.allclose(result["intended_gradient"].y, c["gradients"]["dg_dx"], **close)


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


def test_another_program_makes_other_answers_of_the_surrogate_right():
    lesson = find("pick_surrogate")
    straight = replace(lesson, program=lambda x, f, g, spelling: x + (f(x) - x).detach())
    none = replace(lesson, program=lambda x, f, g, spelling: f(x))
    twice = replace(lesson, program=lambda x, f, g, spelling: 2 * g(x))
    values = lesson.validate({})
    slope, brackets = (partial(right, lesson, name) for name in ("slope", "brackets"))
    assert slope(straight.compute(values)) == "one"
    assert slope(none.compute(values)) == "zero"
    assert brackets(none.compute(values)) == "none"
    assert brackets(twice.compute(values)) == "twice"


# -- all of them


@pytest.mark.parametrize("f", ["sign(x)", "relu(x)", "exp(x)"])
def test_true_gradient_is_the_central_difference_of_the_forward_value(f):
    h = 1e-6
    here = run("pick_surrogate", f=f, x="-2, -0.3, 0.4")
    x = here["forward"].x
    up, down = (
        run("pick_surrogate", f=f, x=", ".join(map(repr, (x + step).tolist())))["forward"].y
        for step in (h, -h)
    )
    assert np.allclose((up - down) / (2 * h), here["true_gradient"].y, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("slug", ["two_passes", "pick_surrogate", "straight_through", "the_end"])
def test_the_recorded_run_has_the_labs_gradients(slug):
    lesson = find(slug)
    values = lesson.validate({})
    recorded = lesson.record(values).gradients["x"]
    assert recorded.numbers == lesson.compute(values)["trick_gradient"].y.tolist()


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


def test_a_kept_unit_of_dropout_has_the_factor_of_the_mask_in_its_gradient():
    facts = run("noise_leaks").facts
    x = torch.ones(1000, requires_grad=True)
    with torch.random.fork_rng():
        kept = torch.nn.functional.dropout(x, p=0.75)
    (found,) = torch.autograd.grad(kept.sum(), x)
    assert set(found.tolist()) == {facts["dropout_slope"], facts["dropout_zero"]} == {4.0, 0.0}
    assert facts["dropout_mean"] == 1


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
    assert run("straight_through").facts["around"] == pytest.approx(0.4)
    smooth = replace(lesson, program=lambda x, function, spelling, after: x**3)
    facts = smooth.compute(smooth.validate({})).facts
    assert facts["around"] == pytest.approx(0, abs=0.02)  # a sum of a few points


def test_gumbel_softmax_is_biased_as_torchs_own_is():
    facts = run("pick_surrogate").facts
    assert facts["gumbel_mean"] == pytest.approx(1 / 6, rel=1e-4)
    assert facts["gumbel_true"] == pytest.approx(1 / 4)
    torch.manual_seed(0)
    logits = torch.zeros(100_000, 2, requires_grad=True)
    torch.nn.functional.gumbel_softmax(logits, tau=1.0, hard=True)[:, 0].sum().backward()
    assert logits.grad[:, 0].mean().item() == pytest.approx(1 / 6, rel=0.01)
