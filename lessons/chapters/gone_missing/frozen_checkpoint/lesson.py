"""Adapters inside checkpointed layers, under a frozen embedding."""

from collections.abc import Mapping, Sequence
from types import FunctionType, SimpleNamespace
from typing import Any

import numpy as np
import torch
from torch.utils.checkpoint import check_backward_validity, checkpoint

from lessons.chapters.gone_missing.frozen_checkpoint.figures import CHARTS, table
from lessons.chapters.gone_missing.frozen_checkpoint.network import (
    NAMES,
    STEPS,
    Layer,
    Network,
    Op,
    Program,
    Settings,
    gradients,
    recorded,
    train,
)
from lessons.contract.devices import device_and_dtype
from lessons.contract.lab import Lab
from lessons.contract.lesson import Lesson
from lessons.contract.result import Array, Result, Series
from lessons.contract.words import Words
from lessons.kit.inputs import array

WORDS = Words(__file__)


def frozen_checkpoint(
    embedding: torch.Tensor,
    layers: Sequence[Layer],
    head: torch.Tensor,
    way: str,
    lookup: str,
    since: int,
) -> torch.Tensor:
    x = embedding[0]
    if lookup == "woken":
        x.requires_grad_()
    for number, layer in enumerate(layers, start=1):
        if way == "off" or number < since:
            x = layer(x)
        else:
            x = checkpoint(layer, x, use_reentrant=way == "reentrant")
    return (head * x - 1) ** 2


def as_an_argument(result: Result) -> str:
    """Grade which weights get a gradient if one of them is an argument: given, both, none."""
    given, inside = (bool(result.facts[f"argument_{name}"]) for name in ("given", "inside"))
    return "both" if given and inside else "given" if given else "none"


def warning_of_torch() -> Mapping[str, str]:
    """Torch's warning if no input of a checkpoint needs a gradient.

    The function that a checkpoint calls runs here with another ``warnings``: to catch what the real
    one says would change it for the whole process, and so for every session in it.
    """
    said: list[str] = []
    own = SimpleNamespace(warn=lambda message, **rest: said.append(str(message)))
    check: Any = FunctionType(
        check_backward_validity.__code__, {**check_backward_validity.__globals__, "warnings": own}
    )
    check([torch.zeros(1)])
    return {"warning": said[0]}


def error_of_torch() -> Mapping[str, str]:
    """Torch's error if ``backward()`` finds nothing that needs a gradient."""
    try:
        torch.autograd.backward(torch.zeros(()))
    except RuntimeError as error:
        return {"error": str(error).splitlines()[0]}
    raise AssertionError("torch took a loss that leads nowhere")


def weight_as_argument() -> Mapping[str, float]:
    """The gradients of two weights of a checkpointed function, one an argument of it, one not."""
    x = torch.tensor(2.0, dtype=torch.float64)
    given, inside = (torch.tensor(0.5, dtype=torch.float64, requires_grad=True) for _ in range(2))
    y = checkpoint(lambda x, a: (a + inside) * x, x, given, use_reentrant=True)
    torch.autograd.backward(y)
    return {
        f"argument_{name}": 0.0 if weight.grad is None else float(weight.grad)
        for name, weight in (("given", given), ("inside", inside))
    }


def compute(program: Program, settings: Settings) -> Result:
    """Gradients with the checkpoint and without, what was recorded, and two trainings."""
    device, dtype = device_and_dtype(settings)

    def network() -> Network:
        return Network(settings.value, settings.lookup, dtype, device)

    own = network()
    loss = own.loss(program, settings)
    graph = recorded(loss, dict(zip(NAMES, own.weights, strict=True)))
    forward_runs = sum(layer.runs for layer in own.layers)
    torch.autograd.backward(loss)
    found = [weight.grad for weight in own.weights]
    plain = gradients(program, network(), settings, "off")
    whole = network()
    complete = recorded(
        whole.loss(program, settings, "off"), dict(zip(NAMES, whole.weights, strict=True))
    )
    later = gradients(program, network(), settings | {"since": 2})
    trained = sum(weight.requires_grad for weight in own.weights)
    places = np.arange(1.0, len(NAMES) + 1)
    when = np.arange(STEPS, dtype=np.float64)
    runs = {
        "trick_gradient": train(program, network(), settings, settings.way),
        "true_gradient": train(program, network(), settings, "off"),
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
            "loss": float(loss.detach()),
            "trained": trained,
            "with_gradient": sum(one is not None for one in found),
            "since_2_with_gradient": sum(one is not None for one in later),
            "ops": sum(not op.leaf for op in graph),
            "ops_plain": sum(not op.leaf for op in complete),
            "in_graph": sum(op.name in NAMES for op in graph),
            "runs_backward": sum(layer.runs for layer in own.layers) - forward_runs,
            "graph_names": "|".join(op.name for op in graph),
            "complete_names": "|".join(op.name for op in complete),
            "arrived_own": " ".join("01"[one is not None] for one in found),
            "arrived_plain": " ".join("01"[one is not None] for one in plain),
        },
        planes={"graph": _places(graph), "complete": _places(complete)},
        work=WORDS("work", steps=STEPS),
    )


def _numbers(slopes: list[torch.Tensor | None]) -> Array:
    """One gradient for each weight; 0 where there is none."""
    return np.array([0.0 if one is None else float(one.sum()) for one in slopes])


def _places(ops: list[Op]) -> Array:
    """The place of each op and the place of its reader, shape [n, 4]."""
    return np.array([(*op.place, *(op.toward or op.place)) for op in ops], dtype=np.float64)


LESSON = Lesson(
    program=frozen_checkpoint,
    lab=Lab(WORDS, Settings, compute, table, CHARTS, direct_labels=True),
    predictions={"transfer": as_an_argument},
    highlight='checkpoint(layer, x, use_reentrant=way == "reentrant")',
    facts=(warning_of_torch, error_of_torch, weight_as_argument),
)
