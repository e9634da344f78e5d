"""The actor's loss reads the critic's value: without a stop it trains the critic as well."""

import torch

from lessons.chapters.in_the_wild.critic_leak.lab import LAB
from lessons.contract.lesson import Lesson
from lessons.tricks import stop_gradient


def critic_leak(
    v: torch.Tensor, logit: torch.Tensor, reward: float, weight: float, stop: str
) -> torch.Tensor:
    log_p = torch.nn.functional.logsigmoid(logit)  # of the action taken
    advantage = reward - v
    scale = stop_gradient(advantage) if stop == "yes" else advantage
    actor = -log_p * scale
    critic = weight * advantage**2 / 2
    return actor + critic


LESSON = Lesson(
    program=critic_leak,
    lab=LAB,
    highlight="scale = stop_gradient(advantage)",
)
