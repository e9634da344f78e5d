"""A small convolutional network that learns shapes, of several seeds at once, and maps of it.

The convolutions of all seeds are one grouped convolution, their layers one batched product. A map
is the gradient of a picture's score in the picture, under a rule for relu.
"""

import math
from collections.abc import Callable
from functools import lru_cache

import torch
from torch.nn.functional import conv2d, cross_entropy

from lessons.contract.settings import choice, slider, whole
from lessons.kit.gradients import gradient
from lessons.kit.inputs import ComputedInFloat32
from lessons.training import settings as training
from lessons.training.stacked import linear

SIDE = 21
"""Pixels along a side of a picture: so many that the network's convolutions see each of them."""

KINDS = ("triangle", "circle", "cross")
"""The classes, in the order of their labels."""

_EDGE = 1.5 / SIDE  # how soft an edge is, in units of half a side
_MARKS = (torch.arange(SIDE) + 0.5) * (2 / SIDE) - 1  # pixel centres, −1 to 1


def labels(count: int) -> torch.Tensor:
    """The classes of so many pictures, in turn: as many of each as of the others, or one more."""
    return torch.arange(count) % len(KINDS)


def pictures(count: int, noise: float, generator: torch.Generator) -> torch.Tensor:
    """So many pictures, float32, shape [count, SIDE, SIDE], of the classes ``labels`` says.

    A shape is 1 on a ground of 0, of any size from half to two thirds of the picture, turned at
    will, shifted by up to a fifth of a side. All is drawn on the CPU in float32, whatever computes
    with it later, so that every device and number format sees the same pictures.

    Args:
        count: how many.
        noise: the standard deviation of each pixel's own noise, which is evenly spread.
        generator: where the draws come from.
    """
    turn, size, right, down = torch.rand(4, count, 1, 1, generator=generator)
    turn, size = 2 * math.pi * turn, 0.5 + 0.17 * size
    x = _MARKS[None, None, :] - 0.4 * (right - 0.5)
    y = _MARKS[None, :, None] - 0.4 * (down - 0.5)
    x, y = turn.cos() * x + turn.sin() * y, turn.cos() * y - turn.sin() * x
    kind = labels(count)
    inside = torch.empty(count, SIDE, SIDE)
    for label, distance in enumerate((_triangle, _circle, _cross)):
        these = kind == label
        inside[these] = distance(x[these], y[these], size[these])
    shape = torch.sigmoid(-4 / _EDGE * inside)
    return shape.add_(_evenly(shape.shape, noise, generator))


def _evenly(shape: torch.Size, spread: float, generator: torch.Generator) -> torch.Tensor:
    """Numbers evenly spread about 0 with this standard deviation."""
    reach = spread * math.sqrt(3)
    return torch.empty(shape).uniform_(-reach, reach, generator=generator)


# How far a point lies outside a shape, negative inside: distances to lines, good near the edges.


def _triangle(x: torch.Tensor, y: torch.Tensor, size: torch.Tensor) -> torch.Tensor:
    lean = math.sqrt(3) / 2 * x.abs() + 0.5 * y
    return torch.maximum(lean, -y) - 0.62 * size


def _circle(x: torch.Tensor, y: torch.Tensor, size: torch.Tensor) -> torch.Tensor:
    return torch.hypot(x, y) - size


def _cross(x: torch.Tensor, y: torch.Tensor, size: torch.Tensor) -> torch.Tensor:
    x, y = x.abs(), y.abs()
    upright = torch.maximum(x - 0.33 * size, y - 1.15 * size)
    level = torch.maximum(y - 0.33 * size, x - 1.15 * size)
    return torch.minimum(upright, level)


TESTED = 150
"""Pictures that no step learns from, the same for all seeds."""

LAYERS = 4
"""Two convolutions, a hidden layer and the last one; a relu follows each layer but the last."""

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
STREAMS = MOST_SEED + 100
FRESH = 2 * STREAMS
_TEST_SEED = 3 * STREAMS

RELUS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "relu": torch.relu,
    "clamp": lambda x: x.clamp(min=0),
    "maximum": lambda x: torch.maximum(x, torch.zeros_like(x)),
}
"""Three ways to write the same function."""

Program = Callable[..., torch.Tensor]
"""(x, network, rule) to a score, with that rule for each relu on the way back."""

RULES = ("plain", "guided", "deconvnet")

BEFORE = (-2.0, -1.0, 1.0, 2.0, -1.5, -0.5, 0.5, 1.5)
"""The inputs of eight relus."""

BEHIND = (1.0, 0.5, 1.5, 1.0, -1.0, -0.5, -1.5, -1.0)
"""The weights of their outputs in the score: the upstream gradients of the eight relus."""


class Settings(ComputedInFloat32):
    shape = choice(*KINDS, in_run="looks")
    spelling = choice(*RELUS, in_run="looks")
    randomised = whole(0, 0, LAYERS, in_run="looks")
    behind = choice("weights", "sum", in_run="looks")
    rule = choice(*RULES, default="guided", advanced=True, in_run="looks")
    point = whole(7, 1, len(BEFORE), advanced=True, in_run="looks")
    picture = whole(1, 1, TESTED // len(KINDS), advanced=True, in_run="looks")
    shown = training.seed_drawn(10)
    seeds = training.seeds(5, 10)
    steps = training.steps(400, 20_000)
    noise = slider(0.25, 0, 1, 0.05, accepts=(0, 10), advanced=True)
    rate = training.rate(0.01, (0.001, 0.1), 0.001)
    seed = training.first_seed(MOST_SEED)


def upstream_of(settings: Settings) -> tuple[float, ...]:
    """The upstream gradient that arrives at each of the eight relus."""
    return BEHIND if settings.behind == "weights" else (1.0,) * len(BEFORE)


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
        weights: two for each of the ``LAYERS``, weight and bias.
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


@lru_cache(maxsize=8)
def test_pictures(count: int, noise: float) -> torch.Tensor:
    """Pictures that no step learns from, float32, [count, 1, SIDE, SIDE]."""
    return pictures(count, noise, torch.Generator().manual_seed(_TEST_SEED))[:, None]


test_pictures.__test__ = False  # type: ignore[attr-defined]  # no test of pytest's


def entropy(logits: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    """Cross-entropy of [seeds, classes, count], the mean over the pictures, shape [seeds]."""
    aim = target.to(logits.device).expand(len(logits), -1)
    return cross_entropy(logits, aim, reduction="none").mean(1)


def maps(
    program: Program,
    networks: Networks,
    x: torch.Tensor,
    target: torch.Tensor,
    rule: str,
    spelling: str,
) -> torch.Tensor:
    """The gradient of each picture's score in the picture, under a rule for relu.

    Args:
        program: the lesson's.
        networks: of one seed or of many.
        x: pictures, shape [count, 1, SIDE, SIDE].
        target: the class whose score it is, shape [count].
        rule: one of ``RULES``.
        spelling: how relu is written.

    Returns:
        shape [seeds, count, SIDE · SIDE].
    """
    x = x.expand(-1, networks.seeds, -1, -1).detach().clone().requires_grad_()
    chosen = target.to(x.device).expand(networks.seeds, 1, -1)

    def score(x: torch.Tensor) -> torch.Tensor:
        return networks.logits(x, spelling).gather(1, chosen).sum()

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
    program: Program, networks: Networks, others: Networks, x: torch.Tensor, spelling: str
) -> dict[str, torch.Tensor]:
    """Correlate each rule's maps with those of the changed network. By rule.

    Args:
        networks: as trained.
        others: with the weights that replace theirs.
        x: pictures of ``labels``.

    Returns:
        rank correlations, float64, shape [changes, seeds, count]: the last layers randomised, from
        one to all; then, with no weight changed, the map of the next class's score.
    """
    target = labels(len(x))
    depths = [networks.randomised(others, layers) for layers in range(1 + LAYERS)]
    together = joined(depths)
    found = {}
    for rule in RULES:
        each = maps(program, together, x, target, rule, spelling)
        swapped = maps(program, depths[0], x, (target + 1) % len(KINDS), rule, spelling)
        own, *changed = ranks(torch.cat([each, swapped])).chunk(len(depths) + 1)
        found[rule] = torch.stack([(own * one).sum(-1) for one in changed])
    return found
