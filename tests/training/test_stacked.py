"""What many seeds' networks are built of, against torch's own."""

import pytest
import torch

from lessons.training.stacked import tanh_

INPUTS = (0.0, 1e-30, 1e-4, 0.3, -0.7, 5.0, -20.0, 1e30, float("inf"), float("-inf"), float("nan"))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_tanh_is_torchs_but_for_rounding(dtype: torch.dtype) -> None:
    x = torch.tensor(INPUTS, dtype=dtype, requires_grad=True)
    ours, theirs = tanh_(x.clone()), torch.tanh(x)
    close = {"rtol": 0.0, "atol": 4 * torch.finfo(dtype).eps, "equal_nan": True}
    torch.testing.assert_close(ours, theirs, **close)
    (got,) = torch.autograd.grad(ours.sum(), x)
    (expected,) = torch.autograd.grad(theirs.sum(), x)
    torch.testing.assert_close(got, expected, **close)


def test_tanh_takes_no_memory_of_its_own() -> None:
    x = torch.zeros(3, requires_grad=True).clone()
    assert tanh_(x).data_ptr() == x.data_ptr()
    with torch.no_grad():
        assert tanh_(torch.ones(1)).item() == pytest.approx(0.76159416)
