"""Domain-adversarial training, watched as it runs."""

import math
from collections.abc import Callable

import torch

from lessons.chapters.reversal.moons.lab import LAB
from lessons.chapters.reversal.moons.net import Head
from lessons.contract.lesson import Lesson
from lessons.contract.result import Result
from lessons.training.stacked import cross_entropy
from lessons.training.under_way import numbers_at_end
from lessons.tricks import flip_gradient, stop_gradient


def adversarial(
    features: torch.Tensor,
    label_head: Head,
    domain_head: Head,
    labels: torch.Tensor,
    domains: torch.Tensor,
    scale: float,
    scale_at_start: float,
    wiring: str,
) -> torch.Tensor:
    match wiring:
        case "reversal":
            seen = flip_gradient(features, scale)
        case "twice":  # the layer reverses, and λ comes in with a minus sign as well
            seen = flip_gradient(features, -scale)
        case "lost":  # the layer keeps the λ it was built with
            seen = flip_gradient(features, scale_at_start)
        case "labels":  # no layer, see below
            seen = stop_gradient(features)
        case _:  # "never": its backward is never called; "subtract": see below
            seen = features
    label_loss = cross_entropy(label_head(features), labels, weight=1 - domains)
    domain_loss = cross_entropy(domain_head(seen), domains)
    if wiring == "subtract":  # a minus sign before the loss
        return label_loss - scale * domain_loss
    if wiring == "labels":  # the extractor is given the labels the wrong way round
        fooled = cross_entropy(domain_head(features, frozen=True), 1 - domains)
        return label_loss + domain_loss + scale * fooled
    return label_loss + domain_loss


def classifier(result: Result, program: Callable[..., torch.Tensor] = adversarial) -> str:
    """Where the domain head's accuracy ends, between what it is alone and always wrong."""
    ends = numbers_at_end(LAB, program, seeds="4", steps="200", wiring="reversal")
    beliefs = {"guess": 0.5, "alone": ends["source_only_domain"], "wrong": 0.0}
    return min(beliefs, key=lambda key: abs(beliefs[key] - ends["trick_domain"]))


def reversed_twice(result: Result, program: Callable[..., torch.Tensor] = adversarial) -> str:
    """What two minus signs make of the domain loss, compared with training on the source alone."""
    ends = numbers_at_end(LAB, program, seeds="4", steps="200", wiring="twice")
    share = ends["trick_domain_loss"] / ends["source_only_domain_loss"]
    beliefs = {"better": 0.75, "same": 1.0, "worse": 4.0}
    return min(beliefs, key=lambda key: abs(math.log(share / beliefs[key])))


LESSON = Lesson(
    program=adversarial,
    lab=LAB,
    predictions={"classifier": classifier, "twice": reversed_twice},
    highlight="flip_gradient(features, scale)",
)
