"""Two layers with an adapter each, a head, an embedding: their gradients, graph and training."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from lessons.contract.settings import choice, slider, whole
from lessons.contract.words import Words
from lessons.kit.inputs import ComputedIn

WORDS = Words(__file__)

Program = Callable[..., torch.Tensor]
"""The loss from embedding, layers and head, and from what is checkpointed and how."""

FROZEN = (0.6, 0.9)
"""The frozen weights of the two layers."""
HEAD = 0.5
NAMES = (WORDS("embedding"), WORDS("adapter_1"), WORDS("adapter_2"), WORDS("head"))
STEPS = 13
"""Steps of a training run; its losses are those before each step."""


class Settings(ComputedIn):
    way = choice("off", "reentrant", "other", default="reentrant")
    lookup = choice("frozen", "trained", "woken")
    since = whole(1, 1, 2)
    value = slider(1.5, -3, 3, 0.1, accepts=(-1e6, 1e6))
    rate = slider(0.1, 0, 0.5, accepts=(0, 10))


class Layer:
    """tanh((frozen + adapter) · x), with a count of how often it ran."""

    def __init__(self, frozen: float, adapter: torch.Tensor) -> None:
        self.frozen, self.adapter, self.runs = frozen, adapter, 0

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        self.runs += 1
        return torch.tanh((self.frozen + self.adapter) * x)


@dataclass(frozen=True)
class Op:
    """One op of the graph as torch has recorded it, or one of its leaves.

    Args:
        name: as torch calls it, without “Backward”; of a leaf the weight's name.
        leaf: whether a gradient is stored there.
        place: how many ops away from the loss, and how far off the path through the layers; an op
            that stands for a whole layer counts for two.
        toward: the place of the op that reads it; None for the last one.
    """

    name: str
    leaf: bool
    place: tuple[int, float]
    toward: tuple[int, float] | None


class Network:
    """The weights, those that are trained with ``requires_grad``."""

    def __init__(self, x: float, lookup: str, dtype: torch.dtype, device: torch.device) -> None:
        def weight(*values: float, trained: bool = True) -> torch.Tensor:
            shaped = torch.tensor(values if len(values) > 1 else values[0], dtype=dtype)
            return shaped.to(device).requires_grad_(trained)

        self.embedding = weight(x, trained=False).reshape(1).requires_grad_(lookup == "trained")
        self.layers = [Layer(frozen, weight(0.0)) for frozen in FROZEN]
        self.head = weight(HEAD)

    @property
    def weights(self) -> Sequence[torch.Tensor]:
        """In the order of NAMES."""
        return self.embedding, *(layer.adapter for layer in self.layers), self.head

    def loss(self, program: Program, settings: Settings, way: str | None = None) -> torch.Tensor:
        """The loss with the layers checkpointed as the settings say, or in another way."""
        given = way or settings.way, settings.lookup, settings.since
        return program(self.embedding, self.layers, self.head, *given)


def gradients(
    program: Program, network: Network, settings: Settings, way: str | None = None
) -> list[torch.Tensor | None]:
    """The ``.grad`` that ``backward()`` leaves at each weight; None where it leaves nothing."""
    torch.autograd.backward(network.loss(program, settings, way))
    return [weight.grad for weight in network.weights]


def train(program: Program, network: Network, settings: Settings, way: str) -> torch.Tensor:
    """Plain gradient descent: the losses before each step, shape [STEPS]."""
    losses = []
    for _ in range(STEPS):
        loss = network.loss(program, settings, way)
        losses.append(loss.detach())
        torch.autograd.backward(loss)
        with torch.no_grad():
            for weight in network.weights:
                if weight.grad is not None:
                    weight -= settings.rate * weight.grad
                    weight.grad = None
    return torch.stack(losses)


def recorded(loss: torch.Tensor, named: Mapping[str, torch.Tensor]) -> list[Op]:
    """The graph that torch holds before the backward pass, from the loss to its leaves.

    Args:
        loss: the end of the forward pass.
        named: the weights by name; a leaf that is none of them is “x”.
    """
    found: list[Op] = []
    waiting: list[tuple[Any, tuple[int, float], Op | None]] = [(loss.grad_fn, (0, 1.0), None)]
    while waiting:
        function, place, reader = waiting.pop(0)
        variable = getattr(function, "variable", None)
        if variable is not None:
            name = next((name for name, one in named.items() if one is variable), "x")
        else:
            name = type(function).__name__.removesuffix("0").removesuffix("Backward")
        leaf = variable is not None
        on_path = not leaf or name in ("x", "embedding")
        here = (place[0], place[1] if on_path else 0.0)
        op = Op(name, leaf, here, reader.place if reader else None)
        found.append(op)
        longer = 2 if name == "CheckpointFunction" else 1
        # What adds the adapter to the frozen weight lies off the path through the layers.
        for source, _ in getattr(function, "next_functions", ()):
            if source is not None:
                aside = type(source).__name__ == "AddBackward0"
                waiting.append((source, (place[0] + longer, 0.5 if aside else place[1]), op))
    return found
