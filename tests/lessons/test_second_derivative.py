"""The lesson second_derivative against closed forms and central differences."""

import numpy as np
import pytest
import torch

from lessons.chapters.override_map.second_derivative.lesson import (
    CURVE,
    second_derivative,
    without_rule,
)
from lessons.outputs.catalogue import find
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
