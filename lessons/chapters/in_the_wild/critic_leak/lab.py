"""The lab of a critic and an actor: the gradients of one visit, and the value over updates."""

import inspect
from collections.abc import Mapping
from functools import cache, lru_cache

import numpy as np
import torch

from lessons.chapters.in_the_wild.critic_leak.figures import figures, table
from lessons.chapters.in_the_wild.critic_leak.visits import (
    Program,
    actor_steps,
    by_role,
    learn,
    learn_apart,
)
from lessons.contract.devices import device_and_dtype
from lessons.contract.lab import Lab, Start
from lessons.contract.parameters import Choice, Integer, Number, Values
from lessons.contract.result import Result, Series
from lessons.kit.inputs import COMPUTED_IN, array

EXAMPLE = {"v": 0.5, "logit": 0.0, "reward": 1.0, "other": 0.0}
"""What the facts about the questions are computed with: the lab's own defaults."""

RATE, SETTLED = 0.1, 400
"""A learning rate, and after how many updates with it the example's value stands still."""

GUESS = {"guess": 2.0, "target": 1.0, "before": 4.0, "log_p": -3.0}
"""A guess, what it should be, the distance of the guess before it, and the question's log p."""

# A rate times a weight stays below 2, so the value converges wherever the weight is above 0.
PARAMETERS = (
    Number("v", "Critic’s value v", "0.5", low=-1e3, high=1e3, slider=(-1.0, 2.0), step=0.05),
    Number("reward", "Reward of action a", "1", low=-1e3, high=1e3, slider=(-2.0, 2.0), step=0.1),
    Choice(
        "stop",
        "Advantage in the actor’s loss",
        "no",
        options=(("no", "as it is"), ("yes", "detached")),
    ),
    Number("weight", "Critic’s weight w", "1", low=0.0, high=2.0, slider=(0.0, 2.0)),
    Integer("updates", "Updates", "60", low=0, high=200),
    Number(
        "logit",
        "Actor’s logit of a",
        "0",
        low=-50.0,
        high=50.0,
        slider=(-4.0, 4.0),
        step=0.1,
        advanced=True,
    ),
    Number(
        "other",
        "Reward of action b",
        "0",
        low=-1e3,
        high=1e3,
        slider=(-2.0, 2.0),
        step=0.1,
        advanced=True,
    ),
    Number(
        "actor_rate",
        "Actor’s learning rate",
        "0",
        low=0.0,
        high=1.0,
        slider=(0.0, 1.0),
        advanced=True,
    ),
    Number(
        "rate", "Critic’s learning rate", "0.1", low=0.0, high=0.9, slider=(0.0, 0.9), advanced=True
    ),
    *COMPUTED_IN,
)


def compute(program: Program, values: Values) -> Result:
    """The gradients of one visit, and the value over some updates, with this program and without
    a leak."""
    v, logit = _start(values)
    weight, stop = values["weight"], values["stop"]
    roles = by_role(program, v, logit, values["reward"], weight, stop)
    rewards, rates = (values["reward"], values["other"]), (values["rate"], values["actor_rate"])
    runs = {
        "trick_gradient": learn(
            lambda v, z, r: program(v, z, r, weight, stop), v, logit, rewards, rates, _n(values)
        ),
        "intended_gradient": learn_apart(weight, v, logit, rewards, rates, _n(values)),
    }
    places, when = np.array([1.0, 2.0]), np.arange(_n(values) + 1, dtype=np.float64)
    yours, own = (array(one) for one, _ in runs.values())
    mean = array(runs["trick_gradient"][1])
    return Result(
        series=(
            Series("forward", "forward", np.ones(1), array(roles["forward"])),
            *(Series(r, r, places, array(y)) for r, y in roles.items() if r != "forward"),
        ),
        curves=(
            Series("value", "trick_gradient", when, yours),
            Series("value_own", "intended_gradient", when, own),
            Series("mean_reward", "forward", when, mean),
        ),
        facts={
            **{one.name: values[one.name] for one in PARAMETERS if isinstance(one, Number)},
            "updates": _n(values),
            "loss": float(roles["forward"][0]),
            "advantage": values["reward"] - values["v"],
            "best": max(rewards),
            "v_gradient": float(roles["trick_gradient"][0]),
            "v_own_gradient": float(roles["intended_gradient"][0]),
            "logit_gradient": float(roles["trick_gradient"][1]),
            # What is cut in the graph changes none of these.
            **_example(inspect.unwrap(program)),
            **_steps_of_the_actor(),
            **_guess(),
        },
        work=f"{_n(values)} updates, twice",
    )


def start(values: Values) -> Start:
    """The run whose graph is drawn: the loss of one visit."""
    v, logit = (one.requires_grad_() for one in _start(values))
    settings = {name: values[name] for name in ("reward", "weight", "stop")}
    return Start({"v": v, "logit": logit}, settings)


def _n(values: Values) -> int:
    return int(values["updates"])


def _start(values: Values) -> list[torch.Tensor]:
    device, dtype = device_and_dtype(values)
    return [torch.tensor(values[name], dtype=dtype, device=device) for name in ("v", "logit")]


@lru_cache(maxsize=8)
def _example(program: Program) -> Mapping[str, float]:
    """What the program comes to at the defaults: one visit, and where the value settles."""
    v, logit = (torch.tensor(EXAMPLE[name], dtype=torch.float64) for name in ("v", "logit"))
    paid = (EXAMPLE["reward"], EXAMPLE["other"])

    def visit(weight: float, stop: str) -> dict[str, torch.Tensor]:
        return by_role(program, v, logit, paid[0], weight, stop)

    def settled(weight: float, stop: str) -> float:
        found, _ = learn(
            lambda v, z, r: program(v, z, r, weight, stop), v, logit, paid, (RATE, 0.0), SETTLED
        )
        return float(found[-1])

    shares = torch.sigmoid(torch.stack([logit, -logit]))
    entropy = float(-(shares * shares.log()).sum())
    mean = float((shares * torch.tensor(paid, dtype=torch.float64)).sum())
    alone, both, stopped = visit(0.0, "no"), visit(1.0, "no"), visit(1.0, "yes")
    return {
        "example_none": 0.0,
        "example_leak": float(alone["trick_gradient"][0]),
        "example_log_p": float(torch.nn.functional.logsigmoid(logit)),
        "example_error": float(v) - paid[0],
        "example_mean": mean,
        "example_best": max(paid),
        "example_entropy": entropy,
        "example_plus": mean + entropy,
        "example_settled": settled(1.0, "no"),
        "example_half_weight": settled(0.5, "no"),
        "example_stopped": settled(1.0, "yes"),
        "actor_plain": float(both["trick_gradient"][1]),
        "actor_stopped": float(stopped["trick_gradient"][1]),
        "critic_stopped": float(stopped["trick_gradient"][0]),
    }


@cache
def _steps_of_the_actor() -> Mapping[str, float]:
    """The actor's gradient over many visits, with the mean reward as the value and with more."""
    paid = (EXAMPLE["reward"], EXAMPLE["other"])
    shares = torch.sigmoid(torch.tensor([EXAMPLE["logit"], -EXAMPLE["logit"]]).double())
    mean = float((shares * torch.tensor(paid).double()).sum())
    entropy = float(-(shares * shares.log()).sum())
    facts = {
        "visit_leaked": -float(1 - shares[0]) * (paid[0] - mean - entropy),
        "visit_other": float(shares[0]) * (paid[1] - mean - entropy),
    }
    for name, v in (("right", mean), ("leaked", mean + entropy)):
        facts[f"step_{name}"], facts[f"spread_{name}"] = actor_steps(v, EXAMPLE["logit"], paid)
    return facts


@cache
def _guess() -> Mapping[str, float]:
    """The gradient of a guess that is trained by its distance and pays the policy's reward."""
    guess = torch.tensor(GUESS["guess"], dtype=torch.float64, requires_grad=True)
    distance = (guess - GUESS["target"]) ** 2
    reward = GUESS["before"] - distance
    (own,) = torch.autograd.grad(distance, guess, retain_graph=True)
    (came,) = torch.autograd.grad(-GUESS["log_p"] * reward + distance, guess)
    return {
        **{f"guess_{name}": value for name, value in GUESS.items()},
        "guess_distance": float(distance.detach()),
        "guess_own": float(own),
        "guess_turned": (1 + GUESS["log_p"]) * float(own),
        "guess_factor": 1 + GUESS["log_p"],
        "guess_none": 0.0,
        "guess_came": float(came),
    }


LAB = Lab(
    parameters=PARAMETERS,
    compute=compute,
    figures=figures,
    table=table,
    start=start,
    named=True,
)
