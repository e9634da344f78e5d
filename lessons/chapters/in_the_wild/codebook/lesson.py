"""VQ-VAE: which of its losses moves encoder, codes and decoder."""

import math
from collections.abc import Callable
from functools import lru_cache

import torch

from lessons.chapters.in_the_wild.codebook.lab import LAB
from lessons.chapters.in_the_wild.codebook.net import Losses, Program, squared_error
from lessons.contract.lesson import Lesson
from lessons.contract.result import Result
from lessons.training.under_way import numbers_at_end
from lessons.tricks import stop_gradient

APART, SHARE, RATE = 4.0, 0.25, 0.05
"""Two numbers that pull at each other in the last question: how far apart, β, learning rate."""


def vq_losses(
    z: torch.Tensor,
    code: torch.Tensor,
    decode: Callable[[torch.Tensor], torch.Tensor],
    x: torch.Tensor,
    beta: float,
    wiring: str,
) -> Losses:
    passed = z + stop_gradient(code - z)
    if wiring == "direct":
        passed = code
    reconstruction = squared_error(decode(passed), x)
    compared = passed if wiring == "output" else code
    codebook = squared_error(stop_gradient(z), compared)
    commitment = squared_error(z, stop_gradient(code))
    if wiring == "swapped":
        return reconstruction, beta * codebook, commitment
    return reconstruction, codebook, beta * commitment


def moved_by_reconstruction(result: Result) -> str:
    """Which parts the reconstruction loss sends a gradient to."""
    parts = ("encoder", "codes", "decoder")
    moved = {one for one in parts if float(result.facts[f"reconstruction_to_{one}"]) != 0}
    beliefs = {
        "all": {"encoder", "codes", "decoder"},
        "both": {"encoder", "decoder"},
        "codes": {"codes", "decoder"},
        "decoder": {"decoder"},
    }
    return next(key for key, expected in beliefs.items() if expected == moved)


def without_commitment(result: Result, program: Program = vq_losses) -> str:
    """Where the encodings end, as seen from their codes, against training as in the paper."""
    ends = numbers_at_end(LAB, program, seeds="4", steps="100", beta="0")
    share = ends["trick_apart"] / ends["paper_apart"]
    beliefs = {"nearer": 0.1, "same": 1.0, "away": 10.0}
    return min(beliefs, key=lambda key: abs(math.log(share / beliefs[key])))


@lru_cache(maxsize=1)
def where_they_meet() -> dict[str, float]:
    """Two numbers that descend the two losses: where the first one ends."""
    a = torch.tensor(0.0, dtype=torch.float64, requires_grad=True)
    b = torch.tensor(APART, dtype=torch.float64, requires_grad=True)
    for _ in range(1000):
        loss = (a.detach() - b) ** 2 + SHARE * (a - b.detach()) ** 2
        slopes = torch.autograd.grad(loss, (a, b))
        with torch.no_grad():
            for one, slope in zip((a, b), slopes, strict=True):
                one -= RATE * slope
    return {
        "meet": float(a.detach()),
        "meet_adam": where_adam_takes_them(),
        "meet_share": APART * SHARE / (1 + SHARE),
        "meet_middle": APART / 2,
        "meet_beta": APART * SHARE,
        "meet_far": APART / (1 + SHARE),
        "distance": APART,
        "weight": SHARE,
    }


def where_adam_takes_them() -> float:
    """Where the same two numbers end with Adam."""
    a = torch.tensor(0.0, dtype=torch.float64, requires_grad=True)
    b = torch.tensor(APART, dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.Adam([a, b], lr=RATE)
    for _ in range(400):
        optimizer.zero_grad()
        ((a.detach() - b) ** 2 + SHARE * (a - b.detach()) ** 2).backward()
        optimizer.step()
    return float(a.detach())


LESSON = Lesson(
    program=vq_losses,
    lab=LAB,
    predictions={"reconstruction": moved_by_reconstruction, "commitment": without_commitment},
    highlight="z + stop_gradient(code - z)",
    elsewhere=where_they_meet,
)
