"""Adapters in checkpointed layers of a frozen model: all of their gradients are None."""

from collections.abc import Callable

import torch
from torch.utils.checkpoint import checkpoint

from lessons.contract.bug import Bug, Code, changed

Layer = Callable[[torch.Tensor], torch.Tensor]


def train(
    x: torch.Tensor, base: list[torch.Tensor], layers: list[Layer], head: torch.Tensor
) -> None:
    for weight in base:
        weight.requires_grad_(False)
    for layer in layers:
        x = checkpoint(layer, x, use_reentrant=True)
    loss = ((head * x) ** 2).sum()
    loss.backward()


def check(code: Code) -> None:
    """Both adapters get the gradient that they get without a checkpoint."""

    def without(
        x: torch.Tensor, base: list[torch.Tensor], layers: list[Layer], head: torch.Tensor
    ) -> None:
        for layer in layers:
            x = layer(x)
        ((head * x) ** 2).sum().backward()

    def run(train: Code) -> list[torch.Tensor | None]:
        x = torch.tensor([1.0, -2.0], dtype=torch.float64)
        base = [torch.tensor(w, dtype=torch.float64, requires_grad=True) for w in (0.6, 0.9)]
        adapters = [torch.zeros((), dtype=torch.float64, requires_grad=True) for _ in base]
        head = torch.tensor(0.5, dtype=torch.float64, requires_grad=True)

        def adapted(weight: torch.Tensor, adapter: torch.Tensor) -> Layer:
            return lambda x: torch.tanh((weight + adapter) * x)

        train(x, base, [adapted(*both) for both in zip(base, adapters, strict=True)], head)
        return [adapter.grad for adapter in adapters]

    for number, (came, expected) in enumerate(zip(run(code), run(without), strict=True), start=1):
        assert came is not None, f"adapter {number}: its gradient is None"
        assert expected is not None
        assert torch.allclose(came, expected), f"adapter {number}: {came:.3g}, not {expected:.3g}"


BUG = Bug(
    source="microsoft/LoRA#120",
    title="Using gradient checkpoint with LoRA",
    opened="2023-08-30",
    broken=train,
    fixes={
        "on_the_loss": changed(
            train, {"loss.backward()": "loss.requires_grad_()\nloss.backward()"}
        ),
        "unfrozen": changed(train, {"for weight in base:": "", "weight.requires_grad_(False)": ""}),
        "not_reentrant": changed(train, {"use_reentrant=True": "use_reentrant=False"}),
    },
    check=check,
)
