"""Numbers that left torch and came back as constants, where other paths carry a gradient."""

import math
import time
from html import unescape

import pytest
import torch

from lessons.gradient_tricks.doctor import Trace, trace
from tests.recorder.programs import Program
from tests.support.present import present


def traced(program: Program, *numbers: float) -> Trace:
    return trace(program, torch.tensor(numbers or (1.5, 2.25, 3.0), requires_grad=True))


def loss_and_penalty(x: torch.Tensor) -> torch.Tensor:
    loss = (x * x).sum()
    penalty = x.abs().sum()
    return torch.tensor(loss.item()) + penalty


def listed(x: torch.Tensor) -> torch.Tensor:
    losses = [(x * scale).sum().item() for scale in (1, 2)]
    return torch.tensor(losses).mean() + x.sum()


def written(x: torch.Tensor) -> torch.Tensor:
    y = x.clone()
    y[0] = x.mean().item()
    return y.sum()


def scaled(x: torch.Tensor) -> torch.Tensor:
    scale = 0.3 * x.norm().item()
    return torch.sum(x / scale)


# program, how the fault starts, the call that left torch, the op that reads the number
CASES = [
    (loss_and_penalty, "The value of loss", ".item()", "add"),
    (listed, "The value of sum(…)", ".item()", "mean"),
    (written, "The value of mean(…)", ".item()", "setitem"),
    (lambda x: (x * x + float(x.norm())).sum(), "The value of norm(…)", "float()", "add"),
]
# program, tensor, call, op: reported as a note, not a fault
INTENDED = [
    (lambda x: (x / x.norm().item()).sum(), "norm(…)", ".item()", "div"),
    (lambda x: (x / float(x.norm())).sum(), "norm(…)", "float()", "div"),
    (lambda x: (x / torch.full((3,), x.square().sum().item())).sum(), "sum(…)", ".item()", "div"),
    (lambda x: (x / x.norm().to("cpu", copy=True).item()).sum(), "norm(…)", ".item()", "div"),
    (lambda x: (x - torch.tensor(x.norm().item())).square().sum(), "norm(…)", ".item()", "sub"),
    (scaled, "norm(…)", ".item()", "div"),
]


@pytest.mark.filterwarnings("ignore:Converting a tensor")
@pytest.mark.parametrize(("program", "start", "call", "reader"), CASES)
def test_a_returning_number_is_told(program: Program, start: str, call: str, reader: str) -> None:
    made = traced(program)
    assert {one.kind for one in made.faults} == {"left_torch"}
    first = made.faults[0]
    assert first.says.startswith(f"{start} left torch by {call}")
    assert f"that {reader} in tests/doctor/test_partial.py:" in first.says
    assert "that of x lacks this part" in first.says
    assert ".detach() in place of" in first.do
    assert first.says in unescape(made.html)
    assert present(made.run.gradients["x"].norm) > 0


@pytest.mark.filterwarnings("ignore:Converting a tensor")
@pytest.mark.parametrize(("program", "start", "call", "reader"), INTENDED)
def test_a_weight_or_target_is_a_note(program: Program, start: str, call: str, reader: str) -> None:
    made = traced(program)
    assert made.faults == []
    assert any(
        note.startswith(f"The value of {start} left torch by {call}") for note in made.notes
    ), made.notes


def printed(x: torch.Tensor) -> torch.Tensor:
    h = x.sum()
    print(f"{h.item():.3f}", float(h), h.tolist())
    return (x * x).sum()


def unused(x: torch.Tensor) -> torch.Tensor:
    h = x.sum()
    (x * h.item()).sum()
    return (x * x).sum()


def decides(x: torch.Tensor) -> torch.Tensor:
    return (x * 2).sum() if x.sum().item() > 0 else x.sum()


def frozen(x: torch.Tensor) -> torch.Tensor:
    with torch.no_grad():
        scale = x.norm().item()
    return torch.sum(x / scale)


def literal_of_the_same_size(x: torch.Tensor) -> torch.Tensor:
    assert x.sum().item() == 6.75
    return (x * 6.75).sum() + (x * -6.75).sum() * 0.5


def one_of_torchs_own(x: torch.Tensor) -> torch.Tensor:
    assert (x.sum() - 5.75).item() == 1.0
    return (x * torch.ones(3)).sum() + x.sum() * torch.ones(())


def computed_from_others(x: torch.Tensor) -> torch.Tensor:
    print(x.sum().item())
    return (x / math.sqrt(3)).sum()


INNOCENT = [
    *(printed, unused, decides, frozen),
    *(literal_of_the_same_size, one_of_torchs_own, computed_from_others),
]


@pytest.mark.parametrize("program", INNOCENT, ids=lambda one: one.__name__)
def test_a_number_that_does_not_return_is_no_fault_and_no_note(program: Program) -> None:
    made = traced(program)
    assert made.faults == []
    assert all(note.startswith("Warned") for note in made.notes)


@pytest.mark.parametrize(
    ("op", "program"),
    [
        ("norm", lambda x: (x / (0.3 * x.norm().detach().item())).sum()),
        (
            "sum",
            lambda x: (x * x + 0.1 * (x * 1.5).sum().detach().to("cpu", copy=True).item()).sum(),
        ),
    ],
)
def test_a_detached_number_that_returns_is_a_note(op: str, program: Program) -> None:
    made = traced(program)
    assert made.faults == []
    note = made.notes[-1]
    assert note.startswith(f"The value of {op}(…).detach() left torch by .item()")
    assert note in unescape(made.html)


def test_the_number_of_a_chosen_entry_that_comes_back_is_a_note() -> None:
    def program(x: torch.Tensor) -> torch.Tensor:
        return (x * x).sum() + torch.tensor(float(int(x.argmax())))

    made = traced(program)
    assert made.faults == []
    (note,) = made.notes
    assert "The value of argmax(…) left torch by int() in tests/doctor/test_partial.py:" in note
    assert "came back as a constant, 2, that add in tests/doctor/test_partial.py:" in note
    assert "softmax for argmax" in note


def test_a_loop_is_told_once_and_in_time() -> None:
    def program(x: torch.Tensor) -> torch.Tensor:
        for _ in range(500):
            x = x + x.std().item()
        return x.sum()

    start = time.process_time()
    made = traced(program)
    (fault,) = made.faults
    assert fault.kind == "left_torch"
    assert made.notes == []
    assert time.process_time() - start < 20  # 2 seconds on an idle core


def test_a_partial_cut_is_listed_after_a_real_fault() -> None:
    def program(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        second = (x * x).sum()
        return x.sum() + second.item() + w.detach().sum()

    x = torch.tensor([1.5, 2.5], requires_grad=True)
    made = trace(program, x, x.detach().clone().requires_grad_())
    assert [one.kind for one in made.faults] == ["detached", "left_torch"]


def test_a_printed_1_is_not_the_1_among_numbers_that_left_elsewhere() -> None:
    def step(x: torch.Tensor) -> torch.Tensor:
        scale = x[0]
        rows = torch.tensor([1.0, float(x[1] * 2), float(x[2] * 3)])
        print(scale.item())
        return scale * rows.sum() + x.square().sum()

    told = [fault.says for fault in traced(step, 1.0, 2.25, 3.0).faults]
    assert all("float()" in one for one in told), told
