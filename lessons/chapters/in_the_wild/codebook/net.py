"""A small VQ-VAE: points of a square, an encoder, a codebook in a plane, a decoder.

Two points in, two out: so encodings and codes can be drawn. As everywhere in a training, all seeds
are one batch: each weight carries a leading dimension, one entry a seed.
"""

import inspect
from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise

import torch

from lessons.contract.devices import device_and_dtype
from lessons.contract.parameters import Values
from lessons.contract.result import Array
from lessons.training.by_seed import BySeed, arrays
from lessons.training.stacked import Adam, drawn_layer, linear
from lessons.tricks.as_one import one_op

POINTS, CODES, WIDTH = 128, 16, 16
"""Points of the data, codes of the codebook, hidden units of encoder and of decoder."""

PAPER = 0.25
"""β in the paper (van den Oord, Vinyals and Kavukcuoglu, 2017), which the other arm has."""

Losses = tuple[torch.Tensor, torch.Tensor, torch.Tensor]
Program = Callable[..., Losses]
"""The lesson's: encodings, their codes, the decoder, the points, β and the wiring in; out come the
reconstruction loss, the codebook loss and the commitment loss, with their weights."""


@one_op("mse_loss")
def squared_error(one: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    """Mean over components and points: [..., components, points] to [...]."""
    return (one - other).square().mean((-2, -1))


def nearest(z: torch.Tensor, codes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The nearest code of each encoding, and its number.

    Args:
        z: shape [seeds, 2, points].
        codes: shape [seeds, codes, 2].

    Returns:
        The codes, [seeds, 2, points], through which a gradient reaches ``codes``; the numbers,
        [seeds, points], which have none.
    """
    squares = (z.detach().unsqueeze(1) - codes.detach().unsqueeze(-1)).square().sum(2)
    chosen = squares.argmin(1)
    picked = codes.transpose(1, 2).gather(2, chosen.unsqueeze(1).expand(-1, 2, -1))
    return picked, chosen


@lru_cache(maxsize=256)
def drawn(seed: int) -> tuple[torch.Tensor, ...]:
    """Points [2, POINTS], weights and biases, codes within ±1 [CODES, 2]: float64, on the CPU."""
    generator = torch.Generator().manual_seed(seed)

    def uniform(*shape: int) -> torch.Tensor:
        return 2 * torch.rand(shape, dtype=torch.float64, generator=generator) - 1

    points = uniform(2, POINTS)
    weights = [
        one for widths in ((2, WIDTH, 2), (2, WIDTH, 2)) for pair in pairwise(widths)
        for one in drawn_layer(*pair, generator)
    ]  # fmt: skip
    return points, *weights, uniform(CODES, 2)


class Networks:
    """Encoder, codebook and decoder of every seed, as stacked weights.

    Args:
        seeds: one network each.
        start: the codes are drawn within ± this.
        device, dtype: where and in what they compute.
    """

    def __init__(
        self, seeds: range, start: float, device: torch.device, dtype: torch.dtype
    ) -> None:
        stacked = [torch.stack(one) for one in zip(*map(drawn, seeds), strict=True)]
        self.points = stacked[0].to(device, dtype)
        *weights, codes = stacked[1:]
        self.weights = [one.to(device, dtype).requires_grad_() for one in (*weights, start * codes)]

    @property
    def codes(self) -> torch.Tensor:
        """Shape [seeds, CODES, 2]."""
        return self.weights[-1]

    def encode(self) -> torch.Tensor:
        """The points' encodings, [seeds, 2, POINTS]."""
        return self._two_layers(self.points, 0)

    @one_op("decode")
    def decode(self, codes: torch.Tensor) -> torch.Tensor:
        """Points from codes, [seeds, 2, POINTS] both."""
        return self._two_layers(codes, 4)

    def _two_layers(self, x: torch.Tensor, first: int) -> torch.Tensor:
        hidden = torch.tanh(linear(x, *self.weights[first : first + 2]))
        return linear(hidden, *self.weights[first + 2 : first + 4])


class Trained(BySeed):
    """Every seed in two arms from the same start: as the learner wires it, and as in the paper.

    Args:
        program: the lesson's, perhaps with edges cut; the paper's arm keeps them.
        values: the settings.
    """

    def __init__(self, program: Program, values: Values) -> None:
        super().__init__(values)
        device, dtype = device_and_dtype(values)
        start = float(values["start"])
        self.programs = {"trick": program, "paper": inspect.unwrap(program)}
        self.arms = {name: Networks(self.seeds, start, device, dtype) for name in self.programs}
        self._adam = {name: Adam(arm.weights) for name, arm in self.arms.items()}

    def step(self, done: int, values: Values) -> None:
        """One update of both arms on all points."""
        wired = {"trick": (float(values["beta"]), values["wiring"]), "paper": (PAPER, "paper")}
        for name, arm in self.arms.items():
            z = arm.encode()
            code, _ = nearest(z, arm.codes)
            losses = self.programs[name](z, code, arm.decode, arm.points, *wired[name])
            total = sum(losses[1:], losses[0])
            self._adam[name].step(total, float(values["rate"]))

    @torch.no_grad()
    def numbers(self, values: Values) -> dict[str, torch.Tensor]:
        """Of each arm: float64 on the CPU, shape [seeds].

        Returns:
            ``…_error``: of the reconstruction. ``…_apart``: the squared distance of encodings and
            codes. ``…_used``: how many codes are some point's nearest.
        """
        found: dict[str, torch.Tensor] = {}
        for name, arm in self.arms.items():
            z = arm.encode()
            code, chosen = nearest(z, arm.codes)
            found |= {
                f"{name}_error": squared_error(arm.decode(code), arm.points),
                f"{name}_apart": squared_error(z, code),
                f"{name}_used": in_use(chosen).sum(1),
            }
        return {name: one.to("cpu", torch.float64) for name, one in found.items()}

    @torch.no_grad()
    def picture(self, index: int, values: Values) -> dict[str, Array]:
        """The learner's arm of one seed: its encodings [2, POINTS], codes, and which are used."""
        arm = self.arms["trick"]
        z = arm.encode()
        _, chosen = nearest(z, arm.codes)
        codes, used = arm.codes[index].T, in_use(chosen)[index]
        return arrays({"encodings": z[index], "codes": codes, "used": used})


def in_use(chosen: torch.Tensor) -> torch.Tensor:
    """Whether each code is chosen by some point: [seeds, points] to [seeds, CODES]."""
    seen = torch.zeros(len(chosen), CODES, dtype=torch.bool, device=chosen.device)
    return seen.scatter_(1, chosen, torch.ones_like(chosen, dtype=torch.bool))
