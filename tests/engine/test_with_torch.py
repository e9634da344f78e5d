"""The engine beside the rest of torch: threads, memory, checkpoints, torch.func, compile, hooks."""

import gc
import threading
import warnings
import weakref
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch.overrides import _get_current_function_mode_stack
from torch.utils.checkpoint import CheckpointError, checkpoint

from lessons.tricks import (
    TrickError,
    checkpoint_context,
    clip_gradient,
    clip_gradient_norm,
    flip_gradient,
    forward_backward,
    gradient_override_map,
    identity,
    override_gradients,
    py_func,
    scale_gradient,
    stop_gradient,
    straight_through,
)

TRICKS: dict[str, Any] = {
    "stop": stop_gradient, "identity": identity, "flip": lambda x: flip_gradient(x, 2.0),
    "flip tensor": lambda x: flip_gradient(x, torch.tensor(2.0)),
    "scale": lambda x: scale_gradient(x, 3), "clip": lambda x: clip_gradient(x, -0.5, 0.5),
    "norm": lambda x: clip_gradient_norm(x, 0.5), "through": straight_through(torch.sign),
    "pair": forward_backward(torch.sign, torch.tanh),
}  # fmt: skip


def ten(op: Any, upstream: torch.Tensor) -> torch.Tensor:
    return 10 * upstream


def mapped(f: Any, rules: dict[Any, Any], *xs: torch.Tensor) -> Any:
    with gradient_override_map(rules):
        return f(*xs)


@pytest.fixture
def x() -> torch.Tensor:
    return torch.tensor([1.5, -2.0], requires_grad=True)


@pytest.fixture
def quiet() -> Iterator[None]:
    """torch.func and torch.compile warn about torch's own internals on first use."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


# Threads


def test_threads_see_only_their_own_maps(x: torch.Tensor) -> None:
    shared = gradient_override_map({"Identity": ten})
    ready, slopes = threading.Barrier(9), {}

    def work(number: int) -> None:
        leaf = x.detach().clone().requires_grad_()
        ready.wait(10)
        for _ in range(50):
            if number % 2:
                with shared as report:
                    y = identity(leaf)
                assert report.ran == {"identity": 1}
            else:
                y = identity(leaf)
            slopes.setdefault(number, set()).add(torch.autograd.grad(y.sum(), leaf)[0][0].item())

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    with shared:
        for thread in threads:
            thread.start()
        ready.wait(10)
        identity(x)
        for thread in threads:
            thread.join()
    assert slopes == {n: {10.0 if n % 2 else 1.0} for n in range(8)}


def test_a_graph_built_in_one_thread_keeps_its_rule_in_another(x: torch.Tensor) -> None:
    y = mapped(identity, {"Identity": ten}, x)
    thread = threading.Thread(target=y.sum().backward)
    thread.start()
    thread.join()
    assert x.grad.tolist() == [10, 10]


def test_maps_left_out_of_order_leave_nothing_behind(x: torch.Tensor) -> None:
    first, second = gradient_override_map({"Identity": ten}), gradient_override_map({"Sin": ten})
    first.__enter__()
    second.__enter__()
    y = torch.sin(identity(x))
    first.__exit__(None, None, None)
    z = torch.sin(x)
    second.__exit__(None, None, None)
    assert torch.autograd.grad(y.sum(), x)[0].tolist() == [100, 100]
    assert torch.autograd.grad(z.sum(), x)[0].tolist() == [10, 10]
    assert _get_current_function_mode_stack() == []


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
        handle = override_gradients(z, {"relu": lambda op, upstream: op.outputs[0] * upstream})
        (g,) = torch.autograd.grad(z.sum(), leaf, create_graph=create_graph)
        refs = [weakref.ref(t) for t in (h, y, z, g)]
        del h, y, z, g
        assert [ref() for ref in refs] == [None] * 4
        assert report.overridden.total() == 2
        handle.remove()
    finally:
        gc.enable()


# Checkpoints


def block(x: torch.Tensor) -> torch.Tensor:
    return torch.square(identity(x)) * 3


def test_a_checkpoint_with_our_context_runs_again_inside_the_map(x: torch.Tensor) -> None:
    again = {"use_reentrant": False, "context_fn": checkpoint_context}
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
        pytest.raises(TrickError, match="op 'identity' of type identity.*reentrant"),
        gradient_override_map({"Identity": ten}),
    ):
        checkpoint(block, x, use_reentrant=True)
    inside = lambda x: mapped(block, {"Identity": ten}, x)  # noqa: E731
    checkpoint(inside, x, use_reentrant=True).sum().backward()
    assert torch.equal(x.grad, 60 * x.detach())
    with (
        pytest.raises(TrickError, match="op 'square' of type square.*reentrant"),
        gradient_override_map({"Square": ten}),
    ):
        checkpoint(inside, x, use_reentrant=True)


# torch.func


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("name", TRICKS)
def test_tricks_under_torch_func(name: str, x: torch.Tensor) -> None:
    trick, point = TRICKS[name], x.detach()
    loss = lambda x: (trick(x) * x).sum()  # noqa: E731
    wanted = torch.autograd.grad(loss(x), x)[0]
    assert torch.equal(torch.func.grad(loss)(point), wanted)
    rows = torch.stack([point, 2 * point])
    each = [torch.autograd.grad(loss(r.requires_grad_()), r)[0] for r in rows.clone().detach()]
    torch.testing.assert_close(torch.func.vmap(torch.func.grad(loss))(rows), torch.stack(each))
    assert torch.equal(torch.func.vmap(trick)(rows), torch.stack([trick(r) for r in rows]))


@pytest.mark.usefixtures("quiet")
def test_a_map_under_torch_func() -> None:
    rule = {"Square": lambda op, upstream: 3 * op.inputs[0] * upstream}
    f = lambda x: mapped(torch.square, rule, x)  # noqa: E731
    xs = torch.tensor([1.0, -2.0])
    assert torch.func.vmap(torch.func.grad(f))(xs).tolist() == [3, -6]
    assert torch.func.vmap(torch.func.grad(torch.func.grad(f)))(xs).tolist() == [3, 3]
    with gradient_override_map(rule):
        assert torch.func.grad(lambda x: torch.square(x).sum())(xs).tolist() == [3, -6]


@pytest.mark.usefixtures("quiet")
def test_forward_mode_raises_torchs_error(x: torch.Tensor) -> None:
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(x.detach(), torch.ones(2))
        with pytest.raises(NotImplementedError, match="jvp"):
            flip_gradient(dual)


# torch.compile


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("name", TRICKS)
def test_tricks_compile_whole(name: str, x: torch.Tensor) -> None:
    torch._dynamo.reset()
    loss = lambda x: (TRICKS[name](x) * x).sum()  # noqa: E731
    compiled = torch.compile(loss, backend="aot_eager", fullgraph=True)
    assert torch.equal(torch.autograd.grad(compiled(x), x)[0], torch.autograd.grad(loss(x), x)[0])


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize(("op", "key"), [(identity, "Identity"), (torch.square, "Square")])
def test_maps_fall_back_to_eager(op: Any, key: str, x: torch.Tensor) -> None:
    torch._dynamo.reset()
    inside = torch.compile(lambda x: mapped(op, {key: ten}, x), backend="aot_eager")
    assert torch.autograd.grad(inside(x).sum(), x)[0].tolist() == [10, 10]
    around = torch.compile(lambda x: op(x) * 2, backend="aot_eager")
    around(x)  # compiled before the map is entered
    assert torch.autograd.grad(mapped(around, {key: ten}, x).sum(), x)[0].tolist() == [20, 20]
    whole = torch.compile(lambda x: mapped(op, {key: ten}, x), backend="eager", fullgraph=True)
    with pytest.raises(torch._dynamo.exc.Unsupported, match="gradient_override_map"):
        whole(x)


# Hooks, modes, py_func


def test_hooks_see_what_the_rule_sends(x: torch.Tensor) -> None:
    seen: list[Any] = []
    h = x * 1
    h.register_hook(lambda g: seen.append(g.tolist()))
    y = mapped(identity, {"Identity": ten}, h)
    y.register_hook(lambda g: 2 * g)
    y.sum().backward()
    assert seen == [[20, 20]]


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


def test_py_func_is_one_op_without_a_gradient(x: torch.Tensor) -> None:
    with gradient_override_map({"PyFunc": ten}) as report:
        y = py_func(lambda x: torch.exp(x) * 2, x)
    assert report.ran == {"py_func": 1}
    assert torch.autograd.grad(y.sum(), x)[0].tolist() == [10, 10]
    assert not py_func(lambda x: [x, x], x)[1].requires_grad
    with pytest.raises(TrickError, match="py_func: expected a tensor, got float"):
        py_func(lambda x: 1.0, x)
