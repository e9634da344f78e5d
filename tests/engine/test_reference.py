"""TensorFlow's own numbers in tests/data/tensorflow.json, and ours."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from lessons.gradient_tricks.tricks import gradient_override_map, identity, py_func
from lessons.gradient_tricks.tricks.lookup import NAMES
from tests.engine.rules import ten
from tests.support.present import present

DATA = Path(__file__).parents[1] / "data" / "tensorflow.json"
CASES = json.loads(DATA.read_text("utf-8"))


def cases(prefix: str) -> pytest.MarkDecorator:
    """Run a test with each case whose id starts so."""
    found = [case for case in CASES if case["id"].startswith(prefix)]
    assert found, prefix
    return pytest.mark.parametrize("c", found, ids=lambda c: c["id"])


def tensor(case: dict[str, Any], key: str, grad: bool = True) -> torch.Tensor:
    return torch.tensor(case["inputs"][key], dtype=torch.float64, requires_grad=grad)


def grad(y: torch.Tensor, x: torch.Tensor, **options: Any) -> torch.Tensor | None:
    return torch.autograd.grad(y.sum(), x, allow_unused=True, retain_graph=True, **options)[0]


def same(got: torch.Tensor | None, expected: Any) -> None:
    if got is None:
        assert expected is None
        return
    wanted = torch.tensor(expected, dtype=torch.float64).reshape(got.shape)
    torch.testing.assert_close(got, wanted, rtol=1e-12, atol=1e-300)


# The op type of a call whose TensorFlow name is not torch's.
OURS = {
    "x*y": "mul", "tf.multiply": "mul", "x+y": "add", "tf.add_n": "add", "tf.nn.bias_add": "add",
    "x-y": "sub", "x/y": "div", "-x": "neg", "x**2": "pow", "x**y": "pow", "x@w": "matmul",
    "tf.maximum(x,0)": "maximum", "tf.reduce_sum": "sum", "tf.reduce_mean": "mean",
    "tf.reduce_max": "max", "tf.concat": "cat", "tf.unstack": "unbind", "x[0]": "getitem",
    "tf.gather": "index_select", "tf.cast f64": "to", "tf.where_v2": "where",
    "tf.nn.top_k": "topk", "tf.nn.sparse_softmax_xent": "cross_entropy",
}  # fmt: skip


@cases("s2_type_table")
def test_type_table(c: dict[str, Any]) -> None:
    for call, tensorflow in c["outputs"].items():
        name = OURS.get(call) or call.removeprefix("tf.").removeprefix("nn.").split()[0]
        assert name in NAMES[tensorflow], call


def func_grad(op: Any, g1: torch.Tensor, g2: torch.Tensor, g3: torch.Tensor) -> Any:
    func_grad.received = (g1, g2, g3)  # type: ignore[attr-defined]
    return g1 * g2 * op.inputs[1], None


@cases("s2_multi_pyfunc")
def test_several_outputs(c: dict[str, Any]) -> None:
    a, b = tensor(c, "a"), tensor(c, "b")
    with gradient_override_map({"PyFunc": func_grad}):
        outputs = py_func(lambda a, b: (a + b, a * b, a - b), a, b)
    for name, output in zip(("o1", "o2", "o3"), outputs, strict=True):
        same(output, c["outputs"][name])
    weights, used = c["inputs"]["weights"], c["inputs"]["used_outputs"]
    loss = sum((weights[i] * outputs[i]).sum() for i in used)
    same(grad(loss, a), c["gradients"]["da"])
    same(grad(loss, b), c["gradients"]["db"])
    for i, got in enumerate(func_grad.received, 1):  # type: ignore[attr-defined]
        same(got, c["gradients"][f"received_grad{i}"])


@cases("c_ret_none")
def test_returns_none(c: dict[str, Any]) -> None:
    x = tensor(c, "x")
    with gradient_override_map({"Identity": lambda op, upstream: None}):
        y = identity(x)
    same(grad(y, x), c["gradients"]["dx"])


@cases("c_second_square")
def test_second_derivative(c: dict[str, Any]) -> None:
    x = tensor(c, "x")
    with gradient_override_map({"Square": lambda op, upstream: 3 * op.inputs[0] * upstream}):
        y = torch.square(x)
    d1 = present(grad(y, x, create_graph=True))
    d2 = present(grad(d1, x, create_graph=True))
    same(y, c["outputs"]["y"])
    same(d1, c["gradients"]["d1"])
    same(d2, c["gradients"]["d2"])
    assert c["gradients"]["d3"] is None
    assert not d2.requires_grad


@cases("c_map_not_transitive")
def test_not_transitive(c: dict[str, Any]) -> None:
    x = tensor(c, "x")
    with gradient_override_map({"Identity": "Relu", "Relu": ten}):
        y = identity(x)
        torch.relu(x)
    same(y, c["outputs"]["y"])
    same(grad(y, x), c["gradients"]["dy_dx"])


def guided(op: Any, upstream: torch.Tensor) -> torch.Tensor:
    return torch.where(upstream > 0, upstream * (op.outputs[0] > 0), 0.0)


@cases("c_guided_relu")
def test_guided_relu(c: dict[str, Any]) -> None:
    x = tensor(c, "x")
    w1, w2, w3 = (tensor(c, name, grad=False) for name in ("w1", "w2", "w3"))

    def net(x: torch.Tensor) -> torch.Tensor:
        return torch.relu(torch.relu(x @ w1) @ w2) @ w3

    with gradient_override_map({"Relu": guided}):
        y = net(x)
    same(y, c["outputs"]["y"])
    same(grad(y, x), c["gradients"]["guided"])
    same(grad(net(x), x), c["gradients"]["plain"])
