"""One step of the task by itself: its gradients by role, at weights of fixed numbers."""

import inspect
import math

import torch

from lessons.chapters.in_the_wild.moving_target.net import STATES, Program, task_of
from lessons.contract.parameters import Values
from lessons.kit.gradients import gradient


def weights_of(values: Values) -> torch.Tensor:
    """The weights at which it is looked at, float64, [weights]: parts of the golden ratio."""
    count = 1 if values["task"] == "two" else STATES
    return torch.arange(1, 1 + count, dtype=torch.float64) * (math.sqrt(5) - 1) / 2 % 1


def features_of(values: Values) -> tuple[torch.Tensor, torch.Tensor, float]:
    """Features of both states of the step that is looked at, [weights, 1], and its reward.

    In the walk it goes to the right, from the state that is chosen.
    """
    task = task_of(values)
    at = 0 if values["task"] == "two" else STATES + int(values["point"]) - 1
    return task.here[:, at : at + 1], task.there[:, at : at + 1], float(task.reward[at])


def by_role(
    program: Program, values: Values, device: torch.device, dtype: torch.dtype
) -> dict[str, torch.Tensor]:
    """The weights and the gradient of this step's loss at them, [weights].

    Returns:
        forward: the weights. trick_gradient: by autograd, as set. true_gradient: by autograd,
        without a stop. intended_gradient: with the target held still, by formula.
    """
    w = weights_of(values).to(device, dtype)
    here, there, reward = features_of(values)
    here, there = here.to(w), there.to(w)
    discount = float(values["discount"])

    def at(program: Program, stop: bool) -> torch.Tensor:
        leaf = w.clone().requires_grad_()
        return gradient(program(leaf, here, there, reward, discount=discount, stop=stop), leaf)

    error = discount * (w @ there[:, 0]) + reward - w @ here[:, 0]
    return {
        "forward": w,
        "trick_gradient": at(program, values["target"] == "stopped"),
        "true_gradient": at(inspect.unwrap(program), False),
        "intended_gradient": -2 * error * here[:, 0],
    }


def factors(program: Program, discount: float, rate: float) -> dict[str, float]:
    """By what one step multiplies the weight that two states share, with a stop and without."""
    task = task_of({"task": "two", "discount": discount})
    found = {}
    for name, stop in (("stopped", True), ("open", False)):
        w = torch.ones(1, dtype=torch.float64, requires_grad=True)
        loss = program(w, task.here, task.there, task.reward, discount=discount, stop=stop)
        found[f"factor_{name}"] = float(1 - rate * gradient(loss, w))
    return found
