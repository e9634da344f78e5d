"""A small convolutional network that learns shapes, of several seeds at once, and maps of it.

The convolutions of all seeds are one grouped convolution, their layers one batched product. A map
is the gradient of a picture's score in the picture, under a rule for relu.
"""

import math
from collections.abc import Callable, Iterable
from functools import cache

import torch
from torch.nn.functional import conv2d

from lessons.contract.settings import choice, whole
from lessons.kit.gradients import gradient
from lessons.kit.inputs import ComputedInFloat32
from lessons.training import settings as training
from lessons.training.stacked import Draws, linear

SIDE = 21
"""Pixels along a side of a picture: so many that the network's convolutions see each of them."""

KINDS = ("triangle", "circle", "cross")
"""The classes, in the order of their labels."""

_EDGE = 1.5 / SIDE  # how soft an edge is, in units of half a side
_NOISE = 0.25 * math.sqrt(3)  # evenly spread up to here: its standard deviation is 0.25
_MARKS = (torch.arange(SIDE) + 0.5) * (2 / SIDE) - 1  # pixel centres, −1 to 1


def labels(count: int) -> torch.Tensor:
    """The classes of so many pictures, in turn: as many of each as of the others, or one more."""
    return torch.arange(count) % len(KINDS)


def pictures(count: int, generator: torch.Generator) -> torch.Tensor:
    """So many pictures, float32, shape [count, SIDE, SIDE], of the classes ``labels`` says.

    A shape is 1 on a ground of 0, of any size from half to two thirds of the picture, turned at
    will, shifted by up to a fifth of a side. All is drawn on the CPU in float32, whatever computes
    with it later, so that every device and number format sees the same pictures.

    Args:
        count: how many.
        generator: where the draws come from.
    """
    turn, size, right, down = torch.rand(4, count, 1, 1, generator=generator)
    turn, size = 2 * math.pi * turn, 0.5 + 0.17 * size
    x = _MARKS[None, None, :] - 0.4 * (right - 0.5)
    y = _MARKS[None, :, None] - 0.4 * (down - 0.5)
    x, y = turn.cos() * x + turn.sin() * y, turn.cos() * y - turn.sin() * x
    # How far each pixel lies outside a shape, negative inside: distances to lines.
    triangle = torch.maximum(math.sqrt(3) / 2 * x.abs() + 0.5 * y, -y) - 0.62 * size
    bars = [
        torch.maximum(one.abs() - 0.33 * size, other.abs() - 1.15 * size)
        for one, other in ((x, y), (y, x))
    ]
    each = torch.stack([triangle, torch.hypot(x, y) - size, torch.minimum(*bars)])
    shape = torch.sigmoid(-4 / _EDGE * each[labels(count), torch.arange(count)])
    return shape.add_(torch.empty(shape.shape).uniform_(-_NOISE, _NOISE, generator=generator))


TEST_PICTURES = 150
"""Pictures that no step learns from, the same for all seeds."""

_SHAPES = (8, 1, 5, 5), (16, 8, 3, 3), (32, 256), (3, 32)
"""Shapes of the weights: two convolutions, which leave 16 × 4 × 4 numbers, a hidden layer and the
last one. A relu follows each layer but the last."""

LAYERS = len(_SHAPES)

# torch's generator reads the last 32 bits of a seed and no more. A learner chooses seeds up to
# `MOST_SEED`; what else is drawn begins above it, each in a stretch of its own.
MOST_SEED = 10**9
STREAMS = MOST_SEED + 100
FRESH_SEEDS = 2 * STREAMS
_TEST_SEED = 3 * STREAMS

Relu = Callable[[torch.Tensor], torch.Tensor]

Program = Callable[..., torch.Tensor]
"""(x, network, rule) to a score, with that rule for each relu on the way back."""

RULES = ("plain", "guided", "deconvnet")

RELU_INPUTS = (-2.0, -1.0, 1.0, 2.0, -1.5, -0.5, 0.5, 1.5)
"""The inputs of eight relus."""

WEIGHTS = (1.0, 0.5, 1.5, 1.0, -1.0, -0.5, -1.5, -1.0)
"""The weights of their outputs in the score: the upstream gradients of the eight relus."""


class Settings(ComputedInFloat32):
    shape = choice(*KINDS, in_run="looks")
    randomised = whole(0, 0, LAYERS, in_run="looks")
    behind = choice("weights", "sum", in_run="looks")
    rule = choice(*RULES, default="guided", advanced=True, in_run="looks")
    point = whole(7, 1, len(RELU_INPUTS), advanced=True, in_run="looks")
    shown = training.seed_drawn(10)
    seeds = training.seeds(5, 10)
    steps = training.steps(400, 20_000)
    rate = training.rate(0.01, (0.001, 0.1), 0.001)
    seed = training.first_seed(MOST_SEED)


class Networks:
    """One network a seed, as stacked weights; a leading dimension of each is the seed.

    Args:
        weights: two for each of the ``LAYERS``, weight and bias.
    """

    def __init__(self, weights: list[torch.Tensor]) -> None:
        self.weights = weights
        self.seeds = len(weights[0])

    @classmethod
    def new(cls, seeds: Iterable[int], device: torch.device, dtype: torch.dtype) -> "Networks":
        """Untrained networks; weights and biases are leaves, drawn within ±1/√fan-in."""
        draws, weights = Draws(seeds), list[torch.Tensor]()
        shape: tuple[int, ...]
        for shape in _SHAPES:
            bound = 1 / math.sqrt(math.prod(shape[1:]))
            for part in (shape, shape[:1]):
                drawn = (2 * draws.uniform(*part) - 1) * bound
                weights.append(drawn.to(device, dtype).requires_grad_())
        return cls(weights)

    def logits(self, x: torch.Tensor, relu: Relu = torch.relu) -> torch.Tensor:
        """The score of each class: [count, seeds, SIDE, SIDE] to [seeds, classes, count].

        Args:
            x: pictures, each seed its own.
            relu: how the networks write it.
        """
        seeds = self.seeds
        w1, b1, w2, b2, w3, b3, w4, b4 = self.weights
        x = relu(conv2d(x, w1.flatten(0, 1), b1.flatten(), stride=2, groups=seeds))
        x = relu(conv2d(x, w2.flatten(0, 1), b2.flatten(), stride=2, groups=seeds))
        x = x.reshape(len(x), seeds, -1).permute(1, 2, 0)
        x = relu(linear(x, w3, b3[..., None]))
        return linear(x, w4, b4[..., None])

    def of_seed(self, index: int) -> "Networks":
        """One seed's network as it is now; it shares memory with these."""
        return Networks([weight.detach()[index : index + 1] for weight in self.weights])

    def randomised(self, others: "Networks", layers: int) -> "Networks":
        """A copy with so many layers, from the last one down, replaced by those of others."""
        kept = len(self.weights) - 2 * layers
        both = [*self.weights[:kept], *others.weights[kept:]]
        return Networks([weight.detach() for weight in both])


def joined(parts: list[Networks]) -> Networks:
    """Several times as many networks, side by side."""
    weights = zip(*(part.weights for part in parts), strict=True)
    return Networks([torch.cat(layer) for layer in weights])


@cache
def unseen_pictures(count: int) -> torch.Tensor:
    """Pictures that no step learns from, float32, [count, 1, SIDE, SIDE]."""
    return pictures(count, torch.Generator().manual_seed(_TEST_SEED))[:, None]


def maps(
    program: Program, networks: Networks, x: torch.Tensor, target: torch.Tensor, rule: str
) -> torch.Tensor:
    """The gradient of each picture's score in the picture, under a rule for relu.

    Args:
        program: the lesson's.
        networks: of one seed or of many.
        x: pictures, shape [count, 1, SIDE, SIDE].
        target: the class whose score it is, shape [count].
        rule: one of ``RULES``.

    Returns:
        shape [seeds, count, SIDE · SIDE].
    """
    x = x.expand(-1, networks.seeds, -1, -1).detach().clone().requires_grad_()
    chosen = target.to(x.device).expand(networks.seeds, 1, -1)

    def score(x: torch.Tensor) -> torch.Tensor:
        return networks.logits(x).gather(1, chosen).sum()

    found = gradient(program(x, score, rule), x)
    return found.transpose(0, 1).flatten(2)


def ranks(values: torch.Tensor) -> torch.Tensor:
    """The places of numbers among the others, centred, of length 1: float64, on the CPU.

    Equal ones share the middle of their places; where all are equal, all are 0. The product of two,
    summed over the last dimension, is Spearman's rank correlation.
    """
    values = values.to("cpu", torch.float32).contiguous()
    ordered = values.sort(-1).values
    first, end = (torch.searchsorted(ordered, values, right=right) for right in (False, True))
    middle = (first + end).double() / 2
    centred = middle - middle.mean(-1, keepdim=True)
    lengths: torch.Tensor = centred.norm(dim=-1, keepdim=True).clamp(min=1e-9)
    return centred / lengths


def compared(
    program: Program, networks: Networks, others: Networks, x: torch.Tensor
) -> dict[str, torch.Tensor]:
    """Correlate each rule's maps with those of the changed network. By rule.

    Args:
        networks: as trained.
        others: with the weights that replace theirs.
        x: pictures of ``labels``.

    Returns:
        rank correlations, float64, shape [changes, seeds, count]: with no layer randomised, then
        from the last one to all.
    """
    target = labels(len(x))
    depths = [networks.randomised(others, layers) for layers in range(1 + LAYERS)]
    found = {}
    for rule in RULES:
        own, *changed = ranks(maps(program, joined(depths), x, target, rule)).chunk(len(depths))
        found[rule] = torch.stack([(own * one).sum(-1) for one in (own, *changed)])
    return found
