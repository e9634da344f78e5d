"""The engine under torch.func and torch.compile: what works, and what falls back or raises."""

from typing import Any

import pytest
import torch

from lessons.gradient_tricks.tricks import (
    clip_gradient_norm,
    flip_gradient,
    forward_backward,
    gradient_override_map,
    identity,
    stop_gradient,
    straight_through,
)
from tests.engine.rules import mapped, ten
from tests.engine.test_plain import PASSING

# torch.func and torch.compile warn about torch's own internals on first use.
pytestmark = pytest.mark.filterwarnings("ignore")

TRICKS: dict[str, Any] = {
    **{name: trick for name, trick, _ in PASSING}, "stop": stop_gradient,
    "through": straight_through(torch.sign), "pair": forward_backward(torch.sign, torch.tanh),
}  # fmt: skip


# torch.func


@pytest.mark.parametrize("name", TRICKS)
def test_tricks_under_torch_func(name: str, x: torch.Tensor) -> None:
    trick, point = TRICKS[name], x.detach()

    def loss(x: torch.Tensor) -> torch.Tensor:
        return torch.sum(trick(x) * x)

    wanted = torch.autograd.grad(loss(x), x)[0]
    assert torch.equal(torch.func.grad(loss)(point), wanted)
    rows = torch.stack([point, 2 * point])
    each = [torch.autograd.grad(loss(r.requires_grad_()), r)[0] for r in rows.clone().detach()]
    torch.testing.assert_close(torch.func.vmap(torch.func.grad(loss))(rows), torch.stack(each))
    assert torch.equal(torch.func.vmap(trick)(rows), torch.stack([trick(r) for r in rows]))


def test_a_norm_is_clipped_to_the_same_bits_one_by_one_and_under_vmap(dtype: torch.dtype) -> None:
    rows = torch.linspace(-3, 3, 62, dtype=torch.float64).reshape(31, 2).to(dtype)

    def loss(x: torch.Tensor) -> torch.Tensor:
        return (clip_gradient_norm(x, 1.3) ** 2).sum() / 2

    leaf = rows.clone().requires_grad_()
    (one_by_one,) = torch.autograd.grad(torch.stack([loss(row) for row in leaf]).sum(), leaf)
    (together,) = torch.autograd.grad(torch.func.vmap(loss)(leaf).sum(), leaf)
    assert torch.equal(together, one_by_one)


def test_a_map_under_torch_func() -> None:
    rule = {"Square": lambda op, upstream: 3 * op.inputs[0] * upstream}
    f = lambda x: mapped(torch.square, rule, x)  # noqa: E731
    xs = torch.tensor([1.0, -2.0])
    assert torch.func.vmap(torch.func.grad(f))(xs).tolist() == [3, -6]
    assert torch.func.vmap(torch.func.grad(torch.func.grad(f)))(xs).tolist() == [3, 3]
    with gradient_override_map(rule):
        assert torch.func.grad(lambda x: torch.square(x).sum())(xs).tolist() == [3, -6]


def test_forward_mode_raises_torchs_error(x: torch.Tensor) -> None:
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(x.detach(), torch.ones(2))
        with pytest.raises(NotImplementedError, match="jvp"):
            flip_gradient(dual)


# torch.compile


@pytest.mark.slow  # loads torch's compiler
def test_tricks_compile_whole(x: torch.Tensor) -> None:
    torch._dynamo.reset()
    weighted = list(enumerate(TRICKS.values(), start=1))

    def loss(x: torch.Tensor) -> torch.Tensor:
        return torch.stack([(n * trick(x) * x).sum() for n, trick in weighted]).sum()

    compiled = torch.compile(loss, backend="aot_eager", fullgraph=True)
    assert torch.equal(torch.autograd.grad(compiled(x), x)[0], torch.autograd.grad(loss(x), x)[0])


@pytest.mark.slow  # loads torch's compiler
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
