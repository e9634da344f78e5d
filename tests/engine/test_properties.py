"""For random shapes, dtypes and expressions: untouched value, gradient equal to the formula."""

from collections.abc import Callable
from typing import Any

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lessons.tricks import (
    forward_backward,
    stop_gradient,
)
from tests.engine.test_plain import PASSING

QUICK = settings(deadline=None, max_examples=60, derandomize=True)
DTYPES = st.sampled_from([torch.float16, torch.bfloat16, torch.float32, torch.float64])
SHAPES = st.lists(st.integers(0, 4), max_size=3).map(tuple)
SMOOTH = st.sampled_from(
    [torch.sin, torch.tanh, torch.sigmoid, torch.exp, lambda x: x * x, lambda x: 0.5 * x + 1]
)
ROUGH = st.sampled_from([torch.sign, torch.round, torch.floor, torch.relu, lambda x: -x])


@st.composite
def inputs(draw: Any, dtype: Any = DTYPES) -> tuple[torch.Tensor, torch.Tensor]:
    """A point and an upstream gradient of its shape, in any of three memory layouts."""
    shape, kind = draw(SHAPES), draw(dtype)
    seed, layout = (
        draw(st.integers(0, 2**31)),
        draw(st.sampled_from(["plain", "turned", "strided"])),
    )
    generator = torch.Generator().manual_seed(seed)
    x, upstream = (4 * torch.randn(shape, generator=generator).to(kind) for _ in range(2))
    if layout == "turned" and len(shape) > 1:
        x = x.mT.contiguous().mT
    if layout == "strided":
        x = torch.stack([x, x], -1)[..., 0]
    return x.detach().requires_grad_(), upstream


EXACT = st.sampled_from([case for case in PASSING if not case[0].startswith("norm")])


@QUICK
@given(inputs(), st.lists(EXACT, min_size=2, max_size=5))
def test_tricks_compose_as_their_formulas_in_reverse(pair: Any, tricks: Any) -> None:
    x, upstream = pair
    y, wanted = x, upstream
    for _, apply, _ in tricks:
        y = apply(y)
    for _, _, formula in reversed(tricks):
        wanted = formula(wanted)
    (got,) = torch.autograd.grad(y, x, upstream)
    assert torch.equal(y, x)
    assert torch.equal(got, wanted)


@QUICK
@given(inputs(st.just(torch.float64)), ROUGH, SMOOTH, SMOOTH)
def test_forward_backward_is_the_surrogates_gradient_at_fs_value(
    pair: Any, f: Callable[..., Any], g: Callable[..., Any], after: Callable[..., Any]
) -> None:
    x, upstream = pair
    (got,) = torch.autograd.grad(after(forward_backward(f, g)(x)), x, upstream)
    value = f(x.detach()).requires_grad_()
    (outer,) = torch.autograd.grad(after(value), value, upstream)
    (wanted,) = torch.autograd.grad(g(x), x, outer)
    assert torch.equal(got, wanted)
    # and where rounding does not bite, it is the articles' general form
    trick = g(x) + stop_gradient(f(x) - g(x))
    (general,) = torch.autograd.grad(after(trick), x, upstream)
    torch.testing.assert_close(got, general, rtol=1e-6, atol=1e-6)
