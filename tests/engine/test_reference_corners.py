"""TensorFlow's answers in the corners of gradient_override_map."""

import math
import threading
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import pytest
import torch
from torch.nn import functional

from lessons.tricks import (
    TrickError,
    gradient_override_map,
    identity,
    override_gradients,
    register_gradient,
)
from tests.engine.reference import CASES, RUN, bound, case, grad, same, tensor, times10


@case("c_nested_none", "c_map_leak")
def none_in_map(c: dict[str, Any]) -> None:
    """Torch differs in c_map_leak: nothing stays installed after an error on entry."""
    x = tensor(c, "x")
    for bad in ({"Identity": None}, {"Identity": times10, "Relu": None}):
        with pytest.raises(TrickError, match="is None"), gradient_override_map(bad):
            pass
    same(grad(identity(x), x), [1.0, 1.0])


@case("c_unknown_gradient_name")
def unknown_gradient(c: dict[str, Any]) -> None:
    """Torch differs: an unknown name raises on entry, reached or not; registering late is late."""
    with (
        pytest.raises(TrickError, match="unknown gradient name 'NeverRegistered'"),
        gradient_override_map({"Identity": "NeverRegistered"}),
    ):
        pass


@case("c_register_builtin")
def register_builtin(c: dict[str, Any]) -> None:
    assert c["outputs"]["raised"]
    with pytest.raises(TrickError, match="'Relu' is an op type"):
        register_gradient(c["inputs"]["name"])


@case("c_other_graph")
def other_thread(c: dict[str, Any]) -> None:
    """Torch has one graph a thread builds as it runs: the "other graph" is another thread's."""
    x, got = tensor(c, "x"), []
    with gradient_override_map({"Identity": times10}):
        thread = threading.Thread(target=lambda: got.append(grad(identity(x), x)))
        thread.start()
        thread.join()
        identity(x)
    same(got[0], c["gradients"]["dy_dx"])


@case("c_import_graph_def")
def outlives_the_map(c: dict[str, Any]) -> None:
    """Torch has no GraphDef: what corresponds is that a built graph keeps its rules, (i), and
    that a graph built elsewhere can be overridden afterwards, (ii)."""
    x = tensor(c, "x")
    with gradient_override_map({"Identity": times10}):
        y = identity(x)
    same(grad(y, x), c["gradients"]["exported_override"])
    plain = identity(x)
    with override_gradients(plain, {"Identity": times10}):
        same(grad(plain, x), c["gradients"]["import_inside_map"])


@case("c_ret_none")
def returns_none(c: dict[str, Any]) -> None:
    x = tensor(c, "x")
    with gradient_override_map({"Identity": lambda op, upstream: None}):
        y = identity(x)
    same(grad(y, x), c["gradients"]["dx"])


BAD = {
    "c_ret_too_many": (lambda op, g: (g, g), "wrong count of gradients. Got 2, expected 1"),
    "c_ret_wrong_shape_dynamic": (lambda op, g: torch.ones(4, dtype=g.dtype), "wrong shape"),
    "c_ret_python_float": (lambda op, g: 1.0, "not a tensor. Got float"),
    "c_ret_numpy": (lambda op, g: g.numpy(), "not a tensor. Got ndarray"),
    "c_ret_wrong_dtype": (lambda op, g: g.float(), "wrong dtype"),
}


@case("c_ret")
def bad_return(c: dict[str, Any]) -> None:
    """Torch differs for shape and dtype, where TensorFlow checks nothing: each is a TrickError."""
    rule, message = BAD[c["id"]]
    x = tensor(c, "x")
    with gradient_override_map({"Identity": rule}):
        y = identity(x)
    with pytest.raises(TrickError, match=message):
        grad(y, x)


@case("c_second_square")
def second_derivative(c: dict[str, Any]) -> None:
    x = tensor(c, "x")
    with gradient_override_map({"Square": lambda op, upstream: 3 * op.inputs[0] * upstream}):
        y = torch.square(x)
    d1 = grad(y, x, create_graph=True)
    d2 = grad(d1, x, create_graph=True)
    same(y, c["outputs"]["y"])
    same(d1, c["gradients"]["d1"])
    same(d2, c["gradients"]["d2"])
    assert c["gradients"]["d3"] is None
    assert not d2.requires_grad


@case("c_second_grad_ops_inside_map")
def second_inside(c: dict[str, Any]) -> None:
    """Torch differs: its backward of square runs in C++, where no map sees its multiplications."""
    x = tensor(c, "x")
    y = torch.square(x)
    with gradient_override_map({"Mul": times10, "Identity": "Identity"}):
        identity(torch.ones(1) * 2)
        d1 = grad(y, x, create_graph=True)
    same(d1, c["gradients"]["d1"])
    same(grad(d1, x), c["gradients"]["d2_plain"])


@case("c_while_loop")
def loops(c: dict[str, Any]) -> None:
    """Torch differs: a loop is Python's, with no machinery ops, so around it and inside it are
    the same: ×10 an iteration. A conditional runs one branch, whose identities are overridden."""
    x = tensor(c, "x")
    with gradient_override_map({"Identity": times10}):
        outside = x
        for _ in range(3):
            outside = identity(outside) * x
    inside = x
    for _ in range(3):
        with gradient_override_map({"Identity": times10}):
            inside = identity(inside) * x
    for out in (outside, inside):
        same(out, c["outputs"]["v2_in_body"])
        same(grad(out, x), c["gradients"]["v2_in_body"])
    with gradient_override_map({"Identity": times10}):
        same(grad(identity(x) * 2, x), c["gradients"]["v1_cond_outside"])
        same(grad(identity(identity(x)) * 2, x), c["gradients"]["v1_cond_outside_two_identities"])
        same(grad(x * 3, x), c["gradients"]["v1_cond_outside_x-1.5"])
    same(grad(x * x * x * x, x), c["gradients"]["plain_no_override"])


@case("c_hidden_ops")
def hidden_ops(c: dict[str, Any]) -> None:
    """Torch differs: only the outermost call is seen, so the Mul inside a library function is
    not overridden; the key warns."""
    x = tensor(c, "x")
    with (
        pytest.warns(UserWarning, match="matched no op.*normalize, mean, var"),
        gradient_override_map({"Mul": lambda op, upstream: (0 * upstream,)}),
    ):
        normal, mean, variance = functional.normalize(x, dim=0), x.mean(), x.var(correction=0)
    same(grad(mean, x), c["gradients"]["d_reduce_mean"])
    torch.testing.assert_close(
        grad(variance, x), torch.tensor(c["gradients"]["d_variance"], dtype=torch.float64)
    )
    assert grad(normal[0], x).abs().min() > 0
    assert c["gradients"]["d_l2_normalize"] == [0.0, 0.0, 0.0]


@case("c_map_to_builtin", "c_map_to_stopgradient")
def map_to_builtin(c: dict[str, Any]) -> None:
    x = torch.tensor([3.0, -0.5], dtype=torch.float64, requires_grad=True)
    name = "Square" if c["id"] == "c_map_to_builtin" else "StopGradient"
    with gradient_override_map({"Identity": name}):
        y = identity(x)
    assert torch.equal(y, x)
    same(grad(y, x), c["gradients"]["dy_dx"])


@case("c_map_not_transitive")
def not_transitive(c: dict[str, Any]) -> None:
    x = tensor(c, "x")
    with gradient_override_map({"Identity": "Relu", "Relu": times10}):
        y = identity(x)
        torch.relu(x)
    same(y, c["outputs"]["y"])
    same(grad(y, x), c["gradients"]["dy_dx"])


def guided(op: Any, upstream: torch.Tensor) -> torch.Tensor:
    return torch.where(upstream > 0, upstream * (op.outputs[0] > 0), 0.0)


@case("c_guided_relu")
def guided_relu(c: dict[str, Any]) -> None:
    _guided(c, torch.relu, missed=False)


@case("c_guided_maximum")
def guided_maximum(c: dict[str, Any]) -> None:
    """As in TensorFlow `maximum(x, 0)` is another type and is missed; here the key warns."""
    zero = torch.zeros((), dtype=torch.float64)
    _guided(c, lambda h: torch.maximum(h, zero), missed=True)


def _guided(c: dict[str, Any], act: Callable[..., torch.Tensor], missed: bool) -> None:
    x = tensor(c, "x")
    w1, w2, w3 = (tensor(c, name, grad=False) for name in ("w1", "w2", "w3"))
    expected = pytest.warns(UserWarning, match="Relu") if missed else nullcontext()
    with expected, gradient_override_map({"Relu": guided}):
        y = act(act(x @ w1) @ w2) @ w3
    same(y, c["outputs"]["y"])
    same(grad(y, x), c["gradients"]["guided"])
    same(grad(act(act(x @ w1) @ w2) @ w3, x), c["gradients"]["plain"])


@case("c_tf2_modes")
def eager_mode(c: dict[str, Any]) -> None:
    """Torch is always eager, and the map is honoured: TensorFlow's eager mode ignores it."""
    x = tensor(c, "x")
    with gradient_override_map({"Identity": times10}):
        y = identity(x)
    same(grad(y, x), c["gradients"]["tf_gradients_inside_tf_function"])
    assert not math.isclose(c["gradients"]["eager_tape"][0], 10.0)


@pytest.mark.parametrize("name", bound(__name__))
def test_case(name: str) -> None:
    RUN[name](CASES[name])
