"""Guided backpropagation by hooks on ``nn.ReLU``, for a model that calls ``F.relu`` instead."""

import torch
from torch import nn
from torch.nn import functional as F

from lessons.contract.bug import Bug, Code, changed
from lessons.gradient_tricks.tricks import gradient_override_map
from lessons.gradient_tricks.tricks.rule import Op

Gradients = tuple[torch.Tensor, ...]


def guided_backprop(model: nn.Module, picture: torch.Tensor) -> torch.Tensor:
    def cut(module: nn.Module, into: Gradients, out: Gradients) -> Gradients:
        return (into[0].clamp(min=0),)

    relus = [one for one in model.modules() if isinstance(one, nn.ReLU)]
    for part in relus:
        part.register_full_backward_hook(cut)
    return torch.autograd.grad(model(picture), picture)[0]


def afterwards(model: nn.Module, picture: torch.Tensor) -> torch.Tensor:
    return torch.autograd.grad(model(picture), picture)[0].clamp(min=0)


def by_type(model: nn.Module, picture: torch.Tensor) -> torch.Tensor:
    def cut(op: Op, upstream: torch.Tensor) -> torch.Tensor:
        return torch.where(op.outputs[0] > 0, upstream.clamp(min=0), 0.0)

    with gradient_override_map({F.relu: cut}):
        score = model(picture)
    return torch.autograd.grad(score, picture)[0]


class Model(nn.Module):
    """Two layers, each followed by a relu that is called as a function; then a difference."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(2, 3, bias=False), nn.Linear(3, 2, bias=False)
        with torch.no_grad():
            self.first.weight.copy_(torch.tensor([[2.0, -2.0], [-1.0, -1.0], [1.0, -1.0]]))
            self.second.weight.copy_(torch.tensor([[2.0, 1.0, 2.0], [1.0, -1.0, 2.0]]))

    def forward(self, picture: torch.Tensor) -> torch.Tensor:
        hidden = F.relu(self.first(picture))
        last = F.relu(self.second(hidden))
        return last[0] - last[1]


def check(code: Code) -> None:
    """Compare with the layers' own matrices: each relu cuts off what is negative or inactive."""
    model, picture = Model(), torch.tensor([2.0, 1.0], requires_grad=True)
    got = code(model, picture)
    with torch.no_grad():
        first, second = model.first.weight, model.second.weight
        hidden = (first @ picture).clamp(min=0)
        last = (second @ hidden).clamp(min=0)
        upstream = torch.tensor([1.0, -1.0]).clamp(min=0) * (last > 0)
        upstream = (second.T @ upstream).clamp(min=0) * (hidden > 0)
        expected = first.T @ upstream
    assert torch.allclose(got, expected), (
        f"gradient {got.tolist()}, expected {expected.tolist()}: cut off at each relu"
    )


BUG = Bug(
    source="kazuto1011/grad-cam-pytorch#2",
    title="Inception_v3 error",
    opened="2018-01-18",
    broken=guided_backprop,
    fixes={
        "everywhere": changed(
            guided_backprop,
            {
                "relus = [one for one in model.modules() if isinstance(one, nn.ReLU)]": "",
                "in relus": "in model.modules()",
            },
        ),
        "afterwards": afterwards,
        "by_type": by_type,
    },
    check=check,
)
