"""The actor's loss reads the critic's value: without a stop it trains the critic as well."""

import torch

from lessons.chapters.in_the_wild.critic_leak.lab import LAB
from lessons.contract.lesson import Lesson
from lessons.contract.result import Result
from lessons.kit.answers import nearest
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


def leak(result: Result) -> str:
    """Which gradient the actor's loss alone sends to the value."""
    beliefs = {"zero": "example_none", "log_p": "example_log_p", "error": "example_error"}
    return nearest(result, "example_leak", beliefs)


def settle(result: Result) -> str:
    """Where the value settles when both losses are added."""
    names = ("example_mean", "example_best", "example_plus")
    return nearest(result, "example_settled", names)


def actor(result: Result) -> str:
    """What a value that is too high leaves of the actor's gradient, on average over visits."""
    beliefs = {"turned": "visit_leaked", "zero": "example_none", "same": "step_right"}
    return nearest(result, "step_leaked", beliefs)


def guess(result: Result) -> str:
    """Which gradient the guess gets, when the reward that is computed from it has no stop."""
    names = ("guess_own", "guess_turned", "guess_none")
    return nearest(result, "guess_came", names)


LESSON = Lesson(
    program=critic_leak,
    lab=LAB,
    predictions={"leak": leak, "settle": settle, "actor": actor, "transfer": guess},
    highlight="scale = stop_gradient(advantage)",
)
