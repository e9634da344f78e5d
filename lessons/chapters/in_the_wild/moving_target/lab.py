"""The lab of moving targets: values learned as set and without a stop, on the same steps."""

import inspect

import numpy as np
import torch

from lessons.chapters.in_the_wild.moving_target.figures import (
    figures,
    static_figures,
    static_table,
    table,
)
from lessons.chapters.in_the_wild.moving_target.net import STATES, Learners, Program, task_of
from lessons.chapters.in_the_wild.moving_target.single_step import (
    by_role,
    factors,
    features_of,
    weights_of,
)
from lessons.contract.devices import device_and_dtype
from lessons.contract.lab import Lab, Start
from lessons.contract.parameters import Choice, Integer, Number, Values
from lessons.contract.result import Result
from lessons.contract.training import Training
from lessons.kit.inputs import computed_in, series_by_role
from lessons.text import counted
from lessons.training.settings import first_seed, rate, seed_drawn, seeds, steps

PARAMETERS = (
    Choice(
        "target",
        "Target",
        "stopped",
        "May be changed while it trains.",
        options=(("stopped", "stopped"), ("open", "open")),
        while_training="steps",
    ),
    Choice("task", "Task", "walk", options=(("walk", "walk"), ("two", "two states"))),
    Number("chance", "Chance to go right", "0.5", "In the walk.", False, 0, 1, (0, 1)),
    Number("discount", "Discount γ", "0.9", "", False, 0, 1, (0, 1)),
    seeds("8", 32),
    seed_drawn(32),
    steps("600", 3000),
    rate("0.25", (0.01, 1), 0.01),
    Integer(
        "point",
        "Step looked at, from state",
        "3",
        "In the walk, to the right. The graph shows the next state's weight.",
        True,
        low=1,
        high=STATES,
        while_training="looks",
    ),
    first_seed(),
    *computed_in("float32"),
)


def compute(program: Program, values: Values) -> Result:
    """One step's gradients by role, where the training rests, and what is there before it."""
    roles = by_role(program, values, *device_and_dtype(values))
    series = series_by_role(np.arange(1.0, 1 + len(roles["forward"])), roles)
    whole = inspect.unwrap(program)  # what is cut in the graph changes none of these facts
    task = task_of(values)
    true = task.true()
    rests = {name: task.rests(name == "stopped") for name in ("stopped", "open")}
    return Result(
        series=series,
        curves=series,
        facts={
            **{name: values[name] for name in ("seeds", "chance", "discount", "rate")},
            "target": values["target"],
            **_of_one_step(roles["trick_gradient"], values),
            "states": task.states.shape[1],
            "true_middle": float(true[len(true) // 2]),
            **{f"{name}_rests_off": task.off(w, true) for name, w in rests.items()},
            **{f"{name}_rests_loss": float(task.loss(w)) for name, w in rests.items()},
            **factors(whole, float(values["discount"]), float(values["rate"])),
        },
        work=f"{counted(values['seeds'], 'seed')}, two sets of weights each",
    )


def _of_one_step(gradient: torch.Tensor, values: Values) -> dict[str, float]:
    """What one step sends to its state's weight and to the next state's."""
    here = min(int(values["point"]), len(gradient)) - 1
    after = min(here + 1, len(gradient) - 1)
    return {"own_gradient": float(gradient[here]), "next_gradient": float(gradient[after])}


def start(values: Values) -> Start:
    """The graph of one step's loss."""
    w = weights_of(values).to(*device_and_dtype(values))
    here, there, reward = features_of(values)
    settings = {
        "here": here.to(w),
        "there": there.to(w),
        "reward": reward,
        "discount": float(values["discount"]),
        "stop": values["target"] == "stopped",
    }
    index = (min(int(values["point"]), len(w) - 1),)  # the weight of the next state
    return Start({"w": w.requires_grad_()}, settings, index)


LAB = Lab(
    parameters=PARAMETERS,
    compute=compute,
    figures=static_figures,
    table=static_table,
    start=start,
    training=Training(
        begin=Learners,
        figures=figures,
        table=table,
        cuts=True,
    ),
)
