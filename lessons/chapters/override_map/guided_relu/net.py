"""A small convolutional network that learns shapes, of several seeds at once. Torch only.

The convolutions of all seeds are one grouped convolution, their layers one batched product.
"""

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import torch
from torch.nn.functional import conv2d, cross_entropy

from lessons.chapters.override_map.guided_relu.shapes import KINDS, SIDE, labels, pictures
from lessons.contract.parameters import Values
from lessons.training.stacked import Adam, linear

BATCH = 32
"""New pictures at each step, for each seed its own."""

TESTED = 150
"""Pictures that no step learns from, the same for all seeds."""

LAYERS = ("first convolution", "second convolution", "hidden layer", "last layer")
"""From the picture to the scores; a relu stands behind each but the last."""

_FIRST = 8  # channels
_SECOND = 16  # channels
_HIDDEN = 32  # units
_SEEN = ((SIDE - 5) // 2 + 1 - 3) // 2 + 1  # a side behind both convolutions
_SHAPES: tuple[tuple[int, ...], ...] = (
    (_FIRST, 1, 5, 5),
    (_SECOND, _FIRST, 3, 3),
    (_HIDDEN, _SECOND * _SEEN * _SEEN),
    (len(KINDS), _HIDDEN),
)

# torch's generator reads the last 32 bits of a seed and no more. A learner chooses seeds up to
# `MOST_SEED`; what else is drawn begins above it, each in a stretch of its own.
MOST_SEED = 10**9
_STREAMS = MOST_SEED + 100
FRESH = 2 * _STREAMS
_TEST_SEED = 3 * _STREAMS

RELUS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "relu": torch.relu,
    "clamp": lambda x: x.clamp(min=0),
    "maximum": lambda x: torch.maximum(x, torch.zeros_like(x)),
}
"""Three ways to write the same function."""


@lru_cache(maxsize=256)
def drawn(seed: int) -> tuple[torch.Tensor, ...]:
    """Weight and bias of each layer, uniform within ±1/√fan-in: float64, on the CPU."""
    generator = torch.Generator().manual_seed(seed)
    found: list[torch.Tensor] = []
    for shape in _SHAPES:
        bound = 1 / math.sqrt(math.prod(shape[1:]))
        for part in (shape, shape[:1]):
            spread = torch.rand(part, dtype=torch.float64, generator=generator)
            found.append((2 * spread - 1) * bound)
    return tuple(found)


class Networks:
    """One network a seed, as stacked weights; a leading dimension of each is the seed.

    Args:
        weights: two for each of ``LAYERS``, weight and bias.
    """

    def __init__(self, weights: list[torch.Tensor]) -> None:
        self.weights = weights
        self.seeds = len(weights[0])

    @classmethod
    def new(cls, seeds: list[int], device: torch.device, dtype: torch.dtype) -> "Networks":
        """Untrained ones, their weights leaves."""
        layers = zip(*(drawn(seed) for seed in seeds), strict=True)
        return cls([torch.stack(layer).to(device, dtype).requires_grad_() for layer in layers])

    def logits(self, x: torch.Tensor, spelling: str) -> torch.Tensor:
        """The score of each class: [count, seeds, SIDE, SIDE] to [seeds, classes, count].

        Args:
            x: pictures, each seed its own.
            spelling: how relu is written, a key of ``RELUS``.
        """
        relu, seeds = RELUS[spelling], self.seeds
        w1, b1, w2, b2, w3, b3, w4, b4 = self.weights
        x = relu(conv2d(x, w1.flatten(0, 1), b1.flatten(), stride=2, groups=seeds))
        x = relu(conv2d(x, w2.flatten(0, 1), b2.flatten(), stride=2, groups=seeds))
        x = x.reshape(len(x), seeds, -1).permute(1, 2, 0)
        x = relu(linear(x, w3, b3[..., None]))
        return linear(x, w4, b4[..., None])

    def at(self, index: int) -> "Networks":
        """One seed's network as it is now; it shares memory with these."""
        return Networks([weight.detach()[index : index + 1] for weight in self.weights])

    def randomised(self, others: "Networks", layers: int) -> "Networks":
        """The same with so many layers, from the last one down, replaced by those of others."""
        kept = len(self.weights) - 2 * layers
        both = [*self.weights[:kept], *others.weights[kept:]]
        return Networks([weight.detach() for weight in both])


def joined(parts: list[Networks]) -> Networks:
    """Several times as many networks, side by side."""
    weights = zip(*(part.weights for part in parts), strict=True)
    return Networks([torch.cat(layer) for layer in weights])


@lru_cache(maxsize=8)
def test_pictures(count: int, noise: float) -> torch.Tensor:
    """Pictures that no step learns from, float32, [count, 1, SIDE, SIDE]."""
    return pictures(count, noise, torch.Generator().manual_seed(_TEST_SEED))[:, None]


test_pictures.__test__ = False  # type: ignore[attr-defined]  # no test of pytest's


class Classifiers:
    """The networks of all seeds in training, and how well they do.

    Args:
        values: the settings.
        device: where to compute.
        dtype: what to compute in.
    """

    def __init__(self, values: Values, device: torch.device, dtype: torch.dtype) -> None:
        first = int(values["seed"])
        self.seeds = list(range(first, first + int(values["seeds"])))
        self.networks = Networks.new(self.seeds, device, dtype)
        self._noise = float(values["noise"])
        self._streams = [torch.Generator().manual_seed(seed + _STREAMS) for seed in self.seeds]
        self._adam = Adam(self.networks.weights)
        self._to: dict[str, Any] = {"device": device, "dtype": dtype}

    def step(self, values: Values) -> None:
        """One update of every network, on pictures that it has not seen before."""
        parts = [pictures(BATCH, self._noise, stream) for stream in self._streams]
        x = torch.stack(parts, 1).to(**self._to)
        logits = self.networks.logits(x, values["spelling"])
        self._adam.step(entropy(logits, labels(BATCH)), values["rate"])

    @torch.no_grad()
    def tested(self) -> dict[str, torch.Tensor]:
        """Accuracy and loss on the test pictures, float64 on the CPU, shape [seeds]."""
        x = test_pictures(TESTED, self._noise).to(**self._to)
        logits = self.networks.logits(x.expand(-1, len(self.seeds), -1, -1), "relu")
        known = logits.isfinite().all(2).all(1).cpu()
        right = (logits.argmax(1).cpu() == labels(TESTED)).to(torch.float64).mean(1)
        loss = entropy(logits, labels(TESTED)).to("cpu", torch.float64)
        return {"accuracy": torch.where(known, right, torch.nan), "loss": loss}


def entropy(logits: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    """Cross-entropy of [seeds, classes, count], the mean over the pictures, shape [seeds]."""
    aim = target.to(logits.device).expand(len(logits), -1)
    return cross_entropy(logits, aim, reduction="none").mean(1)
