"""A target network that is the policy network by another name, so that the target is trained."""

from copy import deepcopy
from typing import Any

import torch
from torch.nn import Module

from lessons.contract.bug import Bug, Code, changed


def train_step(model: Module, state: Any, reward: float, next_state: Any, gamma: float) -> Any:
    policy_net = model
    target_net = model
    expected = reward + gamma * target_net(next_state)
    torch.nn.functional.mse_loss(policy_net(state), expected).backward()
    return policy_net, target_net


def copied(model: Module, state: Any, reward: float, next_state: Any, gamma: float) -> Any:
    policy_net = model
    target_net = deepcopy(model)
    expected = reward + gamma * target_net(next_state).detach()
    torch.nn.functional.mse_loss(policy_net(state), expected).backward()
    return policy_net, target_net


def check(code: Code) -> None:
    """The value moves towards the target, and a step of the policy leaves the target as it is."""
    model = torch.nn.Linear(1, 1, bias=False)
    torch.nn.init.ones_(model.weight)
    state, next_state = torch.tensor([[1.0]]), torch.tensor([[2.0]])
    policy_net, target_net = code(model, state, 0.0, next_state, 0.9)
    slope = policy_net.weight.grad
    found = "none" if slope is None else f"{slope.item():.3g}"
    assert found == "-1.6", f"the value is 1, the target 1.8; gradient {found}, expected -1.6"
    with torch.no_grad():
        policy_net.weight += 1
    target = target_net(next_state).item()
    assert target == 2, f"after a step of the policy the next value is {target:.3g}, expected 2"


BUG = Bug(
    source="datawhalechina/easy-rl#117",
    title="distinguish Qnet and set detach() on TD target",
    opened="2022-10-23",
    broken=train_step,
    fixes={
        "detached": changed(
            train_step, {"target_net(next_state)": "target_net(next_state).detach()"}
        ),
        "other_way": changed(
            train_step,
            {
                "target_net = model": "target_net = deepcopy(model)",
                "policy_net(state)": "policy_net(state).detach()",
            },
        ),
        "copied": copied,
    },
    check=check,
)
