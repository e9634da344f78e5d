"""Ways to write a reversal, from real threads, and who gets which gradient."""

import torch
from torch.nn import functional

from lessons.chapters.reversal.shared_players.lab import Players, players_lab
from lessons.contract.lesson import Lesson
from lessons.contract.parameters import Choice
from lessons.contract.result import Result
from lessons.contract.settings import declared
from lessons.contract.words import Words
from lessons.gradient_tricks.tricks import flip_gradient
from lessons.kit.answers import which

WORDS = Words(__file__)


class Reversal(torch.nn.Module):
    """A reversal as in the thread of bug.py; is ``backward`` ever called?"""

    def __init__(self, scale: float) -> None:
        super().__init__()
        self.scale = scale

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x

    def backward(self, upstream: torch.Tensor) -> torch.Tensor:
        return -self.scale * upstream


def wrong_ways(
    w1: torch.Tensor,
    w2: torch.Tensor,
    x: torch.Tensor,
    domain: torch.Tensor,
    scale: float,
    way: str,
) -> torch.Tensor:
    def loss(feature: torch.Tensor, w2: torch.Tensor, domain: torch.Tensor) -> torch.Tensor:
        return functional.binary_cross_entropy_with_logits(feature @ w2, domain)

    feature = x @ w1
    if way == "twice":
        feature = flip_gradient(flip_gradient(feature, scale), scale)
    elif way == "module":
        feature = Reversal(scale)(feature)
    elif way == "left_out":
        feature = flip_gradient(feature)  # λ is 1 by default
    elif way == "subtract":
        return -scale * loss(feature, w2, domain)
    elif way == "apart":  # as with an optimiser for each player
        return loss(feature.detach(), w2, domain) - scale * loss(feature, w2.detach(), domain)
    elif way == "labels":  # only the extractor is trained on the other domain's label
        fooled = loss(feature, w2.detach(), 1 - domain)
        return loss(feature.detach(), w2, domain) + scale * fooled
    else:
        feature = flip_gradient(feature, scale)
    return loss(feature, w2, domain)


_WAYS = ("layer", "module", "twice", "left_out", "subtract", "apart", "labels")


class Settings(Players):
    way = declared(WORDS.label(Choice("way", "module", names=_WAYS)))


def subtracted(result: Result) -> str:
    """Grade who gets −λ times the gradient when the loss is subtracted."""
    extractor, classifier = (
        result.number(f"subtract_{player}") < 0 for player in ("extractor", "classifier")
    )
    return which(extractor=extractor, classifier=classifier)


def hooked() -> dict[str, float]:
    """The gradient of a feature with two heads, through a hook, and the number of each answer."""
    feature = torch.tensor(1.0, requires_grad=True)
    feature.register_hook(lambda upstream: -2.0 * upstream)
    label_part, domain_part = 3.0, 5.0
    (found,) = torch.autograd.grad(label_part * feature + domain_part * feature, feature)
    return {
        "label_part": label_part,
        "domain_head": domain_part,
        "hook_came": float(found),
        "domain_part": label_part - 2.0 * domain_part,
        "both_parts": -2.0 * (label_part + domain_part),
        "plain": label_part + domain_part,
        "label_stopped": -2.0 * domain_part,
    }


LESSON = Lesson(
    program=wrong_ways,
    lab=players_lab(Settings, way=_WAYS),
    predictions={"subtract": subtracted},
    highlight="feature = flip_gradient(feature, scale)",
    facts=(hooked,),
)
