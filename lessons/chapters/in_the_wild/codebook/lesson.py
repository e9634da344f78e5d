"""VQ-VAE: which of its losses moves encoder, codes and decoder.

A small one: points of a square, an encoder, a codebook in a plane, a decoder. Two points in, two
out: so encodings and codes can be drawn. As everywhere in a training, all seeds are one batch.
"""

import inspect
from collections.abc import Callable

import numpy as np
import torch
from torch.nn import Parameter, Sequential, Tanh

from lessons.contract.devices import device_and_dtype
from lessons.contract.figure import HIGHEST, Figure, Table
from lessons.contract.history import History
from lessons.contract.lab import Lab, Start
from lessons.contract.lesson import Lesson
from lessons.contract.result import Array, Result
from lessons.contract.roles import ROLES
from lessons.contract.settings import choice, slider
from lessons.contract.training import Training
from lessons.contract.words import Words
from lessons.gradient_tricks.text import number
from lessons.gradient_tricks.tricks import stop_gradient
from lessons.gradient_tricks.tricks.as_one import one_op
from lessons.kit.answers import nearest_factor
from lessons.kit.arrows import heads
from lessons.kit.chart_pieces import Trace, dragged, mark, plane, round_up, scatter, thin
from lessons.kit.components import component_table
from lessons.kit.experiment import components
from lessons.kit.gradients import gradients, joined
from lessons.kit.inputs import ComputedInFloat32
from lessons.kit.line_names import label
from lessons.kit.titles import brief
from lessons.training import settings as training
from lessons.training.by_seed import TwoArms, arrays
from lessons.training.settings import two_networks
from lessons.training.stacked import Adam, Descent, Draws, Linear
from lessons.training.step_charts import (
    arms_table,
    crowd,
    lines_of,
    powers_axes,
    step_chart,
)
from lessons.training.under_way import numbers_at_end

WORDS = Words(__file__)

POINTS, CODES, WIDTH = 128, 16, 16
"""Points of the data, codes of the codebook, hidden units of encoder and of decoder."""

PAPER = 0.25
"""β in the paper (van den Oord, Vinyals and Kavukcuoglu, 2017), which the other arm has."""

DISTANCE, SHARE, RATE = 4.0, 0.25, 0.05
"""Two numbers that pull at each other in the last question: their distance, β, the rate."""

Losses = tuple[torch.Tensor, torch.Tensor, torch.Tensor]

Program = Callable[..., Losses]
"""The lesson's: encodings, their codes, the decoder, the points, β and the wiring in; out come the
reconstruction loss, the codebook loss and the commitment loss, with their weights."""

FIXED = ((0.5, 0.4), (-0.6, 0.3), (-0.3, -0.6), (0.6, -0.5))
"""The codebook of the one point."""
WEIGHT = 0.8
"""The decoder is one number: it multiplies the code by this."""
POINT = (1.0, -0.2)
"""The point to reconstruct."""

PARTS = ("reconstruction", "codebook", "commitment")

MOVED = {"encoder": slice(2), "codes": slice(2, 4), "decoder": slice(4, 5)}
"""The components of a gradient that move each part of the model."""


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


def vq_losses(
    z: torch.Tensor,
    code: torch.Tensor,
    decode: Callable[[torch.Tensor], torch.Tensor],
    x: torch.Tensor,
    beta: float,
    wiring: str,
) -> Losses:
    passed = z + stop_gradient(code - z)
    reconstruction = squared_error(decode(passed), x)
    codebook = squared_error(stop_gradient(z), code)
    commitment = squared_error(z, stop_gradient(code))
    if wiring == "swapped":
        return reconstruction, beta * codebook, commitment
    return reconstruction, codebook, beta * commitment


class Settings(ComputedInFloat32):
    beta = slider(0.25, 0, 2, 0.05, accepts=(0, 100), in_run="steps")
    wiring = choice("paper", "swapped")
    part = choice("all", "reconstruction", "codebook", "commitment", in_run="looks")
    z1 = slider(0.1, -1, 1, 0.05, accepts=(-100, 100), advanced=True, in_run="looks")
    z2 = slider(0.9, -1, 1, 0.05, accepts=(-100, 100), advanced=True, in_run="looks")
    start = slider(0.0625, 0.05, 5, 0.05, accepts=(0.001, 100), advanced=True)
    seeds = training.seeds(8, 16)
    shown = training.seed_drawn(16)
    steps = training.steps(400, 5000)
    rate = training.rate(0.01, (0.001, 0.05), 0.001)
    seed = training.first_seed()


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


class Trained(TwoArms[Networks, Settings]):
    """Every seed in two arms: as the learner wires it, and as in the paper."""

    other = "paper"

    def begin(self, settings: Settings) -> Networks:
        self.points = (2 * self.draws.uniform(2, POINTS) - 1).to(self.like)
        return Networks(self.draws, settings.start)

    def loss(self, name: str, done: int, settings: Settings) -> torch.Tensor:
        arm, wired = self.arms[name], (PAPER, "paper")
        if name == "trick":
            wired = settings.beta, settings.wiring
        z = arm.encode(self.points)
        code, _ = nearest(z, arm.codes)
        losses: Losses = self.programs[name](z, code, arm.decode, self.points, *wired)
        return losses[0] + losses[1] + losses[2]

    def numbers(self, settings: Settings) -> dict[str, torch.Tensor]:
        """The measurements of each arm, shape [seeds].

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

    def picture(self, index: int, settings: Settings) -> dict[str, Array]:
        """The learner's arm of one seed: its encodings [2, POINTS], codes, and which are used."""
        arm = self.arms["trick"]
        z = arm.encode(self.points)
        _, chosen = nearest(z, arm.codes)
        codes, used = arm.codes[index].T, in_use(chosen)[index]
        return arrays({"encodings": z[index], "codes": codes, "used": used})


def in_use(chosen: torch.Tensor) -> torch.Tensor:
    """Test whether some point chooses each code: [seeds, points] to [seeds, CODES]."""
    seen = torch.zeros(len(chosen), CODES, dtype=torch.bool, device=chosen.device)
    return seen.scatter_(1, chosen, torch.ones_like(chosen, dtype=torch.bool))


class Leaves:
    """The tensors that a gradient can move: z and its code, shape [2, 1], and the decoder's weight.

    Args:
        settings: the settings.
    """

    def __init__(self, settings: Settings) -> None:
        device, dtype = device_and_dtype(settings)
        z = torch.tensor([[settings.z1], [settings.z2]], dtype=torch.float64)
        picked, _ = nearest(z[None], torch.tensor([FIXED], dtype=torch.float64))
        self.z, self.code = (one.to(device, dtype).requires_grad_() for one in (z, picked[0]))
        self.weight = torch.tensor(WEIGHT, dtype=dtype, device=device).requires_grad_()
        self.point = torch.tensor(POINT, dtype=dtype, device=device).reshape(2, 1)

    @one_op("decode")
    def decode(self, code: torch.Tensor) -> torch.Tensor:
        """A point, shape [2, 1]."""
        return self.weight * code

    def losses(self, program: Program, beta: float, wiring: str) -> Losses:
        """The three losses, each with its weight, no dimensions."""
        return program(self.z, self.code, self.decode, self.point, beta, wiring)

    def gradients(self, losses: Losses) -> torch.Tensor:
        """Each loss's gradient for z, the code and the weight in a row, shape [3, 5]."""
        leaves = [self.z, self.code, self.weight]
        return torch.stack([joined(gradients(one, leaves, retain_graph=True)) for one in losses])

    def intended(self, beta: float) -> torch.Tensor:
        """The gradients that the paper intends, by hand, shape [3, 5]."""
        z, code, weight = (one.detach() for one in (self.z, self.code, self.weight))
        none, nothing = torch.zeros_like(z), torch.zeros_like(weight)
        off = weight * code - self.point
        rows = (
            (weight * off, none, (off * code).sum()),
            (none, code - z, nothing),
            (beta * (z - code), none, nothing),
        )
        return torch.stack([joined(row) for row in rows])


def no_stops(
    z: torch.Tensor,
    code: torch.Tensor,
    decode: Callable[[torch.Tensor], torch.Tensor],
    x: torch.Tensor,
    beta: float,
    wiring: str,
) -> Losses:
    """The three losses with nothing stopped: the decoder gets the code."""
    weights = (beta, 1.0) if wiring == "swapped" else (1.0, beta)
    apart = squared_error(z, code)
    return squared_error(decode(code), x), weights[0] * apart, weights[1] * apart


def by_role(program: Program, leaves: Leaves, settings: Settings) -> dict[str, torch.Tensor]:
    """The gradients of the three losses for z, code and weight, shape [3, 5].

    Returns:
        trick_gradient: of the program. true_gradient: with nothing stopped. intended_gradient: by
        the paper's formula.
    """
    beta, wiring = settings.beta, settings.wiring
    return {
        "trick_gradient": leaves.gradients(leaves.losses(program, beta, wiring)),
        "true_gradient": leaves.gradients(leaves.losses(no_stops, beta, wiring)),
        "intended_gradient": leaves.intended(beta),
    }


def compute(program: Program, settings: Settings) -> Result:
    """One point's gradients by loss and role, and what the networks are before the first step."""
    leaves = Leaves(settings)
    roles = by_role(program, leaves, settings)
    rows = [row for row, part in enumerate(PARTS) if settings.part in (part, "all")]
    forward = joined([leaves.z, leaves.code, leaves.weight]).detach()
    series = components({"forward": forward, **{r: y[rows].sum(0) for r, y in roles.items()}})
    _, codebook, _ = leaves.losses(inspect.unwrap(program), 1.0, "paper")
    return Result(
        series=series,
        facts={
            "codes": CODES,
            "paper": PAPER,
            "codebook_loss": float(codebook.detach()),
            **{
                f"{part}_to_{name}": float(row[where].double().norm())
                for part, row in zip(PARTS, roles["trick_gradient"], strict=True)
                for name, where in MOVED.items()
            },
        },
        planes={"codes": np.array(FIXED)},
        work=two_networks(settings),
    )


def start(settings: Settings) -> Start:
    """The graph of the one point's losses."""
    leaves = Leaves(settings)
    arguments = {
        "decode": leaves.decode,
        "x": leaves.point,
        "beta": settings.beta,
        "wiring": settings.wiring,
    }

    def finish(losses: Losses) -> torch.Tensor:
        if settings.part == "all":
            return losses[0] + losses[1] + losses[2]
        return losses[PARTS.index(settings.part)]

    given = {"z": leaves.z, "code": leaves.code}
    return Start(given, arguments, (0, 0), finish, {"x": leaves.point, "weight": leaves.weight})


ARMS = {
    "trick": ("trick_gradient", WORDS("yours")),
    "paper": ("intended_gradient", WORDS("papers")),
}

LOWEST_POWER = -12
"""The lowest power of ten that is drawn."""

DRAWN_SHARE = 0.4
"""The share of a gradient that its arrow shows: two arrows towards each other don't overlap."""


def table(history: History, settings: Settings) -> Table:
    """Means over the seeds, lowest and highest seed, of both arms."""
    measures = {
        "error": WORDS("error_row"),
        "apart": WORDS("apart_row"),
        "used": WORDS("codes_in_use"),
    }
    paper = "intended_gradient", WORDS("as_in_paper")
    return arms_table(history, measures, ARMS | {"paper": paper})


def _plane(history: History, settings: Settings) -> Figure:
    """One seed's encodings as points, its codes as diamonds, those in no use as crosses."""
    picture = history.latest.picture
    z, codes, used = picture["encodings"], picture["codes"], picture["used"] > 0.5
    side = round_up([z, codes], 0.5)
    layout = plane((-side, side), (-side, side), WORDS("first_number"), WORDS("second_number"))
    diamonds = crowd(
        WORDS("used_code"), codes[0, used], codes[1, used], "role:trick_gradient", "diamond", 11
    )
    crosses = crowd(
        WORDS("unused_code"), codes[0, ~used], codes[1, ~used], "ink:text", "x-thin-open", 10
    )
    crosses["marker"] |= {"line": {"width": 2}}
    return WORDS.chart(
        "plane",
        [crowd(WORDS("encoding"), z[0], z[1], "role:forward", "circle", 5), diamonds, crosses],
        layout,
        HIGHEST,
        seed=int(picture["seed"][0]),
        done=history.done,
        side=side,
        count=int(used.sum()),
        all=CODES,
    )


def _distances(history: History, settings: Settings) -> Figure:
    lines = lines_of(ARMS, "apart")
    layout = powers_axes(history, lines, WORDS("apart_axis"), LOWEST_POWER)
    return step_chart(WORDS, "apart", history, lines, layout)


def _errors(history: History, settings: Settings) -> Figure:
    lines = lines_of(ARMS, "error")
    layout = powers_axes(history, lines, WORDS("error_axis"), LOWEST_POWER)
    return step_chart(WORDS, "error", history, lines, layout)


def static_table(result: Result, settings: Settings) -> Table:
    """One row a component: its value, and what the loss in the arrows sends it, by role."""
    labels = {
        "forward": WORDS("value"),
        "true_gradient": WORDS("no_stop"),
        "trick_gradient": WORDS("yours"),
        "intended_gradient": WORDS("papers"),
    }
    names = ("z₁", "z₂", WORDS("code_1"), WORDS("code_2"), WORDS("decoder"))
    return component_table(result, labels, names, WORDS("static_table"), WORDS("part"), 4)


def _pulls(result: Result, settings: Settings) -> Figure:
    """The encoding, the codes, and where a step downhill takes the encoding and its code."""
    z, code = result["forward"].y[:2], result["forward"].y[2:4]
    codes = result.planes["codes"]
    side = round_up([codes, z], 1.0)
    layout = plane((-side, side), (-side, side), WORDS("first_number"), WORDS("second_number"))
    pull, off = -result["trick_gradient"].y, 0.07 * side
    traces: list[Trace] = [
        crowd(WORDS("code"), codes[:, 0], codes[:, 1], "ink:muted", "diamond", 9),
        thin([z[0], code[0]], [z[1], code[1]], ""),
        _arrow(z, DRAWN_SHARE * pull[:2]),
        _arrow(code, DRAWN_SHARE * pull[2:4]),
        dragged(_spot(z), "tip", z1="x", z2="y"),
        _spot(code, "diamond"),
        label("forward", "z", z[0], z[1] + off, "top center"),
        label("forward", WORDS("nearest_code"), code[0], code[1] - off, "bottom center"),
    ]
    return WORDS.chart(
        "pulls",
        traces,
        layout,
        HIGHEST,
        share=DRAWN_SHARE,
        pull_z=_moved(pull[:2], code - z),
        pull_code=_moved(pull[2:4], z - code),
        z=f"{number(z[0], 3)}, {number(z[1], 3)}",
        code=f"{number(code[0], 3)}, {number(code[1], 3)}",
    )


def _moved(by: Array, towards: Array) -> str:
    """Say whether a step brings one to the other, and how long the gradient is."""
    away = by @ towards < -1e-6 * np.hypot(*by) * np.hypot(*towards)
    length = brief(float(np.hypot(*by)), 1.0)
    return WORDS("pushed", length=length) if away else WORDS("pulled", length=length)


def _arrow(start: Array, by: Array) -> Trace:
    """From a place along a vector, its tip marked; nothing where the vector is 0."""
    x, y = np.stack([start, start + by], 1)
    return scatter("lines+markers", x, y, "pull") | {
        "line": {"color": "role:trick_gradient", "width": 3},
        "marker": heads("trick_gradient", [0, 13]),
        "visible": bool(by.any()),
        "hoverinfo": "skip",
    }


def _spot(place: Array, symbol: str = "") -> Trace:
    marker = mark(ROLES["forward"]) | {"size": 11}
    return scatter("markers", place[:1], place[1:]) | {
        "marker": marker | ({"symbol": symbol} if symbol else {}),
        "showlegend": False,
        "hoverinfo": "skip",
    }


LAB = Lab(
    words=WORDS,
    settings=Settings,
    compute=compute,
    charts=(_pulls,),
    table=static_table,
    start=start,
    training=Training(Trained, (_plane, _distances, _errors), table, cuts=True),
    direct_labels=True,
)


def moved_by_reconstruction(result: Result) -> str:
    """Grade which parts the reconstruction loss sends a gradient to."""
    moved = {one for one in MOVED if result.number(f"reconstruction_to_{one}") != 0}
    beliefs = {
        "all": {"encoder", "codes", "decoder"},
        "both": {"encoder", "decoder"},
        "codes": {"codes", "decoder"},
        "decoder": {"decoder"},
    }
    return next(key for key, expected in beliefs.items() if expected == moved)


def without_commitment(result: Result, program: Program = vq_losses) -> str:
    """Grade how far from their codes the encodings end, compared with the paper's training."""
    ends = numbers_at_end(LAB, program, seeds="4", steps="100", beta="0")
    share = ends["trick_apart"] / ends["paper_apart"]
    return nearest_factor(share, {"nearer": 0.1, "same": 1.0, "away": 10.0})


def where_they_meet() -> dict[str, float]:
    """Two numbers that descend the two losses: where the first one ends."""
    return {
        "meet": where_it_ends(Descent, 1000),
        "meet_adam": where_it_ends(Adam, 400),
        "meet_share": DISTANCE * SHARE / (1 + SHARE),
        "meet_middle": DISTANCE / 2,
        "meet_beta": DISTANCE * SHARE,
        "meet_far": DISTANCE / (1 + SHARE),
        "distance": DISTANCE,
        "weight": SHARE,
    }


def where_it_ends(optimizer: type[Descent], steps: int) -> float:
    """The place of the first number after so many steps."""
    a, b = (torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in (0.0, DISTANCE))
    descent = optimizer([a, b])
    for _ in range(steps):
        descent.step((a.detach() - b) ** 2 + SHARE * (a - b.detach()) ** 2, RATE)
    return float(a.detach())


LESSON = Lesson(
    program=vq_losses,
    lab=LAB,
    predictions={"reconstruction": moved_by_reconstruction, "commitment": without_commitment},
    highlight="z + stop_gradient(code - z)",
    facts=(where_they_meet,),
)
