"""Domain-adversarial training, watched as it runs.

The data are those of Ganin et al., JMLR 2016, figure 2: two interleaved moons, and as the target
domain the same turned about the middle. What is not in the paper: the larger of the two networks,
and Adam on all points in place of one example at a time.
"""

import math
from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt
import torch
from torch.nn import ReLU, Sequential, Sigmoid

from lessons.contract.devices import device_and_dtype
from lessons.contract.figure import HIGHEST, Figure, Table
from lessons.contract.history import History
from lessons.contract.lab import Start
from lessons.contract.lesson import Lesson
from lessons.contract.result import Array, Facts, Result
from lessons.contract.settings import choice, slider
from lessons.contract.training import Training
from lessons.contract.words import Words
from lessons.gradient_tricks.text import number
from lessons.gradient_tricks.tricks import flip_gradient
from lessons.gradient_tricks.tricks.as_one import one_op
from lessons.kit.answers import nearest_factor
from lessons.kit.chart_pieces import Trace, axes, scatter
from lessons.kit.components import component_table
from lessons.kit.experiment import Experiment
from lessons.kit.inputs import ComputedInFloat32, array, golden
from lessons.kit.line_names import NAMES, label
from lessons.training import settings as training
from lessons.training.by_seed import TwoArms
from lessons.training.contours import above, grid
from lessons.training.settings import two_networks
from lessons.training.stacked import Draws, Linear, Tanh, accuracy, cross_entropy, one_seed
from lessons.training.step_charts import arms_table, crowd, fact_or_nan, step_axes, step_chart
from lessons.training.under_way import numbers_at_end

WORDS = Words(__file__)

Head = Callable[..., torch.Tensor]


def adversarial(
    features: torch.Tensor,
    label_head: Head,
    domain_head: Head,
    labels: torch.Tensor,
    domains: torch.Tensor,
    scale: float,
    wiring: str,
) -> torch.Tensor:
    if wiring == "twice":  # the layer reverses, and λ comes in with a minus sign as well
        scale = -scale
    seen = flip_gradient(features, scale)
    label_loss = cross_entropy(label_head(features), labels, weight=1 - domains)
    return label_loss + cross_entropy(domain_head(seen), domains)


UNITS, HIDDEN = 8, 6
"""The one point's features, and the units between them and the domain head's logit."""


class Settings(ComputedInFloat32):
    scale = slider(1, 0, 6, 0.1, accepts=(0, 1e6), in_run="steps")
    angle = slider(35, 0, 180, 1, accepts=(-360, 360), advanced=True)
    wiring = choice("reversal", "twice", in_run="steps")
    network = choice("two_layers", "paper", advanced=True)
    schedule = choice("rising", "fixed", in_run="steps")
    shown = training.seed_drawn(40)
    seeds = training.seeds(20, 40)
    steps = training.steps(1000, 20000)
    rate = training.rate(0.02, (0.001, 0.1), 0.001)
    decay = choice("falling", "none", advanced=True, in_run="steps")
    seed = training.first_seed()


MOON = 150
"""Points of each moon in each domain, as in the paper."""

SOURCE = 2 * MOON
"""The first so many of the points are of the source domain, the others of the target domain."""

NOISE = 0.05
"""Standard deviation of the points about their moons."""

LABELS = torch.tensor([0.0, 1.0, 0.0, 1.0]).repeat_interleave(MOON)
"""The moon of each point."""

DOMAINS = torch.tensor([0.0, 1.0]).repeat_interleave(SOURCE)
"""The domain of each point."""

SIDE, UP = 3.7, 2.9
"""The plane's reach on each side of the middle, across and up."""

MARKS, GRID = grid(-SIDE, SIDE, 41)


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
    def domain_head(self, features: torch.Tensor) -> torch.Tensor:
        """The logit of the target domain, [seeds, 1, points]."""
        logit: torch.Tensor = self.domain(features)
        return logit


def scale_at(p: float, settings: Settings) -> float:
    """λ when the training has come this far: as set, or rising from 0 to it (Ganin et al.)."""
    full = settings.scale
    return full if settings.schedule == "fixed" else full * (2 / (1 + math.exp(-10 * p)) - 1)


class Moons(TwoArms[Networks, Settings]):
    """All seeds' networks in two arms: with the trick, and with λ = 0.

    On one thread: a second one for half of the seeds gained a twentieth on two cores, and where a
    browser draws beside it a run took half as long again.
    """

    other = "source_only"

    def begin(self, settings: Settings) -> Networks:
        self.points = points_of(self.draws, settings.angle).to(self.like)
        return Networks(settings.network, self.draws)

    def loss(self, name: str, done: int, settings: Settings) -> torch.Tensor:
        arm, alone = self.arms[name], name == self.other
        loss: torch.Tensor = self.programs[name](
            arm.features(self.points),
            label_head=arm.label_head,
            domain_head=arm.domain_head,
            labels=LABELS.to(self.points),
            domains=DOMAINS.to(self.points),
            scale=0.0 if alone else scale_at(done / settings.steps, settings),
            wiring="reversal" if alone else settings.wiring,
        )
        return loss

    def rate(self, done: int, settings: Settings) -> float:
        """The learning rate as set, or falling as in Ganin et al."""
        full, p = super().rate(done, settings), done / settings.steps
        return full if settings.decay == "none" else full / (1 + 10 * p) ** 0.75

    def numbers(self, settings: Settings) -> dict[str, torch.Tensor]:
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

    def picture(self, index: int, settings: Settings) -> dict[str, Array]:
        """One seed's points, which of them are called wrong, and the region of the second moon."""
        networks, points = one_seed(self.arms["trick"], index), self.points[index : index + 1]
        on_grid, on_points = (
            array(networks.label_head(networks.features(at)))
            for at in (torch.tensor(GRID[None]).to(points), points)
        )
        x, y = above(MARKS, on_grid.reshape(len(MARKS), -1))
        wrong = (on_points.ravel() > 0) != (array(LABELS) > 0)
        return {"points": array(points[0]), "wrong": 1.0 * wrong, "region_x": x, "region_y": y}


class FixedHeads:
    """A label head and a domain head of fixed numbers, no biases; each one op, as in training.

    Their numbers follow a formula, so that other frameworks can compute the same.

    Args:
        like: where and in what they compute.
    """

    def __init__(self, like: torch.Tensor) -> None:
        first = 1 + UNITS
        self.inner = (2 * golden(first, HIDDEN, UNITS) - 1).to(like)
        self.outer = (2 * golden(first + HIDDEN * UNITS, 1, HIDDEN) - 1).to(like)
        self.label = (2 * golden(first + HIDDEN * UNITS + HIDDEN, 1, UNITS) - 1).to(like)

    @one_op("label_head")
    def label_head(self, features: torch.Tensor) -> torch.Tensor:
        """The logit of the second moon, [1, 1, 1]."""
        return (self.label @ features).reshape(1, 1, 1)

    @one_op("domain_head")
    def domain_head(self, features: torch.Tensor) -> torch.Tensor:
        """The logit of the target domain, [1, 1, 1]."""
        return (self.outer @ torch.relu(self.inner @ features)).reshape(1, 1, 1)


def one_point(settings: Settings) -> Start:
    """The loss of one point of the target, its two heads one op each, λ at its full size."""
    features = (2 * golden(1, UNITS) - 1).to(*device_and_dtype(settings)).requires_grad_()
    heads = FixedHeads(features)
    ones = torch.ones_like(heads.label[0, :1])
    arguments = {
        "label_head": heads.label_head,
        "domain_head": heads.domain_head,
        "labels": 0 * ones,  # it counts for nothing
        "domains": ones,
        "scale": settings.scale,
        "wiring": settings.wiring,
    }
    weights = {"w_label": heads.label, "w_domain": heads.inner}
    for weight in weights.values():
        weight.requires_grad_()
    return Start({"features": features}, arguments, (0,), extra_leaves=weights)


@torch.no_grad()
def by_hand(features: torch.Tensor, scale: float, **_: object) -> torch.Tensor:
    """The intended gradient of the features: −λ times the domain loss's."""
    heads = FixedHeads(features)
    before = heads.inner @ features
    upstream = torch.sigmoid(heads.outer @ before.clamp(min=0)) - 1
    return -scale * (((upstream @ heads.outer) * (before > 0)) @ heads.inner)


EXPERIMENT = Experiment(
    one_point,
    # A reversal by −1 hands the gradient on as it is.
    lambda **given: adversarial(**{**given, "scale": -1.0, "wiring": "reversal"}),
    by_hand,
    value="features",
    work=two_networks,
)


def other_shares() -> dict[str, float]:
    """The last step's photos: the best accuracy on the target, and what each belief expects.

    Where features are equal, the label head calls as many sick in the target as in the source. It
    is right most often where those are the sick ones first.
    """
    source, target = 0.5, 0.1  # shares of sick photos
    sick, called = (torch.arange(100) < round(100 * share) for share in (target, source))
    return {
        "shares": float((sick == called).double().mean()),
        "shares_best": 1 - abs(source - target),
        "shares_all": 1.0,
        "shares_majority": 1 - target,
        "shares_half": 0.5,
    }


_AWAY = 99.0
"""The place of points of another kind: outside, so that each kind always has all of its points
and the browser can move them."""

# How the points look: the moon by the symbol, the domain by the colour.
_SYMBOLS = ("circle-open", "cross-thin-open")
_KINDS = {
    "source": ("noise", WORDS("source")),
    "target": ("forward", WORDS("target")),
    "wrong": ("trick_gradient", WORDS("wrong")),
}
"""The role that gives each kind of points its colour, and the name of the kind."""


ARMS = {
    "trick": ("trick_gradient", WORDS("as_wired")),
    "source_only": ("true_gradient", WORDS("source_only")),
}


def table(history: History, settings: Settings) -> Table:
    """Both trainings as they stand: mean over the seeds, lowest and highest."""
    measures = {
        "target": WORDS("target_accuracy"),
        "source": WORDS("source_accuracy"),
        "domain": WORDS("domain_accuracy"),
        "label_loss": WORDS("label_loss"),
        "domain_loss": WORDS("domain_loss"),
    }
    return arms_table(history, measures, ARMS)


def _plane(history: History, settings: Settings) -> Figure:
    picture, facts = history.latest.picture, history.facts
    region: Trace = scatter("lines", picture["region_x"], picture["region_y"]) | {
        "line": {"width": 0},
        "fill": "toself",
        "fillcolor": "ink:grid",
        "hoverinfo": "skip",
    }
    points = picture["points"]
    return WORDS.chart(
        "data",
        [region, *_crowds(points, picture["wrong"] > 0), *_named(points)],
        axes((-SIDE, SIDE), (-UP, UP), "x₁", "x₂"),
        HIGHEST,
        share=_percent(facts, "trick_target"),
        source_only=_percent(facts, "source_only_target"),
        seed=int(picture["seed"][0]),
        done=history.done,
    )


def _losses(history: History, settings: Settings) -> Figure:
    lines = {
        "trick_label_loss": ("forward", WORDS("label")),
        "source_only_domain_loss": ("true_gradient", WORDS("source_only")),
        "trick_domain_loss": ("trick_gradient", WORDS("domain")),
    }
    layout = step_axes(history, (0.0, 1.5), WORDS("loss"))
    label, domain = (
        number(fact_or_nan(history.facts, name), 2)
        for name in ("trick_label_loss", "trick_domain_loss")
    )
    return step_chart(WORDS, "losses", history, lines, layout, label=label, domain=domain)


def _accuracies(history: History, settings: Settings) -> Figure:
    lines = {
        "trick_domain": ("noise", WORDS("domain_head")),
        "source_only_target": ARMS["source_only"],
        "trick_target": ARMS["trick"],
    }
    layout = step_axes(history, (0.4, 1.02), WORDS("share_right"))
    alone, wired = (
        _percent(history.facts, name) for name in ("source_only_target", "trick_target")
    )
    return step_chart(WORDS, "accuracy", history, lines, layout, alone=alone, wired=wired)


def _crowds(places: Array, wrong: npt.NDArray[np.bool_]) -> Iterator[Trace]:
    """The points by kind, at places of shape [2, 600]; which of them are called wrong."""
    moons = np.split(np.arange(places.shape[1]), range(MOON, 2 * SOURCE, MOON))
    for kind, both in (("source", moons[:2]), ("target", moons[2:]), ("wrong", moons[2:])):
        role, called = _KINDS[kind]
        for symbol, moon in zip(_SYMBOLS, both, strict=True):
            seen = (kind == "source") | (wrong[moon] == (kind == "wrong"))
            x, y = np.where(seen, places[:, moon], _AWAY)
            yield crowd(called, x, y, f"role:{role}", symbol, 6)


def _named(places: Array) -> Iterator[Trace]:
    """The names of the domains, each beside the point that lies farthest out."""
    for kind, part in zip(("source", "target"), np.split(places, 2, axis=1), strict=True):
        top = kind == "target"
        x, y = part[:, part[1].argmax() if top else part[0].argmin()]
        role, called = _KINDS[kind]
        yield label(role, called, float(x), float(y), side="top center" if top else "middle left")


def static_table(result: Result, settings: Settings) -> Table:
    """The first units: feature and gradients."""
    labels = {"forward": WORDS("feature"), "trick_gradient": NAMES["trick_gradient"]}
    labels |= {"true_gradient": WORDS("no_trick"), "intended_gradient": NAMES["intended_gradient"]}
    names = [str(index + 1) for index in range(UNITS)]
    return component_table(result, labels, names, WORDS("static_table"), WORDS("unit"), 4)


def _percent(facts: Facts, name: str) -> str:
    return f"{fact_or_nan(facts, name):.0%}"


# What the gradient is at one point is seen in the graph and in the table.
LAB = EXPERIMENT.lab(
    WORDS,
    Settings,
    static_table,
    training=Training(Moons, (_plane, _losses, _accuracies), table, cuts=True),
)


def classifier(result: Result, program: Callable[..., torch.Tensor] = adversarial) -> str:
    """Grade where the domain head's accuracy ends, between its accuracy alone and always wrong."""
    ends = numbers_at_end(LAB, program, seeds="4", steps="200", wiring="reversal")
    beliefs = {"guess": 0.5, "alone": ends["source_only_domain"], "wrong": 0.0}
    return min(beliefs, key=lambda key: abs(beliefs[key] - ends["trick_domain"]))


def reversed_twice(result: Result, program: Callable[..., torch.Tensor] = adversarial) -> str:
    """Grade the domain loss with two minus signs, compared with training on the source alone."""
    ends = numbers_at_end(LAB, program, seeds="4", steps="200", wiring="twice")
    share = ends["trick_domain_loss"] / ends["source_only_domain_loss"]
    return nearest_factor(share, {"better": 0.75, "same": 1.0, "worse": 4.0})


LESSON = Lesson(
    program=adversarial,
    lab=LAB,
    predictions={"classifier": classifier, "twice": reversed_twice},
    facts=(other_shares,),
    highlight="flip_gradient(features, scale)",
)
