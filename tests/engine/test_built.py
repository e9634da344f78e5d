"""override_gradients: another gradient for a graph that was already built."""

from typing import Any

import pytest
import torch
from torch import nn

from lessons.tricks import TrickError, gradient_override_map, identity, override_gradients
from tests.engine.rules import slope, ten


@pytest.fixture
def x(device: torch.device, dtype: torch.dtype) -> torch.Tensor:
    return torch.tensor([3.0, -2.0], device=device, dtype=dtype, requires_grad=True)


def test_it_holds_until_removed(x: torch.Tensor) -> None:
    y = torch.relu(identity(x))
    handle = override_gradients(y, {"Relu": ten, "Identity": ten})
    assert handle.overridden == {"relu": 1, "identity": 1}
    assert slope(y, x) == [100, 100]
    handle.remove()
    handle.remove()
    assert slope(y, x) == [1, 0]
    with override_gradients([y], {torch.relu: ten}):
        assert slope(y, x) == [10, 10]
    assert slope(y, x) == [1, 0]


def test_a_models_relus_become_guided() -> None:
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 1))

    def guided(op: Any, upstream: torch.Tensor) -> torch.Tensor:
        return upstream.clamp(min=0) * (op.outputs[0] > 0)

    x = torch.randn(5, 4, requires_grad=True)
    with gradient_override_map({"Relu": guided}):
        wanted = slope(net(x), x)
    y = net(x)
    plain = slope(y, x)
    handle = override_gradients(y, {"Relu": guided})
    assert handle.overridden == {"relu": 2}
    assert slope(y, x) == wanted
    assert plain != wanted


def test_the_rule_sees_what_torch_saved(x: torch.Tensor) -> None:
    ops: list[Any] = []
    other = torch.full_like(x, 4, requires_grad=True)
    y = x * other

    def rule(op: Any, upstream: torch.Tensor) -> Any:
        ops.append(op)
        return upstream * op.inputs[1], upstream * op.inputs[0] * 0

    with override_gradients(y, {"Mul": rule}):
        assert slope(y, x) == [4, 4]
        assert slope(y, other) == [0, 0]
    assert ops[0].type == "mul"
    assert ops[0].inputs[0] is x
    for read in (lambda op: op.outputs[0], lambda op: op.args, lambda op: op.kwargs):
        with pytest.raises(TrickError, match=r"did not save|does not keep the arguments"):
            read(ops[0])
    z = torch.relu(x)
    with (
        override_gradients(z, {"Relu": lambda op, upstream: op.inputs[0]}),
        pytest.raises(TrickError, match="ReluBackward0: torch did not save its operand 0"),
    ):
        slope(z, x)


def test_numbers_and_unneeded_operands_may_be_left_out() -> None:
    x, c = torch.tensor([3.0], requires_grad=True), torch.tensor([5.0])
    for y in (x * 2, 2 * x, x * c, c * x):
        live = [edge is not None for edge, _ in y.grad_fn.next_functions]
        with override_gradients(y, {"Mul": ten}):
            assert slope(y, x) == [10]
        with override_gradients(
            y, {"Mul": lambda op, g, live=live: [g if n else None for n in live]}
        ):
            assert slope(y, x) == [1]


def test_reversed_subtraction_keeps_its_order() -> None:
    a, b = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    y = torch.rsub(a, b)  # b - a
    with override_gradients(y, {"Sub": lambda op, g: (2 * g, 3 * g)}):
        assert slope(y, b) == [2, 2]
        assert slope(y, a) == [3, 3]


def test_several_operands_and_outputs() -> None:
    a, b = torch.ones(2, requires_grad=True), torch.ones(3, requires_grad=True)
    y = torch.cat([a, b])
    with override_gradients(y, {"ConcatV2": lambda op, g: (g[:2] * 2, g[2:] * 3)}):
        assert slope(y, b) == [3, 3, 3]
    seen: list[Any] = []
    _, q = torch.unbind(torch.ones(2, 2, requires_grad=True) * torch.ones(2, 2))
    rule = lambda op, *upstream: (seen.extend(upstream), torch.stack(upstream))[1]  # noqa: E731
    with override_gradients(q, {"Unpack": rule}):
        q.sum().backward()
    assert [u.tolist() for u in seen] == [[0, 0], [1, 1]]


def test_ops_of_a_map_can_be_overridden_again(x: torch.Tensor) -> None:
    with gradient_override_map({"Square": ten}):
        y = torch.square(x)
    with override_gradients(y, {"Square": lambda op, upstream: upstream * op.inputs[0]}):
        assert slope(y, x) == [3, -2]
    assert slope(y, x) == [10, 10]


@pytest.mark.parametrize(
    ("key", "call", "message"),
    [
        ("square", torch.square, "cannot tell square apart: pow and square are one node"),
        ("Pow", lambda x: x**2, "cannot tell pow apart: pow and square are one node"),
        ("relu6", nn.functional.relu6, "relu6 and hardtanh are one node"),
        ("view", lambda x: x.view(-1), "reshape and view and flatten"),
        ("linear", nn.Linear(2, 2), "linear leaves no node of its own"),
        ("stop_gradient", lambda x: x.detach() * x, "leaves no node of its own"),
        ("Matmul", torch.sin, "did you mean matmul"),
        ("sin", lambda x: x.detach(), "no graph was built for a tensor"),
        ("sin", lambda x: x, "no graph was built"),
        ("sin", lambda x: 3, "no graph was built for int 3"),
    ],
)
def test_what_cannot_be_told_apart_is_refused(key: str, call: Any, message: str) -> None:
    output = call(torch.ones(2, requires_grad=True))
    output = output if isinstance(output, torch.Tensor) else [output]
    with pytest.raises(TrickError, match=message):
        override_gradients(output, {key: ten})


def test_types_of_one_node_under_one_rule_are_allowed(x: torch.Tensor) -> None:
    y = x**2 + torch.square(x)
    with override_gradients(y, {"Pow": ten, "Square": ten}) as handle:
        assert slope(y, x) == [20, 20]
    assert handle.overridden.total() == 2
    z = x.reshape(2, 1).flatten()
    with override_gradients(
        z, {"Reshape": lambda op, g: g.reshape(-1, 1) if g.dim() == 1 else 3 * g[:, 0]}
    ):
        assert slope(z, x) == [3, 3]


def test_a_key_that_matches_no_node_warns(x: torch.Tensor) -> None:
    with pytest.warns(UserWarning, match="the key 'Tanh' matched no node.*Relu") as caught:
        override_gradients(torch.relu(x), {"Tanh": ten})
    assert caught[0].filename == __file__
