"""A score function on a sample that still depends on the mean: the log-probability has no slope."""

import torch
from torch import Tensor
from torch.distributions import Normal

from lessons.contract.bug import Bug, Code, changed


def policy_loss(mean: Tensor, noise: Tensor, reward: Tensor) -> Tensor:
    policy = Normal(mean, torch.ones_like(mean))
    action = mean + noise
    return torch.mean(-policy.log_prob(action) * reward)


def check(code: Code) -> None:
    """A rewarded action draws the mean towards it: the gradient is minus reward times noise."""
    mean = torch.tensor([0.5], dtype=torch.float64, requires_grad=True)
    noise = torch.tensor([1.5], dtype=torch.float64)
    reward = torch.tensor([2.0], dtype=torch.float64)
    (came,) = torch.autograd.grad(code(mean, noise, reward), mean)
    expected = -(reward * noise).item()
    assert abs(came.item() - expected) < 1e-9, (
        f"the gradient is {came.item():.3g}, not {expected:.3g}"
    )


BUG = Bug(
    source="HorizonRobotics/alf#34",
    broken=policy_loss,
    fixes={
        "probability": changed(policy_loss, {"log_prob(action)": "log_prob(action).exp()"}),
        "policy_fixed": changed(policy_loss, {"Normal(mean,": "Normal(mean.detach(),"}),
        "action_fixed": changed(policy_loss, {"mean + noise": "(mean + noise).detach()"}),
    },
    check=check,
    title="Fix a bug of OnPolicyDriver for continuous action space",
    opened="2019-06-13",
)
