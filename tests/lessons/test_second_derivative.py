"""The lesson second_derivative against closed forms, central differences, TensorFlow's numbers."""

import numpy as np
import pytest
import torch

from lessons.chapters.override_map.second_derivative.bug import BUG
from lessons.chapters.override_map.second_derivative.lesson import (
    CURVE,
    second_derivative,
    without_rule,
)
from lessons.outputs.catalogue import find
from lessons.tricks import flip_gradient
from tests.engine.reference import CASES
from tests.support import course
from tests.support.course import right

X = torch.tensor([-2.0, 0.0, 1.5, 3.0], dtype=torch.float64)


def roles(x=X, kind="identity", factor=10.0, order="1"):
    settings = {"kind": kind, "factor": factor, "order": order}
    return course.by_role(CURVE.experiment, second_derivative, settings, x=x)


@pytest.mark.parametrize("factor", [-1.0, 0.5, 10.0])
def test_an_identitys_factor_comes_in_once_an_order(factor):
    for order, plain in (("1", 3 * X**2), ("2", 6 * X), ("3", 6 + 0 * X)):
        found = roles(factor=factor, order=order)
        assert found["trick_gradient"].tolist() == (factor ** int(order) * plain).tolist()
        assert found["true_gradient"].tolist() == plain.tolist()


def test_a_squares_rule_is_itself_differentiated():
    """The course's numbers: 3x, then 3, then nothing."""
    for order, expected in (("1", 3 * X), ("2", 3 + 0 * X), ("3", 0 * X)):
        found = roles(kind="square", factor=3.0, order=order)
        assert found["trick_gradient"].tolist() == expected.tolist()


def test_tensorflow_gives_the_same_second_derivative():
    case = CASES["c_second_square"]
    x = torch.tensor(case["inputs"]["x"], dtype=torch.float64)
    for order in ("1", "2"):
        found = roles(x, "square", 3.0, order)
        assert found["trick_gradient"].tolist() == case["gradients"][f"d{order}"]
    assert case["gradients"]["d3"] is None  # ours: zeros, as the lab draws what has no way back


@pytest.mark.parametrize("kind", ["identity", "square"])
@pytest.mark.parametrize("order", ["2", "3"])
def test_the_intended_curve_is_the_slope_of_the_order_before(kind, order):
    """By central differences of what the program returns: autograd's lower derivative."""
    step = 1e-5

    def lower(x):
        return second_derivative(x.requires_grad_(), kind, 10.0, order).detach()

    differences = (lower(X + step) - lower(X - step)) / (2 * step)
    found = roles(kind=kind, order=order)
    assert np.allclose(found["intended_gradient"], differences, rtol=1e-6, atol=1e-6)
    if kind == "identity":
        assert not np.allclose(found["trick_gradient"], differences)
    true = (without_rule((X + step).requires_grad_(), kind, 10.0, order).detach()
            - without_rule((X - step).requires_grad_(), kind, 10.0, order).detach())  # fmt: skip
    assert np.allclose(found["true_gradient"], true / (2 * step), rtol=1e-6, atol=1e-6)


def test_a_reversal_leaves_the_second_derivative_alone():
    x = X.clone().requires_grad_()
    (first,) = torch.autograd.grad((flip_gradient(x) ** 3).sum(), x, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), x)
    assert first.tolist() == (-3 * X**2).tolist()
    assert second.tolist() == (6 * X).tolist()


def test_another_program_makes_another_answer_right():
    def answers(program):
        return course.answers("second_derivative", program, "identity", "square")

    def constant_factor(x, kind, factor, order):
        y = without_rule(x, kind, factor, order)
        return factor * y if kind == "identity" else y * factor**2 / 4

    assert answers(second_derivative) == ["per_order", "rule"]
    assert answers(without_rule) == ["not_at_all", "plain"]
    assert answers(constant_factor) == ["once", "again"]


def test_the_bugs_first_derivative_is_right():
    """What makes it a trap: only the second derivative is wrong, and gradcheck is content."""
    x = torch.tensor([0.5, -2.0], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(BUG.broken, x)
    assert "second" in BUG.failure(BUG.broken)
    assert torch.autograd.gradgradcheck(BUG.fixes["as_output"], x), "the maintainer's remedy"
    assert torch.autograd.gradgradcheck(from_the_input, x), "which the text says works as well"


def from_the_input(x):
    class DoubledSquare(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return (2 * x) ** 2

        @staticmethod
        def backward(ctx, upstream):
            (x,) = ctx.saved_tensors
            return 4 * (2 * x) * upstream

    return DoubledSquare.apply(x)


def test_a_penalty_on_the_slope_takes_the_factor_once_an_order():
    """Of I(x)² at 1, factor 3: slope k·2x, its derivative k²·2, times twice the slope."""
    lesson = find("second_derivative")
    result = lesson.compute(lesson.validate({}))
    assert result.facts["penalty_gradient"] == 2 * (3 * 2) * (3**2 * 2)
    assert right(lesson, "transfer", result) == "penalty_per_order"


@pytest.mark.parametrize(("order", "name"), [("1", "y"), ("2", "dy/dx"), ("3", "d²y/dx²")])
def test_the_table_names_what_is_differentiated_as_the_chart_does(order, name):
    lesson = find("second_derivative")
    values = lesson.validate({"order": order})
    result = lesson.compute(values)
    columns = [label for label, _ in lesson.lab.table(result, values).columns]
    assert columns[1] == f"forward {name}"
