"""Small encoders that learn features without labels, and what is measured of these features.

An input is eight numbers; a view of it is the same with noise added. Features are compared by
their direction alone, as in SimSiam (Chen and He, 2020, arXiv 2011.10566). Smaller than there, and
without its batch normalisation. All seeds are one batch: each weight has a leading dimension.
"""

import inspect
import math
from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise

import torch

from lessons.contract.devices import device_and_dtype
from lessons.contract.parameters import Values
from lessons.training.by_seed import BySeed
from lessons.training.stacked import Adam, drawn_layer, linear
from lessons.tricks.as_one import one_op

INPUTS = 8
FEATURES = 8
HIDDEN = 32
PREDICTOR_HIDDEN = 16
POINTS = 128

FULL = 1 / math.sqrt(FEATURES)
"""The largest spread there can be: features of length 1 have a variance of at most 1 in all."""

ROUNDING = 1e-7
"""Of a cosine similarity in float32: nearer to 1 it is not known."""

PENALTY = 1e-6
"""Of the linear head's squared weights, so that features without any spread can be solved for."""

Predictor = Callable[[torch.Tensor], torch.Tensor]
Program = Callable[..., torch.Tensor]
"""The lesson's: features of both views, predictor, whether the target is stopped; a loss a seed."""


@one_op("cosine")
def cosine(one: torch.Tensor, two: torch.Tensor) -> torch.Tensor:
    """Cosine similarity of columns: [..., features, points] twice to their mean, [...]."""
    return torch.nn.functional.cosine_similarity(one, two, dim=-2).mean(-1)


def itself(features: torch.Tensor) -> torch.Tensor:
    """In place of a predictor."""
    return features


def begun(seed: int) -> tuple[list[torch.Tensor], torch.Generator]:
    """What one seed starts from, float64 on the CPU, and where its next numbers come from.

    Returns:
        Inputs [INPUTS, POINTS]; the noise of the two views that the loss is measured at; weight,
        bias, … of two layers of the encoder and two of the predictor. The generator goes on with
        the noise of the training: a stream for each of these would need seeds that are differ
        in the low 32 bits, which are all that torch's generator reads.
    """
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(INPUTS, POINTS, dtype=torch.float64, generator=generator)
    kept = noise(generator)
    parts = ((INPUTS, HIDDEN, FEATURES), (FEATURES, PREDICTOR_HIDDEN, FEATURES))
    layers = [drawn_layer(*pair, generator) for widths in parts for pair in pairwise(widths)]
    return [x, kept, *(one for layer in layers for one in layer)], generator


@lru_cache(maxsize=256)
def drawn(seed: int) -> tuple[torch.Tensor, ...]:
    """The same without the generator."""
    return tuple(begun(seed)[0])


def noise(generator: torch.Generator) -> torch.Tensor:
    """Of two views of every input, standard normal: [2, INPUTS, POINTS], float64."""
    return torch.randn(2, INPUTS, POINTS, dtype=torch.float64, generator=generator)


class Networks:
    """Encoder and predictor of every seed, as stacked weights.

    Args:
        seeds: one network each.
        device, dtype: where and in what they compute.
    """

    def __init__(self, seeds: range, device: torch.device, dtype: torch.dtype) -> None:
        stacks = [torch.stack(one) for one in zip(*map(drawn, seeds), strict=True)]
        self.weights = [one.to(device, dtype).requires_grad_() for one in stacks[2:]]

    def features(self, x: torch.Tensor) -> torch.Tensor:
        """[seeds, INPUTS, points] to [seeds, FEATURES, points]."""
        return self._two_layers(x, 0)

    @one_op("predictor")
    def predictor(self, features: torch.Tensor) -> torch.Tensor:
        """What one view's features say of the other's, [seeds, FEATURES, points]."""
        return self._two_layers(features, 4)

    def _two_layers(self, x: torch.Tensor, first: int) -> torch.Tensor:
        inner, inner_bias, outer, outer_bias = self.weights[first : first + 4]
        return linear(torch.relu(linear(x, inner, inner_bias)), outer, outer_bias)


class Pairs(BySeed):
    """Every seed's networks in two arms, from the same start and with the same views.

    The arm ``trick`` is as set, the arm ``plain`` has no stop, whatever is set or cut.

    Args:
        program: the lesson's.
        values: the settings.
    """

    def __init__(self, program: Program, values: Values) -> None:
        super().__init__(values)
        device, dtype = device_and_dtype(values)
        self._programs = {"trick": program, "plain": inspect.unwrap(program)}
        self.x = torch.stack([drawn(seed)[0] for seed in self.seeds]).to(device, dtype)
        self._kept = torch.stack([drawn(seed)[1] for seed in self.seeds]).to(device, dtype)
        self.arms = {name: Networks(self.seeds, device, dtype) for name in self._programs}
        self._adam = {name: Adam(arm.weights) for name, arm in self.arms.items()}
        self._noise = [begun(seed)[1] for seed in self.seeds]

    def step(self, done: int, values: Values) -> None:
        """One update of both arms on all inputs, with two fresh views of each."""
        fresh = torch.stack([noise(one) for one in self._noise]).to(self.x)
        for name, arm in self.arms.items():
            stop = name == "trick" and values["target"] == "stopped"
            loss = self._loss(name, self._views(arm, fresh, values), stop, values)
            self._adam[name].step(loss, float(values["rate"]))

    @torch.no_grad()
    def numbers(self, values: Values) -> dict[str, torch.Tensor]:
        """Loss at two kept views, and what the features are; float64 on the CPU, [seeds].

        ``…_above``: how far the loss is above −1, at least what rounding leaves of that.
        """
        found = {}
        for name, arm in self.arms.items():
            loss = self._loss("plain", self._views(arm, self._kept, values), False, values, arm)
            features = arm.features(self.x).to("cpu", torch.float64)
            found[f"{name}_loss"] = loss.to("cpu", torch.float64)
            found[f"{name}_above"] = (1 + found[f"{name}_loss"]).clamp(min=ROUNDING)
            found |= {f"{name}_{what}": one for what, one in measured(features, self.x).items()}
        return found

    def _views(
        self, arm: Networks, drawn: torch.Tensor, values: Values
    ) -> tuple[torch.Tensor, torch.Tensor]:
        size = float(values["noise"])
        return arm.features(self.x + size * drawn[:, 0]), arm.features(self.x + size * drawn[:, 1])

    def _loss(
        self,
        name: str,
        views: tuple[torch.Tensor, torch.Tensor],
        stop: bool,
        values: Values,
        arm: Networks | None = None,
    ) -> torch.Tensor:
        predictor = (arm or self.arms[name]).predictor if values["head"] == "network" else itself
        loss: torch.Tensor = self._programs[name](*views, predictor=predictor, stop=stop)
        return loss


def scaled(features: torch.Tensor) -> torch.Tensor:
    """Each column with length 1; 0 stays 0."""
    unit: torch.Tensor = torch.nn.functional.normalize(features, dim=-2)
    return unit


def measured(features: torch.Tensor, x: torch.Tensor) -> dict[str, torch.Tensor]:
    """What the features are worth, whatever the loss says.

    Args:
        features: [seeds, FEATURES, points], float64.
        x: the inputs they are of, [seeds, INPUTS, points].

    Returns:
        spread: standard deviation over the inputs, of features of length 1, mean over the
        features. others: cosine similarity of two different inputs' features, mean over all pairs.
        accuracy: of a linear head that reads from them the sign of an input's numbers. [seeds].
    """
    known = features.isfinite().all(-1).all(-1)
    unit = scaled(features.nan_to_num(0.0, 0.0, 0.0))
    points = unit.shape[-1]
    alike = unit.mean(-1).square().sum(-1) * points**2 - unit.square().sum((-2, -1))
    found = {
        "spread": unit.std(-1, unbiased=False).mean(-1),
        "others": alike / (points * (points - 1)),
        "accuracy": accuracy_of_a_head(unit, x.to(unit)),
    }
    return {name: torch.where(known, one, torch.nan) for name, one in found.items()}


def accuracy_of_a_head(unit: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """Least squares on the first half of the inputs, tried on the second: share of right signs.

    Args:
        unit: features, [seeds, FEATURES, points].
        x: inputs, [seeds, INPUTS, points]; a label for each of their numbers is its sign.
    """
    given = torch.cat([unit, torch.ones_like(unit[:, :1])], 1)
    labels = torch.where(x > 0, 1.0, -1.0).to(unit)
    half = unit.shape[-1] // 2
    seen = given[..., :half]
    squares = seen @ seen.mT + PENALTY * half * torch.eye(seen.shape[1]).to(seen)
    weights = torch.linalg.solve(squares, seen @ labels[..., :half].mT)
    called = torch.where(weights.mT @ given[..., half:] > 0, 1.0, -1.0).to(unit)
    return (called == labels[..., half:]).to(unit).mean((-2, -1))
