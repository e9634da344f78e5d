"""The lab of the two players: λ, the domains' gap, the classifier's angle; who gets what."""

from collections.abc import Mapping, Sequence

import numpy as np
import torch

from lessons.chapters.reversal.shared_players.figures import ENDS, feature_plane, gradients, table
from lessons.chapters.reversal.shared_players.game import (
    at_features,
    domain_loss,
    examples,
    wanted,
    weights,
)
from lessons.contract.devices import device_and_dtype
from lessons.contract.lab import Lab, Start
from lessons.contract.result import Array, Result, Series
from lessons.contract.settings import slider
from lessons.contract.words import Words
from lessons.kit.experiment import Experiment, Program, Roles, components
from lessons.kit.inputs import ComputedIn, array

WORDS = Words(__file__)

STEP = 0.5
"""The learning rate of the one step that the facts try."""

DRAWN = 1.2
"""The drawn length of an arrow for an example's gradient of length 1."""


class Players(ComputedIn):
    scale = slider(2, -1, 3, 0.05, accepts=(-1000, 1000))
    gap = slider(1.2, 0, 3, accepts=(-100, 100))
    turn = slider(20, -180, 180, 1, accepts=(-360, 360))


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

    experiment = Experiment(run, plain=domain_loss, intended=wanted)

    def compute(program: Program, settings: Players) -> Result:
        start = run(settings)
        roles, at_one = (experiment.by_role(program, one) for one in (start, start.but(scale=1.0)))
        arrows = _arrows(program, start, roles)
        return Result(
            series=components(roles),
            curves=tuple(
                Series(f"{role}_{end}_{axis}", role, place_of, points[:, column])
                for role, both in arrows.items()
                for end, points in zip(ENDS, both, strict=True)
                for column, axis in enumerate("xy")
                for place_of in [np.arange(1.0, len(points) + 1)]
            ),
            facts={
                **_shares(roles),
                **_one_step(start, roles),
                **{f"{n}_at_one": loss for n, loss in _one_step(start, at_one).items()},
            },
            more_facts=[lambda: _compared(program, experiment, start, compared)],
            work=WORDS("work"),
        )

    return Lab(
        WORDS,
        settings,
        compute,
        table,
        (feature_plane, gradients),
        start=run,
        direct_labels=True,
    )


def _arrows(program: Program, start: Start, roles: Roles) -> dict[str, tuple[Array, Array]]:
    """By role where each arrow starts and ends: one an example, the classifier's weight last."""
    w1, w2, x, _ = (leaf.detach() for leaf in start.leaves.values())
    programs = {"true_gradient": domain_loss, "trick_gradient": program}
    slopes = {role: at_features(one, start) for role, one in programs.items()}
    starts = array(torch.cat([x @ w1, w2[None]]))
    found = {}
    for role, slope in slopes.items():
        # The loss is a mean over the examples; an arrow shows the example's own part.
        steps = np.concatenate([array(slope) * len(x), array(roles[role][-2:])[None]])
        found[role] = (starts, starts - DRAWN * steps)
    return found


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


def _compared(
    program: Program,
    experiment: Experiment[Players],
    start: Start,
    compared: Mapping[str, Sequence[str]],
) -> dict[str, float]:
    """For each option, the factor along the plain gradient that each player gets."""
    facts = {}
    for choice, option in (
        (choice, one) for choice, options in compared.items() for one in options
    ):
        roles = experiment.by_role(program, start.but(**{choice: option}))
        shares = _shares(roles)
        for player in ("extractor", "classifier"):
            facts[f"{option}_{player}"] = shares[f"{player}_factor"]
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
