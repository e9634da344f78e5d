"""The lesson scope against closed forms."""

import pytest
import torch
from torch.nn import functional

from lessons.chapters.override_map.scope.lesson import CURVE, scope, what_is_seen
from lessons.outputs.catalogue import find
from lessons.tricks import gradient_override_map
from tests.support import course

X = torch.tensor([-2.0, 0.0, 1.0, 3.0], dtype=torch.float64)


def roles(**given):
    settings = {"factor": 10.0, "inner": 2.0, "ops": 1, "place": "map"} | given
    return course.by_role(CURVE.experiment, scope, settings, x=X)


@pytest.mark.parametrize("factor", [-3.0, 0.0, 0.5, 10.0])
@pytest.mark.parametrize("ops", [1, 2, 3, 6])
def test_each_place_equals_its_closed_form(factor, ops):
    times = {"map": factor**ops, "nested": 2.0**ops, "restored": 1.0, "left": 1.0}
    for place, expected in times.items():
        found = roles(factor=factor, ops=ops, place=place)
        assert found["trick_gradient"].tolist() == pytest.approx((expected * 2 * X).tolist())
        assert found["forward"].tolist() == (X**2).tolist()
        assert found["intended_gradient"].tolist() == (factor * 2 * X).tolist()


def test_a_rule_is_bound_when_the_op_runs():
    lesson = find("scope")
    facts = lesson.compute(lesson.validate({"factor": "-4"})).facts
    assert facts["created_inside"] == -4 * facts["true_gradient"]
    assert facts["created_before"] == facts["true_gradient"]


def test_only_the_outermost_call_is_seen():
    assert what_is_seen().startswith("ran: normalize 1")
    w = torch.tensor([[1.0, 2.0]], requires_grad=True)
    with gradient_override_map({"mul": lambda op, upstream: 0 * upstream}) as report:
        y = functional.normalize(2 * w)
    assert report.overridden == {"mul": 1}  # the one in sight; the ones inside normalize are not
    layer = torch.nn.Linear(2, 2)
    with gradient_override_map({}) as report:
        layer(y)
    assert dict(report.ran) == {"linear": 1}
