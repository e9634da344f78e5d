"""Small encoders that learn features without labels, and what is measured of these features.

An input is eight numbers; a view of it is the same with noise added. Features are compared by
their direction alone, as in SimSiam (Chen and He, 2020, arXiv 2011.10566). Smaller than there, and
without its batch normalisation. All seeds are one batch.
"""

import math
from collections.abc import Callable

import torch
from torch.nn import ReLU, Sequential

from lessons.contract.parameters import Values
from lessons.training.by_seed import TwoArms
from lessons.training.stacked import Draws, Linear
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


class Networks(torch.nn.Module):
    """Encoder and predictor of every seed; ``features`` are the encoder's."""

    def __init__(self, draws: Draws) -> None:
        super().__init__()
        self.features = two_layers(INPUTS, HIDDEN, FEATURES, draws)
        self._predict = two_layers(FEATURES, PREDICTOR_HIDDEN, FEATURES, draws)

    @one_op("predictor")
    def predictor(self, features: torch.Tensor) -> torch.Tensor:
        """What one view's features say of the other's, [seeds, FEATURES, points]."""
        found: torch.Tensor = self._predict(features)
        return found


def two_layers(inputs: int, hidden: int, outputs: int, draws: Draws) -> Sequential:
    """A relu between them."""
    return Sequential(Linear(inputs, hidden, draws), ReLU(), Linear(hidden, outputs, draws))


class Pairs(TwoArms[Networks]):
    """Every seed's networks in two arms, with the same views; ``plain`` has no stop."""

    def begin(self, values: Values) -> Networks:
        self.x = self.draws.normal(INPUTS, POINTS).to(self.like)
        self._kept = self._noise()
        return Networks(self.draws)

    def step(self, done: int, values: Values) -> None:
        """One update of both arms on all inputs, with two fresh views of each."""
        self._fresh = self._noise()
        super().step(done, values)

    def loss(self, name: str, done: int, values: Values) -> torch.Tensor:
        stop = name == "trick" and values["target"] == "stopped"
        return self._loss(self.programs[name], self.arms[name], self._fresh, stop, values)

    def numbers(self, values: Values) -> dict[str, torch.Tensor]:
        """Loss at two kept views, and what the features are; float64 on the CPU, [seeds].

        ``…_above``: how far the loss is above −1, at least what rounding leaves of that.
        """
        found = {}
        for name, arm in self.arms.items():
            loss = self._loss(self.programs["plain"], arm, self._kept, False, values)
            features = arm.features(self.x).to("cpu", torch.float64)
            found[f"{name}_loss"] = loss.to("cpu", torch.float64)
            found[f"{name}_above"] = (1 + found[f"{name}_loss"]).clamp(min=ROUNDING)
            found |= {f"{name}_{what}": one for what, one in measured(features, self.x).items()}
        return found

    def _noise(self) -> torch.Tensor:
        """Of two views of every input, standard normal: [seeds, 2, INPUTS, POINTS]."""
        return self.draws.normal(2, INPUTS, POINTS).to(self.like)

    def _loss(
        self, program: Program, arm: Networks, noise: torch.Tensor, stop: bool, values: Values
    ) -> torch.Tensor:
        size = float(values["noise"])
        views = (arm.features(self.x + size * one) for one in noise.unbind(1))
        predictor = arm.predictor if values["head"] == "network" else itself
        loss: torch.Tensor = program(*views, predictor=predictor, stop=stop)
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
