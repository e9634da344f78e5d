"""An extractor and a domain classifier share a feature and one loss."""

import torch
from torch.nn import functional

from lessons.chapters.reversal.shared_players.lab import players_lab
from lessons.contract.lesson import Lesson
from lessons.contract.result import Result
from lessons.tricks import flip_gradient


def two_players(
    w1: torch.Tensor, w2: torch.Tensor, x: torch.Tensor, domain: torch.Tensor, scale: float
) -> torch.Tensor:
    feature = x @ w1  # the extractor
    seen = flip_gradient(feature, scale)
    logit = seen @ w2  # the domain classifier
    return functional.binary_cross_entropy_with_logits(logit, domain)


def who_is_reversed(result: Result) -> str:
    """extractor, classifier, both or nobody: whose gradient has turned against the plain one."""
    extractor, classifier = (
        float(result.facts[f"{player}_factor"]) < 0 for player in ("extractor", "classifier")
    )
    if extractor and classifier:
        return "both"
    if extractor:
        return "extractor"
    return "classifier" if classifier else "nobody"


def one_step(result: Result) -> str:
    """What a step of each player alone does to the domain loss."""
    now, after_e, after_c = (
        float(result.facts[f"loss_{when}"])
        for when in ("now", "after_extractor", "after_classifier")
    )
    if after_e > now:
        return "against" if after_c < now else "up"
    return "down" if after_c < now else "swapped"


LESSON = Lesson(
    program=two_players,
    lab=players_lab(),
    predictions={"who": who_is_reversed, "step": one_step},
    highlight="seen = flip_gradient(feature, scale)",
)
