"""What many seeds' networks are built of, against torch's own."""

import math
from functools import partial

import pytest
import torch

from lessons.training.stacked import Adam, accuracy, tanh_

INPUTS = (0.0, 1e-30, 1e-4, 0.3, -0.7, 5.0, -20.0, 1e30, float("inf"), float("-inf"), float("nan"))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_tanh_is_torchs_but_for_rounding(dtype: torch.dtype) -> None:
    x = torch.tensor(INPUTS, dtype=dtype, requires_grad=True)
    ours, theirs = tanh_(x.clone()), torch.tanh(x)
    close = partial(
        torch.testing.assert_close, rtol=0.0, atol=4 * torch.finfo(dtype).eps, equal_nan=True
    )
    close(ours, theirs)
    (got,) = torch.autograd.grad(ours.sum(), x)
    (expected,) = torch.autograd.grad(theirs.sum(), x)
    close(got, expected)


def test_tanh_takes_no_memory_of_its_own() -> None:
    x = torch.zeros(3, requires_grad=True).clone()
    assert tanh_(x).data_ptr() == x.data_ptr()
    with torch.no_grad():
        assert tanh_(torch.ones(1)).item() == pytest.approx(0.76159416)


def test_adam_is_torchs_adam() -> None:
    generator = torch.Generator().manual_seed(3)
    weights = [torch.randn(2, 3, 4, dtype=torch.float64, generator=generator) for _ in range(3)]
    ours = [weight.clone().requires_grad_() for weight in weights]
    theirs = [weight.clone().requires_grad_() for weight in weights]

    def loss(weights: list[torch.Tensor]) -> torch.Tensor:  # the last weight has no part in it
        return (weights[0] * 5).sin().sum((1, 2)) + (weights[1] ** 4).sum((1, 2))

    adam, reference = Adam(ours), torch.optim.Adam(theirs)
    for rate in (0.1, 0.05, 0.02, 0.3):
        adam.step(loss(ours), rate)
        reference.param_groups[0]["lr"] = rate
        reference.zero_grad()
        loss(theirs).sum().backward()
        reference.step()
    for one, other, first in zip(ours, theirs, weights, strict=True):
        assert torch.allclose(one, other, rtol=1e-12, atol=1e-14)
        assert torch.equal(one, first) == (first is weights[2])


@pytest.mark.parametrize("lost", [math.nan, math.inf, -math.inf])
def test_a_seed_with_a_logit_that_is_not_finite_has_no_accuracy(lost: float) -> None:
    logit = torch.tensor([[[1.0, -1.0, 2.0]], [[1.0, lost, -2.0]]])
    first, second = accuracy(logit, torch.tensor([1.0, 0.0, 0.0])).tolist()
    assert first == pytest.approx(2 / 3)
    assert math.isnan(second)
