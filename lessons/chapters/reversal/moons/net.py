"""Twin moons in two domains, and the networks that are trained on them.

The data are those of Ganin et al., JMLR 2016, figure 2: two interleaved moons, and as the target
domain the same turned about the middle. What is not in the paper is stated where it is set.
"""

import math
from collections.abc import Callable

import torch
from torch.func import functional_call
from torch.nn import ReLU, Sequential, Sigmoid

from lessons.contract.parameters import Values
from lessons.contract.result import Array
from lessons.kit.inputs import array
from lessons.training.by_seed import TwoArms
from lessons.training.contours import above, grid
from lessons.training.stacked import (
    Draws,
    Linear,
    Tanh,
    accuracy,
    cross_entropy,
    one_seed,
)
from lessons.tricks.as_one import one_op

MOON = 150
"""Points of each moon in each domain, as in the paper."""

SOURCE = 2 * MOON
"""The first so many of the points are of the source domain, the others of the target domain."""

NOISE = 0.05
"""Standard deviation of the points about their moons."""

LABELS = torch.tensor([0.0, 1.0, 0.0, 1.0]).repeat_interleave(MOON)
"""Which moon a point is of."""

DOMAINS = torch.tensor([0.0, 1.0]).repeat_interleave(SOURCE)
"""Which domain a point is of."""

SIDE, UP = 3.7, 2.9
"""How far the plane is drawn on each side of the middle, across and up."""

MARKS, GRID = grid(-SIDE, SIDE, 41)

Head = Callable[..., torch.Tensor]


def points_of(draws: Draws, angle: float) -> torch.Tensor:
    """Source points, then those of the target, turned: float64, [seeds, 2, 600].

    The source mean is subtracted from both domains, and both are doubled.
    """
    source, target = _moons(draws), _moons(draws)
    middle, turn = source.mean(-1, keepdim=True), math.radians(angle)
    matrix = torch.tensor(
        [[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]], dtype=torch.float64
    )
    return torch.cat([2 * (source - middle), matrix @ (2 * (target - middle))], -1)


def _moons(draws: Draws) -> torch.Tensor:
    """One domain: the upper moon's points, then the lower one's; [seeds, 2, 300]."""
    upper, lower = (math.pi * draws.uniform(2, MOON)).unbind(1)
    x = torch.cat([upper.cos(), 1 - lower.cos()], -1)
    y = torch.cat([upper.sin(), 0.5 - lower.sin()], -1)
    return torch.stack([x, y], 1) + NOISE * draws.normal(2, SOURCE)


class Networks(torch.nn.Module):
    """Feature extractor, label head and domain head of every seed.

    Args:
        network: "two_layers", or the one of the "paper".
        draws: where their first weights come from.
    """

    def __init__(self, network: str, draws: Draws) -> None:
        super().__init__()
        if network == "paper":
            self.features = Sequential(Linear(2, 15, draws), Sigmoid())
            self.label = Linear(15, 1, draws)
            self.domain = Sequential(Linear(15, 1, draws))
        else:
            self.features = Sequential(Linear(2, 32, draws), Tanh(), Linear(32, 32, draws), Tanh())
            self.label = Linear(32, 1, draws)
            hidden = Linear(32, 32, draws)
            self.domain = Sequential(hidden, ReLU(inplace=True), Linear(32, 1, draws))

    @one_op("label_head")
    def label_head(self, features: torch.Tensor) -> torch.Tensor:
        """The logit of the second moon, [seeds, 1, points]."""
        logit: torch.Tensor = self.label(features)
        return logit

    @one_op("domain_head")
    def domain_head(self, features: torch.Tensor, frozen: bool = False) -> torch.Tensor:
        """The logit of the target domain, [seeds, 1, points]; ``frozen`` weights learn nothing."""
        weights: dict[str, torch.Tensor] = dict(self.domain.named_parameters())
        if frozen:
            weights = {name: weight.detach() for name, weight in weights.items()}
        logit: torch.Tensor = functional_call(self.domain, weights, (features,))
        return logit


def progress(done: int, values: Values) -> float:
    """How far the training is, 0 to 1."""
    return done / int(values["steps"])


def scale_at(p: float, values: Values) -> float:
    """λ when the training has come this far: as set, or rising from 0 to it (Ganin et al.)."""
    full = float(values["scale"])
    return full if values["schedule"] == "fixed" else full * (2 / (1 + math.exp(-10 * p)) - 1)


def loss_of(
    program: Callable[..., torch.Tensor],
    networks: Networks,
    points: torch.Tensor,
    scale: float,
    scale_at_start: float,
    wiring: str,
    heard: bool = True,
) -> torch.Tensor:
    """What one step descends, one number a seed: the lesson's program on these networks.

    ``heard=False`` spares the domain head's gradient at the features, of which λ = 0 would make
    nothing.
    """

    def unheard(features: torch.Tensor, frozen: bool = False) -> torch.Tensor:
        return networks.domain_head(features.detach(), frozen)

    return program(
        networks.features(points),
        label_head=networks.label_head,
        domain_head=networks.domain_head if heard else unheard,
        labels=LABELS.to(points),
        domains=DOMAINS.to(points),
        scale=scale,
        scale_at_start=scale_at_start,
        wiring=wiring,
    )


class Moons(TwoArms[Networks]):
    """All seeds' networks in two arms: with the trick, and with λ = 0.

    On one thread: a second one for half of the seeds gained a twentieth on two cores, and where a
    browser draws beside it a run took half as long again.
    """

    other = "source_only"

    def begin(self, values: Values) -> Networks:
        self._values_at_start = values
        self.points = points_of(self.draws, values["angle"]).to(self.like)
        return Networks(values["network"], self.draws)

    def loss(self, name: str, done: int, values: Values) -> torch.Tensor:
        arm = self.programs[name], self.arms[name], self.points
        if name == self.other:
            return loss_of(*arm, 0.0, 0.0, "reversal", heard=False)
        at_start = scale_at(0.0, self._values_at_start)
        return loss_of(*arm, scale_at(progress(done, values), values), at_start, values["wiring"])

    def rate(self, done: int, values: Values) -> float:
        """As set, or falling as in Ganin et al."""
        full = super().rate(done, values)
        return (
            full if values["decay"] == "none" else full / (1 + 10 * progress(done, values)) ** 0.75
        )

    def numbers(self, values: Values) -> dict[str, torch.Tensor]:
        """Losses and accuracies as they are now, shape [seeds].

        Of each arm by itself: torch rounds the last numbers of a tensor in another way than the
        others, so two arms in one tensor would differ where their networks are the same.
        """
        labels, domains = LABELS.to(self.points), DOMAINS.to(self.points)
        source, target = slice(SOURCE), slice(SOURCE, None)
        found: dict[str, torch.Tensor] = {}
        for name, arm in self.arms.items():
            features = arm.features(self.points)
            label, domain = arm.label_head(features), arm.domain_head(features)
            found |= {
                f"{name}_target": accuracy(label[..., target], labels[target]),
                f"{name}_source": accuracy(label[..., source], labels[source]),
                f"{name}_domain": accuracy(domain, domains),
                f"{name}_label_loss": cross_entropy(label[..., source], labels[source]),
                f"{name}_domain_loss": cross_entropy(domain, domains),
            }
        return found

    def picture(self, index: int, values: Values) -> dict[str, Array]:
        """Of one seed: points, which of them are called wrong, where the second moon is called."""
        networks, points = one_seed(self.arms["trick"], index), self.points[index : index + 1]
        on_grid, on_points = (
            array(networks.label_head(networks.features(at)))
            for at in (torch.tensor(GRID[None]).to(points), points)
        )
        x, y = above(MARKS, on_grid.reshape(len(MARKS), -1))
        wrong = (on_points.ravel() > 0) != (array(LABELS) > 0)
        return {"points": array(points[0]), "wrong": 1.0 * wrong, "region_x": x, "region_y": y}
