"""Self-supervised features that collapse, and the stop on the target branch.

Small encoders learn features without labels. An input is eight numbers; a view of it is the same
with noise added. Features are compared by their direction alone, as in SimSiam (Chen and He, 2020,
arXiv 2011.10566). Smaller than there, and without its batch normalisation. All seeds are one batch.
"""

import inspect
import math
from collections.abc import Callable

import numpy as np
import torch
from torch.nn import ReLU, Sequential

from lessons.contract.devices import device_and_dtype
from lessons.contract.figure import TALL, Figure, Table
from lessons.contract.history import History
from lessons.contract.lab import Lab, Start
from lessons.contract.lesson import Lesson
from lessons.contract.result import Result
from lessons.contract.roles import GRADIENTS
from lessons.contract.settings import choice
from lessons.contract.training import Training
from lessons.contract.words import Words
from lessons.gradient_tricks.text import number
from lessons.gradient_tricks.tricks import stop_gradient
from lessons.gradient_tricks.tricks.as_one import one_op
from lessons.kit.answers import nearest_factor
from lessons.kit.chart_pieces import annotation, axes, fitted, marked, points, spoken
from lessons.kit.components import component_table
from lessons.kit.experiment import Experiment, Program, components
from lessons.kit.gradients import gradient
from lessons.kit.inputs import ComputedInFloat32, golden
from lessons.kit.line_names import NAMES
from lessons.kit.titles import brief
from lessons.training import settings as training
from lessons.training.by_seed import TwoArms
from lessons.training.settings import two_networks
from lessons.training.stacked import Draws, Linear
from lessons.training.step_charts import (
    Lines,
    arms_table,
    final_means,
    line,
    lines_of,
    logarithmic,
    powers_of_ten,
    series_of,
    step_axes,
    step_chart,
)
from lessons.training.under_way import numbers_at_end

WORDS = Words(__file__)

INPUTS = 8
FEATURES = 8
HIDDEN = 32
PREDICTOR_HIDDEN = 16
POINTS = 128

NOISE = 0.3
"""The size of the noise in a view."""

INNER = 6
"""Units between the predictor's two layers."""

FULL = 1 / math.sqrt(FEATURES)
"""The largest spread there can be: features of length 1 have a variance of at most 1 in all."""

ROUNDING = 1e-7
"""The rounding of a cosine similarity in float32: nearer to 1 it is not known."""

PENALTY = 1e-6
"""On the linear head's squared weights, so that features without any spread can be solved for."""

Predictor = Callable[[torch.Tensor], torch.Tensor]


@one_op("cosine")
def cosine(one: torch.Tensor, two: torch.Tensor) -> torch.Tensor:
    """Cosine similarity of columns: [..., features, points] twice to their mean, [...]."""
    return torch.nn.functional.cosine_similarity(one, two, dim=-2).mean(-1)


def no_predictor(features: torch.Tensor) -> torch.Tensor:
    """The features as they are, in place of a prediction."""
    return features


def siamese(one: torch.Tensor, two: torch.Tensor, predictor: Predictor, stop: bool) -> torch.Tensor:
    target_one = stop_gradient(one) if stop else one
    target_two = stop_gradient(two) if stop else two
    first = cosine(predictor(one), target_two)
    second = cosine(predictor(two), target_one)
    return -0.5 * (first + second)


class Settings(ComputedInFloat32):
    target = choice("stopped", "open", in_run="steps")
    head = choice("network", "none", in_run="steps")
    seeds = training.seeds(8, 16)
    steps = training.steps(300, 2000)
    rate = training.rate(0.01, (0.001, 0.05), 0.001)
    seed = training.first_seed()


class Networks(torch.nn.Module):
    """Encoder and predictor of every seed; ``features`` are the encoder's."""

    def __init__(self, draws: Draws) -> None:
        super().__init__()
        self.features = two_layers(INPUTS, HIDDEN, FEATURES, draws)
        self._predict = two_layers(FEATURES, PREDICTOR_HIDDEN, FEATURES, draws)

    @one_op("predictor")
    def predictor(self, features: torch.Tensor) -> torch.Tensor:
        """Predict the other view's features from one view's, [seeds, FEATURES, points]."""
        found: torch.Tensor = self._predict(features)
        return found


def two_layers(inputs: int, hidden: int, outputs: int, draws: Draws) -> Sequential:
    """Two linear layers with a relu between them."""
    return Sequential(Linear(inputs, hidden, draws), ReLU(), Linear(hidden, outputs, draws))


class Pairs(TwoArms[Networks, Settings]):
    """Every seed's networks in two arms, with the same views; ``plain`` has no stop."""

    def begin(self, settings: Settings) -> Networks:
        self.x = self.draws.normal(INPUTS, POINTS).to(self.like)
        self._kept = self._noise()
        return Networks(self.draws)

    def step(self, done: int, settings: Settings) -> None:
        """One update of both arms on all inputs, with two fresh views of each."""
        self._fresh = self._noise()
        super().step(done, settings)

    def loss(self, name: str, done: int, settings: Settings) -> torch.Tensor:
        stop = name == "trick" and settings.target == "stopped"
        return self._loss(self.programs[name], self.arms[name], self._fresh, stop, settings)

    def numbers(self, settings: Settings) -> dict[str, torch.Tensor]:
        """Loss at two kept views, and what is `measured`, of each arm; float64 on the CPU, [seeds].

        ``…_above``: how far the loss is above −1, at least what rounding leaves of that.
        """
        found = {}
        for name, arm in self.arms.items():
            loss = self._loss(self.programs["plain"], arm, self._kept, False, settings)
            features = arm.features(self.x).to("cpu", torch.float64)
            found[f"{name}_loss"] = loss.to("cpu", torch.float64)
            found[f"{name}_above"] = (1 + found[f"{name}_loss"]).clamp(min=ROUNDING)
            found |= {f"{name}_{what}": one for what, one in measured(features, self.x).items()}
        return found

    def _noise(self) -> torch.Tensor:
        """The noise in two views of every input, standard normal: [seeds, 2, INPUTS, POINTS]."""
        return self.draws.normal(2, INPUTS, POINTS).to(self.like)

    def _loss(
        self, program: Program, arm: Networks, noise: torch.Tensor, stop: bool, settings: Settings
    ) -> torch.Tensor:
        views = (arm.features(self.x + NOISE * one) for one in noise.unbind(1))
        predictor = arm.predictor if settings.head == "network" else no_predictor
        loss: torch.Tensor = program(*views, predictor=predictor, stop=stop)
        return loss


def scaled(features: torch.Tensor) -> torch.Tensor:
    """Each column with length 1; 0 stays 0."""
    unit: torch.Tensor = torch.nn.functional.normalize(features, dim=-2)
    return unit


def measured(features: torch.Tensor, x: torch.Tensor) -> dict[str, torch.Tensor]:
    """Measurements of the features that don't use the loss.

    Args:
        features: [seeds, FEATURES, points], float64.
        x: the inputs they are of, [seeds, INPUTS, points].

    Returns:
        spread: standard deviation over the inputs, of features of length 1, mean over the
        features. accuracy: of a linear head that reads from them the sign of an input's numbers.
        [seeds].
    """
    known = features.isfinite().all(-1).all(-1)
    unit = scaled(features.nan_to_num(0.0, 0.0, 0.0))
    found = {
        "spread": unit.std(-1, unbiased=False).mean(-1),
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


def views() -> tuple[torch.Tensor, torch.Tensor]:
    """The features of two views of one input, float64, [FEATURES, 1] each."""
    one, apart = (2 * golden(first, FEATURES, 1) - 1 for first in (1, 1 + FEATURES))
    return one, one + apart


class FixedPredictor:
    """Two layers without biases, of fixed numbers; one op, as in training.

    The numbers follow a formula, so that the file to take home has the same.

    Args:
        like: where and in what it computes.
    """

    def __init__(self, like: torch.Tensor) -> None:
        first = 1 + 2 * FEATURES
        self.inner = (2 * golden(first, INNER, FEATURES) - 1).to(like)
        self.outer = (2 * golden(first + INNER * FEATURES, FEATURES, INNER) - 1).to(like)
        self.predictor = one_op("predictor")(self._predict)  # its only operand: the features

    def _predict(self, features: torch.Tensor) -> torch.Tensor:
        """Predict features from features, both of shape [FEATURES, 1]."""
        return self.outer @ torch.relu(self.inner @ features)

    def back(self, features: torch.Tensor, upstream: torch.Tensor) -> torch.Tensor:
        """The gradient at its input, layer by layer by hand."""
        return self.inner.T @ ((self.outer.T @ upstream) * (self.inner @ features > 0))


def one_pair(settings: Settings) -> Start:
    """The loss of one pair of views, the predictor one op."""
    one, two = (view.to(*device_and_dtype(settings)).requires_grad_() for view in views())
    predictor = (
        FixedPredictor(one.detach()).predictor if settings.head == "network" else no_predictor
    )
    arguments = {"predictor": predictor, "stop": settings.target == "stopped"}
    return Start({"one": one, "two": two}, arguments, (0, 0))


def through_the_prediction(one: torch.Tensor, predictor: Predictor, **_: object) -> torch.Tensor:
    """The gradient at the first view with the targets held still, by formula."""
    like, (one, two) = one, views()
    if predictor is no_predictor:
        return (-of_cosine(one, two) / 2).to(like)
    fixed = FixedPredictor(one)
    return (-fixed.back(one, of_cosine(fixed.predictor(one), two)) / 2).to(like)


def of_cosine(one: torch.Tensor, two: torch.Tensor) -> torch.Tensor:
    """The formula of the cosine similarity's gradient with respect to ``one``; [FEATURES, 1]."""
    along, other = one / one.norm(), two / two.norm()
    slope: torch.Tensor = (other - (along * other).sum() * along) / one.norm()
    return slope


EXPERIMENT = Experiment(
    one_pair, lambda **given: siamese(**{**given, "stop": False}), through_the_prediction
)


def kept_without_predictor(program: Program) -> float:
    """The part of the gradient that a stop leaves where there is no predictor, by length."""
    one, two = views()
    slopes = []
    for stop in (True, False):
        leaf = one.clone().requires_grad_()
        slopes.append(gradient(program(leaf, two, no_predictor, stop), leaf))
    return float(slopes[0].norm() / slopes[1].norm())


def compute(program: Program, settings: Settings) -> Result:
    """The gradients by role at the features of one pair's first view."""
    start = EXPERIMENT.run(settings)
    roles = {**EXPERIMENT.by_role(program, start), "forward": start.leaves["one"].detach()}
    series = components({role: y.flatten()[:FEATURES] for role, y in roles.items()})
    return Result(
        series=series,
        curves=series,
        facts={
            "full": FULL,
            # What is cut in the graph does not change it.
            "kept": kept_without_predictor(inspect.unwrap(program)),
            "kept_half": 0.5,
            "kept_all": 1.0,
            "kept_nothing": 0.0,
        },
        work=two_networks(settings),
    )


def _arms(settings: Settings) -> Lines:
    """The network as set and the one to compare it with."""
    own = WORDS("with_stop") if settings.target == "stopped" else WORDS("as_set")
    return {"trick": ("trick_gradient", own), "plain": ("true_gradient", WORDS("no_stop"))}


def table(history: History, settings: Settings) -> Table:
    """Both networks as they stand: mean over the seeds, lowest and highest seed."""
    measures = {
        "loss": WORDS("loss"),
        "spread": WORDS("spread"),
        "accuracy": WORDS("accuracy"),
    }
    return arms_table(history, measures, _arms(settings), 4)


def _losses(history: History, settings: Settings) -> Figure:
    # Over powers of ten of how far it is above −1: two losses near −1 are two lines.
    lines = lines_of(_arms(settings), "above")
    least = min(math.floor(powers_of_ten(one.low for one in series_of(history, lines))[0]), -2)
    layout = logarithmic(step_axes(history, (float(least), math.log10(2)), WORDS("loss")))
    powers = range(least, 1)
    marked(
        layout["yaxis"],
        [10.0**power for power in powers],
        [f"−{1 - 10.0**power:.{-power}f}" if power else "0" for power in powers],
    )
    layout["margin"] |= {"l": 72}
    found = final_means(history, lines_of(_arms(settings), "loss"), 4)
    return step_chart(WORDS, "loss", history, lines, layout, found=found)


def _spreads(history: History, settings: Settings) -> Figure:
    layout = step_axes(history, (0.0, 0.4), WORDS("spread_axis"))
    name, full, ends = WORDS("largest"), number(FULL, 3), np.array([0.0, float(history.total)])
    where = {"xanchor": "left", "yanchor": "bottom"}
    layout["annotations"] = [annotation(0, FULL, f"{name}: {full}", **where)]
    largest = line(name, ends, np.full(2, FULL), "ink:muted", "dash", 1.5)
    lines = lines_of(_arms(settings), "spread")
    return step_chart(WORDS, "spread", history, lines, layout, below=[largest], full=full)


def _gradient(result: Result, settings: Settings) -> Figure:
    """The gradient at the features of one view, at fixed numbers."""
    heights = fitted([1.15 * result[role].y for role in GRADIENTS])
    layout = axes((0.0, FEATURES + 1.0), heights, WORDS("feature"), WORDS("gradient"))
    layout["xaxis"]["dtick"] = 1
    came, true = (math.hypot(*result[role].y) for role in GRADIENTS[:2])
    return WORDS.chart(
        "gradient",
        [points(result[role]) for role in GRADIENTS],
        layout,
        TALL,
        came=brief(came, true),
        true=brief(true, came),
        numbers=spoken(result, GRADIENTS),
    )


def static_table(result: Result, settings: Settings) -> Table:
    """Feature by feature: value and gradients."""
    labels = {"forward": WORDS("value"), "trick_gradient": NAMES["trick_gradient"]}
    labels |= {"true_gradient": WORDS("no_stop"), "intended_gradient": NAMES["intended_gradient"]}
    names = [str(index + 1) for index in range(len(result["forward"].x))]
    return component_table(result, labels, names, WORDS("static_table"), WORDS("feature"), 4)


LAB = Lab(
    words=WORDS,
    settings=Settings,
    compute=compute,
    charts=(_gradient,),
    table=static_table,
    start=one_pair,
    training=Training(Pairs, (_losses, _spreads), table, cuts=True),
)


def whose_loss_is_lower(result: Result, program: Callable[..., torch.Tensor] = siamese) -> str:
    """Grade how far from −1 the loss ends with the stop, compared with training without it."""
    ends = numbers_at_end(LAB, program, seeds="4", steps="100")
    share = (1 + ends["trick_loss"]) / (1 + ends["plain_loss"])
    return nearest_factor(share, {"stopped": 0.1, "same": 1.0, "open": 10.0})


def changed_by_a_detach() -> dict[str, float]:
    """The change that a detach on the target makes to the gradient of a student's weights.

    By the source of the target: a ``teacher`` with weights of its own, equal ones, or the
    ``student`` itself. Largest entry, float64.
    """
    generator = torch.Generator().manual_seed(0)
    weight, inner, x, e = (
        torch.randn(shape, dtype=torch.float64, generator=generator)
        for shape in ((4, 3), (4, 4), (3, 16), (3, 16))
    )
    found = {}
    for name in ("teacher", "student"):
        student = weight.clone().requires_grad_()
        source = weight.clone().requires_grad_() if name == "teacher" else student
        slopes = []
        for detached in (False, True):
            target = torch.tanh(source @ (x + e))
            loss = -cosine(inner @ torch.tanh(student @ x), target.detach() if detached else target)
            slopes.append(torch.autograd.grad(loss, student)[0])
        found[f"changed_{name}"] = float((slopes[0] - slopes[1]).abs().max())
    return found


def what_a_detach_changes(result: Result) -> str:
    """Grade whether the student's gradient changes when a teacher's output is detached."""
    teacher, student = result.numbers("changed_teacher", "changed_student")
    return "collapse" if teacher > 0.5 * student else "half" if teacher > 1e-9 else "nothing"


LESSON = Lesson(
    program=siamese,
    lab=LAB,
    predictions={"loss": whose_loss_is_lower, "transfer": what_a_detach_changes},
    highlight="stop_gradient(two)",
    facts=(changed_by_a_detach,),
)
