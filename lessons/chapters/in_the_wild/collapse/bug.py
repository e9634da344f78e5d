"""A teacher that is frozen, and the student with it: both names are one module."""

from copy import deepcopy  # noqa: F401 - one fix calls it
from typing import Any

import torch

from lessons.contract.bug import Bug, Code, changed


def make_teacher(student: torch.nn.Module) -> Any:
    class Teacher:
        def __init__(self) -> None:
            self.model = student
            self.model.requires_grad_(False)

        def follow(self, decay: float) -> None:
            with torch.no_grad():
                for own, new in zip(self.model.parameters(), student.parameters(), strict=True):
                    own.copy_(decay * own + (1 - decay) * new)

    return Teacher()


def check(code: Code) -> None:
    """The student is trainable; the teacher is not, and follows a tenth of the way."""
    student = torch.nn.Linear(2, 1, bias=False)
    torch.nn.init.ones_(student.weight)
    teacher = code(student)
    trained = student.weight.requires_grad
    assert trained, "the student’s weights take no gradient: nothing is trained"
    assert not teacher.model.weight.requires_grad, "the teacher’s weights take a gradient"
    with torch.no_grad():
        student.weight += 1
    teacher.follow(decay=0.9)
    found = teacher.model.weight.mean().item()
    assert abs(found - 1.1) < 1e-6, f"the teacher’s weight is {found:.3g}, expected 1.1"


BUG = Bug(
    source="arxyzan/data2vec-pytorch#8",
    title="question about disabling gradient bp",
    opened="2022-07-05",
    broken=make_teacher,
    fixes={
        "no_freeze": changed(make_teacher, {"self.model.requires_grad_(False)": ""}),
        "thawed": changed(
            make_teacher,
            {"requires_grad_(False)": "requires_grad_(False)\nstudent.requires_grad_(True)"},
        ),
        "copied": changed(make_teacher, {"self.model = student": "self.model = deepcopy(student)"}),
    },
    check=check,
)
