"""One visit's loss of an actor and its critic, the advantage detached in the actor's part."""

import json

import torch

v = 0.5
logit = 0.0
reward = 1.0
weight = 1.0
stop = "no"  # yes: what you want
dtype = torch.float64


def critic_leak(v, logit, reward, weight, stop):
    log_p = torch.nn.functional.logsigmoid(logit)  # of the action taken
    advantage = reward - v
    scale = advantage.detach() if stop == "yes" else advantage
    actor = -log_p * scale
    critic = weight * advantage**2 / 2
    return actor + critic


if __name__ == "__main__":
    both = [torch.tensor(one, dtype=dtype, requires_grad=True) for one in (v, logit)]
    loss = critic_leak(*both, reward, weight, stop)
    if loss.requires_grad:  # not if a detach has cut everything
        loss.backward()
    got = [0.0 if one.grad is None else one.grad.item() for one in both]
    print(json.dumps(result := {"forward": [loss.item()], "trick_gradient": got}))
