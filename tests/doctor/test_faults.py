"""Each way in which a gradient goes wrong is named, with its place, on the page and as text."""

import re
from collections.abc import Callable
from html import unescape
from pathlib import Path

import pytest
import torch
from torch import nn

from lessons.gradient_tricks.doctor import Trace, trace
from lessons.gradient_tricks.doctor.command import trace_script
from tests.doctor import broken

X = (1.0, 2.0, 3.0)


def traced(thing: Callable[..., object], *numbers: float) -> Trace:
    x = torch.tensor(numbers or X, requires_grad=not isinstance(thing, type))
    return trace(thing, x)


# name: (program, kind of fault, pattern of its text)
CASES = {
    "item": (broken.item, "item", r"\.item\(\) on loss in \S+\.py:\d+ .*returned float 14\.0"),
    "edited": (broken.edited, "stale", r"y\[0\] was 2\.718, the backward pass reads 3\.718"),
    "edited_by_numpy": (broken.edited_by_numpy, "stale", r"the backward pass reads 5"),
    "fused": (
        broken.stepped_by_a_fused_optimizer,
        "stale",
        r"x was changed by \S+\.step\(\)[^$]*Call \S+\.step\(\) after the last backward",
    ),
    "in_place": (broken.in_place, "refused", r"exp saved y .* [Ii]t was 2\.718, now it is 3\.718"),
    "unused": (broken.Unused, "unused", r"forgotten\.weight, forgotten\.bias got no gradient"),
    "argmax": (
        lambda x: torch.argmax(x) * 2.0,
        "whole_numbers",
        r"argmax in \S+\.py:\d+ gives int64",
    ),
    "root": (
        broken.root,
        "nonfinite_backward",
        r"first ∞ of the backward pass arises in sqrt.*which is 0.* Later it becomes NaN, in pow",
    ),
    "not_numbers": (lambda x: "done", "no_tensor", r"returned str 'done'"),
    "carried_state": (broken.carried_state, "second_time", r"state = tuple\(one\.detach\(\) for"),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.filterwarnings("ignore:To copy construct")
def test_the_fault_is_named_on_the_page_and_as_text(case: str) -> None:
    program, kind, says = CASES[case]
    made = traced(program)
    expected = ["unused", kind] if kind == "no_tensor" else [kind]
    assert [one.kind for one in made.faults] == expected
    assert re.search(says, str(made))
    assert re.search(says, unescape(made.html))
    drawn = {node["id"] for node in made.drawn.spec["nodes"]} if made.drawn else set()
    assert {fault.node for fault in made.faults} <= drawn | {None}


def test_an_overflow_of_float16_is_named() -> None:
    first = traced(broken.half, 1.0, 12.0).faults[0]
    assert first.kind == "nonfinite_forward"
    assert "exp (y)" in first.says
    assert "at [1]" in first.says
    assert "65504" in first.do
    assert traced(broken.half, 1.0, 2.0).faults == []


def test_an_argument_without_a_path_to_the_result_is_named() -> None:
    x, w = torch.tensor(X, requires_grad=True), torch.tensor(X, requires_grad=True)
    (fault,) = trace(broken.elsewhere, x, w).faults
    assert fault.kind == "no_path"
    assert fault.says.startswith("x got no gradient")


def test_a_trace_leaves_an_existing_grad_alone() -> None:
    x = torch.tensor(X, requires_grad=True)
    x.grad = torch.full((3,), 7.0)
    trace(lambda x: (x * x).sum(), x)
    assert x.grad.tolist() == [7.0, 7.0, 7.0]


def test_a_mask_of_infinities_is_no_fault() -> None:
    def attention(x: torch.Tensor, *masked: bool) -> torch.Tensor:
        return x.masked_fill(torch.tensor(masked), -torch.inf).softmax(0).square().sum()

    assert traced(lambda x: attention(x, False, False, True)).faults == []
    first = traced(lambda x: attention(x, True, True, True)).faults[0]
    assert "softmax" in first.says
    assert "NaN" in first.says


def test_a_nan_beyond_the_numbers_that_are_kept_is_seen() -> None:
    def program(x: torch.Tensor) -> torch.Tensor:
        big = x.expand(5000).clone()
        return torch.log(big * torch.arange(5000, 0, -1).sub(1)).sum()

    made = traced(program, 1.0)
    assert made.faults[0].kind == "nonfinite_forward"
    assert "log" in made.faults[0].says


def test_frozen_parameters_are_told_and_no_fault() -> None:
    model = nn.Sequential(nn.Linear(3, 2), nn.Linear(2, 1))
    model[0].requires_grad_(False)
    made = trace(model, torch.ones(1, 3))
    assert made.faults == []
    assert "frozen" in str(made)


def test_reports_that_no_tensor_wants_a_gradient() -> None:
    made = trace(lambda x: x.sum(), torch.ones(2))
    assert [one.kind for one in made.faults] == ["nothing_wanted"]


def test_names_in_the_page_are_escaped() -> None:
    class Strange(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return (x * 1).sum()

    Strange.__name__ = "</script><img src=x>"
    page = trace(Strange(), torch.ones(2, requires_grad=True)).html
    assert "<img" not in page
    assert page.count("</script>") == 1


def test_unusual_programs_are_traced_without_false_alarms() -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    lazy = nn.Sequential(nn.LazyLinear(2), nn.LSTM(2, 3))
    assert trace(lazy, torch.randn(4, 2)).faults == []
    assert trace(lambda x: torch.func.vmap(lambda one: one * 2)(x).sum(), x).faults == []
    second = trace(lambda x: torch.autograd.grad((x**3).sum(), x, create_graph=True)[0].sum(), x)
    assert second.faults == []
    assert trace(nn.Embedding(5, 2, sparse=True), torch.tensor([1, 2])).faults == []
    assert trace(lambda *a, **k: a[0].sum() + k["m"].sum(), x, m=x).faults == []
    assert trace(lambda x: x.sum(), torch.zeros(0, requires_grad=True)).faults == []

    def logsumexp(x: torch.Tensor) -> torch.Tensor:
        most = x.max()  # whose two paths cancel
        return most + torch.log(torch.exp(x - most).sum())

    assert traced(logsumexp, 0.3, 0.7, 0.1).faults == []


def test_a_number_that_was_printed_is_not_blamed() -> None:
    def program(x: torch.Tensor) -> torch.Tensor:
        h = x * x
        print(f"{h.mean().item():.3f}")
        return (h.detach() * 3).sum()

    assert [one.kind for one in traced(program).faults] == ["detached"]

    def returns_a_number(x: torch.Tensor) -> float:
        h = x * x
        str(h.mean().item())
        return h.sum().item()

    (fault,) = traced(returns_a_number).faults
    assert ".item() on sum(…)" in fault.says


def test_the_mean_of_an_empty_tensor_is_reported() -> None:
    fault = traced(lambda x: x[x > 100].mean()).faults[0]
    assert "NaN" in fault.says
    assert "is empty" in fault.says


def test_the_report_names_the_row_where_a_shared_leaf_breaks() -> None:
    fault = traced(broken.one_row_divides_by_zero).faults[0]
    assert (
        "the upstream gradient at [5, 2] is 0, and NaN goes back to w at [2], which is 3."
        in fault.says
    )
    assert "The denominator is 0 there" in fault.do


def test_no_single_entry_stands_for_all_that_a_sum_read() -> None:
    made = trace(broken.too_long_a_row, torch.tensor([[0.0, 1.0, 2.0]], requires_grad=True))
    assert "comes from sum in tests/doctor/broken.py:" in made.faults[0].says
    assert ", of " not in made.faults[0].says


def test_the_page_multiplies_what_it_sums_and_shows_the_entry_where_it_breaks() -> None:
    w = torch.tensor([3.0, 2.0], requires_grad=True)
    page = unescape(trace(lambda w: (torch.ones(3, 2) * w).square().mean(), w).html)
    assert "1 · 1 + 1 · 1 + 1 · 1 = 3 to w" in page
    assert "the first entry is shown" in page
    broken_at_1 = unescape(trace(lambda w: torch.sqrt(w - 2).sum(), w).html)
    assert "the entry [1] is shown, counted from 0, or the last of an axis" in broken_at_1


def test_control_characters_and_lone_surrogates_are_printable(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    lines = "import torch", "torch.ones(2, requires_grad=True).sum().backward()"
    script.write_text("\n".join([*lines, r'raise ValueError("\x1b[31mred \ud800")']))
    made = trace_script(script, [], 2, print)
    assert "\x1b" not in str(made)
    assert r"\x1b[31mred \ud800" in str(made)
    assert "red" in made.save(tmp_path / "trace.html").read_text("utf-8")
