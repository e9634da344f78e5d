"""Values of states, learned from sampled steps: with a stop on the target, and without.

An argument makes the training stop earlier: python moving_target.py 100
"""

import json
import math
import sys

import torch

target = "stopped"  # or "open": whether the target gets a gradient
task = "walk"  # or "two": two states that share a weight
chance = 0.5  # to go right, in the walk
discount = 0.9
seeds = 8
steps = 600
rate = 0.25
seed = 0  # the first one
dtype = torch.float32

BATCH = 64


def value_of(w, features):  # weights [n], features [n, states]
    return w @ features


def td_loss(w, here, there, reward, discount, stop):
    value = value_of(w, here)
    next_value = value_of(w, there)
    target = discount * next_value + reward
    if stop:
        target = target.detach()
    error = target - value
    return error.square().mean(-1)


def open_loss(w, here, there, reward, discount):  # the same without a stop, to compare with
    return (discount * w @ there + reward - w @ here).square().mean(-1)


def steps_of_the_task():  # how often, features of both states, reward; and features of the states
    if task == "two":
        one = torch.ones(1, 1, dtype=torch.float64)
        return one[0], one, 2 * one, 0 * one[0], torch.tensor([[1.0, 2.0]], dtype=torch.float64)
    table = torch.eye(5, dtype=torch.float64)
    end = torch.zeros(5, 1, dtype=torch.float64)
    to_left, to_right = torch.cat([end, table[:, :-1]], 1), torch.cat([table[:, 1:], end], 1)
    often = torch.tensor([1 - chance, chance], dtype=torch.float64).repeat_interleave(5) / 5
    reward = torch.zeros(10, dtype=torch.float64)
    reward[-1] = 1.0  # for leaving at the right
    return often, torch.cat([table, table], 1), torch.cat([to_left, to_right], 1), reward, table


def true_values():
    if task == "two":
        return torch.zeros(2, dtype=torch.float64)  # there is no reward
    often, here, there, reward, _ = steps_of_the_task()
    return torch.linalg.solve((often * here) @ (here - discount * there).mT, often * here @ reward)


def trained(one_seed, as_set, count):
    """Distance from the true values, and the mean squared error of a step, at the end."""
    often, *parts, states = steps_of_the_task()
    here, there, reward = (part.to(dtype) for part in parts)
    generator = torch.Generator().manual_seed(one_seed)
    w = torch.rand(len(states), dtype=torch.float64, generator=generator).to(dtype)
    w.requires_grad_()
    for _ in range(count):
        drawn = torch.rand(BATCH, dtype=torch.float64, generator=generator)
        some = torch.bucketize(drawn, often.cumsum(0), right=True).clamp(max=len(often) - 1)
        batch = here[:, some], there[:, some], reward[some]
        if as_set:
            loss = td_loss(w, *batch, discount, target == "stopped")
        else:
            loss = open_loss(w, *batch, discount)
        if loss.requires_grad:  # not if a detach has cut everything
            (slope,) = torch.autograd.grad(loss, w)
            with torch.no_grad():
                w -= rate * slope
    w, (here, there, reward) = w.detach().double(), parts
    off = (w @ states - true_values()).square().mean().sqrt()
    loss = (often * (discount * w @ there + reward - w @ here).square()).sum()
    return {"off": off.item(), "loss": loss.item()}


if __name__ == "__main__":
    count = min([steps, *map(int, filter(str.isdigit, sys.argv[1:2]))])
    _, here, there, reward, _ = steps_of_the_task()
    at = 0 if task == "two" else 7  # from the middle of the walk to the right
    w = torch.arange(1, 1 + len(here), dtype=torch.float64) * (math.sqrt(5) - 1) / 2 % 1
    w = w.to(dtype).requires_grad_()
    here, there = (one[:, at : at + 1].to(dtype) for one in (here, there))
    loss = td_loss(w, here, there, reward[at].item(), discount, target == "stopped")
    (gradient,) = torch.autograd.grad(loss + 0 * w.sum(), w)  # + 0: zeros if you detach every path
    result = {"forward": w.tolist(), "trick_gradient": gradient.tolist(), "trained": {}}
    for name in ("trick", "plain"):
        runs = [trained(seed + index, name == "trick", count) for index in range(seeds)]
        for key in runs[0]:
            mean = math.fsum(run[key] for run in runs) / seeds
            result["trained"][f"{name}_{key}"] = mean
    print(json.dumps(result))
