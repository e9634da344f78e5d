"""Every engine test that takes `device` runs on the CPU and on each CUDA device present."""

import pytest
import torch

DEVICES = ["cpu", *(f"cuda:{i}" for i in range(torch.cuda.device_count()))]


@pytest.fixture(params=DEVICES)
def device(request: pytest.FixtureRequest) -> torch.device:
    return torch.device(request.param)


@pytest.fixture(params=[torch.float16, torch.bfloat16, torch.float32, torch.float64], ids=str)
def dtype(request: pytest.FixtureRequest) -> torch.dtype:
    dtype: torch.dtype = request.param
    return dtype


@pytest.fixture
def x() -> torch.Tensor:
    return torch.tensor([1.5, -2.0], requires_grad=True)
