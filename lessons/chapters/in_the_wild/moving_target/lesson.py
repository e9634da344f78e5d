"""Values learned from values: the target with a stop, and without."""

import torch

from lessons.chapters.in_the_wild.moving_target.lab import LAB
from lessons.chapters.in_the_wild.moving_target.net import (
    task_of,
    two_next_states,
    value_of,
)
from lessons.contract.lesson import Lesson
from lessons.contract.result import Result
from lessons.tricks import stop_gradient


def td_loss(
    w: torch.Tensor,
    here: torch.Tensor,
    there: torch.Tensor,
    reward: torch.Tensor | float,
    discount: float,
    stop: bool,
) -> torch.Tensor:
    value = value_of(w, here)
    next_value = value_of(w, there)
    target = discount * next_value + reward
    if stop:
        target = stop_gradient(target)
    error = target - value
    return error.square().mean(-1)


def nearer_to_the_true_values(result: Result) -> str:
    """Which of the two points where the training rests is nearer to the true values."""
    stopped, plain = (float(result.facts[f"{arm}_rests_off"]) for arm in ("stopped", "open"))
    if abs(stopped - plain) < 1e-6:
        return "same"
    return "stopped" if stopped < plain else "open"


def where_it_rests(result: Result) -> str:
    """Whether the training without a stop rests at the true values too."""
    return "true" if float(result.facts["open_rests_off"]) < 1e-6 else "off"


def how_it_goes(result: Result) -> str:
    """What one step does to the weight, with the stop: factor above 1, below it, or just 1."""
    factor = abs(float(result.facts["factor_stopped"]))
    return "grows" if factor > 1.001 else "falls" if factor < 0.999 else "stays"


def two_next_states_by_rest() -> dict[str, float]:
    """How far from the true values it rests with one sampled next state, and with two."""
    task = task_of({"task": "walk", "chance": 0.5, "discount": 0.9})
    true = task.true()
    one, two = (task.off(w, true) for w in (task.rests(stop=False), two_next_states(task)))
    return {"one_next_off": one, "two_next_off": two}


def by_samples(result: Result) -> str:
    """Where a loss with two sampled next states rests, by how far off."""
    one, two = (float(result.facts[f"{count}_off"]) for count in ("one_next", "two_next"))
    beliefs = {"true": 0.0, "same": one, "beyond": 2 * one}
    return min(beliefs, key=lambda key: abs(beliefs[key] - two))


LESSON = Lesson(
    program=td_loss,
    lab=LAB,
    predictions={
        "nearer": nearer_to_the_true_values,
        "certain": where_it_rests,
        "two": how_it_goes,
        "transfer": by_samples,
    },
    highlight="stop_gradient(target)",
    elsewhere=two_next_states_by_rest,
)
