"""What the lessons on override maps say, beyond the numbers in their texts."""

import re
from typing import Any

import numpy as np
import pytest
import torch

from lessons.chapters.override_map.second_derivative.bug import BUG
from lessons.chapters.override_map.second_derivative.lesson import (
    CURVE,
    second_derivative,
    without_rule,
)
from lessons.contract.parameters import InvalidParametersError
from lessons.gradient_tricks.tricks import (
    TrickError,
    fresh_registry,
    gradient_override_map,
    identity,
    op_types,
    register_gradient,
)
from lessons.gradient_tricks.tricks.registry import registered_names
from lessons.kit.experiment import Program
from lessons.kit.gradients import gradient
from lessons.outputs.catalogue import find
from lessons.outputs.review import review
from tests.support.course import by_role, run
from tests.support.folded import folded
from tests.support.present import present


def test_the_registered_name_in_the_text_gives_the_same_numbers() -> None:
    step = next(one for one in find("clip_identity").prose.steps if "ClipTo" in one.text)
    (code,) = re.findall(r"```python\n(.*?)```", step.text, re.DOTALL)
    x = torch.tensor([3.0], dtype=torch.float64, requires_grad=True)
    scope: dict[str, Any] = {"x": x, "limit": 0.1, "register_gradient": register_gradient}
    scope |= {"identity": identity, "gradient_override_map": gradient_override_map}
    if "ClipTo" not in registered_names():  # a second run in the same process would be refused
        exec(code, scope)
        assert gradient(scope["y"], x).tolist() == [0.1]
        with pytest.raises(TrickError, match="taken"):
            exec(code, scope)


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
def test_a_map_goes_by_type_whatever_the_name(key: str, place: str, slope: Program) -> None:
    result = run("type_not_name", x="-2, 0, 0.3, 3", key=key, place=place, name="Mul")
    assert np.allclose(result["trick_gradient"].y, slope(result["forward"].x))
    assert result.facts["op1_name"] == "Mul"
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
def test_the_inspector_says_what_the_rule_took_hold_of(
    given: dict[str, str], overridden: list[str]
) -> None:
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


@pytest.mark.parametrize(
    ("setting", "texts"),
    [
        ("key", ["Identty", "", "Matmul", "x" * 41, "<b>", "Identity\x00"]),
        ("name", ["", "a b", "a:0", "<b>", "é", "_a", "x" * 41]),
    ],
)
def test_an_unknown_type_and_a_name_invalid_in_tensorflow_are_refused(
    setting: str, texts: list[str]
) -> None:
    for text in texts:
        with pytest.raises(InvalidParametersError):
            find("type_not_name").validate({setting: text})


@folded("key", [name for pair in op_types().items() for name in pair if name])
def test_every_op_type_can_be_the_key(key: str) -> None:
    result = run("type_not_name", x="-2, 0.3, 3", key=key)
    assert np.isfinite(result["trick_gradient"].y).all()


def test_a_question_about_tensorflow_is_answered_in_its_name() -> None:
    lower, shared = review(find("type_not_name"), {"lower": "rule", "shared": "-7~own~-10"})[1:3]
    assert lower.by == "TensorFlow"
    assert lower.computed.startswith("216, because the key matches nothing")
    assert shared.by == "Torch"


def test_the_code_about_names_of_rules_computes_the_answer_and_leaves_no_name() -> None:
    lesson = find("type_not_name")
    step = next(one for one in lesson.prose.steps if one.question and one.question.of_code)
    (code,) = re.findall(r"```python\n(.*?)```", step.text, re.DOTALL)
    before = registered_names()
    x = torch.tensor([1.0], requires_grad=True)
    scope: dict[str, Any] = {"x": x, "register_gradient": register_gradient, "identity": identity}
    scope |= {"registered_names": registered_names, "gradient_override_map": gradient_override_map}
    with fresh_registry():
        exec(code, scope)
    facts = lesson.compute(lesson.validate({})).facts
    assert gradient(scope["L"], x).tolist() == [facts["shared_came"]] == [facts["first_twice"]]
    assert present(lesson.bug).right() == "no_name"
    assert registered_names() == before


@pytest.mark.parametrize("kind", ["identity", "square"])
@pytest.mark.parametrize("order", ["2", "3"])
def test_the_intended_curve_is_the_slope_of_the_order_before(kind: str, order: str) -> None:
    """By central differences of what the program returns: autograd's lower derivative."""
    x, step = torch.tensor([-2.0, 0.0, 1.5, 3.0], dtype=torch.float64), 1e-5
    settings = {"kind": kind, "factor": 10.0, "order": order}

    def differences(program: Program) -> torch.Tensor:
        up, down = (program((x + by).requires_grad_(), **settings) for by in (step, -step))
        return (up - down).detach() / (2 * step)

    found = by_role(CURVE.experiment, second_derivative, settings, x=x)
    expected = differences(second_derivative)
    assert np.allclose(found["intended_gradient"], expected, rtol=1e-6, atol=1e-6)
    assert (kind == "square") == np.allclose(found["trick_gradient"], expected)
    assert np.allclose(found["true_gradient"], differences(without_rule), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize(("order", "name"), [("1", "y"), ("2", "dy/dx"), ("3", "d²y/dx²")])
def test_the_table_names_what_is_differentiated_as_the_chart_does(order: str, name: str) -> None:
    lesson = find("second_derivative")
    values = lesson.validate({"order": order})
    result = lesson.compute(values)
    columns = [label for label, _ in lesson.lab.table(result, values).columns]
    assert columns[1] == f"forward {name}"


def test_gradgradcheck_tells_the_right_fix_of_the_second_derivative_from_the_wrong_ones() -> None:
    x = torch.tensor([0.5], dtype=torch.float64, requires_grad=True)
    passed = {}
    for name, code in {"broken": BUG.broken, **BUG.fixes}.items():
        assert torch.autograd.gradcheck(code, x)
        passed[name] = torch.autograd.gradgradcheck(code, x, raise_exception=False)
    assert passed == {name: name == "recomputed" for name in passed}
