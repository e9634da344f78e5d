"""The lab of the two players: λ, the domains' gap, the classifier's angle; who gets what."""

import math
from collections.abc import Iterator, Sequence

import numpy as np
import torch
from torch.nn import functional

from lessons.contract.devices import device_and_dtype
from lessons.contract.figure import HIGHEST, Figure, Table
from lessons.contract.lab import Lab, Start
from lessons.contract.result import Array, Result, Series
from lessons.contract.roles import ROLES
from lessons.contract.settings import slider
from lessons.contract.words import Words
from lessons.kit.arrows import heads
from lessons.kit.chart_pieces import Trace, dragged, plane, round_up, scatter, thin
from lessons.kit.components import component_figure, component_table
from lessons.kit.experiment import Experiment, Program, Roles, Trial
from lessons.kit.gradients import gradient
from lessons.kit.inputs import ComputedIn, array
from lessons.kit.line_names import NAMES, label
from lessons.kit.titles import brief

WORDS = Words(__file__)


SOURCE = ((-0.5, 0.5), (-0.1, -0.6), (0.4, 0.3))
TARGET = ((-0.4, -0.3), (0.2, 0.6), (0.5, -0.4))
EXTRACTOR = ((1.0, 0.3), (-0.2, 0.8))


def examples(gap: float) -> tuple[torch.Tensor, torch.Tensor]:
    """Inputs [n, 2] of both domains, their centres ``gap`` apart; domains [n], 0 or 1. float64."""
    shift = torch.tensor([gap / 2, 0.0], dtype=torch.float64)
    source, target = (torch.tensor(rows, dtype=torch.float64) for rows in (SOURCE, TARGET))
    domain = torch.cat([torch.zeros(len(source)), torch.ones(len(target))]).double()
    return torch.cat([source - shift, target + shift]), domain


def weights(turn: float) -> tuple[torch.Tensor, torch.Tensor]:
    """The extractor's weight [2, 2]; the classifier's [2], of length 1, at this angle in degrees.

    float64.
    """
    angle = torch.deg2rad(torch.tensor(turn, dtype=torch.float64))
    return torch.tensor(EXTRACTOR, dtype=torch.float64), torch.stack([angle.cos(), angle.sin()])


def domain_loss(
    w1: torch.Tensor, w2: torch.Tensor, x: torch.Tensor, domain: torch.Tensor, **_: object
) -> torch.Tensor:
    """The domain loss with nothing reversed."""
    return functional.binary_cross_entropy_with_logits(x @ w1 @ w2, domain)


def wanted(
    w1: torch.Tensor,
    w2: torch.Tensor,
    x: torch.Tensor,
    domain: torch.Tensor,
    scale: float,
    **_: str,
) -> tuple[torch.Tensor, torch.Tensor]:
    """The intended gradients of both players: −scale times the gradient, and the gradient."""
    feature = x @ w1
    miss = (torch.sigmoid(feature @ w2) - domain) / len(x)
    return -scale * (x.T @ torch.outer(miss, w2)), feature.T @ miss


def at_features(program: Program, start: Start) -> torch.Tensor:
    """The gradient that leaves the reversal towards each example's feature, shape [n, 2].

    With the identity for an extractor the inputs are the features.
    """
    given = {name: leaf.detach() for name, leaf in start.leaves.items()}
    feature = (given["x"] @ given["w1"]).requires_grad_()
    moved = {"w1": torch.eye(2).to(feature), "x": feature}
    return gradient(Start({**given, **moved}, start.arguments).call(program), feature)


STEP = 0.5
"""The learning rate of the one step that the facts try."""

ARROW_LENGTH = 1.2
"""The drawn length of an arrow for an example's gradient of length 1."""


class Players(ComputedIn):
    scale = slider(2, -1, 3, 0.05, accepts=(-1000, 1000))
    gap = slider(1.2, 0, 3, accepts=(-100, 100))
    turn = slider(20, -180, 180, 1, accepts=(-360, 360))


WEIGHTS = ("w₁ 1,1", "w₁ 1,2", "w₁ 2,1", "w₁ 2,2", "w₂ 1", "w₂ 2")

LABELS = {
    "true_gradient": WORDS("no_reversal"),
    "trick_gradient": NAMES["trick_gradient"],
    "intended_gradient": WORDS("wanted"),
}

ENDS = ("from", "to")
"""An arrow's start and its tip, as the curves' names have them: `trick_gradient_to_x`."""

REACH = 1.0
"""The least reach of the feature plane's axes."""


def gradients(result: Result, settings: Players) -> Figure:
    """The weights' gradients."""
    extractor, classifier = (
        brief(result.number(f"{one}_factor"), 1.0) for one in ("extractor", "classifier")
    )
    return component_figure(
        WORDS,
        "gradient",
        result,
        LABELS,
        WEIGHTS,
        y="dL/dw",
        height=HIGHEST,
        extractor=extractor,
        classifier=classifier,
    )


def table(result: Result, settings: Players) -> Table:
    """One row a weight."""
    return component_table(result, LABELS, WEIGHTS, WORDS("table"))


def feature_plane(result: Result, settings: Players) -> Figure:
    """The features, and by role an arrow for each example; the last one is the classifier's."""
    curves = {series.name: series.y for series in result.curves}
    arrows = {
        role: [np.stack([curves[f"{role}_{end}_{axis}"] for axis in "xy"], 1) for end in ENDS]
        for role in ("true_gradient", "trick_gradient")
    }
    starts, _ = arrows["true_gradient"]
    features, tip = starts[:-1], starts[-1]
    domain = np.arange(len(features)) >= len(features) // 2
    reach = round_up([features, *(ends[:-1] for _, ends in arrows.values())], least=REACH)
    layout = plane((-reach, reach), (-reach, reach), WORDS("feature_1"), WORDS("feature_2"))
    across = np.array([-tip[1], tip[0]]) / math.hypot(*tip) * 2 * reach
    data: list[Trace] = [
        thin([-across[0], across[0]], [-across[1], across[1]], WORDS("boundary"), "solid", 1.5),
        dragged(
            thin([0.0, tip[0]], [0.0, tip[1]], WORDS("classifier"), "solid", 1.5),
            "line",
            turn="angle",
        ),
        # Dotted over solid: both show where they overlap.
        *(_arrow_lines(role, *arrows[role]) for role in reversed(list(arrows))),
        _points(WORDS("source"), features[~domain], "circle"),
        _points(WORDS("target"), features[domain], "square-open"),
        label("noise", "w₂", tip[0] / 2, tip[1] / 2, side="bottom center"),
    ]
    sizes = [f"{LABELS[role]} {float(np.abs(result[role].y).max()):.3g}" for role in LABELS]
    before, after = result.numbers("loss_now", "loss_after_extractor")
    return WORDS.chart(
        "plane",
        data,
        layout,
        HIGHEST,
        before=brief(before),
        after=brief(after),
        sizes=", ".join(sizes),
    )


def _arrow_lines(role: str, starts: Array, ends: Array) -> Trace:
    look = ROLES[role]
    gap = np.full_like(starts, np.nan)
    way = np.stack([starts, ends, gap], 1).reshape(-1, 2)
    trick = role == "trick_gradient"
    tips = 11 * (starts != ends).any(1)  # a step of length 0 has no head
    return scatter("lines+markers", way[:, 0], way[:, 1], LABELS[role]) | {
        "line": {"color": f"role:{role}", "dash": look.dash, "width": 3 if trick else 2},
        "marker": heads(role, np.outer(tips, [0, 1, 0]).ravel().tolist()),
        "hoverinfo": "skip",
    }


def _points(name: str, features: Array, symbol: str) -> Trace:
    return scatter("markers", features[:, 0], features[:, 1], name) | {
        "marker": {
            "color": "role:forward",
            "symbol": symbol,
            "size": 11,
            "line": {"color": "role:forward", "width": 2},
        },
        "hovertemplate": "%{x:.4g}, %{y:.4g}<extra>" + name + "</extra>",
    }


def players_lab(settings: type[Players] = Players, **compared: Sequence[str]) -> Lab[Players]:
    """The lab, with a lesson's own settings, which the program takes by name.

    Args:
        settings: the lesson's own come first.
        compared: a choice among them, with options for which the facts say who gets which part of
            the plain gradient: ``OPTION_extractor`` and ``OPTION_classifier``.
    """
    shared = {one.name for one in Players.parameters} - {"scale"}
    names = [one.name for one in settings.parameters if one.name not in shared]

    def run(settings: Players) -> Start:
        tensors = (*weights(settings.turn), *examples(settings.gap))
        w1, w2, x, domain = (tensor.to(*device_and_dtype(settings)) for tensor in tensors)
        leaves = {"w1": w1.requires_grad_(), "w2": w2.requires_grad_(), "x": x, "domain": domain}
        return Start(leaves, {name: settings[name] for name in names}, (0, 0))

    def measured(trial: Trial[Players]) -> dict[str, float]:
        return _shares(trial.roles) | _one_step(trial.start, trial.roles)

    def of_options(trial: Trial[Players]) -> dict[str, float]:
        """For each option, the factor along the plain gradient that each player gets."""
        facts = {}
        for choice, option in ((choice, one) for choice, all in compared.items() for one in all):
            roles = experiment.by_role(trial.program, trial.start.with_(**{choice: option}))
            shares = _shares(roles)
            for player in ("extractor", "classifier"):
                facts[f"{option}_{player}"] = shares[f"{player}_factor"]
        return facts

    experiment = Experiment(
        run,
        plain=domain_loss,
        intended=wanted,
        curves=_arrows,
        facts=(measured, of_options),
        work=lambda settings: WORDS("work"),
    )
    charts = (feature_plane, gradients)
    return experiment.lab(WORDS, settings, table, charts, direct_labels=True)


def _arrows(trial: Trial[Players]) -> Iterator[Series]:
    """Start and tip of each arrow: one for each example, the last for the classifier's weight."""
    x = trial.leaf("x")
    starts = array(torch.cat([x @ trial.leaf("w1"), trial.leaf("w2")[None]]))
    places = np.arange(1.0, len(starts) + 1)
    for role, program in (("true_gradient", domain_loss), ("trick_gradient", trial.program)):
        slope = array(at_features(program, trial.start))
        # The loss is a mean over the examples; an arrow shows the example's own part.
        steps = np.concatenate([slope * len(x), array(trial.roles[role][-2:])[None]])
        for end, points in zip(ENDS, (starts, starts - ARROW_LENGTH * steps), strict=True):
            for axis, along in zip("xy", points.T, strict=True):
                yield Series(f"{role}_{end}_{axis}", role, places, along)


def _shares(roles: Roles) -> dict[str, float]:
    """Each player's gradient beside the plain one: the factor along it, and both first numbers."""
    plainly, trick = roles["true_gradient"].double(), roles["trick_gradient"].double()
    facts: dict[str, float] = {"loss": float(roles["forward"])}
    for player, part in (("extractor", slice(0, 4)), ("classifier", slice(4, 6))):
        size = float(plainly[part].norm())
        along = float(trick[part] @ plainly[part]) / size**2 if size else float("nan")
        facts |= {
            f"{player}_factor": along + 0.0,
            f"{player}_plain_first": float(plainly[part][0]),
            f"{player}_first": float(trick[part][0]),
        }
    return facts


def _one_step(start: Start, roles: Roles) -> dict[str, float]:
    """The plain domain loss now, and after a step of one player alone."""
    w1, w2, x, domain = (leaf.detach() for leaf in start.leaves.values())
    trick = roles["trick_gradient"]
    moved1, moved2 = w1 - STEP * trick[:4].reshape(2, 2), w2 - STEP * trick[4:]
    return {
        "step": STEP,
        "loss_now": float(domain_loss(w1, w2, x, domain)),
        "loss_after_extractor": float(domain_loss(moved1, w2, x, domain)),
        "loss_after_classifier": float(domain_loss(w1, moved2, x, domain)),
    }
