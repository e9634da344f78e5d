"""The engine next to the rest of torch: threads, memory, checkpoints, modes, py_func."""

import gc
import weakref
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from typing import Any

import pytest
import torch
from torch.overrides import _get_current_function_mode_stack
from torch.utils.checkpoint import CheckpointError, checkpoint

from lessons.gradient_tricks.tricks import (
    TrickError,
    checkpoint_context,
    flip_gradient,
    gradient_override_map,
    identity,
    py_func,
    straight_through,
)
from tests.engine.rules import mapped, ten
from tests.support.present import present

# Threads


def test_threads_see_only_their_own_maps(x: torch.Tensor) -> None:
    shared = gradient_override_map({"Identity": ten})

    def slope(number: int) -> float:
        with shared if number % 2 else nullcontext() as report:
            y = identity(x)
        assert report is None or report.ran == {"identity": 1}
        return torch.autograd.grad(y.sum(), x)[0][0].item()

    with shared, ThreadPoolExecutor(8) as pool:
        slopes = list(pool.map(slope, range(400)))
        identity(x)
    assert slopes == [1.0, 10.0] * 200


def test_maps_left_out_of_order_leave_nothing_behind(x: torch.Tensor) -> None:
    first, second = gradient_override_map({"Identity": ten}), gradient_override_map({"Sin": ten})
    reports = first.__enter__(), second.__enter__()
    y = torch.sin(identity(x))
    first.__exit__(None, None, None)
    z = torch.sin(x)
    second.__exit__(None, None, None)
    assert torch.autograd.grad(y.sum(), x)[0].tolist() == [100, 100]
    assert torch.autograd.grad(z.sum(), x)[0].tolist() == [10, 10]
    assert _get_current_function_mode_stack() == []
    for report in reports:  # an outer map counts what the inner one saw, and counts it once
        assert report.ran == report.overridden == {"identity": 1, "sin": 2}


def test_other_modes_keep_working_inside_a_map() -> None:
    with torch.device("meta"), gradient_override_map({"Identity": ten}):
        assert identity(torch.ones(2)).device.type == "meta"
    with gradient_override_map({"Identity": ten}), torch.device("meta"):
        assert identity(torch.ones(2)).device.type == "meta"


# Memory


@pytest.mark.parametrize("create_graph", [False, True])
@pytest.mark.parametrize("reads", [False, True])
def test_tensors_are_freed_when_the_graph_is(create_graph: bool, reads: bool) -> None:
    def rule(op: Any, upstream: torch.Tensor, *rest: Any) -> torch.Tensor:
        return upstream * op.inputs[0] * op.outputs[0] if reads else 2 * upstream

    gc.collect()
    gc.disable()  # a reference cycle would keep the tensors alive now
    try:
        leaf = torch.randn(3, requires_grad=True)
        h = leaf * 2
        with gradient_override_map({"Square": rule, "Identity": rule}) as report:
            y = torch.square(identity(h))
        z = torch.relu(y) * flip_gradient(straight_through(torch.sign)(y))
        (g,) = torch.autograd.grad(z.sum(), leaf, create_graph=create_graph)
        refs = [weakref.ref(t) for t in (h, y, z, g)]
        del h, y, z, g
        assert [ref() for ref in refs] == [None] * 4
        assert report.overridden.total() == 2
    finally:
        gc.enable()


# Checkpoints


def block(x: torch.Tensor) -> torch.Tensor:
    return torch.square(identity(x)) * 3


def test_a_checkpoint_with_our_context_runs_again_inside_the_map(x: torch.Tensor) -> None:
    again: dict[str, Any] = {"use_reentrant": False, "context_fn": checkpoint_context}
    wanted = torch.autograd.grad(mapped(block, {"Identity": ten}, x).sum(), x)[0]
    with gradient_override_map({"Identity": ten}) as report:
        y = checkpoint(block, x, **again)
    for _ in range(2):
        got = torch.autograd.grad(y.sum(), x, retain_graph=True)[0]
        assert torch.equal(got, wanted)
    assert report.ran["identity"] == 1
    assert torch.equal(
        torch.autograd.grad(checkpoint(block, x, **again).sum(), x)[0], 6 * x.detach()
    )


def test_a_checkpoint_without_it_raises(x: torch.Tensor) -> None:
    with gradient_override_map({"Identity": ten}):
        y = checkpoint(block, x, use_reentrant=False)
    with pytest.raises(CheckpointError):
        torch.autograd.grad(y.sum(), x)


def test_a_reentrant_checkpoint_raises_unless_the_map_is_inside(x: torch.Tensor) -> None:
    with (
        pytest.raises(TrickError, match=r"op 'identity' of type identity.*reentrant"),
        gradient_override_map({"Identity": ten}),
    ):
        checkpoint(block, x, use_reentrant=True)
    inside = lambda x: mapped(block, {"Identity": ten}, x)  # noqa: E731
    checkpoint(inside, x, use_reentrant=True).sum().backward()
    assert torch.equal(present(x.grad), 60 * x.detach())
    with (
        pytest.raises(TrickError, match=r"op 'square' of type square.*reentrant"),
        gradient_override_map({"Square": ten}),
    ):
        checkpoint(inside, x, use_reentrant=True)


# Modes, py_func


def test_no_grad_and_inference_mode_keep_values(x: torch.Tensor) -> None:
    with gradient_override_map({"Mul": lambda op, g: (g, g)}) as report:
        with torch.no_grad():
            assert not (x * x).requires_grad
        with torch.inference_mode():
            assert (x * x).is_inference()
        assert not (x.detach() * x.detach()).requires_grad
    assert report.ran["mul"] == 3


def test_autocast_keeps_its_dtype() -> None:
    w = torch.randn(2, 2, requires_grad=True)
    rule = lambda op, g: (g.float() * 2, None)  # noqa: E731
    with torch.autocast("cpu", dtype=torch.bfloat16), gradient_override_map({"MatMul": rule}):
        y = torch.matmul(w, w.detach())
    assert y.dtype == torch.bfloat16
    assert torch.autograd.grad(y.sum(), w)[0].tolist() == [[2, 2], [2, 2]]


def test_py_func_is_an_op_without_a_gradient(x: torch.Tensor) -> None:
    assert not py_func(lambda x: [x, x], x)[1].requires_grad
    with pytest.raises(TrickError, match="py_func: expected a tensor, got float"):
        py_func(lambda x: 1.0, x)
