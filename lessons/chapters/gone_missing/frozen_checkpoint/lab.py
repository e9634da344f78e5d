"""The lab of a frozen embedding, two layers with adapters, and a checkpoint around them."""

import numpy as np
import torch

from lessons.chapters.gone_missing.frozen_checkpoint.figures import figures, table
from lessons.chapters.gone_missing.frozen_checkpoint.network import (
    NAMES,
    STEPS,
    Network,
    Op,
    Program,
    gradients,
    recorded,
    train,
)
from lessons.contract.devices import device_and_dtype
from lessons.contract.lab import Lab
from lessons.contract.parameters import Choice, Integer, Number, Values
from lessons.contract.result import Array, Result, Series
from lessons.kit.inputs import COMPUTED_IN, array

PARAMETERS = (
    Choice(
        "way",
        "Checkpoint",
        "reentrant",
        options=(
            ("off", "none"),
            ("reentrant", "use_reentrant=True"),
            ("other", "use_reentrant=False"),
        ),
    ),
    Choice(
        "lookup",
        "Embedding",
        "frozen",
        options=(
            ("frozen", "frozen"),
            ("trained", "trained"),
            ("woken", "frozen, output.requires_grad_()"),
        ),
    ),
    Integer("since", "Checkpointed from layer", "1", low=1, high=2),
    Number("value", "Embedded value", "1.5", low=-1e6, high=1e6, slider=(-3.0, 3.0), step=0.1),
    Number("rate", "Learning rate", "0.1", low=0.0, high=10.0, slider=(0.0, 0.5)),
    *COMPUTED_IN,
)


def compute(program: Program, values: Values) -> Result:
    """Gradients with the checkpoint and without, what was recorded, and two trainings."""
    device, dtype = device_and_dtype(values)

    def network() -> Network:
        return Network(values["value"], values["lookup"], dtype, device)

    own = network()
    loss = own.loss(program, values)
    graph = recorded(loss, dict(zip(NAMES, own.weights, strict=True)))
    once = [layer.runs for layer in own.layers]
    torch.autograd.backward(loss)
    found = [weight.grad for weight in own.weights]
    plain = gradients(program, network(), values, "off")
    whole = network()
    complete = recorded(
        whole.loss(program, values, "off"), dict(zip(NAMES, whole.weights, strict=True))
    )
    later = gradients(program, network(), {**values, "since": 2})
    trained = sum(weight.requires_grad for weight in own.weights)
    places = np.arange(1.0, len(NAMES) + 1)
    when = np.arange(STEPS, dtype=np.float64)
    runs = {
        "trick_gradient": train(program, network(), values, values["way"]),
        "true_gradient": train(program, network(), values, "off"),
    }
    return Result(
        series=(
            Series("forward", "forward", np.ones(1), array(loss.reshape(1))),
            Series("trick_gradient", "trick_gradient", places, _numbers(found)),
            Series("true_gradient", "true_gradient", places, _numbers(plain)),
            Series("intended_gradient", "intended_gradient", places, _numbers(plain)),
        ),
        curves=tuple(Series(role, role, when, array(losses)) for role, losses in runs.items()),
        facts={
            "value": values["value"],
            "since": values["since"],
            "rate": values["rate"],
            "loss": float(loss.detach()),
            "trained": trained,
            "with_gradient": sum(one is not None for one in found),
            "since_2_with_gradient": sum(one is not None for one in later),
            "ops": sum(not op.leaf for op in graph),
            "ops_plain": sum(not op.leaf for op in complete),
            "in_graph": sum(op.name in NAMES for op in graph),
            "runs_forward": sum(once),
            "runs_backward": sum(layer.runs for layer in own.layers) - sum(once),
            "last_used": float(runs["trick_gradient"][-1]),
            "last_plain": float(runs["true_gradient"][-1]),
            "graph_names": "|".join(op.name for op in graph),
            "complete_names": "|".join(op.name for op in complete),
            "arrived_own": " ".join("01"[one is not None] for one in found),
            "arrived_plain": " ".join("01"[one is not None] for one in plain),
        },
        planes={"graph": _places(graph), "complete": _places(complete)},
        work=f"{STEPS} steps of training, 2 times",
    )


def _numbers(slopes: list[torch.Tensor | None]) -> Array:
    """A gradient a weight; 0 where there is none."""
    return np.array([0.0 if one is None else float(one.sum()) for one in slopes])


def _places(ops: list[Op]) -> Array:
    """Where each op stands and where the op stands that reads it, shape [n, 4]."""
    return np.array([(*op.place, *(op.toward or op.place)) for op in ops], dtype=np.float64)


LAB = Lab(
    parameters=PARAMETERS,
    compute=compute,
    figures=figures,
    table=table,
    named=True,
)
