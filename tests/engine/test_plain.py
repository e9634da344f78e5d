"""The plain tricks: value bit for bit, gradient by an independent formula, errors, dtypes."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

from lessons.gradient_tricks.tricks import (
    TrickError,
    clip_gradient,
    clip_gradient_norm,
    flip_gradient,
    forward_backward,
    identity,
    scale_gradient,
    stop_gradient,
    straight_through,
)
from tests.support.folded import folded

# name, the trick, the gradient it makes of an upstream gradient
PASSING: list[tuple[str, Callable[..., torch.Tensor], Callable[..., torch.Tensor]]] = [
    ("identity", identity, lambda g: g),
    ("flip", flip_gradient, lambda g: -g),
    ("flip 0", lambda x: flip_gradient(x, 0), lambda g: g * -0.0),
    ("flip -2", lambda x: flip_gradient(x, -2), lambda g: g + g),
    ("flip tensor", lambda x: flip_gradient(x, torch.tensor(0.5)), lambda g: g * -0.5),
    ("scale", lambda x: scale_gradient(x, 0.25), lambda g: g * 0.25),
    ("clip", lambda x: clip_gradient(x, -0.5, 1.0), lambda g: g.clamp(-0.5, 1.0)),
    ("clip tensor", lambda x: clip_gradient(x, torch.tensor(-0.5), 1), lambda g: g.clamp(-0.5, 1)),
    ("norm", lambda x: clip_gradient_norm(x, 1.0),
     lambda g: (g.double() * (1.0 / g.double().norm()).clamp(max=1.0)).to(g.dtype)),
    ("norm not reached", lambda x: clip_gradient_norm(x, 1e3), lambda g: g),
    ("norm 0", lambda x: clip_gradient_norm(x, 0), torch.zeros_like),
]  # fmt: skip
AWKWARD = [0.0, -0.0, float("inf"), float("-inf"), float("nan"), 1e-30, 300.0, -1.5]


def bits(x: torch.Tensor) -> list[Any]:
    """The bytes of a tensor: equal only where every bit is."""
    whole = {2: torch.int16, 4: torch.int32, 8: torch.int64}[x.element_size()]
    return x.detach().contiguous().view(whole).tolist()


@folded("name, trick, formula", PASSING, ids=lambda case: case[0])
def test_value_is_kept_and_gradient_is_the_formula(
    name: str, trick: Any, formula: Any, device: torch.device, dtype: torch.dtype
) -> None:
    x = torch.tensor(AWKWARD, dtype=dtype, device=device, requires_grad=True)
    upstream = torch.tensor([3, -2, 0.1, -0.1, 0.7, 1, 0, -9], dtype=dtype, device=device)
    y = trick(x)
    assert bits(y) == bits(x)
    (got,) = torch.autograd.grad(y, x, upstream)
    torch.testing.assert_close(got, formula(upstream))
    assert got.dtype == dtype


@folded("name, trick, formula", PASSING, ids=lambda case: case[0])
def test_without_gradients_the_value_passes(name: str, trick: Any, formula: Any) -> None:
    x = torch.randn(3)
    assert not trick(x).requires_grad
    with torch.no_grad():
        assert not trick(x.requires_grad_()).requires_grad


@folded("name, trick, formula", PASSING, ids=lambda case: case[0])
def test_second_derivative_differentiates_the_trick(name: str, trick: Any, formula: Any) -> None:
    x = torch.tensor([0.3, -0.2, 0.4], dtype=torch.float64, requires_grad=True)
    (first,) = torch.autograd.grad((trick(x) ** 3).sum(), x, create_graph=True)
    again = x.detach().clone()
    # trick'(u(trick(x))) by finite differences; the inner trick counts once more.
    step = 1e-6
    wanted = torch.zeros(3, dtype=torch.float64)
    for i in range(3):
        shift = torch.zeros(3, dtype=torch.float64)
        shift[i] = step
        high, low = formula(3 * (again + shift) ** 2), formula(3 * (again - shift) ** 2)
        wanted[i] = ((high - low) / (2 * step)).sum()
    (second,) = torch.autograd.grad(first.sum(), x)
    torch.testing.assert_close(second, formula(wanted), rtol=1e-5, atol=1e-5)


def test_the_result_of_a_passing_trick_is_not_changed_in_place() -> None:
    x = torch.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="is being modified inplace"):
        flip_gradient(x).add_(1)


@pytest.mark.parametrize("f", [torch.sign, torch.round, torch.floor, torch.relu, lambda x: x])
def test_straight_through_keeps_every_bit(f: Any, device: Any, dtype: Any) -> None:
    x = torch.tensor(AWKWARD, dtype=dtype, device=device, requires_grad=True)
    y = straight_through(f)(x)
    assert bits(y) == bits(f(x.detach()))
    upstream = torch.randn(x.shape, device=device).to(dtype)
    (got,) = torch.autograd.grad(y, x, upstream)
    assert bits(got) == bits(upstream)


def test_forward_backward_of_several_inputs_keywords_and_parameters() -> None:
    a, b = torch.randn(3, requires_grad=True), torch.randn(3, requires_grad=True)
    weight = torch.tensor(2.0, requires_grad=True)
    trick = forward_backward(
        lambda a, b, *, k: torch.floor(a * b + k), lambda a, b, *, k: weight * a * b + k
    )
    y = trick(a, b, k=0.5)
    assert torch.equal(y, torch.floor(a * b + 0.5))
    got = torch.autograd.grad(y.sum(), (a, b, weight))
    for one, wanted in zip(got, (2 * b, 2 * a, (a * b).sum()), strict=True):
        torch.testing.assert_close(one, wanted)


def test_f_runs_without_a_graph_and_its_result_may_change_in_place() -> None:
    x = torch.randn(3, requires_grad=True)
    seen: list[bool] = []

    def f(x: torch.Tensor) -> torch.Tensor:
        seen.append(torch.is_grad_enabled())
        return x.sign()

    forward_backward(f, torch.tanh)(x)
    y = straight_through(f)(x)
    y.mul_(3)
    (got,) = torch.autograd.grad(y.sum(), x)
    assert seen == [False, False]
    assert got.tolist() == [3, 3, 3]


def test_an_f_that_hands_back_its_input_lends_no_memory() -> None:
    x = torch.ones(2, requires_grad=True)
    for f in (lambda x: x, lambda x: x.view(-1), lambda x: x.t()):
        straight_through(f)(x).mul_(5)
        forward_backward(f, torch.tanh)(x).mul_(5)
    assert x.tolist() == [1, 1]


def test_mixed_precision_casts_the_gradient() -> None:
    x = torch.tensor([0.4, 1.6], requires_grad=True)
    y = forward_backward(lambda x: x.half(), torch.tanh)(x)
    (got,) = torch.autograd.grad(y.sum(), x)
    assert (y.dtype, got.dtype) == (torch.float16, torch.float32)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x: straight_through(lambda x: x > 0)(x), "only floating point can carry"),
        (lambda x: straight_through(lambda x: x.int())(x), "torch.int32"),
        (lambda x: straight_through(torch.sum)(x), r"shape \(\).*shape \(2, 2\)"),
        (lambda x: forward_backward(torch.argmax, torch.sum)(x), "torch.int64"),
        (lambda x: forward_backward(torch.sum, torch.sign)(x), "one shape"),
        (lambda x: forward_backward(torch.unbind, torch.sum)(x), "expected a tensor, got tuple"),  # type: ignore[arg-type]
        (lambda x: straight_through(torch.sign)(3.0), "expected a tensor, got float 3.0"),
        (lambda x: identity(3.0), "identity: expected a tensor, got float"),  # type: ignore[arg-type]
        (lambda x: stop_gradient([x]), "stop_gradient: expected a tensor, got list"),  # type: ignore[arg-type]
        (lambda x: flip_gradient(x, torch.ones(3)), "does not broadcast to x"),
        (lambda x: flip_gradient(x, torch.ones(1, 2, 2)), "does not broadcast to x"),
        (lambda x: flip_gradient(x, "much"), "must be a number or a tensor, got str 'much'"),  # type: ignore[arg-type]
        (lambda x: scale_gradient(x, None), "must be a number or a tensor, got None"),  # type: ignore[arg-type]
        (lambda x: clip_gradient(x, 1, -1), "expected low <= high, got low=1.0, high=-1.0"),
        (lambda x: clip_gradient(x, float("nan"), 1), "expected low <= high, got low=nan"),
        (lambda x: clip_gradient_norm(x, -1), "must be 0 or more, got -1.0"),
        (lambda x: clip_gradient_norm(x, torch.ones(2)), "max_norm is one number"),
    ],
)
def test_errors_say_what_came_and_what_was_expected(call: Any, message: str) -> None:
    with pytest.raises(TrickError, match=message):
        call(torch.ones(2, 2, requires_grad=True))


def test_clipping_what_is_not_finite() -> None:
    inf, nan = float("inf"), float("nan")

    def clipped(trick: Any, upstream: list[float]) -> list[float]:
        x = torch.zeros(3, requires_grad=True)
        return torch.autograd.grad(trick(x), x, torch.tensor(upstream))[0].tolist()

    assert str(clipped(lambda x: clip_gradient(x, -1, 1), [inf, -inf, nan])) == "[1.0, -1.0, nan]"
    by_norm = lambda x: clip_gradient_norm(x, 1.0)  # noqa: E731
    assert str(clipped(by_norm, [inf, 1, -1])) == "[nan, 0.0, -0.0]"
    assert str(clipped(by_norm, [nan, 1, -1])) == "[nan, nan, nan]"
    assert clipped(lambda x: clip_gradient_norm(x, inf), [3, 4, 0]) == [3, 4, 0]


def test_norm_clipping_is_exact_however_short_the_gradient_is() -> None:
    x = torch.zeros(2, dtype=torch.float64, requires_grad=True)
    upstream = torch.tensor([3e-9, 4e-9], dtype=torch.float64)
    (within,) = torch.autograd.grad(clip_gradient_norm(x, 6e-9), x, upstream)
    assert torch.equal(within, upstream)
    (shortened,) = torch.autograd.grad(clip_gradient_norm(x, 1e-9), x, upstream)
    torch.testing.assert_close(shortened, upstream / 5, rtol=1e-12, atol=0)


def test_half_precision_norms_do_not_overflow() -> None:
    x = torch.zeros(100, dtype=torch.float16, requires_grad=True)
    upstream = torch.full((100,), 30_000.0, dtype=torch.float16)
    (got,) = torch.autograd.grad(clip_gradient_norm(x, 10.0), x, upstream)
    torch.testing.assert_close(got, torch.ones(100, dtype=torch.float16))
