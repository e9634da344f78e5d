"""One step's gradient from two micro-batches, under each way to average over tokens."""

import torch

from lessons.contract.lesson import Lesson
from lessons.contract.settings import choice, slider, whole
from lessons.contract.sketch import Sketch
from lessons.contract.words import Words
from lessons.gradient_tricks.tricks import clip_gradient
from lessons.kit.curve_lab import Curve, Run, curve_lab
from lessons.kit.inputs import AlongX, inputs, point_in_text

WORDS = Words(__file__)

TOKENS = 8
"""Tokens of both micro-batches together, those that are masked included."""
TARGETS = 3.0, -1.0
"""The weight that each token of the first micro-batch asks for, and each of the second."""


class Settings(AlongX):
    tokens = whole(4, 1, TOKENS - 1)
    masked = whole(0, 0, TOKENS - 2)
    divide = choice("means", "total", "positions")
    clip = choice("none", "each", "last")
    limit = slider(0.5, 0, 3, 0.1, accepts=(0, 1e6))
    x = inputs("-1, 0.5, 2")
    point = point_in_text(2)


def counted(tokens: int, masked: int) -> tuple[int, int]:
    """The tokens of each micro-batch that train; of the second, one at least does."""
    return tokens, max(TOKENS - tokens - masked, 1)


def accumulated(
    x: torch.Tensor, tokens: int, masked: int, divide: str, clip: str, limit: float
) -> torch.Tensor:
    if clip != "none":  # after the last backward(): x.grad holds the sum
        x = clip_gradient(x, -limit, limit)
    # After the first backward(), x.grad holds the first micro-batch's gradient alone.
    first = clip_gradient(x, -limit, limit) if clip == "each" else x
    counts = counted(tokens, masked)
    losses = []
    for weight, target, count in zip((first, x), TARGETS, counts, strict=True):
        summed = count * ((weight - target) ** 2 / 2)
        if divide == "means":
            losses.append(summed / (2 * count))
        elif divide == "total":
            losses.append(summed / sum(counts))
        else:
            losses.append(summed / TOKENS)
    return losses[0] + losses[1]  # each loss has its own backward(): .grad adds them up


def without_clip(x: torch.Tensor, **settings: float | str) -> torch.Tensor:
    """The same loss; its gradient is what autograd sends back without a clip."""
    return accumulated(x, **{**settings, "clip": "none"})  # type: ignore[arg-type]


def one_large_batch(
    x: torch.Tensor, tokens: int, masked: int, divide: str, clip: str, limit: float
) -> torch.Tensor:
    """The mean gradient of all tokens that train, clipped once if there is a clip."""
    counts = counted(tokens, masked)
    targets = [target for target, n in zip(TARGETS, counts, strict=True) for _ in range(n)]
    slope = torch.stack([x - target for target in targets]).mean(0)
    return slope if clip == "none" else slope.clamp(-limit, limit)


def beliefs(run: Run, settings: Settings) -> dict[str, float]:
    """The gradient of each way to divide, without a clip, and what it says of the weight."""
    ways = {
        way: run(divide=way, clip="none")["trick_gradient"]
        for way in ("means", "total", "positions")
    }
    first, second = counted(settings.tokens, settings.masked)
    x = float(run.x)
    return {
        **{f"of_{way}": came for way, came in ways.items()},
        "doubled": 2 * ways["means"],
        "means_end": x - ways["means"],
        "total_end": x - ways["total"],
        "clipped_each": run(clip="each")["trick_gradient"],
        "clipped_last": run(clip="last")["trick_gradient"],
        "batch": TOKENS,
        "first": first,
        "second": second,
        "trained": first + second,
        "times": second / first,
    }


def after_one_call(run: Run, settings: Settings) -> dict[str, float]:
    """What the first ``backward()`` alone leaves in ``.grad``, each loss its mean / 2."""
    x = run.x.detach().requires_grad_()
    losses = torch.stack([(x - TARGETS[0]) ** 2 / 2] * settings.tokens)
    torch.autograd.backward(losses.mean() / 2)
    assert x.grad is not None
    return {"after_first": float(x.grad)}


FROZEN = {"frozen_weight": 2.0, "frozen_rate": 0.1, "frozen_decay": 0.5, "frozen_grad": 3.0}


def frozen_late() -> dict[str, float]:
    """Where SGD leaves a weight that was frozen after backward(), and what beliefs expect."""
    weight, rate, decay, slope = FROZEN.values()
    w = torch.tensor(weight, dtype=torch.float64, requires_grad=True)
    torch.autograd.backward(slope * w)
    w.requires_grad_(False)
    torch.optim.SGD([w], lr=rate, weight_decay=decay).step()
    moved = weight - float(w)
    return {
        **FROZEN,
        "frozen_after": float(w),
        "frozen_decayed": weight - rate * decay * weight,
        "frozen_raised": weight + moved,
        "frozen_moved": moved,
        "frozen_change": -moved,
    }


CURVE = Curve(
    settings=Settings,
    plain=without_clip,
    intended=one_large_batch,
    words=WORDS,
    facts=(beliefs, after_one_call),
)

LESSON = Lesson(
    program=accumulated,
    lab=curve_lab(CURVE),
    sketches={"unequal": Sketch(x=(-1.5, -0.5, 0.5, 1.5, 2.0), near=0.3)},
    facts=(frozen_late,),
    highlight="losses.append(summed / sum(counts))",
)
