"""A small VQ-VAE: points of a square, an encoder, a codebook in a plane, a decoder.

Two points in, two out: so encodings and codes can be drawn. As everywhere in a training, all seeds
are one batch.
"""

from collections.abc import Callable

import torch
from torch.nn import Parameter, Sequential, Tanh

from lessons.contract.parameters import Values
from lessons.contract.result import Array
from lessons.training.by_seed import TwoArms, arrays
from lessons.training.stacked import Draws, Linear
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


class Networks(torch.nn.Module):
    """Encoder, codebook and decoder of every seed.

    Args:
        draws: where their first numbers come from.
        start: the codes are drawn within ± this.
    """

    def __init__(self, draws: Draws, start: float) -> None:
        super().__init__()
        self.encode = Sequential(Linear(2, WIDTH, draws), Tanh(), Linear(WIDTH, 2, draws))
        self._decode = Sequential(Linear(2, WIDTH, draws), Tanh(), Linear(WIDTH, 2, draws))
        self.codes = Parameter(start * (2 * draws.uniform(CODES, 2) - 1))  # [seeds, CODES, 2]

    @one_op("decode")
    def decode(self, codes: torch.Tensor) -> torch.Tensor:
        """Points from codes, [seeds, 2, POINTS] both."""
        points: torch.Tensor = self._decode(codes)
        return points


class Trained(TwoArms[Networks]):
    """Every seed in two arms: as the learner wires it, and as in the paper."""

    other = "paper"

    def begin(self, values: Values) -> Networks:
        self.points = (2 * self.draws.uniform(2, POINTS) - 1).to(self.like)
        return Networks(self.draws, float(values["start"]))

    def loss(self, name: str, done: int, values: Values) -> torch.Tensor:
        arm, wired = self.arms[name], (PAPER, "paper")
        if name == "trick":
            wired = float(values["beta"]), values["wiring"]
        z = arm.encode(self.points)
        code, _ = nearest(z, arm.codes)
        losses: Losses = self.programs[name](z, code, arm.decode, self.points, *wired)
        return losses[0] + losses[1] + losses[2]

    def numbers(self, values: Values) -> dict[str, torch.Tensor]:
        """Of each arm: shape [seeds].

        Returns:
            ``…_error``: of the reconstruction. ``…_apart``: the squared distance of encodings and
            codes. ``…_used``: how many codes are some point's nearest.
        """
        found: dict[str, torch.Tensor] = {}
        for name, arm in self.arms.items():
            z = arm.encode(self.points)
            code, chosen = nearest(z, arm.codes)
            found |= {
                f"{name}_error": squared_error(arm.decode(code), self.points),
                f"{name}_apart": squared_error(z, code),
                f"{name}_used": in_use(chosen).sum(1),
            }
        return found

    def picture(self, index: int, values: Values) -> dict[str, Array]:
        """The learner's arm of one seed: its encodings [2, POINTS], codes, and which are used."""
        arm = self.arms["trick"]
        z = arm.encode(self.points)
        _, chosen = nearest(z, arm.codes)
        codes, used = arm.codes[index].T, in_use(chosen)[index]
        return arrays({"encodings": z[index], "codes": codes, "used": used})


def in_use(chosen: torch.Tensor) -> torch.Tensor:
    """Whether each code is chosen by some point: [seeds, points] to [seeds, CODES]."""
    seen = torch.zeros(len(chosen), CODES, dtype=torch.bool, device=chosen.device)
    return seen.scatter_(1, chosen, torch.ones_like(chosen, dtype=torch.bool))
