"""Chapter 2's lessons on what a rule is handed and must return, against closed forms."""

import numpy as np
import pytest
import torch

from lessons.contract.parameters import InvalidParametersError
from lessons.outputs.catalogue import find
from lessons.tricks import gradient_override_map
from tests.support.course import run

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


def test_a_map_that_matches_nothing_can_be_told_not_to_warn():
    x = torch.ones(1, requires_grad=True)
    with gradient_override_map({"Tanh": lambda op, upstream: upstream}, warn=False) as report:
        torch.exp(x)
    assert report.ran == {"exp": 1}
    quiet = gradient_override_map({"Tanh": lambda op, upstream: upstream}, warn=False)
    assert quiet(torch.exp)(x).item() == pytest.approx(np.e)
    with pytest.warns(UserWarning, match="matched no op"), gradient_override_map({"Tanh": "Exp"}):
        torch.exp(x)


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
