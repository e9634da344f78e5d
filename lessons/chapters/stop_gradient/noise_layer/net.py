"""A long network with one noise layer in it, a small task, and its gradients' noise.

Ten layers of 16 units with tanh between them learn sin(2x) from 64 points. As everywhere in a
training, all seeds are one batch.
"""

import copy
import math
from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

import torch

from lessons.contract.parameters import Values
from lessons.kit.gradients import gradient
from lessons.training.stacked import Adam, Draws, Linear

LAYERS = 10
WIDTH = 16
POINTS = 64
REACH = 3.0
"""The task is given on −REACH to REACH."""

GAIN = 1.7
"""Times the usual 1/√inputs: so the signal neither dies nor saturates on its way through."""

AT_ONCE = 64
"""Networks in one backward pass where many noise draws are measured: more leave the cache."""

INPUTS = 17
"""Numbers that the layer is given where it stands alone."""

# Seeds of the noise, so far from those of the weights that no two are the same: torch reads the
# lower 32 bits of a seed, and 2**33 + 1 would be 1 again.
KEPT_FROM, NOISE_FROM = 2**31, 2**30

MOST_DRAWS = 64
"""Draws of noise that gradients can be measured with."""

LOOKED_AT = 4
"""Draws of noise that a loss is told over."""

Program = Callable[..., torch.nn.Module]
"""The lesson's: strength, whether the backward is clean, and where the noise comes from."""


def long_network(
    layers: Iterable[torch.nn.Module], noise: torch.nn.Module, place: int
) -> torch.nn.Sequential:
    """Layers with tanh between them, the noise after the layer with this number, 1 the first."""
    parts: list[torch.nn.Module] = []
    for number, layer in enumerate(layers, start=1):
        parts.append(layer)
        if number < LAYERS:
            parts.append(torch.nn.Tanh())
        if number == place:
            parts.append(noise)
    return torch.nn.Sequential(*parts)


def layers_of(draws: Draws) -> torch.nn.ModuleList:
    """The layers of each seed's network at first."""
    widths = [1, *[WIDTH] * (LAYERS - 1), 1]
    layers = torch.nn.ModuleList(Linear(*pair, draws) for pair in pairwise(widths))
    for weight in layers.parameters():
        weight.data *= GAIN
    return layers


@lru_cache(maxsize=64)
def kept_draws(seed: int) -> torch.Tensor:
    """The noise that gradients are measured with, in [0, 1): float64, [draws, WIDTH, POINTS].

    All that there may be: whoever wants fewer takes the first.
    """
    generator = torch.Generator().manual_seed(KEPT_FROM + seed)
    return torch.rand(MOST_DRAWS, WIDTH, POINTS, dtype=torch.float64, generator=generator)


def inputs() -> tuple[torch.Tensor, torch.Tensor]:
    """The task: x and sin(2x), float64, shape [1, 1, POINTS]."""
    x = torch.linspace(-REACH, REACH, POINTS, dtype=torch.float64).reshape(1, 1, -1)
    return x, torch.sin(2 * x)


class Seen(NamedTuple):
    """What the networks of one arm put out.

    Args:
        noisy: for ``LOOKED_AT`` draws of the noise, shape [seeds, 1, LOOKED_AT · POINTS].
        clean: with the noise turned off, shape [seeds, 1, POINTS].
        before: what goes into the noise layer, shape [seeds, WIDTH, POINTS].
    """

    noisy: torch.Tensor
    clean: torch.Tensor
    before: torch.Tensor


class Long:
    """Every seed's network in two arms from the same start and with the same noise.

    The arm ``trick`` has the clean backward, the arm ``plain`` has not.

    Args:
        program: the lesson's noise layer.
        values: the settings.
        device, dtype: where and in what to compute.
    """

    def __init__(
        self, program: Program, values: Values, device: torch.device, dtype: torch.dtype
    ) -> None:
        self.program = program
        self.seeds = range(int(values["seed"]), int(values["seed"]) + int(values["seeds"]))
        x, target = (part.to(device, dtype) for part in inputs())
        self.x, self.target = x.expand(len(self.seeds), -1, -1), target
        layers = layers_of(Draws(self.seeds)).to(device, dtype)
        self.arms = {"trick": layers, "plain": copy.deepcopy(layers)}
        self._adam = {name: Adam(layers.parameters()) for name, layers in self.arms.items()}
        self._noise = Draws(NOISE_FROM + seed for seed in self.seeds)

    def step(self, done: int, values: Values) -> None:
        """One update of both arms on all points, with one fresh draw of noise for both."""
        draw = self._noise.uniform(WIDTH, POINTS).to(self.x)
        for name in self.arms:
            output = self.network(name, values, draw)(self.x)
            loss = (output - self.target).square().mean((1, 2))
            self._adam[name].step(loss, float(values["rate"]))

    def network(self, name: str, values: Values, draw: torch.Tensor) -> torch.nn.Sequential:
        """One arm with its noise layer, which takes this draw."""
        layer = self.program(float(values["strength"]), name == "trick", lambda x: draw)
        return long_network(self.arms[name], layer, int(values["place"]))

    @torch.no_grad()
    def seen(self, values: Values) -> dict[str, Seen]:
        """How each arm stands: what it puts out with noise and without."""
        x = self.x.repeat(1, 1, LOOKED_AT)  # the draws side by side, as more points
        draws = self._draws(min(LOOKED_AT, int(values["draws"])))
        draws = draws[:, torch.arange(LOOKED_AT) % draws.shape[1]]
        draw = draws.transpose(1, 2).flatten(2)
        behind = 2 * int(values["place"])  # a layer and a tanh each
        found = {}
        for name in self.arms:
            network = self.network(name, values, draw)
            noisy = network(x)
            before = network[:behind](self.x)
            found[name] = Seen(noisy, network.eval()[behind:](before), before)
        return found

    def losses(self, seen: dict[str, Seen]) -> dict[str, torch.Tensor]:
        """Losses with noise and without, and the size of what the noise is put on; [seeds]."""
        found: dict[str, torch.Tensor] = {}
        target = self.target.repeat(1, 1, LOOKED_AT)
        for name, one in seen.items():
            found |= {
                f"{name}_loss": (one.noisy - target).square().mean((1, 2)),
                f"{name}_clean_loss": (one.clean - self.target).square().mean((1, 2)),
                f"{name}_size": one.before.square().mean((1, 2)).sqrt(),
            }
        return {name: value.to("cpu", torch.float64) for name, value in found.items()}

    def gradient_noise(self, values: Values) -> dict[str, torch.Tensor]:
        """Of each layer's weight gradient: its variance over the noise, against its mean.

        Both backward passes are taken at the same weights, those of the arm with the trick, over
        the same draws.

        Returns:
            ``trick_noise_1`` and so on, ``plain_noise_1`` and so on: summed variance over squared
            length of the mean; ``quieter`` and ``quieter_behind``: how many times less of it the
            clean backward leaves in the layers before the noise, and in those behind. Float64 on
            the CPU, shape [seeds].
        """
        by_layer = {
            name: torch.stack([relative_variance(one) for one in layers])
            for name, layers in self._gradients(values).items()
        }
        place = int(values["place"])
        found = {
            f"{name}_noise_{number}": layer
            for name, layers in by_layer.items()
            for number, layer in enumerate(layers, start=1)
        }
        trick, plain = by_layer["trick"], by_layer["plain"]
        return found | {
            "quieter": quieter(trick[:place], plain[:place]),
            "quieter_behind": quieter(trick[place:], plain[place:]),
        }

    def _gradients(self, values: Values) -> dict[str, list[torch.Tensor]]:
        """By arm, each layer's weight gradient for every draw, shape [seeds, draws, entries]."""
        many = max(1, AT_ONCE // len(self.seeds))
        draws = torch.split(self._draws(int(values["draws"])), many, 1)
        parts = [self._of_draws(values, some) for some in draws]
        return {
            name: [torch.cat(one, 1) for one in zip(*(part[name] for part in parts), strict=True)]
            for name in self.arms
        }

    def _draws(self, count: int) -> torch.Tensor:
        """The first draws that gradients are measured with, [seeds, count, WIDTH, POINTS]."""
        return torch.stack([kept_draws(seed)[:count] for seed in self.seeds]).to(self.x)

    def _of_draws(self, values: Values, draws: torch.Tensor) -> dict[str, list[torch.Tensor]]:
        """The same for a few draws: each is a network of its own, so autograd keeps them apart."""
        seeds, count = draws.shape[:2]

        def spread(one: torch.Tensor) -> torch.Tensor:
            return one.detach().unsqueeze(1).expand(-1, count, -1, -1).flatten(0, 1)

        layers = copy.deepcopy(self.arms["trick"])
        for weight in layers.parameters():
            weight.data = spread(weight)
        draw, place = draws.flatten(0, 1), int(values["place"])
        network = long_network(layers, torch.nn.Identity(), place)
        weights = [weight for name, weight in layers.named_parameters() if "weight" in name]
        entering = network[: 2 * place](spread(self.x))
        found: dict[str, list[torch.Tensor]] = {}
        leaving: torch.Tensor | None = None
        for name in self.arms:
            noise = self.program(float(values["strength"]), name == "trick", lambda x: draw)
            noisy = noise(entering)
            # The layer puts out the same with either backward: so behind it all is the same too.
            if leaving is None or not torch.equal(noisy, leaving):
                leaving = noisy.detach().requires_grad_()
                output = network[2 * place + 1 :](leaving)
                loss = (output - self.target).square().mean((1, 2))
                upstream, *behind = torch.autograd.grad(loss.sum(), [leaving, *weights[place:]])
            before = [torch.zeros_like(one) for one in weights[:place]]  # where every edge is cut
            if noisy.requires_grad:
                heard = (noisy * upstream).sum()  # as grad_outputs it would load torch's compiler
                before[:] = torch.autograd.grad(
                    heard, weights[:place], retain_graph=True, materialize_grads=True
                )
            found[name] = [one.reshape(seeds, count, -1) for one in (*before, *behind)]
        return found


def relative_variance(gradients: torch.Tensor) -> torch.Tensor:
    """Variance over the draws, summed over the entries, over the mean's squared length.

    Args:
        gradients: shape [seeds, draws, entries].

    Returns:
        float64 on the CPU, shape [seeds]; 0 where nothing varies.
    """
    first = gradients[:, :1]
    off = gradients - first  # exactly 0 where all draws are alike
    mean = off.mean(1, keepdim=True)
    squares = ((off - mean).square().sum((1, 2)), (first + mean).square().sum((1, 2)))
    apart, length = (one.to("cpu", torch.float64) for one in squares)
    variance = apart / (gradients.shape[1] - 1)
    return torch.where(variance == 0, 0.0, variance / length)


def quieter(trick: torch.Tensor, plain: torch.Tensor) -> torch.Tensor:
    """How many times less noise the clean backward leaves: a geometric mean over layers, [seeds].

    Args:
        trick, plain: relative variances, shape [layers, seeds]. A layer with a 0, which has no
            noise or is cut off from the loss, has no ratio and counts as 1.
    """
    still = (trick == 0) | (plain == 0)
    return torch.where(still, 0.0, (plain / trick).log()).mean(0).exp()


def by_itself() -> tuple[torch.Tensor, torch.Tensor]:
    """What the layer gets where it stands alone: x, and draws in [0, 1); float64, [INPUTS].

    They follow a formula, so that other frameworks can be given the same.
    """
    multiples = torch.arange(1, INPUTS + 1, dtype=torch.float64)
    x = torch.linspace(-2, 2, INPUTS, dtype=torch.float64)
    return x, multiples * (math.sqrt(5) - 1) / 2 % 1


def alone(program: Program, strength: float, dtype: torch.dtype) -> dict[str, torch.Tensor]:
    """The layer by itself, a tanh after it, its noise fixed: values and gradients by role.

    Returns:
        x, forward: what goes in and what comes out. trick_gradient, true_gradient: of the tanh,
        by autograd, with the clean backward and without. intended_gradient: by formula, the
        upstream gradient alone.
    """
    x, fixed = (one.to(dtype) for one in by_itself())
    found: dict[str, Any] = {"x": x}
    for role, clean in (("true_gradient", False), ("trick_gradient", True)):
        leaf = x.clone().requires_grad_()
        out = program(strength, clean, lambda _: fixed)(leaf)
        found[role] = gradient(torch.tanh(out), leaf)
        found["forward"] = out.detach()
    noisy = x * (1 + strength * (2 * fixed - 1))
    return found | {"intended_gradient": 1 - torch.tanh(noisy) ** 2}
