"""Programs of the lessons on real code: faults that no other test has, and none where none is.

As a bug.py has it, or the lesson's own program at the settings that break it. What a trace cannot
know is whether a gradient is wanted: those have no fault, and the numbers are there.
"""

import re
from collections.abc import Callable
from typing import Any

import pytest
import torch

from lessons.gradient_tricks.doctor import Trace, trace
from lessons.outputs.catalogue import find
from tests.recorder.programs import Program
from tests.support.present import present


def leaf(*numbers: float, **more: Any) -> torch.Tensor:
    return torch.tensor(numbers[0] if len(numbers) == 1 else numbers, requires_grad=True, **more)


def broken(slug: str) -> Program:
    return present(find(slug).bug).broken


def program(slug: str) -> Program:
    return find(slug).program


def collapse() -> Trace:
    student = torch.nn.Linear(2, 1)
    broken("collapse")(student)
    return trace(student, torch.ones(3, 2))


def scaled(x: float = 1e-5, scale: float = 1.0) -> Trace:
    return trace(program("scaled"), leaf(x), 32768, scale, "none", 1.0, "float16")


# program: (kind of fault, pattern of its text)
LESSON_FAULTS = {
    collapse: ("nothing_wanted", r"All 2 parameters of Linear have requires_grad=False"),
    scaled: ("zero_gradient", r"The gradient underflows: .* float16"),
}


@pytest.mark.parametrize("run", LESSON_FAULTS, ids=lambda run: run.__name__)
def test_the_fault_of_a_lesson_is_named(run: Callable[[], Trace]) -> None:
    kind, says = LESSON_FAULTS[run]
    made = run()
    found = [one for one in made.faults if re.search(says, f"{one.says} {one.do}")]
    assert [one.kind for one in found] == [kind]
    assert {one.kind for one in made.faults} == {kind}


def test_a_gradient_that_one_may_not_want_is_no_fault_and_its_size_is_told() -> None:
    x = torch.tensor([[1.0, 0.0], [0.0, 1.0]])
    made = trace(broken("one_outlier"), leaf(0.0, 0.0), [(x, torch.tensor([-1.0, -1.0]))], 1.0)
    assert made.faults == []
    assert made.run.gradients["weight"].norm == pytest.approx(0.5**0.5)
    assert "weight" in made.html


def test_a_scale_that_is_too_large_is_named_as_such() -> None:
    (fault,) = scaled(4.0, 268435456.0).faults
    assert "first ∞ of the backward pass" in fault.says
    assert "smaller loss scale" in fault.do
    assert scaled(4.0, 65536.0).faults == []


def test_the_other_gates_and_changes_have_no_fault() -> None:
    router_, edit = program("router"), program("in_place")
    for k, gate in ((1, "raw"), (1, "stopped"), (2, "normalised"), (3, "normalised")):
        assert trace(router_, leaf(1.0, -0.5, -2.0), k, gate, 2.0, -1.0, 0.5).faults == []
    for change in ("new", "clone"):
        assert trace(edit, leaf(2.0), 1.0, change, "square").faults == []
    for reads, savers in (("square", ["exp", "mul"]), ("triple", ["exp"])):
        faults = trace(edit, leaf(2.0), 1.0, "data", reads).faults
        assert [(one.kind, one.node) for one in faults] == [("stale", one) for one in savers]
