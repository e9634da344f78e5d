"""What gradient_override_map means: when it binds, what wins, what the rule sees, the report."""

from typing import Any

import pytest
import torch

from lessons.gradient_tricks.tricks import TrickError, gradient_override_map, identity
from lessons.gradient_tricks.tricks.rule import Op
from tests.engine.rules import slope
from tests.support.present import present


def times(factor: float) -> Any:
    return lambda op, upstream: factor * upstream


@pytest.fixture
def x(device: torch.device, dtype: torch.dtype) -> torch.Tensor:
    return torch.tensor([3.0, -2.0], device=device, dtype=dtype, requires_grad=True)


def test_the_inner_map_wins_nothing_composes_and_itself_restores(x: torch.Tensor) -> None:
    with gradient_override_map({"Identity": times(10), "Square": times(5)}):
        before = identity(x)
        with gradient_override_map({"Identity": times(2)}):
            inner, outer_key = identity(x), torch.square(x)
            with gradient_override_map({"Identity": "Identity"}):
                restored = identity(x)
            with gradient_override_map({identity: identity}):
                also_restored = identity(x)
        after = identity(x)
    ys = (before, inner, outer_key, restored, also_restored, after, identity(x))
    assert [slope(y, x)[0] for y in ys] == [10, 2, 5, 1, 1, 10, 1]


def test_an_unused_float_output_is_zeros_and_an_integer_one_none() -> None:
    seen: list[Any] = []

    def rule(op: Any, *upstream: Any) -> torch.Tensor:
        seen[:] = upstream
        return torch.ones_like(op.inputs[0])

    x = torch.tensor([[3.0, 1.0], [2.0, 5.0]], requires_grad=True)
    with gradient_override_map({"unbind": rule, "topk": rule}):
        _, used = torch.unbind(x)
        values, indices = torch.topk(x, 1)
    slope(used, x)
    assert [u.tolist() for u in seen] == [[0, 0], [1, 1]]
    slope(values, x)
    assert seen[1] is None
    assert not indices.requires_grad


def test_the_rule_is_handed_the_op() -> None:
    ops: list[Any] = []
    a, b = torch.ones(2, requires_grad=True), torch.full((2,), 3.0)

    def rule(op: Any, *upstream: Any) -> Any:
        ops.append(op)
        return [None] * len(op.inputs)

    with gradient_override_map({"cat": rule, "sub": rule, "add": rule}):
        ys = [torch.cat([a, b], dim=0), 2 - a, torch.add(a, b, alpha=3), torch.add(a, b)]
    torch.autograd.backward([y.sum() for y in ys])
    cat, sub, scaled, added = sorted(
        ops, key=lambda op: (op.type != "cat", op.type != "sub", op.name)
    )
    assert [id(t) for t in cat.inputs] == [id(a), id(b)]
    assert (cat.kwargs, len(cat.args[0])) == ({"dim": 0}, 2)
    assert sub.args[0] == 2
    assert sub.args[1] is a
    assert len(sub.inputs) == 1
    with pytest.raises(TrickError, match=r"op 'sub' of type sub: inputs\[1\].*numbers.*op.args"):
        sub.inputs[1]
    scaled, added = sorted((scaled, added), key=lambda op: not op.kwargs)
    assert scaled.kwargs == {"alpha": 3}
    assert {scaled.name, added.name} == {"add", "add_1"}
    assert torch.equal(added.outputs[0], a + b)


def test_op_may_be_kept_and_read_after_the_backward_pass(x: torch.Tensor) -> None:
    kept: list[Op] = []

    def rule(op: Op, upstream: torch.Tensor) -> torch.Tensor:
        kept.append(op)
        return upstream

    with gradient_override_map({"Square": rule}):
        torch.square(x).sum().backward()
    assert torch.equal(kept[0].inputs[0], x)
    assert torch.equal(kept[0].outputs[0], x**2)
    assert repr(kept[0]) == "<op 'square' of type square, 1 tensor operands>"


def test_a_rule_that_reads_outputs_is_differentiated_through_the_rule() -> None:
    x = torch.tensor(0.7, dtype=torch.float64, requires_grad=True)
    with gradient_override_map({"Tanh": lambda op, upstream: upstream * op.outputs[0]}):
        y = torch.tanh(x)
    for _ in range(3):  # y' = y by the rule, and so again
        (y,) = torch.autograd.grad(y, x, create_graph=True)
        assert y.item() == pytest.approx(torch.tanh(x).item())


def test_a_rule_is_not_overridden_by_the_map_around_the_backward_call(x: torch.Tensor) -> None:
    with gradient_override_map({"Mul": lambda op, upstream: 7 * upstream * op.args[1]}) as report:
        y = x * 2
        torch.autograd.backward(y.sum(), inputs=[x])
        assert report.ran["mul"] == 1
    assert present(x.grad).tolist() == [14, 14]


def test_a_rule_may_enter_a_map_of_its_own() -> None:
    def rule(op: Op, upstream: torch.Tensor) -> torch.Tensor:
        with gradient_override_map({"Mul": lambda op, g: (5 * g, None)}):
            return torch.mul(upstream, op.inputs[0].detach())

    x = torch.tensor(2.0, requires_grad=True)
    u = torch.tensor(1.0, requires_grad=True)
    with gradient_override_map({"Identity": rule}):
        y = identity(x)
    (first,) = torch.autograd.grad(y, x, u, create_graph=True)
    assert first.item() == 2
    assert torch.autograd.grad(first, u)[0].item() == 5


def test_in_place_forms_write_back_and_take_the_rule() -> None:
    x = torch.tensor([3.0, -2.0], requires_grad=True)
    with gradient_override_map({"Mul": lambda op, g: (g * op.inputs[1], g * op.inputs[0] * 0)}):
        y = x + 0
        z = y.mul_(y)
    assert z is y
    assert y.tolist() == [9, 4]
    assert slope(y, x) == [3, -2]
    with gradient_override_map({"Relu": times(10)}):
        h = x + 0
        torch.nn.ReLU(inplace=True)(h)
    assert h.tolist() == [3, 0]
    assert slope(h, x) == [10, 10]


def test_reading_what_was_changed_in_place_since_is_an_error_others_are_not(
    x: torch.Tensor,
) -> None:
    with gradient_override_map({"Square": times(2), "Exp": lambda op, g: g * op.outputs[0]}):
        y, z = torch.square(x), torch.exp(x)
    y.add_(1)
    z.add_(1)
    assert slope(y, x) == [2, 2]
    with pytest.raises(TrickError, match=r"op 'exp' of type exp: .* changed in place after it ran"):
        slope(z, x)


def test_the_map_decorates_functions_and_methods(x: torch.Tensor) -> None:
    @gradient_override_map({"Identity": times(10)})
    def decorated(x: torch.Tensor, depth: int = 0) -> torch.Tensor:
        """Its doc."""
        return decorated(x, depth - 1) if depth else identity(x)

    class Net(torch.nn.Module):
        @gradient_override_map({"Identity": times(3)})
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return identity(x)

    assert (decorated.__name__, decorated.__doc__) == ("decorated", "Its doc.")
    assert slope(decorated(x, depth=2), x) == [10, 10]
    assert slope(decorated(x), x) == [10, 10]
    assert slope(Net()(x), x) == [3, 3]
    assert slope(identity(x), x) == [1, 1]


@pytest.mark.parametrize(
    ("name", "expected"),
    [("Square", [6, -4]), ("Relu", [1, 0]), ("Neg", [-1, -1]), ("Round", None), ("Sign", [0, 0]),
     ("square", [6, -4]), (torch.square, [6, -4]), ("Identity", [1, 1]), ("Abs", [1, -1]),
     ("Exp", [3, -2]), ("StopGradient", None)],
)  # fmt: skip
def test_the_name_of_another_op_type_is_its_built_in_gradient(name: Any, expected: Any) -> None:
    x = torch.tensor([3.0, -2.0], requires_grad=True)
    with gradient_override_map({"Identity": name}):
        y = identity(x)
    assert torch.equal(y, x)
    (got,) = torch.autograd.grad(y.sum(), x, allow_unused=True)
    assert expected == (None if got is None else got.tolist())


@pytest.mark.parametrize("name", ["Mean", "Mul", "TopKV2", "MatMul"])
def test_a_built_in_gradient_that_does_not_fit_says_so(name: str, x: torch.Tensor) -> None:
    with gradient_override_map({"Identity": name}):
        y = identity(x)
    with pytest.raises(TrickError, match="does not fit op 'identity' of type identity"):
        slope(y, x)


def test_an_op_that_returns_its_input_takes_the_rule(x: torch.Tensor) -> None:
    with gradient_override_map({"flatten": times(2), "dropout": times(3)}):
        flat = torch.flatten(x)
        evaluated = torch.nn.functional.dropout(x, training=False)
    assert (slope(flat, x), slope(evaluated, x)) == ([2, 2], [3, 3])
