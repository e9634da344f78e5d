"""Accumulated gradients, against a loop over tokens with torch's own backward() and clip."""

import itertools
from functools import partial

import pytest
import torch
from torch.nn.functional import cross_entropy

from tests.support import course
from tests.support.present import present

run = partial(course.run, "accumulated")
WAYS = [*itertools.product(("means", "total", "positions"), ("none", "each", "last"), (1, 2, 6))]


@pytest.mark.parametrize(("divide", "clip", "tokens"), WAYS)
def test_each_way_gives_the_gradient_of_its_own_loop(divide: str, clip: str, tokens: int) -> None:
    x = torch.tensor([-1.0, 0.0, 2.0], dtype=torch.float64, requires_grad=True)
    micro_batches = torch.tensor([3.0] * tokens + [-1.0] * (7 - tokens)).split([tokens, 7 - tokens])
    for place, targets in enumerate(micro_batches):
        losses = (x[:, None] - targets) ** 2 / 2
        over = {"means": 2 * len(targets), "total": 7, "positions": 8}[divide]
        (losses.sum() / over).backward()
        if clip == "each" or (clip == "last" and place == 1):
            torch.nn.utils.clip_grad_value_(x, 0.4)
    result = run(x="-1,0,2", tokens=str(tokens), masked="1", divide=divide, clip=clip, limit="0.4")
    assert result["trick_gradient"].y == pytest.approx(present(x.grad).numpy())
    whole = (x.detach()[:, None] - torch.cat(micro_batches)).mean(1)
    wanted = whole if clip == "none" else whole.clamp(-0.4, 0.4)
    assert result["intended_gradient"].y == pytest.approx(wanted.numpy())


def test_cross_entropy_leaves_masked_labels_out_of_its_mean() -> None:
    logits = torch.randn(6, 4, generator=torch.Generator().manual_seed(0))
    labels = torch.tensor([1, -100, 2, -100, 0, 3])
    trained = labels != -100
    assert cross_entropy(logits, labels) == cross_entropy(logits[trained], labels[trained])
