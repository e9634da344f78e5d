"""Twin moons in two domains, and the networks that are trained on them.

The data are those of Ganin et al., JMLR 2016, figure 2: two interleaved moons, and as the target
domain the same turned about the middle. What is not in the paper is stated where it is set.
"""

import inspect
import math
from collections.abc import Callable
from functools import lru_cache, partial
from itertools import pairwise
from typing import NamedTuple

import torch

from lessons.contract.parameters import Values
from lessons.training.stacked import Adam, accuracy, cross_entropy, drawn_layer, linear, tanh_
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

# Units of the extractor's layers, then of the domain head's hidden layer (none: it is linear).
SHAPES: dict[str, tuple[tuple[int, ...], tuple[int, ...]]] = {
    "two_layers": ((32, 32), (32,)),
    "paper": ((15,), ()),
}

Head = Callable[..., torch.Tensor]


@lru_cache(maxsize=512)
def drawn(seed: int, network: str) -> tuple[torch.Tensor, tuple[torch.Tensor, ...]]:
    """Points of one seed before the target is turned, [2, 600], and its weights at first.

    Float64 on the CPU. The source mean is subtracted from both domains, and both are doubled.
    """
    generator = torch.Generator().manual_seed(seed)
    domains = torch.stack([_moons(generator), _moons(generator)])
    points = 2 * (domains - domains[0].mean(1, keepdim=True))
    extractor, domain_hidden = SHAPES[network]
    weights: list[torch.Tensor] = []
    for widths in ((2, *extractor), (extractor[-1], 1), (extractor[-1], *domain_hidden, 1)):
        for inputs, outputs in pairwise(widths):
            weights += drawn_layer(inputs, outputs, generator)
    return torch.cat([points[0], points[1]], 1), tuple(weights)


def _moons(generator: torch.Generator) -> torch.Tensor:
    """One domain: the upper moon's points, then the lower one's; shape [2, 300]."""
    turn = math.pi * torch.rand(2, MOON, dtype=torch.float64, generator=generator)
    upper = torch.stack([turn[0].cos(), turn[0].sin()])
    lower = torch.stack([1 - turn[1].cos(), 0.5 - turn[1].sin()])
    moons = torch.cat([upper, lower], 1)
    return moons + NOISE * torch.randn(moons.shape, dtype=torch.float64, generator=generator)


def points_of(seeds: range, network: str, angle: float) -> torch.Tensor:
    """The points of these seeds with the target turned, float64, shape [seeds, 2, 600]."""
    points = torch.stack([drawn(seed, network)[0] for seed in seeds])
    turn = math.radians(angle)
    matrix = torch.tensor(
        [[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]], dtype=torch.float64
    )
    return torch.cat([points[..., :SOURCE], matrix @ points[..., SOURCE:]], -1)


class Networks:
    """Feature extractor, label head and domain head of every seed, as stacked weights.

    Args:
        network: a key of ``SHAPES``.
        seeds: one network each.
        device, dtype: where and in what they compute.
    """

    def __init__(
        self, network: str, seeds: range, device: torch.device, dtype: torch.dtype
    ) -> None:
        layers = zip(*(drawn(seed, network)[1] for seed in seeds), strict=True)
        self.weights = [torch.stack(layer).to(device, dtype).requires_grad_() for layer in layers]
        self._squash = tanh_ if network == "two_layers" else torch.sigmoid_
        self._depth = len(SHAPES[network][0])

    def features(self, x: torch.Tensor) -> torch.Tensor:
        """[seeds, 2, points] to [seeds, units, points]."""
        for layer in range(self._depth):
            x = self._squash(self._layer(layer, x))
        return x

    @one_op("label_head")
    def label_head(self, features: torch.Tensor) -> torch.Tensor:
        """The logit of the second moon, [seeds, 1, points]."""
        return self._layer(self._depth, features)

    @one_op("domain_head")
    def domain_head(self, features: torch.Tensor, frozen: bool = False) -> torch.Tensor:
        """The logit of the target domain, [seeds, 1, points]; ``frozen`` weights learn nothing."""
        first, last = self._depth + 1, len(self.weights) // 2
        for layer in range(first, last):
            features = self._layer(layer, features, frozen)
            if layer + 1 < last:
                features = features.relu_()
        return features

    def of_seed(self, index: int) -> "Networks":
        """One seed's networks, as they are now; they share no memory with these."""
        copy = object.__new__(Networks)
        copy.weights = [weight.detach()[index : index + 1].clone() for weight in self.weights]
        copy._squash, copy._depth = self._squash, self._depth
        return copy

    def _layer(self, layer: int, x: torch.Tensor, frozen: bool = False) -> torch.Tensor:
        weight, bias = self.weights[2 * layer : 2 * layer + 2]
        return linear(x, weight.detach(), bias.detach()) if frozen else linear(x, weight, bias)


def progress(done: int, steps: int) -> float:
    """How far the training is, 0 to 1."""
    return done / steps


def scale_at(p: float, values: Values) -> float:
    """λ when the training has come this far: as set, or rising from 0 to it (Ganin et al.)."""
    full = float(values["scale"])
    return full if values["schedule"] == "fixed" else full * (2 / (1 + math.exp(-10 * p)) - 1)


def rate_at(p: float, values: Values) -> float:
    """The learning rate: as set, or falling as in Ganin et al."""
    full = float(values["rate"])
    return full if values["decay"] == "none" else full / (1 + 10 * p) ** 0.75


class Seen(NamedTuple):
    """What networks make of the points.

    Args:
        features: with their graph.
        label, domain: the logits; where the step that comes takes them up, with their graph, the
            domain head's up to its input.
    """

    features: torch.Tensor
    label: torch.Tensor
    domain: torch.Tensor


def loss_of(
    program: Callable[..., torch.Tensor],
    networks: Networks,
    points: torch.Tensor,
    scale: float,
    scale_at_start: float,
    wiring: str,
    heard: bool = True,
    seen: Seen | None = None,
) -> torch.Tensor:
    """What one step descends, one number a seed: the lesson's program on these networks.

    ``heard=False`` spares the domain head's gradient at the features, where λ is 0 and would make
    nothing of it. ``seen`` is what the networks make of the points, where that is known already.
    Heads that are heard compute anew: the program may be cut open at them.
    """

    def label_head(features: torch.Tensor) -> torch.Tensor:
        known = seen is not None and features is seen.features
        return seen.label if seen and known else networks.label_head(features)

    def domain_head(features: torch.Tensor, frozen: bool = False) -> torch.Tensor:
        known = seen is not None and not frozen and features.is_set_to(seen.features)
        return seen.domain if seen and known else networks.domain_head(features.detach(), frozen)

    return program(
        seen.features if seen else networks.features(points),
        label_head=networks.label_head if heard else label_head,
        domain_head=networks.domain_head if heard else domain_head,
        labels=LABELS.to(points),
        domains=DOMAINS.to(points),
        scale=scale,
        scale_at_start=scale_at_start,
        wiring=wiring,
    )


class Moons:
    """All seeds' networks in two arms from the same start: with the trick, and with λ = 0.

    On one thread: a second one for half of the seeds gained a twentieth on two cores, and where a
    browser draws beside it a run took half as long again.

    Args:
        program: the lesson's: features, heads and labels in, a loss a seed out.
        values: the settings.
        device: where to compute.
        dtype: what to compute in.
    """

    def __init__(
        self,
        program: Callable[..., torch.Tensor],
        values: Values,
        device: torch.device,
        dtype: torch.dtype,
    ) -> None:
        self.program = program
        self.whole = inspect.unwrap(program)  # what is compared with keeps the edges that are cut
        self.steps = int(values["steps"])
        self.seeds = range(int(values["seed"]), int(values["seed"]) + int(values["seeds"]))
        self.points = points_of(self.seeds, values["network"], values["angle"]).to(device, dtype)
        new = partial(Networks, values["network"], self.seeds, device, dtype)
        self.arms = {"trick": new(), "source_only": new()}
        self._adam = {name: Adam(arm.weights) for name, arm in self.arms.items()}
        self._values_at_start = values
        # Since the last step: what each arm makes of the points, and the numbers.
        self._seen: dict[str, Seen] = {}
        self._numbers: dict[str, torch.Tensor] = {}

    def step(self, done: int, values: Values) -> None:
        """One update of both arms on all points; ``done`` were made before it."""
        p = progress(done, self.steps)
        loss = partial(loss_of, self.program)
        wired = (scale_at(p, values), scale_at(0.0, self._values_at_start), values["wiring"])
        seen, self._seen, self._numbers = self._seen, {}, {}
        trick = loss(self.arms["trick"], self.points, *wired, seen=seen.pop("trick", None))
        self._adam["trick"].step(trick, rate_at(p, values))
        whole = partial(loss_of, self.whole)
        unheard = partial(whole, heard=False, seen=seen.pop("source_only", None))
        plain = unheard(self.arms["source_only"], self.points, 0.0, 0.0, "reversal")
        self._adam["source_only"].step(plain, rate_at(p, values))

    @torch.no_grad()
    def numbers(self) -> dict[str, torch.Tensor]:
        """Losses and accuracies as they are now, float64 on the CPU, shape [seeds].

        Asked twice where a moment of the curves is drawn too, and computed once.
        """
        if self._numbers:
            return self._numbers
        found = {
            f"{name}_{what}": value
            for name in self.arms
            for what, value in self._numbers_of(name).items()
        }
        # All at once: each number fetched from a GPU waits for it.
        rows = torch.stack([value.to(torch.float64) for value in found.values()]).cpu()
        self._numbers = dict(zip(found, rows, strict=True))
        return self._numbers

    def _numbers_of(self, name: str) -> dict[str, torch.Tensor]:
        """Of one arm by itself: torch rounds the last numbers of a tensor in another way than the
        others, so two arms in one tensor would differ where their networks are the same.

        The next step begins with the same features, and takes them from here; the arm that is
        never cut open its logits as well.
        """
        arm = self.arms[name]
        with torch.enable_grad():
            features = arm.features(self.points)
        with torch.set_grad_enabled(name == "source_only"):
            seen = Seen(features, arm.label_head(features), arm.domain_head(features.detach()))
        self._seen[name] = seen
        labels, domains = LABELS.to(self.points), DOMAINS.to(self.points)
        label, domain = seen.label.detach(), seen.domain.detach()
        source, target = slice(SOURCE), slice(SOURCE, None)
        return {
            "target": accuracy(label[..., target], labels[target]),
            "source": accuracy(label[..., source], labels[source]),
            "domain": accuracy(domain, domains),
            "label_loss": cross_entropy(label[..., source], labels[source]),
            "domain_loss": cross_entropy(domain, domains),
        }

    def of_seed(self, index: int) -> tuple[dict[str, Networks], torch.Tensor]:
        """One seed's networks by arm, as they are now, and its points, [1, 2, points]."""
        arms = {name: arm.of_seed(index) for name, arm in self.arms.items()}
        return arms, self.points[index : index + 1]
