"""The tricks as modules: in a Sequential, copied, pickled, saved, moved."""

import copy
import pickle
from typing import Any

import pytest
import torch
from torch import nn

from lessons.gradient_tricks.tricks import (
    Trick,
    clip_gradient,
    clip_gradient_norm,
    flip_gradient,
    forward_backward,
    scale_gradient,
    stop_gradient,
    straight_through,
)
from tests.support.present import present


def double(x: torch.Tensor) -> torch.Tensor:
    return 2 * x


MODULES: list[tuple[nn.Module, list[float] | None]] = [
    (Trick(stop_gradient), None),
    (Trick(double), [2.0, -6.0]),
    (Trick(forward_backward, f=torch.sign, g=double), [2.0, -6.0]),
    (Trick(straight_through, f=torch.round), [1.0, -3.0]),
    (Trick(flip_gradient), [-1.0, 3.0]),
    (Trick(flip_gradient, scale=torch.tensor(0.5)), [-0.5, 1.5]),
    (Trick(scale_gradient, factor=3), [3.0, -9.0]),
    (Trick(clip_gradient, low=-0.25, high=0.5), [0.5, -0.25]),
    (Trick(clip_gradient_norm, max_norm=0.1), [0.1 / 10**0.5, -0.3 / 10**0.5]),
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
    module = Trick(flip_gradient, scale=torch.tensor(2.0))
    assert list(module.state_dict()) == ["scale"]
    assert not Trick(flip_gradient, scale=2.0).state_dict()
    assert module.double().scale.dtype == torch.float64
    module = Trick(flip_gradient, scale=nn.Parameter(torch.tensor(2.0)))
    assert not [*module.parameters()], "it would never learn"


def test_a_schedule_changes_the_scale_between_steps() -> None:
    x = torch.ones(1, requires_grad=True)
    for start in (0.0, torch.tensor(0.0)):
        module = Trick(flip_gradient, scale=start)
        for scale in (0.0, 0.5, 1.0):
            if isinstance(module.scale, torch.Tensor):
                module.scale.fill_(scale)
            else:
                module.scale = scale
            assert torch.autograd.grad(module(x), x)[0].item() == -scale


def test_modules_inside_hold_parameters_that_learn() -> None:
    module = Trick(forward_backward, f=nn.Hardtanh(), g=nn.PReLU())
    assert len(list(module.parameters())) == 1
    module(torch.tensor([-1.0])).sum().backward()
    assert present(next(module.parameters()).grad).item() == -1.0


def test_the_repr_names_the_settings() -> None:
    assert repr(Trick(clip_gradient, low=-1, high=1)) == "Trick(clip_gradient, low=-1, high=1)"
    assert repr(Trick(straight_through, f=torch.sign)) == "Trick(straight_through, f=sign)"
