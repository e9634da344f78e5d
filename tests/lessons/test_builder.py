"""The lesson builder against closed forms, and the registry that it runs in."""

import re
import threading

import pytest
import torch

from lessons.chapters.reversal.builder.lesson import CURVE, builder
from lessons.contract.parameters import InvalidParametersError
from lessons.outputs.catalogue import find
from lessons.tricks import (
    TrickError,
    fresh_registry,
    gradient_override_map,
    identity,
    register_gradient,
)
from lessons.tricks.registry import registered_names, registered_rule
from tests.support import course

X = torch.tensor([-1.5, -0.5, 0.0, 2.0], dtype=torch.float64)


def roles(**given):
    settings = {"scale": 2.0, "second": 0.5, "way": "rule", "builders": 1} | given
    return course.by_role(CURVE.experiment, builder, settings, x=X)


def test_a_second_builder_is_refused_under_the_first_ones_name():
    with pytest.raises(TrickError, match="'FlipGradient0' is taken"):
        roles(way="names", builders=2)
    lesson = find("builder")
    with pytest.raises(InvalidParametersError, match="taken") as caught:
        lesson.validate({"way": "names", "builders": "2"})
    assert set(caught.value.errors) == {"builders"}
    for way in ("once", "rule"):
        assert roles(way=way, builders=2)["trick_gradient"].isfinite().all()


def test_the_lesson_leaves_no_name_in_the_process():
    before = registered_names()
    lesson = find("builder")
    lesson.compute(lesson.validate({"way": "names"}))
    lesson.record(lesson.validate({"way": "once"}))
    assert lesson.bug.right() == "no_name"
    assert registered_names() == before


def test_a_fresh_registry_is_this_threads_alone_and_ends_with_the_block():
    def rule(op, upstream):
        return -upstream

    seen = []
    x = torch.tensor([3.0], requires_grad=True)
    with fresh_registry():
        register_gradient("FreshOne")(rule)
        other = threading.Thread(target=lambda: seen.append(registered_rule("FreshOne")))
        other.start()
        other.join()
        with pytest.raises(TrickError, match="taken"):
            register_gradient("FreshOne")(rule)
        with fresh_registry():
            assert registered_names() == []
        with gradient_override_map({"identity": "FreshOne"}):
            y = identity(x)
    assert seen == [None]
    assert registered_rule("FreshOne") is None
    assert torch.autograd.grad(y, x)[0].tolist() == [-1.0]  # the op keeps its rule
    with pytest.raises(TrickError, match="unknown gradient name"):
        gradient_override_map({"identity": "FreshOne"}).__enter__()


def test_the_code_in_the_text_reverses():
    (code,) = re.findall(r"```python\n(.*?)```", find("builder").prose.steps[2].text, re.DOTALL)
    scope = {"gradient_override_map": gradient_override_map, "identity": identity}
    exec(code, scope)
    x = torch.tensor([3.0], requires_grad=True)
    y = scope["flip"](x, 2.0)
    assert y.tolist() == [3.0]
    assert torch.autograd.grad(y, x)[0].tolist() == [-2.0]
