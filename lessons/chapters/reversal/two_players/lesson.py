"""An extractor and a domain classifier share a feature and one loss."""

import torch
from torch.nn import functional

from lessons.chapters.reversal.shared_players.lab import examples, players_lab, weights
from lessons.contract.lesson import Lesson
from lessons.contract.result import Result
from lessons.gradient_tricks.tricks import flip_gradient
from lessons.kit.answers import which
from lessons.kit.gradients import gradients, joined


def two_players(
    w1: torch.Tensor, w2: torch.Tensor, x: torch.Tensor, domain: torch.Tensor, scale: float
) -> torch.Tensor:
    feature = x @ w1  # the extractor
    seen = flip_gradient(feature, scale)
    logit = seen @ w2  # the domain classifier
    return functional.binary_cross_entropy_with_logits(logit, domain)


def who_is_reversed(result: Result) -> str:
    """extractor, classifier, both or neither: whose gradient has turned against the plain one."""
    extractor, classifier = (
        result.number(f"{player}_factor") < 0 for player in ("extractor", "classifier")
    )
    return which(extractor=extractor, classifier=classifier)


def one_step(result: Result) -> str:
    """Grade what a step of each player alone does to the domain loss."""
    now, after_e, after_c = result.numbers(
        "loss_now", "loss_after_extractor", "loss_after_classifier"
    )
    if after_e > now:
        return "against" if after_c < now else "up"
    return "down" if after_c < now else "swapped"


CHANGES = {"loss": (10.0, 2.0), "both": (10.0, 0.2), "scale": (1.0, 20.0), "smaller": (1.0, 0.2)}
"""For each answer the factor on the domain loss, and λ; they were 1 and 2 before."""


def changed() -> dict[str, float]:
    """The factor of each change on each player's gradient."""

    def of_all(weight: float, scale: float) -> torch.Tensor:
        w1, w2 = (one.requires_grad_() for one in weights(20.0))
        x, domain = examples(1.2)
        return joined(gradients(weight * two_players(w1, w2, x, domain, scale), (w1, w2)))

    now = of_all(1.0, 2.0)
    found: dict[str, float] = {}
    for name, change in CHANGES.items():
        times = of_all(*change) / now
        found |= {f"{name}_extractor_times": float(times[:4].mean())}
        found |= {f"{name}_classifier_times": float(times[4:].mean())}
    return found | {"adam_times": under_adam()}


def under_adam() -> float:
    """The factor on Adam's first step when the loss is multiplied by ten."""

    def step(weight: float) -> float:
        w = torch.ones((), dtype=torch.float64, requires_grad=True)
        optimizer = torch.optim.Adam([w], lr=0.1)
        (weight * w**2).backward()
        optimizer.step()
        return 1 - float(w.detach())

    return step(CHANGES["both"][0]) / step(1.0)


def faster_classifier(result: Result) -> str:
    """Grade which change gives the classifier ten times its gradient and the extractor the same."""

    def distance(name: str) -> float:
        extractor, classifier = (
            result.number(f"{name}_{player}_times") for player in ("extractor", "classifier")
        )
        return abs(extractor - 1) + abs(classifier - 10)

    return min(CHANGES, key=distance)


LESSON = Lesson(
    program=two_players,
    lab=players_lab(),
    predictions={"who": who_is_reversed, "step": one_step, "transfer": faster_classifier},
    highlight="seen = flip_gradient(feature, scale)",
    facts=(changed,),
)
