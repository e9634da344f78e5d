"""Chapter 2's lessons on what a rule is handed and must return, against closed forms,
TensorFlow's numbers and central differences."""

import contextlib
import io
import json

import numpy as np
import pytest
import torch

from lessons.chapters.override_map.several_inputs.lesson import several_inputs
from lessons.chapters.override_map.several_outputs.lesson import several_outputs
from lessons.chapters.override_map.type_not_name.lesson import type_not_name
from lessons.chapters.override_map.upstream_not_true.lesson import halve
from lessons.contract.parameters import InvalidParametersError
from lessons.outputs.catalogue import find
from lessons.outputs.plain_torch import plain_torch
from lessons.recorder import record
from lessons.tricks import TrickError, gradient_override_map, identity
from tests.engine.reference import CASES
from tests.support.course import answers, run


def assert_true_gradient_is_the_difference(slug: str, **given: str) -> None:
    """Central differences of the forward value, at the learner's inputs."""
    lesson, h = find(slug), 1e-6
    result = lesson.compute(lesson.validate(given))
    x = result["forward"].x
    up, down = (
        lesson.compute(lesson.validate({**given, "x": ",".join(map(repr, (x + d).tolist()))}))
        for d in (h, -h)
    )
    slope = (up["forward"].y - down["forward"].y) / (2 * h)
    assert np.allclose(result["true_gradient"].y, slope, rtol=1e-6, atol=1e-6)


# 2.2: the rule gets the upstream gradient.


@pytest.mark.parametrize(
    ("op_type", "local", "slope"),
    [
        ("identity", "missing", lambda x: 36 * x),
        ("square", "missing", lambda x: 3 + 0 * x),
        ("mul", "missing", lambda x: 6 * x),
        ("square", "supplied", lambda x: 36 * x),
        ("mul", "supplied", lambda x: 36 * x),
    ],
)
def test_a_halving_rule_on_each_op_equals_its_closed_form(op_type, local, slope):
    result = run("upstream_not_true", x="-2, 0, 0.3, 3", op_type=op_type, local=local)
    x = result["forward"].x
    assert np.allclose(result["trick_gradient"].y, slope(x))
    assert np.allclose(result["forward"].y, (6 * x) ** 2)
    assert np.allclose(result["intended_gradient"].y, 36 * x)
    assert_true_gradient_is_the_difference("upstream_not_true", op_type=op_type, local=local)


def test_halving_gives_tensorflows_numbers_and_the_articles_comparison():
    case = CASES["s1_half_in_article"]
    facts = run("upstream_not_true", x="3", dtype="float32").facts
    assert [facts["forward"]] == case["outputs"]["output_A"]
    assert [facts["on_identity"]] == case["gradients"]["d_output_A"]
    assert [facts["true_gradient"]] == case["gradients"]["d_output_clip"]
    assert [facts["bare_identity"]] == case["gradients"]["d_plain_identity"]
    assert [facts["handed_identity"]] == case["gradients"]["upstream_grad_received_by_A"]
    assert (facts["on_square"], facts["on_mul"], facts["square_supplied"]) == (3, 18, 108)


def test_one_gradient_for_a_product_of_two_tensors_is_refused_as_in_tensorflow():
    assert "Num gradients 1" in CASES["s1_half_override_mul"]["outputs"]["error_message"]
    assert "Got 1, expected 2" in run("upstream_not_true").facts["refused"]


@pytest.mark.parametrize(
    ("key", "op", "refused"),
    [
        ("exp", torch.exp, False),
        ("sum", torch.sum, True),
        ("reshape", lambda x: x.reshape(3, 1), True),
    ],
)
def test_a_rule_of_upstream_alone_is_refused_where_the_shape_changes(key, op, refused):
    x = torch.ones(3, requires_grad=True)
    with gradient_override_map({key: lambda op, upstream: upstream}):
        y = op(x).sum() if key != "sum" else op(x)
    with pytest.raises(TrickError, match="shape") if refused else contextlib.nullcontext():
        y.backward()


def test_what_the_rule_is_handed_is_told_apart():
    names = ("handed", "square")
    assert answers("upstream_not_true", halve, *names) == ["of_output", "lost"]

    def followed_by_a_factor(x, op_type, local):
        return 216 * halve(x, op_type, local)

    def supplied(x, op_type, local):
        return halve(x, op_type, "supplied")

    def ignored(x, op_type, local):
        return identity(torch.square(torch.mul(x, 6)))

    assert answers("upstream_not_true", followed_by_a_factor, "handed") == ["true_gradient"]
    assert answers("upstream_not_true", supplied, "square") == ["half"]
    assert answers("upstream_not_true", ignored, "square") == ["none"]


# 2.3: type, not name.


@pytest.mark.parametrize(
    ("key", "place", "slope"),
    [
        ("Identity", "none", lambda x: 72 * x),
        ("Identity", "inside", lambda x: 36 * x),
        ("Identity", "outside", lambda x: 72 * x),
        ("Mul", "none", lambda x: 6 * x),
        ("mul", "inside", lambda x: 6 * x),
        ("Square", "outside", lambda x: 3 + 0 * x),
        ("MatMul", "inside", lambda x: 72 * x),
    ],
)
@pytest.mark.parametrize("name", ["Identity", "Mul", "anything"])
def test_a_map_goes_by_type_whatever_the_name(key, place, slope, name):
    result = run("type_not_name", x="-2, 0, 0.3, 3", key=key, place=place, name=name)
    x = result["forward"].x
    assert np.allclose(result["trick_gradient"].y, slope(x))
    assert np.allclose(result["forward"].y, (6 * x) ** 2)
    assert result.facts["op1_name"] == name
    assert result.facts["op1_type"] == "mul"
    assert result.facts["op2_type"] == "square"
    assert_true_gradient_is_the_difference("type_not_name", key=key, place=place)


def test_inside_and_outside_give_tensorflows_numbers():
    inside, outside = (CASES[f"s1_half_{where}_article"] for where in ("in", "out"))
    facts = run("type_not_name", x="3", dtype="float32").facts
    assert [facts["identity_inside"]] == inside["gradients"]["d_output_A"]
    assert [facts["identity_outside"]] == outside["gradients"]["d_output_A"]
    assert [facts["identity_none"]] == inside["gradients"]["d_output_clip"]
    assert "tagged ops: []" in outside["note"]
    assert 'op named "Identity" has type Mul' in inside["note"]


@pytest.mark.parametrize(
    ("given", "overridden"),
    [
        ({}, ["identity"]),
        ({"place": "none"}, []),
        ({"place": "outside"}, []),
        ({"key": "Mul"}, ["mul"]),
    ],
)
def test_the_inspector_says_what_the_rule_took_hold_of(given, overridden):
    lesson = find("type_not_name")
    values = lesson.validate(given)
    table = lesson.lab.table(lesson.compute(values), values)
    words = lesson.lab.words
    assert [row[1] for row in table.rows if row[3] == words("the_rule")] == overridden
    never = words("never_called", key=values["key"])
    assert table.caption == (words("table") if overridden else never)
    assert [row[2] for row in table.rows][:2] == ["Mul", "Square"]
    covered = lesson.table(lesson.compute(values), values, frozenset({"trick_gradient"}))
    assert {row[3] for row in covered.rows} == {"?"}
    assert covered.caption == words("table")


@pytest.mark.parametrize("key", ["Identty", "", "Matmul", "x" * 41, "<b>", "Identity\x00"])
def test_a_key_that_is_no_type_is_refused(key):
    with pytest.raises(InvalidParametersError):
        find("type_not_name").validate({"key": key})


@pytest.mark.parametrize("name", ["", "a b", "a:0", "<b>", "é", "_a", "x" * 41])
def test_a_name_that_tensorflow_would_not_take_is_refused(name):
    with pytest.raises(InvalidParametersError):
        find("type_not_name").validate({"name": name})


def test_name_and_type_are_told_apart():
    names = ("named", "moved")
    assert answers("type_not_name", type_not_name, *names) == ["nothing", "nothing"]

    def by_name(x, key, name, place):
        return type_not_name(x, "Mul" if name == key else key, name, place)

    def when_differentiated(x, key, name, place):
        return type_not_name(x, key, name, "inside" if place == "outside" else place)

    def both(x, key, name, place):
        return type_not_name(0.5 * x + 0.5 * x.detach(), key, name, "inside")

    assert answers("type_not_name", by_name, "named") == ["product"]
    assert answers("type_not_name", when_differentiated, *names) == ["nothing", "half"]
    assert answers("type_not_name", both, "moved") == ["both"]


def test_a_map_that_matches_nothing_can_be_told_not_to_warn():
    x = torch.ones(1, requires_grad=True)
    with gradient_override_map({"Tanh": lambda op, upstream: upstream}, warn=False) as report:
        torch.exp(x)
    assert report.ran == {"exp": 1}
    quiet = gradient_override_map({"Tanh": lambda op, upstream: upstream}, warn=False)
    assert quiet(torch.exp)(x).item() == pytest.approx(np.e)
    with pytest.warns(UserWarning, match="matched no op"), gradient_override_map({"Tanh": "Exp"}):
        torch.exp(x)


def test_a_recorded_run_names_the_product():
    x = torch.ones(1, requires_grad=True)
    with record({"x": x}) as recording:
        type_not_name(x, "Identity", "my_product", "inside")
    assert recording.nodes["mul"].label == "my_product"


@pytest.mark.parametrize("name", ["a\\n1", "a\\", "a\\x41->b"])
def test_a_name_with_a_backslash_is_cut_in_the_exported_file_too(name):
    """TensorFlow takes a backslash in a name, and Python reads one in quotes as it likes."""
    lesson = find("type_not_name")
    values = lesson.validate({"name": name})
    cuts = [("mul", 0)]
    assert lesson.edges(values) >= set(cuts)
    with contextlib.redirect_stdout(io.StringIO()) as out:
        text = plain_torch(lesson, values, cuts)
        exec(compile(text, "plain", "exec"), {"__name__": "__main__"})
    printed = json.loads(out.getvalue())["trick_gradient"]
    assert printed == lesson.compute(values, cuts=cuts)["trick_gradient"].y.tolist()
    assert printed != lesson.compute(values)["trick_gradient"].y.tolist()


# 2.4: several inputs.


@pytest.mark.parametrize("product", ["weight_first", "weight_second", "matmul"])
@pytest.mark.parametrize("rule", ["both", "first", "sign"])
@pytest.mark.parametrize("power", ["1", "2"])
@pytest.mark.parametrize("factor", [-3.0, 0.0, 10.0])
def test_rules_for_products_equal_their_closed_forms(product, rule, power, factor):
    given = {"product": product, "rule": rule, "power": power, "factor": str(factor)}
    result = run("several_inputs", x="-1, 0, 0.013, 2", **given)
    x = result["forward"].x
    slope, y = (factor + 1, (factor + 1) * x + 1) if product == "matmul" else (factor, factor * x)
    own = slope * np.ones(4) if power == "1" else 2 * y * slope
    meant = np.sign(own) if rule == "sign" else own
    lost = product == "weight_second" and rule != "both"
    assert np.allclose(result["forward"].y, y ** int(power))
    assert np.allclose(result["true_gradient"].y, own)
    assert np.allclose(result["intended_gradient"].y, meant)
    assert np.allclose(result["trick_gradient"].y, 0 if lost else meant)
    assert_true_gradient_is_the_difference("several_inputs", **given)


def test_the_articles_rule_for_mul_gives_tensorflows_numbers():
    case = CASES["s2_mul_article"]
    facts = run("several_inputs", x="0.013", point="1", dtype="float32").facts
    assert [facts["mulgrad"]] == case["gradients"]["dW"] == case["gradients"]["default_dW"]
    assert [facts["builtin"]] == case["gradients"]["default_dW"]
    assert [facts["forward"]] == case["outputs"]["Y"]
    assert case["gradients"]["dI"] is None
    assert facts["swapped_in_torch"] == "None"


def test_what_the_lesson_says_of_other_ops_with_two_inputs():
    facts = run("several_inputs").facts
    assert facts["pow_in_torch"] == "None", "a rule stands for every input, None included"
    assert facts["pow_base"] == 6
    assert facts["pow_builtin"] == pytest.approx(9 * np.log(3))
    each = find("several_inputs").bug.fixes["each"]
    assert "wrong shape" in find("several_inputs").bug.failure(each)

    class Unreduced(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            ctx.save_for_backward(x, y)
            return torch.remainder(x, y)

        @staticmethod
        def backward(ctx, upstream):
            x, y = ctx.saved_tensors
            return upstream, -(x // y) * upstream

    find("several_inputs").bug.check(Unreduced.apply)  # torch sums it without a word


def test_what_a_rule_for_two_inputs_gives_is_told_apart():
    names = ("shows", "swapped")
    assert answers("several_inputs", several_inputs, *names, "transfer") == ["same", "none", "none"]

    def by_variable(x, factor, product, rule, power):
        return several_inputs(x, factor, "weight_first", rule, power)

    def stopped(x, factor, product, rule, power):
        return several_inputs(x.detach() + 0 * x, factor, product, rule, power)

    def upstream_alone(x, factor, product, rule, power):
        return factor * x.detach() + (x - x.detach())

    def own_value(x, factor, product, rule, power):
        return factor * x.detach() + (x * x.detach() - x.detach() ** 2)

    assert answers("several_inputs", by_variable, *names) == ["same", "same"]
    assert answers("several_inputs", stopped, "shows") == ["zero"]
    assert answers("several_inputs", upstream_alone, "shows") == ["upstream"]
    assert answers("several_inputs", own_value, "swapped") == ["value"]


# 2.5: several outputs.


@pytest.mark.parametrize("rule", ["product", "sum"])
@pytest.mark.parametrize("power", ["1", "2"])
@pytest.mark.parametrize("weights", [(1, 1, 1), (0.5, -2, 7), (1, 0, 1), (3, 0.25, 0), (0, 0, 0)])
def test_rules_for_three_outputs_equal_their_closed_forms(rule, power, weights):
    given = {"rule": rule, "power": power, "b": "3"}
    given |= {f"w{i}": str(w) for i, w in enumerate(weights, start=1)}
    result = run("several_outputs", x="-2, 0, 0.5, 4", **given)
    x, p = result["forward"].x, int(power)
    outputs = (x + 3, 3 * x, x - 3)
    upstream = [w * p * o ** (p - 1) for w, o in zip(weights, outputs, strict=True)]
    true = upstream[0] + 3 * upstream[1] + upstream[2]
    assert np.allclose(
        result["forward"].y, sum(w * o**p for w, o in zip(weights, outputs, strict=True))
    )
    assert np.allclose(result["true_gradient"].y, true)
    assert np.allclose(result["intended_gradient"].y, true)
    multiplied = upstream[0] * upstream[1] * 3
    assert np.allclose(result["trick_gradient"].y, multiplied if rule == "product" else true)
    assert_true_gradient_is_the_difference("several_outputs", **given)


@pytest.mark.parametrize("name", ["all", "w", "unused"])
def test_the_articles_rule_gives_tensorflows_numbers(name):
    case = CASES[f"s2_multi_pyfunc_{name}"]
    weights = [
        w if place in case["inputs"]["used_outputs"] else 0
        for place, w in enumerate(case["inputs"]["weights"])
    ]
    given = {f"w{i}": str(w) for i, w in enumerate(weights, start=1)}
    for a, b, da in zip(*(case["inputs"][n] for n in "ab"), case["gradients"]["da"], strict=True):
        result = run("several_outputs", x=str(a), b=str(b), **given)
        assert result["trick_gradient"].y.tolist() == [da]
    facts = run("several_outputs").facts
    assert (facts["came_used"], facts["came_unused"], facts["came_whole"]) == ("1", "0", "None")


def test_doubling_the_weights_multiplies_the_articles_gradient_by_four():
    once, twice = (
        run("several_outputs", **{f"w{i}": w for i in (1, 2, 3)})["trick_gradient"].y
        for w in ("1", "2")
    )
    assert np.allclose(twice, 4 * once)


def test_what_is_made_of_three_upstream_gradients_is_told_apart():
    names = ("unused", "third")
    assert answers("several_outputs", several_outputs, *names) == ["zero", "lost"]
    assert answers("several_outputs", several_outputs, "transfer") == ["transfer_true"]

    def summed(x, rule, **given):
        return several_outputs(x, rule="sum", **given)

    def unused_left_out(x, w2, **given):
        return several_outputs(x, w2=w2 or 1, **given)

    def third_read(x, w3, **given):
        return several_outputs(x, w3=w3, **given) * w3

    assert answers("several_outputs", summed, *names) == ["right", "right"]
    assert answers("several_outputs", unused_left_out, "unused") == ["left_out"]
    assert answers("several_outputs", third_read, "third") == ["multiplied"]
