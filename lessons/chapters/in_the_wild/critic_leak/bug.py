"""The baseline in a policy's loss, never detached: the loss falls by raising the baseline."""

import torch
from torch import Tensor

from lessons.contract.bug import Bug, Code, changed

Tensors = list[Tensor]


def actor_loss(log_probs: Tensors, rewards: Tensors, baselines: Tensors) -> Tensor:
    losses = []
    for log_p, r, b in zip(log_probs, rewards, baselines, strict=True):
        advantage = r - b
        losses.append(-log_p * advantage / len(rewards))
    return torch.stack(losses).sum()


def check(code: Code) -> None:
    """The policy gets minus the advantage over the number of steps; the baseline gets nothing."""
    log_probs = [torch.tensor(one, requires_grad=True) for one in (-0.5, -2.0)]
    baselines = [torch.tensor(one, requires_grad=True) for one in (0.25, 0.5)]
    rewards = [torch.tensor(one) for one in (1.0, 0.0)]
    loss = code(log_probs, rewards, baselines)
    loss.backward()
    for log_p, r, b in zip(log_probs, rewards, baselines, strict=True):
        expected = -float((r - b).detach()) / len(rewards)
        came = 0.0 if log_p.grad is None else float(log_p.grad)
        assert abs(came - expected) < 1e-6, f"the policy got {came:.4g}, expected {expected:.4g}"
        leaked = 0.0 if b.grad is None else float(b.grad)
        assert leaked == 0, f"the baseline got {leaked:.4g} from the actor's loss, expected 0"


BUG = Bug(
    source="ChenRocks/fast_abs_rl#49",
    broken=actor_loss,
    fixes={
        "the_reward": changed(actor_loss, {"r - b": "r.detach() - b"}),
        "the_log_prob": changed(actor_loss, {"-log_p": "-log_p.detach()"}),
        "the_advantage": changed(actor_loss, {"r - b": "(r - b).detach()"}),
    },
    check=check,
    title="A question about rl training function",
    opened="2019-05-05",
)
