"""Noisy forward and clean backward as a layer, in the middle of a network.

Ten layers of 16 units with tanh between them learn sin(2x) from 64 points. As everywhere in a
training, all seeds are one batch.
"""

import copy
import math
from collections.abc import Callable, Iterable
from itertools import pairwise

import numpy as np
import torch
from torch.nn import ModuleList

from lessons.contract.devices import DTYPES
from lessons.contract.figure import HIGHEST, Figure, Table
from lessons.contract.history import History
from lessons.contract.lab import Lab, Start
from lessons.contract.lesson import Lesson
from lessons.contract.result import Note, Result
from lessons.contract.settings import choice, slider, whole
from lessons.contract.training import Training
from lessons.contract.words import Words
from lessons.gradient_tricks.text import number
from lessons.gradient_tricks.tricks import stop_gradient
from lessons.kit.answers import nearest_factor
from lessons.kit.chart_pieces import annotation, axes, points
from lessons.kit.components import component_table
from lessons.kit.gradients import gradient
from lessons.kit.inputs import ComputedInFloat32, array, golden, series_by_role
from lessons.kit.line_names import NAMES
from lessons.training import settings as training
from lessons.training.by_seed import TwoArms
from lessons.training.settings import two_networks
from lessons.training.stacked import Draws, Linear
from lessons.training.step_charts import (
    arms_table,
    banded,
    fact_or_nan,
    line,
    lines_of,
    logarithmic,
    over_seeds,
    powers_of_ten,
    step_axes,
    step_chart,
)
from lessons.training.under_way import numbers_at_end

WORDS = Words(__file__)

LAYERS = 10
WIDTH = 16
POINTS = 64

REACH = 3.0
"""The task is given on −REACH to REACH."""

GAIN = 1.7
"""Times the usual 1/√inputs: so the signal neither dies nor saturates on its way through."""

INPUTS, CHOSEN = 17, 12
"""Numbers that the layer is given where it stands alone, and the place of the one in the graph."""

# Seeds of the noise, so far from those of the weights that no two are the same: torch reads the
# lower 32 bits of a seed, and 2**33 + 1 would be 1 again.
KEPT_FROM, NOISE_FROM = 2**31, 2**30

DRAWS = 32
"""Draws of noise that gradients are measured with."""

LOOKED_AT = 4
"""Draws of noise that a loss is told over."""

MEASUREMENTS = 25
"""The number of times a whole run measures the gradients' noise, which costs more than a step."""

Draw = Callable[[torch.Tensor], torch.Tensor]

Program = Callable[..., torch.nn.Module]
"""The lesson's: strength, whether the backward is clean, and where the noise comes from."""


class NoiseLayer(torch.nn.Module):
    """Times u ~ U(1 − s, 1 + s) on the way forward; on the way back as if it were not there."""

    def __init__(
        self, strength: float, clean_backward: bool = True, draw: Draw = torch.rand_like
    ) -> None:
        super().__init__()
        self.strength, self.clean_backward, self.draw = strength, clean_backward, draw

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if not self.training:  # net.eval() turns the noise off
            return x
        u = 1 - self.strength + 2 * self.strength * self.draw(x)
        noisy = x * u
        added = noisy - x
        return x + (stop_gradient(added) if self.clean_backward else added)


class Settings(ComputedInFloat32):
    place = whole(4, 1, 9, in_run="steps")
    strength = slider(0.9, 0, 2, accepts=(0, 1000), in_run="steps")
    seeds = whole(8, 1, 16)
    steps = training.steps(400, 20000)
    rate = training.rate(0.003, (0.0005, 0.02), 0.0005)
    layer = choice("clean", "plain", in_run="looks")
    seed = training.first_seed()


def long_network(
    layers: Iterable[torch.nn.Module], noise: torch.nn.Module, place: int
) -> torch.nn.Sequential:
    """Layers with tanh between them, the noise after the layer with this number, 1 the first."""
    parts: list[torch.nn.Module] = []
    for at, layer in enumerate(layers, start=1):
        parts.append(layer)
        if at < LAYERS:
            parts.append(torch.nn.Tanh())
        if at == place:
            parts.append(noise)
    return torch.nn.Sequential(*parts)


def layers_of(draws: Draws) -> torch.nn.ModuleList:
    """The layers of each seed's network at first."""
    widths = [1, *[WIDTH] * (LAYERS - 1), 1]
    layers = torch.nn.ModuleList(Linear(*pair, draws) for pair in pairwise(widths))
    for weight in layers.parameters():
        weight.data *= GAIN
    return layers


def inputs() -> tuple[torch.Tensor, torch.Tensor]:
    """The task: x and sin(2x), float64, shape [1, 1, POINTS]."""
    x = torch.linspace(-REACH, REACH, POINTS, dtype=torch.float64).reshape(1, 1, -1)
    return x, torch.sin(2 * x)


class Long(TwoArms[ModuleList, Settings]):
    """Every seed's network in two arms, with the same noise.

    The arm ``trick`` has the clean backward, the arm ``plain`` has not; both have the noise layer
    as it is cut.
    """

    def begin(self, settings: Settings) -> ModuleList:
        x, target = (part.to(self.like) for part in inputs())
        self.x, self.target = x.expand(len(self.seeds), -1, -1), target
        self._fresh = Draws(NOISE_FROM + seed for seed in self.seeds)
        kept = Draws(KEPT_FROM + seed for seed in self.seeds)
        self.kept = kept.uniform(DRAWS, WIDTH, POINTS).to(self.like)
        self._done = 0
        self._measured = (-1, 0, 0.0)
        return layers_of(self.draws)

    def step(self, done: int, settings: Settings) -> None:
        """One update of both arms on all points, with one fresh draw of noise for both."""
        if done % max(1, settings.steps // MEASUREMENTS) == 0:
            self._measure(settings)
        self._draw = self._fresh.uniform(WIDTH, POINTS).to(self.like)
        super().step(done, settings)
        self._done = done + 1
        if self._done == settings.steps:
            self._measure(settings)

    def loss(self, name: str, done: int, settings: Settings) -> torch.Tensor:
        output = self._network(name, settings, self._draw)(self.x)
        loss: torch.Tensor = (output - self.target).square().mean((1, 2))
        return loss

    def numbers(self, settings: Settings) -> dict[str, torch.Tensor]:
        """Losses, sizes before the noise, and each layer's noise as last measured; [seeds]."""
        if self._measured[1:] != (settings.place, settings.strength):
            self._measure(settings)
        return self._losses(settings) | self._noise

    def _measure(self, settings: Settings) -> None:
        measured = self._done, settings.place, settings.strength
        if self._measured != measured:
            self._noise, self._measured = self.gradient_noise(settings), measured

    def _noise_layer(self, name: str, settings: Settings, draw: torch.Tensor) -> torch.nn.Module:
        """The noise layer of one arm, which takes this draw."""
        program: Program = self.programs["trick"]
        return program(settings.strength, name == "trick", lambda x: draw)

    def _network(self, name: str, settings: Settings, draw: torch.Tensor) -> torch.nn.Sequential:
        layer = self._noise_layer(name, settings, draw)
        return long_network(self.arms[name], layer, settings.place)

    def _losses(self, settings: Settings) -> dict[str, torch.Tensor]:
        x = self.x.repeat(1, 1, LOOKED_AT)  # the draws side by side, as more points
        draw = self.kept[:, :LOOKED_AT].transpose(1, 2).flatten(2)
        target = self.target.repeat(1, 1, LOOKED_AT)
        found: dict[str, torch.Tensor] = {}
        for name in self.arms:
            network = self._network(name, settings, draw)
            noisy = network(x)
            before = network[: 2 * settings.place](self.x)  # a layer and a tanh each
            found |= {
                f"{name}_loss": (noisy - target).square().mean((1, 2)),
                f"{name}_size": before.square().mean((1, 2)).sqrt(),
            }
        return found

    @torch.enable_grad()
    def gradient_noise(self, settings: Settings) -> dict[str, torch.Tensor]:
        """The variance of each layer's weight gradient over the noise, against its mean.

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
            for name, layers in self._gradients(settings).items()
        }
        place = settings.place
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

    def _gradients(self, settings: Settings) -> dict[str, list[torch.Tensor]]:
        """Each layer's weight gradient for every draw, by arm; shape [seeds, draws, entries].

        Each draw has a network of its own, to get its own gradient.
        """
        seeds, count = self.kept.shape[:2]

        def spread(one: torch.Tensor) -> torch.Tensor:
            return one.detach().unsqueeze(1).expand(-1, count, -1, -1).flatten(0, 1)

        layers = copy.deepcopy(self.arms["trick"])
        for weight in layers.parameters():
            weight.data = spread(weight)
        draw, place = self.kept.flatten(0, 1), settings.place
        network = long_network(layers, torch.nn.Identity(), place)
        weights = [weight for name, weight in layers.named_parameters() if "weight" in name]
        entering = network[: 2 * place](spread(self.x))
        noisy = {name: self._noise_layer(name, settings, draw)(entering) for name in self.arms}
        # Either backward leaves the output as it is, and so everything after it.
        leaving = noisy["trick"].detach().requires_grad_()
        loss = (network[2 * place + 1 :](leaving) - self.target).square().mean((1, 2))
        upstream, *behind = torch.autograd.grad(loss.sum(), [leaving, *weights[place:]])
        found = {}
        for name, output in noisy.items():
            before = [torch.zeros_like(one) for one in weights[:place]]  # where every edge is cut
            if output.requires_grad:
                heard = (output * upstream).sum()  # as grad_outputs it would load torch's compiler
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
    """The factor of noise that the clean backward removes: a geometric mean over layers, [seeds].

    Args:
        trick, plain: relative variances, shape [layers, seeds]. A layer with a 0, which has no
            noise or is cut off from the loss, has no ratio and counts as 1.
    """
    still = (trick == 0) | (plain == 0)
    return torch.where(still, 0.0, (plain / trick).log()).mean(0).exp()


def by_itself(settings: Settings) -> Start:
    """The layer by itself, a tanh after it, its noise fixed."""
    dtype = DTYPES[settings.dtype]
    x = torch.linspace(-2, 2, INPUTS, dtype=torch.float64).to(dtype).requires_grad_()
    drawn = golden(1, INPUTS).to(dtype)
    arguments = {
        "strength": settings.strength,
        "clean_backward": settings.layer == "clean",
        "draw": lambda _: drawn,
    }
    return Start({"x": x}, arguments, (CHOSEN,), torch.tanh, {"drawn": drawn})


def by_role(program: Program, start: Start) -> dict[str, torch.Tensor]:
    """The layer's output, and the gradient of a tanh after it.

    The true gradient is of the same program without the clean backward: what is cut, is cut there
    as well, as in both arms of the training. The intended one is the upstream gradient alone.
    """
    x, strength, draw = start.leaves["x"], start.arguments["strength"], start.arguments["draw"]
    clean, plain = (start.with_(clean_backward=one) for one in (True, False))
    noisy = x.detach() * (1 + strength * (2 * draw(x) - 1))
    return {
        "forward": clean.call(program).detach(),
        "trick_gradient": gradient(clean.finish(clean.call(program)), x),
        "true_gradient": gradient(plain.finish(plain.call(program)), x),
        "intended_gradient": 1 - torch.tanh(noisy) ** 2,
    }


ARMS = {"plain": ("true_gradient", WORDS("no_trick")), "trick": ("trick_gradient", WORDS("clean"))}

_LOSSES = (-3.0, 0.5)
_POWERS = 11  # of ten on an axis: more, and no curve has a shape


def table(history: History, settings: Settings) -> Table:
    """The relative variance of each layer's gradient: mean over the seeds, lowest and highest."""
    measures = {f"noise_{layer}": str(layer) for layer in range(1, LAYERS + 1)}
    place = settings.place
    measures[f"noise_{place}"] = WORDS("then_noise", layer=place)
    what = WORDS("table", done=history.done)
    return arms_table(history, measures, ARMS, what=what, called=WORDS("layer"))


def _noise_by_layer(history: History, settings: Settings) -> Figure:
    """The relative variance of each layer's gradient, and where the noise comes in."""
    numbers, facts = history.latest.numbers, history.facts
    x = np.arange(1.0, 1 + LAYERS)
    seeds = []
    for arm, (role, _) in ARMS.items():
        layers = np.array([numbers[f"{arm}_noise_{layer}"] for layer in range(1, 1 + LAYERS)])
        seeds.append(over_seeds(x, np.where(layers > 0, layers, np.nan), role))  # no log of 0
    place = settings.place
    low, high = powers_of_ten(part for one in seeds for part in (one.y, one.low, one.high))
    top = min(math.ceil(high), 3)
    decades = float(max(math.floor(low), top - _POWERS)), top + 0.5
    layout = logarithmic(
        axes((0.5, LAYERS + 0.5), decades, WORDS("layer"), WORDS("relative_variance"))
    )
    layout["xaxis"] |= {"dtick": 1}
    after_layer = np.full(2, place + 0.5)
    side, shift = ("left", 5) if place < LAYERS / 2 else ("right", -5)
    where = {"xanchor": side, "yanchor": "top", "xshift": shift}
    layout["annotations"] = [annotation(place + 0.5, decades[1], WORDS("noise"), **where)]
    first = [fact_or_nan(facts, f"{arm}_noise_1") for arm in ARMS]
    plain, trick = (number(one, 2) if all(map(math.isfinite, first)) else None for one in first)
    return WORDS.chart(
        "noise",
        [
            line(WORDS("noise"), after_layer, 10.0 ** np.array(decades), "role:noise", "solid", 5),
            *banded(seeds, [called for _, called in ARMS.values()], layout),
            *(points(one) | {"hovertemplate": WORDS("layer_hover")} for one in seeds),
        ],
        layout,
        HIGHEST,
        plain=plain,
        trick=trick,
        draws=DRAWS,
        done=history.done,
        place=place,
    )


def _losses(history: History, settings: Settings) -> Figure:
    layout = logarithmic(step_axes(history, _LOSSES, WORDS("loss_axis")))
    return step_chart(WORDS, "loss", history, lines_of(ARMS, "loss"), layout)


def _sizes(history: History, settings: Settings) -> Figure:
    layout = step_axes(history, (0.0, 1.0), WORDS("size_axis", place=settings.place))
    return step_chart(WORDS, "size", history, lines_of(ARMS, "size"), layout)


def static_table(result: Result, settings: Settings) -> Table:
    """Inputs, outputs and gradients of the layer by itself."""
    roles = ("true_gradient", "trick_gradient", "intended_gradient")
    labels = {"forward": WORDS("output"), **{role: NAMES[role] for role in roles}}
    names = [number(float(x), 3) for x in result["forward"].x]
    caption = WORDS("static_table")
    return component_table(result, labels, names, caption, "x", 4)


TRAINING = Training(Long, (_noise_by_layer, _losses, _sizes), table, cuts=True)


def compute(program: Program, settings: Settings) -> Result:
    """Compute the part that needs no training: the layer by itself, and the untrained networks."""
    start = by_itself(settings)
    roles = by_role(program, start)
    series = series_by_role(array(start.leaves["x"]), roles)
    before = TRAINING.facts_at_first(program, settings)
    return Result(
        series=series,
        curves=series,
        facts={
            "layers": LAYERS,
            # Under names that no run takes over: what the text says of the start stays.
            **{f"{n}_at_first": one for n, one in before.items() if n.startswith("quieter")},
        },
        notes=() if settings.strength else (Note("info", WORDS("no_noise")),),
        work=two_networks(settings),
    )


def seconds(settings: Settings) -> float:
    """About how long the gradients' noise takes to measure, for each seed and each of its draws."""
    each = 2e-4 if settings.dtype == "float64" else 1e-4
    return 0.01 + float(settings.seeds * (0.001 + each * DRAWS))


LAB = Lab(
    words=WORDS,
    settings=Settings,
    compute=compute,
    # What the layer by itself hands back is seen in the graph and in the table.
    table=static_table,
    seconds=seconds,
    start=by_itself,
    training=TRAINING,
)


def quieter_where(result: Result, program: Program = NoiseLayer) -> str:
    """On which side of the layer the clean backward takes a third of the variance or more."""
    start = TRAINING.facts_at_first(program, Settings.read({"seeds": "4"}))
    sides = (float(start["quieter"]) > 1.5, float(start["quieter_behind"]) > 1.5)
    beliefs = {(True, True): "all", (True, False): "before", (False, True): "after"}
    return beliefs.get(sides, "none")


def how_it_ends(result: Result, program: Program = NoiseLayer) -> str:
    """The loss with the clean backward, against the loss without it."""
    ends = numbers_at_end(LAB, program, seeds="4", steps="100", place="9")
    share = ends["trick_loss"] / ends["plain_loss"]
    return nearest_factor(share, {"lower": 0.7, "same": 1.0, "higher": 1.4})


def changed_by_a_stop() -> dict[str, float]:
    """The share of the gradient that a clean backward changes, for noise in three sizes."""
    x = torch.linspace(-2, 2, 9, dtype=torch.float64, requires_grad=True)
    n = torch.linspace(-0.5, 1, 9, dtype=torch.float64)
    sorts = {"a": x + 0.1 * n, "b": x * (1 + 0.1 * n), "c": x + 0.1 * x.abs().mean() * n}
    found = {}
    for name, noisy in sorts.items():
        clean = x + stop_gradient(noisy - x)
        slopes = [torch.autograd.grad(torch.tanh(y).sum(), x)[0] for y in (noisy, clean)]
        found[f"changed_{name}"] = float((slopes[0] - slopes[1]).abs().max())
    return found


def which_noise_it_changes(result: Result) -> str:
    """For which of the three sorts of noise the clean backward is another gradient."""
    names = {"b": "product", "bc": "size", "abc": "every", "ac": "sums"}
    return names["".join(name for name in "abc" if result.number(f"changed_{name}") > 1e-9)]


LESSON = Lesson(
    program=NoiseLayer,
    lab=LAB,
    predictions={
        "where": quieter_where,
        "loss": how_it_ends,
        "transfer": which_noise_it_changes,
    },
    highlight="stop_gradient(added)",
    facts=(changed_by_a_stop,),
)
