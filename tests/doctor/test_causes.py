"""Zeros, NaNs and divisions: the sentence names the cause, and the advice is that of the op."""

import os
from pathlib import Path

import torch

from lessons.gradient_tricks.doctor import Trace, trace
from lessons.gradient_tricks.doctor.source import cited
from tests.doctor import broken
from tests.recorder.programs import Program


def traced(program: Program, *numbers: float) -> Trace:
    return trace(program, torch.tensor(numbers, requires_grad=True))


def test_paths_that_cancel_are_named_where_they_meet() -> None:
    (fault,) = traced(lambda v: (v / v.sum()).sum(), 4.0).faults
    assert fault.kind == "zero_gradient"
    assert fault.node == "v"
    assert "2 paths meet at v and cancel" in fault.says
    assert "−0.25 from sum" in fault.says
    assert "0.25 from div" in fault.says

    def inside(x: torch.Tensor) -> torch.Tensor:
        h = x * 3
        return (h * 2 - h - h).sum()

    (fault,) = traced(inside, 1.0, 2.0).faults
    assert "3 paths meet at h and cancel at [0]" in fault.says
    assert fault.node == "mul"


def test_an_underflow_of_float16_is_named() -> None:
    for program in (
        lambda x: (x.half() * 1e-5 * 1e-4).sum(),
        lambda x: (x.half().float() * 1e-9).sum(),
    ):
        (fault,) = traced(program, 1.0, 2.0).faults
        assert "underflows" in fault.do
        assert "float16, 5.96e−08" in fault.do
        assert "Scale the loss" in fault.do
    assert traced(lambda x: (x.half().float() * 1e-6).sum(), 1.0, 2.0).faults == []


def test_a_factor_of_zero_is_no_underflow() -> None:
    (fault,) = traced(lambda x: (x.half() * 0.0).sum(), 1.0).faults
    assert fault.do.startswith("One factor is 0")
    (fault,) = traced(lambda x: torch.relu(-x.half()).sum(), 1.0).faults
    assert "flat" in fault.do


def test_zeros_written_in_place_are_named_and_not_the_op_that_reads_them() -> None:
    def before(x: torch.Tensor) -> torch.Tensor:
        y = x.clone()
        y[0] = 0
        return (y**2).sum()

    def after(x: torch.Tensor) -> torch.Tensor:
        y = x**2
        y[0] = 0
        return y.sum()

    for program in (before, after):
        (fault,) = traced(program, 3.0).faults
        assert fault.node == "setitem"
        assert "setitem in tests/doctor/test_causes.py:" in fault.says
        assert ("the zeros that setitem" in fault.says) == (program is before)
        assert fault.do.startswith("setitem overwrites the old numbers")
    (fault,) = traced(lambda x: (x**2).sum(), 0.0).faults
    assert fault.node == "pow"


def test_a_division_by_zero_has_its_own_advice() -> None:
    programs = (
        lambda x: (1 / (x - x)).sum(),
        lambda x: x.sum() / (x - x).sum(),
        lambda x: (x / 0).sum(),
        lambda x: (x - x).reciprocal().sum(),
        lambda x: torch.where(x > 5, x / (x - 1), x).sum(),
    )
    for program in programs:
        found = traced(program, 1.0, 2.0).faults
        assert found[0].do.startswith("The denominator is 0 there.")
        assert not any("sqrt" in one.do for one in found)
        assert not any("denominator" in one.do for one in found[1:])  # once is enough


def test_a_broadcast_denominator_is_read_at_its_place() -> None:
    found = traced(lambda x: (x.reshape(2, 1) / torch.tensor([1.0, 0.0])).sum(), 1.0, 2.0).faults
    assert found[0].do.startswith("The denominator is 0 there.")
    assert "at [0, 1]" in found[0].says


REPAIRS = "repairs the value but not the gradient"


def test_where_behind_a_log_of_a_negative_number_does_repair_the_gradient() -> None:
    x = torch.tensor([-1.0, 2.0], requires_grad=True)
    repaired = torch.where(x > 0, torch.log(x), 0)
    assert torch.autograd.grad(repaired.sum(), x)[0].tolist() == [0.0, 0.5]
    found = traced(lambda x: torch.log(x).sum(), -1.0, 2.0).faults
    assert "below 0" in found[0].do
    assert not any(REPAIRS in one.do for one in found)
    for op, at in ((torch.log, 0.0), (torch.sqrt, -1.0), (torch.sqrt, 0.0)):
        masked = torch.tensor([at, 2.0], requires_grad=True)
        broken = torch.where(masked > 0, op(masked), 0).sum()
        assert torch.autograd.grad(broken, masked)[0].isnan()[0]
        found = traced(lambda x, op=op: torch.where(x > 0, op(x), 0).sum(), at, 2.0).faults
        assert REPAIRS in found[0].do
        finite = bool(op(torch.tensor(at)).isfinite())
        assert ("The result is finite, but the gradient is not" in found[0].says) == (not finite)


def test_the_place_where_the_gradient_breaks_comes_before_a_harmless_one() -> None:
    def masked(x: torch.Tensor) -> torch.Tensor:
        harmless = torch.where(x > 5, torch.log(-x), x)
        return (harmless * torch.sqrt(x - x)).sum()

    def two(x: torch.Tensor) -> torch.Tensor:
        harmless = torch.where(x > 5, torch.log(-x), x)
        return (harmless + torch.sqrt(-x)).sum()

    for program in (masked, two):
        assert {one.node for one in traced(program, 1.0, 2.0).faults} == {"sqrt"}


def test_an_edit_by_numpy_has_no_note_on_its_detach() -> None:
    assert traced(broken.edited_by_numpy, 1.0, 2.0).notes == []

    def both(x: torch.Tensor) -> torch.Tensor:
        a = torch.exp(x)
        a.detach().numpy()[0] = 5.0
        return (a * x.detach()).sum()

    (note,) = traced(both, 1.0, 2.0).notes
    assert note.startswith("x.detach()")


def test_weights_that_multiply_a_first_state_of_zeros_are_a_note() -> None:
    def cell(w: torch.Tensor, u: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        state = torch.zeros(2, 3)
        return torch.tanh(x @ w + state @ u).square().sum()

    w, u = torch.ones(4, 3, requires_grad=True), torch.ones(3, 3, requires_grad=True)
    made = trace(cell, w, u, torch.ones(2, 4))
    assert made.faults == []
    (note,) = made.notes
    assert note.startswith("The gradient of u is 0: matmul in tests/doctor/test_causes.py:")
    assert "multiplies it by an input that is 0" in note
    lstm = torch.nn.LSTM(4, 3)
    assert trace(lambda: lstm(torch.ones(1, 2, 4))[0].square().sum()).faults == []


def test_a_file_that_changed_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "cell.py"
    for time, call in enumerate(("f(1)", "g(2)")):
        path.write_text(call)
        os.utime(path, ns=(time, time))
        assert cited((str(path), (1, 1, 0, 4))) == call
