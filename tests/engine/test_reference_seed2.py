"""TensorFlow's answers to the third article: several inputs and outputs, straight-through."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.nn import functional

from lessons.tricks import (
    TrickError,
    forward_backward,
    gradient_override_map,
    identity,
    op_types,
    py_func,
    stop_gradient,
    straight_through,
)
from tests.engine.reference import CASES, RUN, bound, case, fresh, grad, same, tensor, times10


def mul_grad(op: Any, upstream: torch.Tensor) -> tuple[torch.Tensor, None]:
    return upstream * op.inputs[1], None


@case("s2_mul_broadcast_scalarW")
def mul_scalar(c: dict[str, Any]) -> None:
    assert c["outputs"]["raised"]
    W, inputs = tensor(c, "W"), tensor(c, "I")
    with gradient_override_map({"Mul": fresh(mul_grad)}):
        y = W * inputs
    with pytest.raises(TrickError, match=r"wrong shape.*\(3,\).*expected shape \(\)"):
        grad(y, W)
    same(grad(W * inputs, W), c["gradients"]["default_dW"])
    same(grad(W * inputs, inputs), c["gradients"]["default_dI"])


@case("s2_mul_")
def mul(c: dict[str, Any]) -> None:
    W, inputs = tensor(c, "W"), tensor(c, "I")
    with gradient_override_map({"Mul": fresh(mul_grad)}):
        y = torch.mul(W, inputs)
    same(y, c["outputs"]["Y"])
    same(grad(y, W), c["gradients"]["dW"])
    same(grad(y, inputs), c["gradients"]["dI"])
    same(grad(W * inputs, W), c["gradients"]["default_dW"])
    same(grad(W * inputs, inputs), c["gradients"]["default_dI"])


@case("s2_type_not_name")
def type_not_name(c: dict[str, Any]) -> None:
    """Torch differs: a name or wrong case raises; `mul` is torch's own."""
    x = tensor(c, "x")
    for key in ("Mul", "mul"):
        with gradient_override_map({key: lambda op, upstream: (100 * upstream, None)}):
            y = torch.mul(x, torch.full_like(x, 3))
        same(grad(y, x), c["gradients"]["Mul"])
    for key in ("Multiply", "Multiply:0", "MUL"):
        with (
            pytest.raises(TrickError, match="did you mean mul / Mul"),
            gradient_override_map({key: times10}),
        ):
            pass


@case("s2_get_operation_by_name")
def op_names(c: dict[str, Any]) -> None:
    """Torch differs: no graph exists to look a name up in; the rule is handed the op itself."""
    seen = []
    w, k = torch.ones(1, requires_grad=True), torch.tensor([10.0])
    with gradient_override_map(
        {c["outputs"]["ref"]["op"]: lambda op, g: (seen.append(op), g, g)[1:]}
    ):
        y = w * k
    grad(y, w)
    assert (seen[0].type, seen[0].name) == ("mul", "mul")
    assert list(map(id, seen[0].inputs)) == [id(w), id(k)]


# The torch counterpart of each call of the table. None: torch has none, and why.
CALLS: dict[str, Callable[..., Any] | None] = {
    "x*y": lambda x: x * x, "tf.multiply": lambda x: torch.multiply(x, x),
    "x+y": lambda x: x + x, "tf.add": lambda x: torch.add(x, x),
    "tf.add_n": lambda x: sum([x, x]), "x-y": lambda x: x - x, "x/y": lambda x: x / x,
    "tf.div_no_nan": None,  # torch has no such op
    "-x": lambda x: -x, "tf.abs": lambda x: abs(x), "x**2": lambda x: x**2,
    "x**y": lambda x: x**x, "tf.square": torch.square, "tf.sqrt": torch.sqrt,
    "tf.matmul rank2": lambda x: torch.matmul(x, x), "x@w": lambda x: x @ x,
    "tf.matmul rank3": lambda x: torch.matmul(x[None], x[None]), "tf.identity": identity,
    "tf.stop_gradient": stop_gradient, "tf.nn.relu": functional.relu,
    "tf.nn.relu6": functional.relu6,
    "tf.nn.leaky_relu": functional.leaky_relu,
    "tf.maximum(x,0)": lambda x: torch.maximum(x, torch.zeros(())),
    "tf.sigmoid": torch.sigmoid, "tf.tanh": torch.tanh,
    "tf.nn.softmax": lambda x: torch.softmax(x, 0), "tf.exp": torch.exp, "tf.log": torch.log,
    "tf.sign": torch.sign, "tf.round": torch.round, "tf.floor": torch.floor,
    "tf.reduce_sum": torch.sum, "tf.reduce_mean": torch.mean, "tf.reduce_max": torch.max,
    "tf.concat": lambda x: torch.cat([x, x]), "tf.stack": lambda x: torch.stack([x, x]),
    "tf.unstack": torch.unbind, "tf.split int": lambda x: torch.split(x, 1),
    "tf.split sizes": lambda x: torch.split(x, [1, 1]),
    "tf.reshape": lambda x: x.reshape(-1), "tf.transpose": lambda x: torch.transpose(x, 0, 1),
    "x[0]": lambda x: x[0], "tf.gather": lambda x: torch.index_select(x, 0, torch.tensor([0])),
    "tf.cast f64": lambda x: x.double(), "tf.cast same dtype": lambda x: x.float(),
    "tf.where v1": lambda x: torch.where(x > 0, x, x),
    "tf.where_v2": lambda x: torch.where(x > 0, x, x),
    "tf.clip_by_value": None,  # Maximum(Minimum()) there; torch.clamp is one op of its own type
    "tf.nn.bias_add": lambda x: x + x[0], "tf.nn.top_k": lambda x: torch.topk(x, 1),
    "tf.nn.sparse_softmax_xent": lambda x: functional.cross_entropy(x, torch.tensor([0, 1])),
    "tf.py_func": lambda x: py_func(torch.sign, x),
    "tf.py_func stateful=False": lambda x: py_func(torch.sign, x),
}  # fmt: skip


@case("s2_type_table")
def type_table(c: dict[str, Any]) -> None:
    assert set(CALLS) == set(c["outputs"])
    for call, tensorflow in c["outputs"].items():
        if CALLS[call] is None:
            continue
        x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
        if tensorflow == "Placeholder":  # no op ran, in torch as in TensorFlow
            with gradient_override_map({"Identity": "Identity"}) as report:
                identity(CALLS[call](x))
            assert dict(report.ran) == {"identity": 1}
            continue
        with gradient_override_map(
            {tensorflow: lambda op, *upstream: (None,) * len(op.inputs)}
        ) as report:
            CALLS[call](x)
        assert sum(report.overridden.values()) >= 1, call
    assert len(op_types()) >= 60


def func_grad(op: Any, g1: torch.Tensor, g2: torch.Tensor, g3: torch.Tensor) -> Any:
    func_grad.received = (g1, g2, g3)  # type: ignore[attr-defined]
    return g1 * g2 * op.inputs[1], None


@case("s2_multi_pyfunc")
def several_outputs(c: dict[str, Any]) -> None:
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


@case("s2_multi_split")
def split(c: dict[str, Any]) -> None:
    """Torch differs: the axis is a number in `op.args`, not a tensor operand."""
    x, seen = tensor(c, "x"), []

    def rule(op: Any, *upstream: torch.Tensor) -> torch.Tensor:
        seen.append((op.args, op.kwargs, upstream))
        return 10 * torch.cat(upstream, 1)

    with gradient_override_map({"Split": rule}):
        p, _, r = torch.split(x, 1, 1)
    same(grad((2 * p).sum() + (5 * r).sum(), x), c["gradients"]["dx"])
    for got, expected in zip(seen[0][2], c["gradients"]["received"], strict=True):
        same(got, expected)
    assert seen[0][1] == {"dim": 1}


@case("s2_multi_sparse_xent")
def sparse_cross_entropy(c: dict[str, Any]) -> None:
    """Torch differs: its cross entropy has one output; the rule works out the second."""
    z = tensor(c, "logits")
    labels = torch.tensor(c["inputs"]["labels"])

    def rule(op: Any, upstream: torch.Tensor) -> tuple[torch.Tensor, None]:
        logits, wanted = op.inputs
        slope = torch.softmax(logits, -1) - functional.one_hot(wanted, logits.shape[-1])
        return 2 * upstream[:, None] * slope, None

    with gradient_override_map({"SparseSoftmaxCrossEntropyWithLogits": rule}):
        loss = functional.cross_entropy(z, labels, reduction="none")
    same(loss, c["outputs"]["loss"])
    got, wanted = grad(loss, z), torch.tensor(c["gradients"]["dlogits"], dtype=torch.float64)
    torch.testing.assert_close(got, wanted, rtol=1e-8, atol=1e-8)  # TensorFlow's own rounding


@case("s2_multi_too_few_args")
def too_few_parameters(c: dict[str, Any]) -> None:
    assert c["outputs"]["error_type"] == "TypeError"
    x = torch.ones(3, requires_grad=True)
    with gradient_override_map({"Unpack": lambda op, g1: g1}):
        y = torch.unbind(x)[0]
    with pytest.raises(TypeError, match="takes 2 positional arguments but 4 were given"):
        grad(y, x)


@case("s2_ste")
def straight_through_cases(c: dict[str, Any]) -> None:
    """Torch differs in one value: its sign of NaN is 0, TensorFlow's is NaN."""
    f = getattr(torch, c["inputs"]["func"])
    x = tensor(c, "x")
    wanted = [0.0 if v == "nan" and f is torch.sign else v for v in c["outputs"]["func_x"]]
    for output, value in (
        (x + stop_gradient(f(x) - x), c["outputs"]["ste"]),
        (straight_through(f)(x), wanted),
    ):
        same(output, value)
        loss = (output**2).sum() if c["inputs"]["outer"] else output
        if c["inputs"]["outer"]:
            same(loss, c["outputs"]["L"])
        same(grad(loss, x), c["gradients"]["d_ste"])


def clipped(x: torch.Tensor) -> torch.Tensor:
    """TensorFlow's clip: gradient 1 at the limits too. torch's clamp has 0 there since 2.14."""
    return torch.where(x.abs() <= 1, x, x.detach().clamp(-1, 1))


PAIRS = {
    "sign(x)": torch.sign, "tanh(x)": torch.tanh, "step(x)": lambda x: (x > 0).to(x.dtype),
    "sigmoid(5x)": lambda x: torch.sigmoid(5 * x), "relu(x)": torch.relu,
    "softplus(x)": functional.softplus,
    "x": identity, "clip(x,-1,1)": clipped,
}  # fmt: skip


@case("s2_gen")
def general_form(c: dict[str, Any]) -> None:
    f, g = PAIRS[c["inputs"]["f"]], PAIRS[c["inputs"]["g"]]
    x, weights = tensor(c, "x"), tensor(c, "loss_weights", grad=False)
    same(g(x), c["outputs"]["g"])
    same(g(x) + stop_gradient(f(x) - g(x)), c["outputs"]["o"])
    trick = forward_backward(f, g)(x)
    assert torch.equal(trick, f(x))  # bit for bit, where TensorFlow's own form may round
    same(trick, c["outputs"]["f"])
    same(grad(weights * trick, x), c["gradients"]["do_dx"])


@pytest.mark.parametrize("name", bound(__name__))
def test_case(name: str) -> None:
    RUN[name](CASES[name])
