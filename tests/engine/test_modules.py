"""The tricks as modules: in a Sequential, copied, pickled, saved, moved."""

import copy
import pickle
from typing import Any

import pytest
import torch
from torch import nn

from lessons.gradient_tricks.tricks import (
    ClipGradient,
    ClipGradientNorm,
    FlipGradient,
    ForwardBackward,
    ScaleGradient,
    StopGradient,
    StraightThrough,
)
from tests.support.present import present


def double(x: torch.Tensor) -> torch.Tensor:
    return 2 * x


MODULES: list[tuple[nn.Module, list[float] | None]] = [
    (StopGradient(), None),
    (ForwardBackward(torch.sign, double), [2.0, -6.0]),
    (StraightThrough(torch.round), [1.0, -3.0]),
    (FlipGradient(), [-1.0, 3.0]),
    (FlipGradient(torch.tensor(0.5)), [-0.5, 1.5]),
    (ScaleGradient(3), [3.0, -9.0]),
    (ClipGradient(-0.25, 0.5), [0.5, -0.25]),
    (ClipGradientNorm(0.1), [0.1 / 10**0.5, -0.3 / 10**0.5]),
]


def loaded(module: nn.Module) -> nn.Module:
    other = copy.deepcopy(module)
    other.load_state_dict(module.state_dict())
    return other


COPIES = [lambda m: m, copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m)), loaded]


@pytest.mark.parametrize(("module", "expected"), MODULES, ids=[repr(m) for m, _ in MODULES])
@pytest.mark.parametrize("duplicate", COPIES)
def test_the_gradient_survives_every_way_of_copying(
    module: nn.Module, expected: list[float] | None, duplicate: Any, device: torch.device
) -> None:
    net = duplicate(nn.Sequential(nn.Identity(), module, nn.Identity())).to(device)
    x = torch.tensor([0.4, -1.6], device=device, requires_grad=True)
    y = net(x)
    if expected is None:
        assert not y.requires_grad
        return
    (got,) = torch.autograd.grad(y, x, torch.tensor([1.0, -3.0], device=device))
    torch.testing.assert_close(got.cpu(), torch.tensor(expected))


def test_tensor_settings_are_buffers_and_numbers_are_not() -> None:
    assert list(FlipGradient(torch.tensor(2.0)).state_dict()) == ["scale"]
    assert not FlipGradient(2.0).state_dict()
    scale = FlipGradient(torch.tensor(2.0)).double().scale
    assert isinstance(scale, torch.Tensor)
    assert scale.dtype == torch.float64
    assert not [*FlipGradient(nn.Parameter(torch.tensor(2.0))).parameters()], "it would never learn"


def test_a_schedule_changes_the_scale_between_steps() -> None:
    x = torch.ones(1, requires_grad=True)
    for module in (FlipGradient(0.0), FlipGradient(torch.tensor(0.0))):
        for scale in (0.0, 0.5, 1.0):
            if isinstance(module.scale, torch.Tensor):
                module.scale.fill_(scale)
            else:
                module.scale = scale
            assert torch.autograd.grad(module(x), x)[0].item() == -scale


def test_modules_inside_hold_parameters_that_learn() -> None:
    module = ForwardBackward(nn.Hardtanh(), nn.PReLU())
    assert len(list(module.parameters())) == 1
    module(torch.tensor([-1.0])).sum().backward()
    assert present(next(module.parameters()).grad).item() == -1.0


def test_the_repr_names_the_settings() -> None:
    assert repr(ClipGradient(-1, 1)) == "ClipGradient(low=-1, high=1)"
    assert repr(StraightThrough(torch.sign)) == "StraightThrough(f=sign)"
